//! Quantiles by linear interpolation.

/// Returns a quantile of unsorted values; `None` of no values. `q` is clamped to 0 to 1.
///
/// Linear between neighbours, at the position `(n - 1) q` of the sorted values counted from 0 (R's type 7).
pub fn quantile(values: &[f64], q: f64) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let last = sorted.len().checked_sub(1)?;
    let position = q.clamp(0.0, 1.0) * last as f64;
    let below = position.floor();
    let low = sorted[below as usize];
    let high = sorted[(below as usize + 1).min(last)];
    Some(low + (high - low) * (position - below))
}
