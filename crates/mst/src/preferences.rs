//! What pairwise judges came to, on the screen.

use mst_cli::{Ui, plural, printable};
use mst_model::{Pairwise, PairwiseSummary, Summary, VariantSummary};

use crate::screen::{percent, shortened};

/// How many names a list shows.
const NAMES: usize = 5;

/// How many different reasons are told.
const REASONS: usize = 5;

const COLUMNS: [&str; 9] =
    ["Variant", "Compared by", "Win", "Loss", "Tie", "Cases", "Win rate", "Orders agree", "Not compared"];

/// Prints what each pairwise judge found of each variant, when any was asked.
pub(crate) fn table(summary: &Summary, ui: &Ui) {
    let compared: Vec<(&VariantSummary, &Pairwise)> = compared(summary).collect();
    let Some((_, first)) = compared.first() else { return };
    let rows = compared.iter().flat_map(|(variant, pairwise)| {
        pairwise.summary.iter().map(move |judge| row(variant.name.as_str(), pairwise, judge))
    });
    ui.text(&printable(&format!("Against {}:", first.baseline)));
    ui.text(&mst_cli::table(&COLUMNS, &rows.collect::<Vec<_>>(), ui.width()));
    ui.text("a win rate counts a tie as half a win; its range is the 95% Wilson interval");
}

/// Says which cases have no preference, and why: each reason once.
pub(crate) fn missing_lines(summary: &Summary) -> Vec<String> {
    let mut reasons: Vec<(&str, &str, Vec<String>)> = Vec::new();
    for (variant, pairwise) in compared(summary) {
        for (case, preference) in
            pairwise.cases.iter().flat_map(|case| case.preferences.iter().map(move |one| (case, one)))
        {
            let Some(error) = &preference.error else { continue };
            let name = format!("{}/{}", variant.name, case.id);
            match reasons.iter_mut().find(|(judge, why, _)| *judge == preference.judge && *why == error.as_str()) {
                Some((.., cases)) => cases.push(name),
                None => reasons.push((&preference.judge, error, vec![name])),
            }
        }
    }
    let mut lines: Vec<String> = reasons
        .iter()
        .take(REASONS)
        .map(|(judge, why, cases)| {
            let named = cases.iter().take(NAMES).map(String::as_str).collect::<Vec<_>>().join(", ");
            let rest = cases.len().saturating_sub(NAMES);
            let rest = if rest > 0 { format!(" and {rest} more") } else { String::new() };
            printable(&format!("No preference of {judge:?}: {named}{rest}: {}", shortened(why)))
        })
        .collect();
    let more: usize = reasons.iter().skip(REASONS).map(|(.., cases)| cases.len()).sum();
    if more > 0 {
        lines.push(format!("and {} without a preference for other reasons", plural(more, "case")));
    }
    lines
}

fn compared(summary: &Summary) -> impl Iterator<Item = (&VariantSummary, &Pairwise)> {
    summary.variants.iter().filter_map(|variant| Some((variant, variant.pairwise.as_ref()?)))
}

fn row(variant: &str, pairwise: &Pairwise, judge: &PairwiseSummary) -> Vec<String> {
    let share = |count: usize| match judge.compared {
        0 => "-".to_owned(),
        compared => percent(count as f64 / compared as f64),
    };
    let rate = judge.candidate_win_rate.map_or_else(
        || "-".to_owned(),
        |rate| match judge.candidate_win_rate_ci {
            Some(range) => format!("{} ({} to {})", percent(rate), percent(range.lower), percent(range.upper)),
            None => percent(rate),
        },
    );
    let not_compared: Vec<String> = [
        (judge.errors, plural(judge.errors, "error")),
        (judge.skipped, format!("{} skipped", judge.skipped)),
        (pairwise.errored.len(), plural(pairwise.errored.len(), "trial error")),
    ]
    .into_iter()
    .filter_map(|(count, words)| (count > 0).then_some(words))
    .collect();
    vec![
        printable(variant),
        printable(&judge.judge),
        share(judge.candidate_wins),
        share(judge.baseline_wins),
        share(judge.ties),
        judge.compared.to_string(),
        rate,
        judge.consistency.map_or_else(|| "-".to_owned(), percent),
        if not_compared.is_empty() { "-".to_owned() } else { not_compared.join(", ") },
    ]
}
