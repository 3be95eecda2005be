//! The comparison as a person reads it: the answer first, then what it rests on.

use mst_cli::{Ui, percent, plural};
use mst_measure::compare::Flip;
use mst_measure::stats::{Answer, Assessment};
use mst_model::CaseId;

use super::document::remedy;
use super::{Compared, Comparisons, words};
use crate::commands::one_line::one_line;

/// How many names a list shows.
const NAMES: usize = 5;
/// How much of a name is shown.
const LONGEST: usize = 60;
/// What share of marked cases may be marked by chance.
const FALSE_MARKS: f64 = 0.05;

/// Prints everything.
pub(super) fn print(all: &Comparisons, margin: f64, ui: &Ui) {
    ui.text(&format!("Baseline:  {}", all.baseline.id()));
    ui.text(&format!("Candidate: {}", all.candidate.id()));
    for warning in &all.warnings {
        ui.warn(&one_line(warning, 300));
    }
    for compared in &all.compared {
        variant(compared, margin, ui);
    }
}

fn variant(compared: &Compared, margin: f64, ui: &Ui) {
    let cases = &compared.cases;
    let (old, new) = (one_line(compared.baseline.as_str(), LONGEST), one_line(compared.candidate.as_str(), LONGEST));
    let name = if old == new { new } else { format!("{new} against {old}") };
    ui.text(&format!("\n{name}: {} (margin {})", words(compared.answer), percent(margin)));
    for warning in &compared.warnings {
        ui.warn(&one_line(&format!("{name}: {warning}"), 300));
    }
    if compared.is_rejudged {
        return lists(compared, ui);
    }
    ui.text(&format!("  {}", change(compared)));
    if cases.whole.assessment == Assessment::Worse && cases.headline.answer != Answer::Worse {
        ui.text("  What got worse are its regression cases.");
    }
    ui.text(&match cases.headline.smallest_drop {
        Some(drop) => format!("  The smallest drop that such runs would likely have shown: {}.", points(drop)),
        None => "  Such runs show even the largest drop in less than 80% of repetitions.".to_owned(),
    });
    let missing = cases.headline.change.missing_differing;
    if missing > 0 {
        ui.text(&format!("  {} would have to differ before the test could say worse.", more(missing)));
    }
    if let Some(noise) = cases.noise {
        let judge = noise.judge.map_or(String::new(), |judge| format!(", judge {}", percent(judge)));
        let (case, trial) = (percent(noise.case), percent(noise.trial));
        ui.text(&format!("  Noise: cases {case}, trials {trial}{judge}. What helps most: {}.", remedy(noise.remedy)));
    }
    lists(compared, ui);
}

/// Returns the paired change in words.
fn change(compared: &Compared) -> String {
    let change = &compared.cases.headline.change;
    let kind = if compared.cases.guards_only { "regression" } else { "capability" };
    let Some(mean) = change.mean else { return format!("No {kind} case is complete on both sides.") };
    format!(
        "Change over {}: {} points ({} to {}), p {:.4} of worse, {:.4} of better",
        plural(change.cases, &format!("{kind} case")),
        signed(mean),
        signed(change.interval.lower),
        signed(change.interval.upper),
        change.p_worse,
        change.p_better,
    )
}

fn lists(compared: &Compared, ui: &Ui) {
    let cases = &compared.cases;
    let broken: Vec<String> = cases.broken.iter().map(|(id, _)| shown(id)).collect();
    let flips = |flips: &[Flip]| -> Vec<String> {
        let mark = |flip: &Flip| if flip.adjusted <= FALSE_MARKS { "*" } else { "" };
        flips.iter().map(|flip| format!("{}{}", shown(&flip.id), mark(flip))).collect()
    };
    let ids = |ids: &[CaseId]| ids.iter().map(shown).collect::<Vec<_>>();
    for (title, names) in [
        ("Broken regression cases", broken),
        ("Regressed", flips(&cases.regressed)),
        ("Improved", flips(&cases.improved)),
        ("Added", ids(&cases.added)),
        ("Removed", ids(&cases.removed)),
        ("Edited", ids(&cases.edited)),
        ("Incomplete", ids(&cases.incomplete)),
    ] {
        if !names.is_empty() {
            let rest = if names.len() > NAMES { format!(" and {} more", names.len() - NAMES) } else { String::new() };
            let first = names.iter().take(NAMES).map(String::as_str).collect::<Vec<_>>().join(", ");
            ui.text(&format!("  {title} ({}): {first}{rest}", names.len()));
        }
    }
    if cases.regressed.iter().chain(&cases.improved).any(|flip| flip.adjusted <= FALSE_MARKS) {
        ui.text("  * beyond chance in this case alone, with at most 5% of marks false on average");
    }
}

fn shown(id: &CaseId) -> String {
    one_line(id.as_str(), LONGEST)
}

fn more(count: usize) -> String {
    if count == 1 { "1 more case".to_owned() } else { format!("{count} more cases") }
}

/// Returns a difference of shares in percentage points with its sign.
fn signed(share: f64) -> String {
    let tenths = (share * 1000.0).round() / 10.0;
    if tenths == 0.0 { "0".to_owned() } else { format!("{tenths:+}") }
}

fn points(share: f64) -> String {
    format!("{} points", (share * 1000.0).round() / 10.0)
}
