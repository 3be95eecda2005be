//! The variance of a paired change, in the two parts that a design can choose between: of cases, and of their trials.

use super::{Simulation, smallest_drop_of_variance};
use crate::stats::mean::mean;
use crate::stats::passes::{PairedCase, Passes};
use crate::stats::student::sample_variance;

/// The variance of a case's difference between two runs, as shares squared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChangeVariance {
    /// How much the true change differs from case to case.
    pub case: f64,
    /// How much one trial of a case differs from the next, on one side.
    pub trial: f64,
    /// Whether the two were told apart: it takes cases with several trials. Otherwise `trial` is the most that passes and
    /// fails of these rates can have, and `case` is what that leaves.
    pub is_split: bool,
}

impl ChangeVariance {
    /// Splits the variance of what two runs came to; `None` of fewer than two cases that count on both sides.
    ///
    /// Components by moments (S. R. Searle and others, *Variance Components*, 1992): a trial's is pooled within cases and
    /// sides, the cases' is the variance of the differences less what trials explain of it, and at least 0.
    pub fn of(cases: &[PairedCase]) -> Option<Self> {
        let both = |case: &&PairedCase| case.baseline.counted > 0 && case.candidate.counted > 0;
        let counted: Vec<&PairedCase> = cases.iter().filter(both).collect();
        let share = |passes: Passes| passes.passed as f64 / passes.counted as f64;
        let differences: Vec<f64> = counted.iter().map(|case| share(case.candidate) - share(case.baseline)).collect();
        let total = sample_variance(&differences)?;
        let sides = || counted.iter().flat_map(|case| [case.baseline, case.candidate]);
        let (squares, freedom) = sides().fold((0.0, 0.0), |(squares, freedom), side| {
            let trials = side.counted as f64;
            (squares + trials * share(side) * (1.0 - share(side)), freedom + trials - 1.0)
        });
        let is_split = freedom > 0.0;
        let trial = if is_split { squares / freedom } else { most(sides().map(share)) };
        let weights =
            counted.iter().map(|case| 1.0 / case.baseline.counted as f64 + 1.0 / case.candidate.counted as f64);
        let by_trials = trial * mean(weights)?;
        Some(Self { case: (total - by_trials).max(0.0), trial, is_split })
    }

    /// Returns the variance of a guess: a rate (0 to 1) that every trial passes at, and the standard deviation (a share) of
    /// the true change over cases. Cases of unlike rates have less, so that the guess is careful.
    pub fn guessed(rate: f64, case_deviation: f64) -> Self {
        Self { case: case_deviation.powi(2), trial: rate * (1.0 - rate), is_split: true }
    }

    /// Returns the variance of a case's difference with as many trials on each side.
    pub fn with(&self, trials: u32) -> f64 {
        self.case + 2.0 * self.trial / f64::from(trials)
    }
}

/// The variance of one trial at the mean of these rates.
fn most(rates: impl Iterator<Item = f64>) -> f64 {
    mean(rates).map_or(0.0, |rate| rate * (1.0 - rate))
}

/// A number of cases and of trials each, with what it would see.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Design {
    /// Cases.
    pub cases: usize,
    /// Trials of each, on each side.
    pub trials: u32,
    /// The smallest drop (a share) that is called worse in 80% of runs; `None` when no drop is.
    pub smallest_drop: Option<f64>,
}

impl Design {
    /// Simulates what a design would see.
    pub fn of(cases: usize, trials: u32, variance: &ChangeVariance, simulation: Simulation) -> Self {
        let smallest_drop = smallest_drop_of_variance(cases, variance.with(trials), simulation);
        Self { cases, trials, smallest_drop }
    }

    /// Returns the design that sees the smallest drop with at most so many trials on a side, of at most `most_cases` cases
    /// with at most `most_trials` trials each; `None` when none sees any. Of equals it is the one of the fewest trials.
    pub fn best(
        trials_in_all: usize,
        most_cases: usize,
        most_trials: u32,
        variance: &ChangeVariance,
        simulation: Simulation,
    ) -> Option<Self> {
        let designs = (1..=most_trials).filter_map(|trials| {
            let cases = (trials_in_all / trials as usize).min(most_cases);
            let design = Self::of(cases, trials, variance, simulation);
            Some((design.smallest_drop?, design))
        });
        let by_drop = |one: &(f64, Self), other: &(f64, Self)| one.0.total_cmp(&other.0);
        designs.min_by(by_drop).map(|(_, design)| design)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(old: (u64, u64), new: (u64, u64)) -> PairedCase {
        let passes = |(passed, counted)| Passes { passed, counted };
        PairedCase { baseline: passes(old), candidate: passes(new) }
    }

    #[test]
    fn the_variance_is_split_between_cases_and_trials() {
        // Each side of each case: 2 of 4, so that a trial's variance is 4/4 * (1/4) * 4/3 and cases do not differ.
        let alike = ChangeVariance::of(&[case((2, 4), (2, 4)); 6]).unwrap();
        assert!((alike.trial - 1.0 / 3.0).abs() < 1e-12 && alike.case == 0.0 && alike.is_split);
        // No trial differs from the next, and half of the cases broke.
        let broke = ChangeVariance::of(&[[case((4, 4), (0, 4)); 3], [case((4, 4), (4, 4)); 3]].concat()).unwrap();
        assert!((broke.case - 0.3).abs() < 1e-12 && broke.trial == 0.0);
        assert!((broke.with(1) - broke.with(9)).abs() < 1e-12);
        assert_eq!(ChangeVariance::of(&[case((1, 1), (1, 1)), case((1, 1), (0, 0))]), None);
    }

    #[test]
    fn one_trial_a_case_splits_nothing() {
        let one = ChangeVariance::of(&[
            case((1, 1), (0, 1)),
            case((1, 1), (1, 1)),
            case((0, 1), (1, 1)),
            case((1, 1), (1, 1)),
        ]);
        let one = one.unwrap();
        assert!(!one.is_split && (one.trial - 0.1875).abs() < 1e-12, "{one:?}");
        assert!(
            (one.with(1) - 2.0 / 3.0).abs() < 1e-12,
            "with as many trials as there were it is what was seen: {one:?}"
        );
    }

    #[test]
    fn many_cases_with_few_trials_see_more_than_few_cases_with_many() {
        let guess = ChangeVariance::guessed(0.8, 0.1);
        let simulation = Simulation { draws: 500, seed: 1 };
        let best = Design::best(120, 1_000, 10, &guess, simulation).unwrap();
        assert_eq!((best.cases, best.trials), (120, 1));
        // With no more cases to have, trials are what is left to buy.
        let bound = Design::best(120, 30, 10, &guess, simulation).unwrap();
        assert_eq!((bound.cases, bound.trials), (30, 4));
        assert_eq!(Design::best(5, 1_000, 10, &guess, simulation), None);
    }
}
