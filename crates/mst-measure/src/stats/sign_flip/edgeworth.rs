//! The sign-flip test's p where the exact distribution is too large.

use crate::stats::normal::{density, tail};

/// Returns about the probability that a sum with random signs is at least `sum`, of magnitudes whose squares add up to
/// `squares` and whose fourth powers to `fourths`.
///
/// The normal approximation with the Edgeworth term of the fourth cumulant, `-2 sum d^4` (F. Y. Edgeworth, 1905; the odd
/// cumulants are 0). Never below what one pattern of `differing` signs weighs.
pub(in crate::stats) fn tail_of_sum(sum: f64, squares: f64, fourths: f64, differing: usize) -> f64 {
    let x = sum / squares.sqrt();
    let excess = -2.0 * fourths / (squares * squares);
    let p = tail(x) + density(x) * excess / 24.0 * (x.powi(3) - 3.0 * x);
    p.clamp((-(differing as f64)).exp2(), 1.0)
}
