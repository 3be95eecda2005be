//! The difference of two rates without pairs.

use mst_model::Interval;

use super::passes::Passes;
use super::wilson::wilson;

/// Returns the candidate's rate less the baseline's with Newcombe's 95% interval (R. G. Newcombe, 1998, method 10: from the
/// two Wilson intervals); `None` when nothing counts on a side.
///
/// For trials that are independent within and between the sides. Cases on both sides are compared by
/// [`PairedChange`](super::PairedChange), which sees more.
pub fn newcombe(candidate: Passes, baseline: Passes) -> Option<(f64, Interval)> {
    let (new, old) = (candidate.share()?, baseline.share()?);
    let new_range = wilson(candidate.passed, candidate.counted)?;
    let old_range = wilson(baseline.passed, baseline.counted)?;
    let difference = new - old;
    let lower = difference - (new - new_range.lower).hypot(old_range.upper - old);
    let upper = difference + (new_range.upper - new).hypot(old - old_range.lower);
    Some((difference, Interval { lower: lower.max(-1.0), upper: upper.min(1.0) }))
}
