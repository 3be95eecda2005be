//! The list as a person reads it.

use mst_cli::{Ui, percent, table};

use super::row::{Facts, Row, Where};
use crate::commands::one_line::one_line;

/// How much of a list of variants, or of a reason, is shown.
const LONGEST: usize = 40;
/// No line is folded.
const WIDE: u16 = u16::MAX;

/// Prints a line a run, and why those that cannot be read cannot.
pub(super) fn print(rows: &[Row], ui: &Ui) {
    if rows.is_empty() {
        ui.status("No runs.");
        return;
    }
    let several = rows.iter().any(|row| row.eval != rows[0].eval);
    let stored = rows.iter().any(|row| row.is_in() != Where::Here);
    let mut columns = vec!["Run"];
    columns.extend(several.then_some("Eval"));
    columns.extend(["Collected", "Status", "Passed", "Pass rate", "Variants"]);
    columns.extend(stored.then_some("In"));
    let cells = rows.iter().map(|row| {
        let mut cells = vec![row.id.to_string()];
        cells.extend(several.then(|| one_line(&row.eval, LONGEST)));
        cells.extend(facts(row.facts.as_ref().ok()));
        cells.extend(stored.then(|| row.is_in().as_str().to_owned()));
        cells
    });
    ui.text(&table(&columns, &cells.collect::<Vec<_>>(), WIDE));
    for row in rows {
        if let Err(why) = &row.facts {
            ui.remark(&format!("{} cannot be read: {why}", row.id));
        }
    }
}

fn facts(facts: Option<&Facts>) -> [String; 5] {
    let none = || "-".to_owned();
    let Some(facts) = facts else { return [none(), "unreadable".to_owned(), none(), none(), none()] };
    let status = facts.status.as_str();
    [
        facts.collected_at.to_string(),
        if facts.partial { format!("{status}, partial") } else { status.to_owned() },
        facts.passed.map_or_else(none, |(passed, total)| format!("{passed}/{total}")),
        facts.pass_rate().map_or_else(none, percent),
        one_line(&facts.variants.join(", "), LONGEST),
    ]
}
