//! The Wilson score interval of a proportion.

use mst_model::Interval;

use super::normal::Z95;

/// Returns the 95% Wilson score interval (E. B. Wilson, 1927) of `passed` out of `counted`; `None` of none.
///
/// The lower end is exactly 0 when nothing passed, and the upper one exactly 1 when everything did.
pub fn wilson(passed: u64, counted: u64) -> Option<Interval> {
    if counted == 0 {
        return None;
    }
    wilson_of_share(passed.min(counted) as f64 / counted as f64, counted)
}

/// Returns the 95% Wilson score interval of a share (0 to 1) of `counted`, which need not be of whole ones: in a win rate a
/// tie is half a win. `None` of none.
pub fn wilson_of_share(p: f64, counted: u64) -> Option<Interval> {
    if counted == 0 {
        return None;
    }
    let n = counted as f64;
    let z2 = Z95 * Z95;
    let centre = (p + z2 / (2.0 * n)) / (1.0 + z2 / n);
    let half = Z95 * (p * (1.0 - p) / n + z2 / (4.0 * n * n)).sqrt() / (1.0 + z2 / n);
    let lower = if p <= 0.0 { 0.0 } else { (centre - half).clamp(0.0, 1.0) };
    let upper = if p >= 1.0 { 1.0 } else { (centre + half).clamp(0.0, 1.0) };
    Some(Interval { lower, upper })
}
