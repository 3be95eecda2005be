//! The history as a person reads it: a line a run and variant, and under a run what changed with it.

use mst_cli::{Ui, percent, table};
use mst_model::{CaseId, History, HistoryChange, HistoryRow, HistoryVariant, VariantName};

use crate::commands::one_line::one_line;
use crate::previous::points;
use crate::selection;

/// How many names a list shows.
const NAMES: usize = 5;
/// How much of a name is shown.
const LONGEST: usize = 60;
/// No line is folded: the lines under a run must stand under it.
const WIDE: u16 = u16::MAX;

const COLUMNS: [&str; 9] = ["Run", "Status", "Era", "Variant", "Headline", "Passed", "Change", "Cost", "Time"];

/// Prints the rows, newest first, and the runs that have none.
pub(super) fn print(history: &History, ui: &Ui) {
    if history.rows.is_empty() {
        ui.text("No run has a row.");
    } else {
        let lines: Vec<Line> = history.rows.iter().flat_map(lines).collect();
        let cells: Vec<Vec<String>> = lines.iter().map(|line| line.cells.to_vec()).collect();
        let text = table(&COLUMNS, &cells, WIDE);
        let mut printed = text.lines();
        if let Some(header) = printed.next() {
            ui.text(header);
        }
        for (text, line) in printed.zip(&lines) {
            ui.text(text);
            for note in &line.below {
                ui.text(&format!("    {note}"));
            }
        }
    }
    for skipped in &history.skipped {
        ui.remark(&format!("Skipped {}: {}", skipped.path, one_line(&skipped.why, 300)));
    }
}

/// One line of the table, and what stands below it.
struct Line {
    cells: [String; COLUMNS.len()],
    below: Vec<String>,
}

/// Returns a row's lines: one for each variant, and one for a run that has none.
fn lines(row: &HistoryRow) -> Vec<Line> {
    let ends = row.changes.iter().any(|change| change.ends_era);
    let run = format!("{}{}", row.run_id, if ends { " *" } else { "" });
    let head = |first: bool, text: &str| if first { text.to_owned() } else { String::new() };
    let line = |first: bool, era: String, rest: [String; 6]| {
        let [variant, headline, passed, change, cost, time] = rest;
        let cells = [head(first, &run), head(first, &status(row)), era, variant, headline, passed, change, cost, time];
        Line { cells, below: Vec::new() }
    };
    let mut lines: Vec<Line> = row
        .variants
        .iter()
        .enumerate()
        .map(|(at, (name, variant))| {
            line(at == 0, variant.era.map_or_else(dash, |era| era.to_string()), variant_cells(name, variant))
        })
        .collect();
    if lines.is_empty() {
        lines.push(line(true, dash(), std::array::from_fn(|_| dash())));
    }
    if let Some(last) = lines.last_mut() {
        last.below = below(row);
    }
    lines
}

fn status(row: &HistoryRow) -> String {
    let mut words = vec![row.status.as_str()];
    words.extend(row.partial.then_some("partial"));
    words.extend((row.replayed == Some(true)).then_some("replayed"));
    words.extend(row.superseded_by.is_some().then_some("superseded"));
    words.join(", ")
}

fn variant_cells(name: &VariantName, variant: &HistoryVariant) -> [String; 6] {
    let measures = &variant.measures;
    let headline = measures.headline.as_ref().map_or_else(dash, |headline| match &headline.range {
        Some(range) => format!(
            "{} ({} to {})",
            percent(headline.rate),
            percent(range.lower).trim_end_matches('%'),
            percent(range.upper).trim_end_matches('%')
        ),
        None => percent(headline.rate),
    });
    let counted = variant.cases.len();
    let passed = match counted {
        0 => dash(),
        cases => format!("{}/{cases}", cases - variant.failed_cases.len()),
    };
    let passed = if variant.incomplete > 0 { format!("{passed} +{} open", variant.incomplete) } else { passed };
    [
        one_line(name.as_str(), LONGEST),
        headline,
        passed,
        variant
            .change
            .as_ref()
            .map_or_else(dash, |change| format!("{} {}", change.assessment.as_str(), points(change.mean))),
        measures.cost_usd.map_or_else(dash, |cost| format!("${cost:.4}")),
        measures.duration_s.map_or_else(dash, |seconds| format!("{seconds:.2} s")),
    ]
}

/// Returns what changed with a run, and which cases flipped.
fn below(row: &HistoryRow) -> Vec<String> {
    let narrowed = row.selection.as_ref().filter(|_| row.partial).map(selection::words);
    let narrowed = narrowed.filter(|words| !words.is_empty());
    let mut lines: Vec<String> =
        narrowed.map(|words| format!("narrowed to {}", one_line(&words, 200))).into_iter().collect();
    let told = |ends: bool| -> Vec<String> {
        row.changes.iter().filter(|change| change.ends_era == ends).map(change_words).collect()
    };
    for (title, changes) in [("new era", told(true)), ("noted", told(false))] {
        if !changes.is_empty() {
            lines.push(format!("{title}: {}", changes.join("; ")));
        }
    }
    for (name, variant) in &row.variants {
        for (title, ids) in [("regressed", &variant.regressed), ("improved", &variant.improved)] {
            if !ids.is_empty() {
                lines.push(format!("{}: {title} ({}): {}", one_line(name.as_str(), LONGEST), ids.len(), names(ids)));
            }
        }
    }
    lines
}

fn change_words(change: &HistoryChange) -> String {
    let what = one_line(&change.what, 200);
    change.variant.as_ref().map_or_else(|| what.clone(), |name| format!("{}: {what}", one_line(name.as_str(), LONGEST)))
}

fn names(ids: &[CaseId]) -> String {
    let shown: Vec<String> = ids.iter().take(NAMES).map(|id| one_line(id.as_str(), LONGEST)).collect();
    let rest = if ids.len() > NAMES { format!(" and {} more", ids.len() - NAMES) } else { String::new() };
    format!("{}{rest}", shown.join(", "))
}

fn dash() -> String {
    "-".to_owned()
}
