//! Power when only the variance of a case's difference is known.

use super::{POWER, Simulation, simulated};
use crate::stats::quantile::quantile;
use crate::stats::random::Random;
use crate::stats::sign_flip::{Limit, least_differing, tail_of_sum};

/// Up to this many cases every sign pattern is counted; beyond it the expansion calls at most 2% of runs differently.
const COUNTED: usize = 10;
/// Halvings of the range in which one run's smallest drop is looked for.
const HALVINGS: u32 = 16;

/// Returns the smallest drop (a share above 0) that the paired test calls worse in 80% of runs of as many cases, whose
/// differences are normal with this variance; `None` when fewer than six cases or a drop above 1 would be needed.
///
/// With `trials` trials a case on each side the variance is `case variance + 2 trial variance / trials`: of the true change
/// over cases, and of one trial within a case.
pub fn smallest_drop_of_variance(cases: usize, variance: f64, simulation: Simulation) -> Option<f64> {
    if cases < least_differing(Limit::shared(1)) {
        return None;
    }
    let (number, scale) = simulated(cases);
    let mut random = Random::seeded(simulation.seed);
    let smallest: Vec<f64> = (0..simulation.draws.max(1))
        .map(|_| {
            let run: Vec<f64> = (0..number).map(|_| random.normal()).collect();
            smallest_of_run(&run)
        })
        .collect();
    quantile(&smallest, POWER)
        .map(|deviations| deviations.max(0.0) * scale * variance.sqrt())
        .filter(|drop| *drop <= 1.0)
}

/// Returns the smallest drop at which the test calls this run worse, in the run's own units.
fn smallest_of_run(run: &[f64]) -> f64 {
    let highest = run.iter().copied().fold(f64::MIN, f64::max);
    let moments = Moments::of(run);
    let is_worse = |drop: f64| {
        if run.len() <= COUNTED { counted_worse(run, drop) } else { moments.p_worse(drop) < Limit::shared(1).value() }
    };
    // Above the highest value every case has dropped; the test then says worse.
    let (mut hidden, mut seen) = (-highest.abs(), highest + 1e-9);
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(hidden, seen);
        if is_worse(middle) { seen = middle } else { hidden = middle }
    }
    seen
}

/// Counts the subsets of magnitudes whose sum is at most that of the raised ones, until they are too many.
fn counted_worse(run: &[f64], drop: f64) -> bool {
    let differences = run.iter().map(|value| value - drop);
    let raised: f64 = differences.clone().filter(|difference| *difference > 0.0).sum();
    let magnitudes: Vec<f64> = differences.map(f64::abs).collect();
    let patterns = 1_u32 << run.len();
    let limit = f64::from(patterns) * Limit::shared(1).value();
    let (mut sum, mut counted) = (0.0, 1.0);
    for step in 1..patterns {
        // Gray's code: one magnitude goes in or out at a time.
        let place = step.trailing_zeros();
        let goes_in = (step ^ (step >> 1)) >> place & 1 == 1;
        sum += if goes_in { magnitudes[place as usize] } else { -magnitudes[place as usize] };
        counted += f64::from(u8::from(sum <= raised + 1e-12));
        if counted >= limit {
            return false;
        }
    }
    true
}

/// The sums of a run's powers, from which those of a shifted run follow.
struct Moments {
    cases: usize,
    sums: [f64; 5],
}

impl Moments {
    fn of(run: &[f64]) -> Self {
        let power = |exponent: i32| run.iter().map(|value| value.powi(exponent)).sum();
        Self { cases: run.len(), sums: [run.len() as f64, power(1), power(2), power(3), power(4)] }
    }

    fn p_worse(&self, drop: f64) -> f64 {
        let [n, s1, s2, s3, s4] = self.sums;
        let sum = s1 - n * drop;
        let squares = s2 - 2.0 * drop * s1 + n * drop.powi(2);
        let fourths = s4 - 4.0 * drop * s3 + 6.0 * drop.powi(2) * s2 - 4.0 * drop.powi(3) * s1 + n * drop.powi(4);
        tail_of_sum(-sum, squares, fourths, self.cases)
    }
}

#[cfg(test)]
mod tests {
    use super::{COUNTED, Moments, POWER, counted_worse};
    use crate::stats::normal::tail_point;
    use crate::stats::random::Random;
    use crate::stats::sign_flip::Limit;

    #[test]
    fn the_expansion_calls_worse_what_counting_calls_worse() {
        // At the drop that is called worse in about 80% of runs, at most 2% of them are called differently.
        let mut random = Random::seeded(7);
        for cases in COUNTED + 1..=COUNTED + 3 {
            let drop = (tail_point(0.025) + tail_point(1.0 - POWER)) / (cases as f64).sqrt();
            let differ = (0..500)
                .filter(|_| {
                    let run: Vec<f64> = (0..cases).map(|_| random.normal()).collect();
                    (Moments::of(&run).p_worse(drop) < Limit::shared(1).value()) != counted_worse(&run, drop)
                })
                .count();
            assert!(differ <= 10, "{differ} of {cases} cases");
        }
    }
}
