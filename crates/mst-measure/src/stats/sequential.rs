//! Boundaries for looking at a comparison before it is complete.

use std::f64::consts::PI;

use super::change::{Assessment, PairedChange};
use super::normal::{density, tail, tail_point};

/// Beyond this many deviations nothing is ever seen: a double's probability there is below 1e-16.
const FAR: f64 = 8.5;
/// Halvings of the range in which a critical value is looked for.
const HALVINGS: u32 = 60;
/// Nodes of the integration for each deviation of the narrowest step.
const NODES_PER_DEVIATION: f64 = 8.0;

/// One look at the cases that are finished.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// Finished over planned cases (above 0, at most 1).
    pub fraction: f64,
    /// The critical value of the absolute standardised change; infinite where no look so early can decide.
    pub z: f64,
    /// The same as a one-sided p: stop when the sign-flip test's p is at most this.
    pub p: f64,
    /// The chance, were there no change, of having stopped at this look or before, on either side.
    pub spent: f64,
}

impl Look {
    /// Returns what a change of the finished cases decides at this look; `None` when it goes on. The last look has no other
    /// limit: a run that was looked at before is not tested at 0.025 in the end.
    pub fn decides(&self, change: &PairedChange) -> Option<Assessment> {
        if change.p_worse <= self.p {
            Some(Assessment::Worse)
        } else if change.p_better <= self.p {
            Some(Assessment::Better)
        } else {
            None
        }
    }
}

/// Why looks cannot be planned.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum LookFault {
    /// A fraction is not above the one before it, or not within 0 to 1.
    #[error("look {number} is at {fraction} of the cases: looks go up from above 0 to at most 1")]
    Order {
        /// The look, from 1.
        number: usize,
        /// Its fraction.
        fraction: f64,
    },
    /// The level is not between 0 and 1.
    #[error("a level of {0}: it lies between 0 and 1")]
    Level(f64),
}

/// Returns the boundaries for looks at these fractions of the planned cases, with `alpha` (two-sided) in all.
///
/// Each side spends `2 - 2 Phi(z(alpha/4) / sqrt(fraction))` of its half (K. K. G. Lan and D. L. DeMets, 1983, in the form of
/// P. C. O'Brien and T. R. Fleming, 1979), whatever looks were taken before. Critical values come from recursive numerical
/// integration (P. Armitage, C. K. McPherson and B. C. Rowe, 1969). They hold when the order of cases does not depend on
/// their results.
///
/// # Errors
/// Fractions that do not go up within 0 to 1, and a level outside of 0 to 1.
pub fn looks(fractions: &[f64], alpha: f64) -> Result<Vec<Look>, LookFault> {
    if !(alpha > 0.0 && alpha < 1.0) {
        return Err(LookFault::Level(alpha));
    }
    let before = |index: usize| if index == 0 { 0.0 } else { fractions[index - 1] };
    for (index, fraction) in fractions.iter().copied().enumerate() {
        if !(fraction > before(index) && fraction <= 1.0) {
            return Err(LookFault::Order { number: index + 1, fraction });
        }
    }
    let side = |fraction: f64| 2.0 * tail(tail_point(alpha / 4.0) / fraction.sqrt());
    let mut going_on = Paths::start();
    let mut spent = 0.0;
    let mut found = Vec::with_capacity(fractions.len());
    for (index, fraction) in fractions.iter().copied().enumerate() {
        let step = fraction - before(index);
        let next_step = fractions.get(index + 1).map_or(step, |next| next - fraction);
        let budget = side(fraction) - spent;
        spent = side(fraction);
        let z = going_on.critical_value(fraction, step, budget);
        found.push(Look { fraction, z, p: tail(z), spent: 2.0 * spent });
        going_on = going_on.after(fraction, step, z.min(FAR) * fraction.sqrt(), next_step);
    }
    Ok(found)
}

/// The paths that have not crossed a boundary: where they stand, on the scale of a Brownian motion, and their weight there.
struct Paths(Vec<(f64, f64)>);

impl Paths {
    fn start() -> Self {
        Self(vec![(0.0, 1.0)])
    }

    /// Returns the chance that a path's next step ends above a value.
    fn above(&self, value: f64, step: f64) -> f64 {
        self.0.iter().map(|(place, weight)| weight * tail((value - place) / step.sqrt())).sum()
    }

    /// Returns the critical value above which a chance of `budget` lies.
    fn critical_value(&self, fraction: f64, step: f64, budget: f64) -> f64 {
        let (mut low, mut high) = (0.0, 40.0);
        for _ in 0..HALVINGS {
            let middle = f64::midpoint(low, high);
            if self.above(middle * fraction.sqrt(), step) > budget { low = middle } else { high = middle }
        }
        if high >= 40.0 { f64::INFINITY } else { f64::midpoint(low, high) }
    }

    /// Returns the paths that stay within `bound` on both sides after their next step.
    fn after(&self, fraction: f64, step: f64, bound: f64, next_step: f64) -> Self {
        let width = 2.0 * bound.min(FAR * fraction.sqrt());
        let nodes = (NODES_PER_DEVIATION * width / step.min(next_step).sqrt()).ceil() as usize + 40;
        let at = |place: f64| -> f64 {
            self.0.iter().map(|(from, weight)| weight * density((place - from) / step.sqrt())).sum::<f64>()
                / step.sqrt()
        };
        Self(
            gauss_legendre(nodes)
                .into_iter()
                .map(|(node, weight)| {
                    let place = node * width / 2.0;
                    (place, weight * width / 2.0 * at(place))
                })
                .collect(),
        )
    }
}

/// Returns nodes within -1 to 1 and weights of the Gauss-Legendre rule, by Newton's method on the Legendre polynomial.
fn gauss_legendre(nodes: usize) -> Vec<(f64, f64)> {
    let n = nodes as f64;
    (0..nodes)
        .map(|index| {
            let mut x = (PI * (index as f64 + 0.75) / (n + 0.5)).cos();
            let mut slope = 1.0;
            for _ in 0..8 {
                let (mut value, mut before) = (1.0, 0.0);
                for degree in 0..nodes {
                    let k = degree as f64;
                    (value, before) = (((2.0 * k + 1.0) * x * value - k * before) / (k + 1.0), value);
                }
                slope = n * (x * value - before) / (x * x - 1.0);
                x -= value / slope;
            }
            (x, 2.0 / ((1.0 - x * x) * slope * slope))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{LookFault, gauss_legendre, looks};

    #[test]
    fn the_rule_integrates_polynomials_exactly() {
        let rule = gauss_legendre(12);
        for degree in [0, 1, 2, 7, 22] {
            let got: f64 = rule.iter().map(|(x, weight)| weight * x.powi(degree)).sum();
            let want = if degree % 2 == 0 { 2.0 / f64::from(degree + 1) } else { 0.0 };
            assert!((got - want).abs() < 1e-13, "{degree}: {got}");
        }
    }

    #[test]
    fn looks_that_do_not_go_up_are_refused() {
        assert_eq!(looks(&[0.5, 0.5], 0.05), Err(LookFault::Order { number: 2, fraction: 0.5 }));
        assert_eq!(looks(&[0.0, 1.0], 0.05), Err(LookFault::Order { number: 1, fraction: 0.0 }));
        assert_eq!(looks(&[0.5, 1.5], 0.05), Err(LookFault::Order { number: 2, fraction: 1.5 }));
        assert!(looks(&[f64::NAN], 0.05).is_err());
        assert_eq!(looks(&[1.0], 0.0), Err(LookFault::Level(0.0)));
        assert_eq!(looks(&[], 0.05), Ok(vec![]));
    }
}
