//! Power when each trial passes or fails.

use super::{POWER, Simulation, simulated};
use crate::stats::differences::common_unit;
use crate::stats::mean::mean;
use crate::stats::random::Random;
use crate::stats::sign_flip::{Limit, SignFlip, least_differing};

/// How narrow the range becomes in which a drop lies, as a part of the drop.
const RESOLUTION: f64 = 0.01;
/// Simulated runs between looks at whether more would change the answer.
const BATCH: u32 = 250;
/// Standard errors that make the answer plain.
const PLAIN: f64 = 4.0;

/// A case of a design.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlannedCase {
    /// How often one trial passes without a drop (0 to 1).
    pub rate: f64,
    /// Trials on the baseline's side.
    pub baseline_trials: u32,
    /// Trials on the candidate's side.
    pub candidate_trials: u32,
}

/// Returns in which share of runs the paired test (0.025 one-sided) calls a drop of the mean rate worse, when every case drops
/// alike: its rate becomes `rate * (1 - drop / mean rate)`.
///
/// Trials are independent given their case's rate. `drop` is a share, at most the mean rate.
pub fn power(cases: &[PlannedCase], drop: f64, simulation: Simulation) -> f64 {
    let design = Design::of(cases);
    let fraction = if design.mean_rate > 0.0 { (drop / design.mean_rate).clamp(0.0, 1.0) } else { 0.0 };
    let (worse, runs) = design.runs(fraction, simulation, |_, _| false);
    f64::from(worse) / f64::from(runs)
}

/// Returns the smallest drop of the mean rate that is called worse in 80% of runs; `None` when not even a drop to 0 is.
pub fn smallest_drop(cases: &[PlannedCase], simulation: Simulation) -> Option<f64> {
    if cases.len() < least_differing(Limit::shared(1)) {
        return None;
    }
    let (number, scale) = simulated(cases.len());
    let simulated = spread(cases, number);
    let design = Design::of(&simulated);
    let is_seen = |fraction: f64| {
        let plain = |worse: u32, runs: u32| {
            let error = (POWER * (1.0 - POWER) / f64::from(runs)).sqrt();
            (f64::from(worse) / f64::from(runs) - POWER).abs() > PLAIN * error
        };
        let (worse, runs) = design.runs(fraction, simulation, plain);
        f64::from(worse) >= POWER * f64::from(runs)
    };
    if !is_seen(1.0) {
        return None;
    }
    let (mut hidden, mut seen) = (0.0, 1.0);
    while seen - hidden > RESOLUTION * seen {
        let middle = f64::midpoint(hidden, seen);
        if is_seen(middle) { seen = middle } else { hidden = middle }
    }
    Some(design.mean_rate * f64::midpoint(hidden, seen) * scale)
}

/// Returns as many of the cases, spread evenly over their rates.
fn spread(cases: &[PlannedCase], number: usize) -> Vec<PlannedCase> {
    let mut sorted = cases.to_vec();
    sorted.sort_by(|one, other| one.rate.total_cmp(&other.rate));
    (0..number).map(|index| sorted[(2 * index + 1) * sorted.len() / (2 * number)]).collect()
}

/// Cases that runs are drawn of.
struct Design<'a> {
    cases: &'a [PlannedCase],
    mean_rate: f64,
    /// The whole number that a share of 1 counts as: every share is a whole number of its parts.
    unit: i128,
    /// Per case, how many passes the baseline has by a random number.
    baseline: Vec<Passing>,
}

impl<'a> Design<'a> {
    fn of(cases: &'a [PlannedCase]) -> Self {
        let trials = cases.iter().flat_map(|case| [case.baseline_trials, case.candidate_trials]).map(i128::from);
        Self {
            cases,
            mean_rate: mean(cases.iter().map(|case| case.rate)).unwrap_or_default(),
            unit: common_unit(trials),
            baseline: cases.iter().map(|case| Passing::of(case.rate, case.baseline_trials)).collect(),
        }
    }

    /// Returns how many runs were called worse and how many were drawn, with the rates lowered by a fraction. The same random
    /// numbers serve every fraction; `is_plain` of both counts ends the drawing.
    fn runs(&self, fraction: f64, simulation: Simulation, is_plain: impl Fn(u32, u32) -> bool) -> (u32, u32) {
        let lowered = |case: &PlannedCase| Passing::of(case.rate * (1.0 - fraction), case.candidate_trials);
        let candidate: Vec<Passing> = self.cases.iter().map(lowered).collect();
        let limit = Limit::shared(1);
        let mut random = Random::seeded(simulation.seed);
        let (mut worse, mut runs) = (0, 0);
        while runs < simulation.draws.max(1) {
            let differences = self.baseline.iter().zip(&candidate).map(|(old, new)| {
                let (old, new) = (old.draw(&mut random), new.draw(&mut random));
                self.share(new) - self.share(old)
            });
            worse += u32::from(SignFlip::of(differences).is_worse_below(limit));
            runs += 1;
            if runs % BATCH == 0 && is_plain(worse, runs) {
                break;
            }
        }
        (worse, runs)
    }

    fn share(&self, (passed, trials): (u32, u32)) -> i128 {
        if trials == 0 { 0 } else { self.unit * i128::from(passed) / i128::from(trials) }
    }
}

/// How likely each number of passes is: cumulative binomial probabilities, the last one left out.
struct Passing(Vec<f64>);

impl Passing {
    fn of(rate: f64, trials: u32) -> Self {
        if rate >= 1.0 {
            return Self(vec![0.0; trials as usize]);
        }
        // In logarithms, so that a thousand trials of a high rate do not underflow.
        let odds = (rate / (1.0 - rate)).ln();
        let mut log = f64::from(trials) * (1.0 - rate).ln();
        let mut below = 0.0;
        let cumulative = |passed: u32| {
            if rate > 0.0 || passed == 0 {
                below += log.exp();
            }
            log += odds + (f64::from(trials - passed) / f64::from(passed + 1)).ln();
            below
        };
        Self((0..trials).map(cumulative).collect())
    }

    /// Returns passes and trials.
    fn draw(&self, random: &mut Random) -> (u32, u32) {
        let chance = random.uniform();
        (self.0.partition_point(|below| *below <= chance) as u32, self.0.len() as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::Passing;

    #[test]
    fn passes_are_binomial() {
        for (rate, trials, want) in [
            (0.5, 2, vec![0.25, 0.75]),
            (1.0, 2, vec![0.0, 0.0]),
            (0.0, 2, vec![1.0, 1.0]),
            (0.9, 1, vec![0.1]),
            (0.2, 3, vec![0.512, 0.896, 0.992]),
            (0.7, 0, vec![]),
        ] {
            let got = Passing::of(rate, trials).0;
            assert_eq!(got.len(), want.len());
            assert!(got.iter().zip(&want).all(|(got, want)| (got - want).abs() < 1e-12), "{rate} {trials}: {got:?}");
        }
        let many = Passing::of(0.999, 2_000).0;
        assert!((many[1_999] - (1.0 - 0.999_f64.powi(2_000))).abs() < 1e-9);
    }
}
