//! The normal distribution's tails.

use std::f64::consts::{SQRT_2, TAU};

use statrs::function::erf::{erfc, erfc_inv};

/// The two-sided 95% point of the normal distribution as the run format rounds it: one constant in every interval that
/// rests on the normal distribution.
pub(super) const Z95: f64 = 1.96;

/// Returns the probability that a standard normal value is above `z`.
pub(super) fn tail(z: f64) -> f64 {
    0.5 * erfc(z / SQRT_2)
}

/// Returns the point that a standard normal value exceeds with probability `p` (between 0 and 1).
pub(super) fn tail_point(p: f64) -> f64 {
    SQRT_2 * erfc_inv(2.0 * p)
}

/// Returns the standard normal density.
pub(super) fn density(z: f64) -> f64 {
    (-0.5 * z * z).exp() / TAU.sqrt()
}

#[cfg(test)]
mod tests {
    use super::{density, tail, tail_point};

    #[test]
    fn a_tail_is_the_densitys_integral() {
        for z in [0.0, 0.5, 1.96, 4.0, 7.0] {
            // Simpson's rule over ten deviations.
            let (steps, step) = (20_000, 10.0 / 20_000.0);
            let weight = |index: usize| if index == 0 || index == steps { 1.0 } else { 2.0 + 2.0 * (index % 2) as f64 };
            let area: f64 = (0..=steps).map(|index| weight(index) * density(z + index as f64 * step)).sum();
            let want = area * step / 3.0;
            assert!((tail(z) - want).abs() <= 1e-10 * want, "{z}: {} {want}", tail(z));
            assert!((tail(z) + tail(-z) - 1.0).abs() <= 1e-12, "{z}");
        }
    }

    #[test]
    fn a_tails_point_has_that_tail() {
        for p in [0.9, 0.5, 0.2, 0.025, 1e-6, 1e-15] {
            assert!((tail(tail_point(p)) - p).abs() <= 1e-9 * p, "{p}");
        }
    }

    #[test]
    fn the_density_is_the_tails_slope() {
        for z in [-1.0, 0.0, 0.7, 2.5] {
            let slope = (tail(z - 1e-5) - tail(z + 1e-5)) / 2e-5;
            assert!((density(z) - slope).abs() < 1e-7, "{z}");
        }
    }
}
