//! The first page of the case grid, as a page shows it without a script.

use std::fmt::Write as _;

use super::comparison::Standing;
use super::outcome::{CaseState, Flip, Outcome};
use super::report::RunReport;
use crate::page::Chart;
use crate::text::Shown;

/// How many cases a page of the grid has; the script's pages have as many.
pub(super) const ROWS: usize = 100;

/// A case.
pub(super) struct Row {
    pub(super) id: Shown,
    /// Its address in the page.
    pub(super) href: String,
    pub(super) prompt: String,
    pub(super) tags: Vec<Shown>,
    pub(super) cells: Vec<Option<CellView>>,
}

/// A case in a variant.
pub(super) struct CellView {
    pub(super) state: &'static str,
    pub(super) mark: &'static str,
    pub(super) share: String,
    pub(super) bar: Chart,
    pub(super) flip: Option<(&'static str, &'static str)>,
}

/// Returns the cases that need a look first: regressed, failed, incomplete, improved, flaky, then the rest, each in the
/// dataset's order.
pub(super) fn first_rows(report: &RunReport<'_>, standings: &[Standing<'_>]) -> Vec<Row> {
    let cells = |case: usize| -> Vec<Option<Outcome>> {
        standings.iter().map(|standing| standing.tally.outcome(case, &report.outcomes)).collect()
    };
    let baseline = report.baseline();
    let mut order: Vec<(usize, usize)> =
        (0..report.cases.len()).map(|case| (rank(&cells(case), baseline), case)).collect();
    order.sort_unstable();
    order.truncate(ROWS);
    order
        .into_iter()
        .map(|(_, case)| {
            let cells = cells(case);
            let base = cells.get(baseline).copied().flatten();
            let id = report.cases.id(case).as_str();
            Row {
                id: Shown::line(id),
                href: format!("#case={}", encoded(id)),
                prompt: report.cases.prompt(case).to_owned(),
                tags: report.cases.tags(case).iter().map(|tag| Shown::line(tag)).collect(),
                cells: cells
                    .iter()
                    .enumerate()
                    .map(|(at, cell)| cell.map(|cell| view(cell, base.filter(|_| at != baseline))))
                    .collect(),
            }
        })
        .collect()
}

/// Returns how soon a case is to be looked at, 0 first.
fn rank(cells: &[Option<Outcome>], baseline: usize) -> usize {
    let base = cells.get(baseline).copied().flatten();
    let flips = |wanted: Flip| {
        let others = cells.iter().enumerate().filter(|(at, _)| *at != baseline).filter_map(|(_, cell)| *cell);
        base.is_some_and(|base| others.filter_map(|cell| Flip::of(base, cell)).any(|flip| flip == wanted))
    };
    let is = |state: CaseState| cells.iter().flatten().any(|cell| cell.state == state);
    if flips(Flip::Regressed) {
        0
    } else if flips(Flip::Improved) {
        3
    } else if is(CaseState::Failed) {
        1
    } else if is(CaseState::Incomplete) {
        2
    } else if cells.iter().flatten().any(|cell| cell.is_flaky()) {
        4
    } else {
        5
    }
}

fn view(cell: Outcome, base: Option<Outcome>) -> CellView {
    let all = cell.passed + cell.failed + cell.infrastructure + cell.ungraded;
    CellView {
        state: cell.state.word(),
        mark: match cell.state {
            CaseState::Passed => "✓",
            CaseState::Failed => "✗",
            CaseState::Incomplete => "!",
        },
        share: format!("{}/{all}", cell.passed),
        bar: bar(cell, all),
        flip: base.and_then(|base| Flip::of(base, cell)).map(|flip| match flip {
            Flip::Regressed => ("regressed", "▼"),
            Flip::Improved => ("improved", "▲"),
        }),
    }
}

/// Draws a case's trials as parts of one bar; the words beside it say the same.
fn bar(cell: Outcome, all: u32) -> Chart {
    let mut svg = String::from("<svg class=\"trials\" aria-hidden=\"true\">");
    let mut from = 0.0;
    let parts = [("ok", cell.passed), ("no", cell.failed), ("off", cell.infrastructure + cell.ungraded)];
    for (class, count) in parts.into_iter().filter(|(_, count)| *count > 0) {
        let width = f64::from(count) / f64::from(all) * 100.0;
        write!(svg, "<rect class=\"{class}\" x=\"{from:.2}%\" width=\"{width:.2}%\" height=\"100%\"/>")
            .expect("a string takes any text");
        from += width;
    }
    Chart::drawn(svg + "</svg>")
}

/// Returns a text as a browser's `encodeURIComponent` writes it.
fn encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.!~*'()".contains(&byte) {
            out.push(char::from(byte));
        } else {
            write!(out, "%{byte:02X}").expect("a string takes any text");
        }
    }
    out
}
