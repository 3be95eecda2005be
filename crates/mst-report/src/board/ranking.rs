//! Ranks within one configuration, and how far they can be trusted.

use super::row::BoardRow;

/// A place in a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rank {
    /// The rank by the total; equal totals share one.
    pub(crate) rank: usize,
    /// The best rank that the likely ranges allow.
    pub(crate) best: usize,
    /// The worst.
    pub(crate) worst: usize,
    /// Whether its likely range overlaps that of the next place; `None` where one of the two has none.
    pub(crate) overlaps_next: Option<bool>,
}

/// Ranks rows that are sorted by their total, the highest first.
///
/// A row may stand above another when its range does not lie wholly below the other's. A row without a range counts as
/// its total alone.
pub(crate) fn ranks(rows: &[&BoardRow]) -> Vec<Rank> {
    let range = |row: &BoardRow| row.interval.unwrap_or((row.total, row.total));
    let mut lowers: Vec<f64> = rows.iter().map(|row| range(row).0).collect();
    let mut uppers: Vec<f64> = rows.iter().map(|row| range(row).1).collect();
    lowers.sort_by(f64::total_cmp);
    uppers.sort_by(f64::total_cmp);
    let mut out: Vec<Rank> = Vec::with_capacity(rows.len());
    for (index, row) in rows.iter().enumerate() {
        let (lower, upper) = range(row);
        let surely_above = lowers.len() - lowers.partition_point(|other| *other <= upper);
        let surely_below = uppers.partition_point(|other| *other < lower);
        let ties_with_last = index > 0 && same(rows[index - 1].total, row.total);
        let rank = if ties_with_last { out[index - 1].rank } else { index + 1 };
        let best = (surely_above + 1).min(rank);
        let worst = (rows.len() - surely_below).max(rank);
        let overlaps_next = rows.get(index + 1).and_then(|next| overlap(row.interval?, next.interval?));
        out.push(Rank { rank, best, worst, overlaps_next });
    }
    out
}

/// Returns whether two ranges have a point in common; `None` for what is no range.
fn overlap(a: (f64, f64), b: (f64, f64)) -> Option<bool> {
    let is_range = |(lower, upper): (f64, f64)| lower <= upper;
    (is_range(a) && is_range(b)).then_some(a.0 <= b.1 && b.0 <= a.1)
}

/// Returns whether two totals are one: they were computed as the doubles nearest to exact values.
fn same(a: f64, b: f64) -> bool {
    a.total_cmp(&b).is_eq()
}
