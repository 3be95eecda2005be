//! What one variant measured from run to run.

use mst_model::{History, HistoryRow, HistoryVariant, Interval, VariantName};

use crate::text::Shown;

/// A value of one run.
#[derive(Clone, Debug)]
pub(super) struct Point {
    /// The place of its run among those on the line, the oldest 0.
    pub(super) at: usize,
    pub(super) value: f64,
    pub(super) range: Option<Interval>,
    /// The variant's era: values of two eras are not joined.
    pub(super) era: Option<u32>,
    /// Whether the run is worse than the one before it.
    pub(super) is_worse: bool,
    /// The run, for those who point at it.
    pub(super) run: String,
}

/// The runs that stand on the line, oldest first: full, graded, and not replaced by another grading.
pub(super) fn on_the_line(history: &History) -> Vec<&HistoryRow> {
    history.rows.iter().rev().filter(|row| row.era.is_some() && row.superseded_by.is_none()).collect()
}

/// Returns every variant's name, those of the newest run first.
pub(super) fn variants(rows: &[&HistoryRow]) -> Vec<VariantName> {
    let mut names: Vec<VariantName> = Vec::new();
    for name in rows.iter().rev().flat_map(|row| row.variants.keys()) {
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    names
}

/// Returns a variant's values, without the runs that have none.
pub(super) fn points(
    rows: &[&HistoryRow],
    variant: &VariantName,
    value: impl Fn(&HistoryVariant) -> Option<(f64, Option<Interval>)>,
) -> Vec<Point> {
    let of_row = |(at, row): (usize, &&HistoryRow)| {
        let one = row.variants.get(variant)?;
        let (value, range) = value(one)?;
        let is_worse = one.change.as_ref().is_some_and(|change| change.assessment.as_str() == "worse");
        Some(Point { at, value, range, era: one.era, is_worse, run: Shown::line(row.run_id.as_str()).to_string() })
    };
    rows.iter().enumerate().filter_map(of_row).collect()
}
