//! Student's t interval of a mean.

use mst_model::Interval;
use statrs::distribution::{Continuous, ContinuousCDF, StudentsT};

use super::mean::mean;
use super::normal::tail_point;

/// The probability below the upper end of a two-sided 95% interval.
const UPPER: f64 = 0.975;
/// Newton steps after the library's quantile, which is a little less exact than its distribution function.
const POLISHING: usize = 2;
/// With more degrees of freedom than this the expansion is exact to 1e-11, and the library is off by up to 1e-5.
const MANY: f64 = 10_000.0;

/// Returns the 95% t interval ("Student", 1908) of the mean of independent values, cut to `bounds`; the bounds themselves of
/// fewer than two values.
///
/// `mean -+ t(0.975, n - 1) s / sqrt(n)` with the sample standard deviation `s`. Values that are all alike give an interval
/// without width.
pub fn t_interval(values: &[f64], bounds: Interval) -> Interval {
    let n = values.len() as f64;
    let (Some(centre), Some(variance)) = (mean(values.iter().copied()), sample_variance(values)) else { return bounds };
    let half = t_point(n - 1.0) * (variance / n).sqrt();
    Interval {
        lower: (centre - half).clamp(bounds.lower, bounds.upper),
        upper: (centre + half).clamp(bounds.lower, bounds.upper),
    }
}

/// Returns the sample variance (divided by n - 1); `None` of fewer than two values.
pub(super) fn sample_variance(values: &[f64]) -> Option<f64> {
    let centre = mean(values.iter().copied())?;
    let squares: f64 = values.iter().map(|value| (value - centre).powi(2)).sum();
    (values.len() > 1).then(|| squares / (values.len() - 1) as f64)
}

/// Returns the two-sided 95% point of Student's t distribution; `degrees` is at least 1.
fn t_point(degrees: f64) -> f64 {
    if degrees > MANY {
        // R. A. Fisher and E. A. Cornish, 1960.
        let z = tail_point(1.0 - UPPER);
        let second = (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / (96.0 * degrees * degrees);
        return z + (z.powi(3) + z) / (4.0 * degrees) + second;
    }
    let student = StudentsT::new(0.0, 1.0, degrees).expect("at least one degree of freedom");
    let mut point = student.inverse_cdf(UPPER);
    for _ in 0..POLISHING {
        point -= (student.cdf(point) - UPPER) / student.pdf(point);
    }
    point
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use super::{MANY, UPPER, t_point};
    use crate::stats::normal::tail_point;

    #[test]
    fn t_points_equal_their_closed_forms() {
        let two = (2.0 * UPPER - 1.0) / (2.0 * UPPER * (1.0 - UPPER)).sqrt();
        for (degrees, want) in [(1.0, (PI * (UPPER - 0.5)).tan()), (2.0, two)] {
            assert!((t_point(degrees) - want).abs() < 1e-12 * want, "{degrees}: {}", t_point(degrees));
        }
    }

    #[test]
    fn t_points_of_many_degrees_go_on_from_those_of_few() {
        let (few, many) = (t_point(MANY), t_point(MANY + 1e-6));
        assert!((few - many).abs() < 1e-10, "{few} {many}");
        assert!((t_point(1e12) - tail_point(1.0 - UPPER)).abs() < 1e-11);
    }
}
