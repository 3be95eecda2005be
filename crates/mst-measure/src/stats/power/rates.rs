//! What stored trials say of the cases to come.

use super::trials::PlannedCase;
use crate::stats::passes::{PairedCase, Passes};

/// The least weight, in trials, of what all cases have in common: no rate is taken for exactly 0 or 1.
const LEAST_WEIGHT: f64 = 1.0;

/// Returns the pass rate of each case that has trials, drawn towards the mean of all as far as trials vary more than cases
/// do: `(passed + w m) / (counted + w)` with the mean `m` (one pass and one fail added) and the weight `w = m (1 - m) / v - 1`.
///
/// Empirical Bayes with a Beta distribution fitted by moments; `v` is the variance between cases that trials do not explain
/// (J. C. Kleinman, 1973). Where there is none, every case has the mean rate.
pub fn case_rates(cases: &[Passes]) -> Vec<f64> {
    let counted: Vec<Passes> = cases.iter().copied().filter(|case| case.counted > 0).collect();
    let (passed, trials) = counted
        .iter()
        .fold((0.0, 0.0), |(passed, trials), case| (passed + case.passed as f64, trials + case.counted as f64));
    let mean = (passed + 1.0) / (trials + 2.0);
    let between = between(&counted, passed / trials, trials);
    let weight = (mean * (1.0 - mean) / between - 1.0).max(LEAST_WEIGHT);
    let drawn = |case: &Passes| (case.passed as f64 + weight * mean) / (case.counted as f64 + weight);
    counted.iter().map(|case| if between > 0.0 { drawn(case) } else { mean }).collect()
}

/// Returns the variance between cases, 0 where trials explain all of it or no case has two.
fn between(cases: &[Passes], mean: f64, trials: f64) -> f64 {
    let groups = cases.len() as f64;
    if groups < 2.0 || trials <= groups {
        return 0.0;
    }
    let sum = |term: &dyn Fn(f64, f64) -> f64| {
        cases.iter().map(|case| term(case.passed as f64, case.counted as f64)).sum::<f64>()
    };
    let within = sum(&|passed, counted| passed * (1.0 - passed / counted)) / (trials - groups);
    let squares = sum(&|passed, counted| counted * (passed / counted - mean).powi(2)) / (groups - 1.0);
    let typical = (trials - sum(&|_, counted| counted * counted) / trials) / (groups - 1.0);
    ((squares - within) / typical).max(0.0)
}

/// Returns the design that was run: each case with as many trials as counted, at the rate that both sides' trials tell.
pub fn as_observed(cases: &[PairedCase]) -> Vec<PlannedCase> {
    let both = |case: &&PairedCase| case.baseline.counted > 0 && case.candidate.counted > 0;
    let counted: Vec<&PairedCase> = cases.iter().filter(both).collect();
    let pooled: Vec<Passes> = counted
        .iter()
        .map(|case| Passes {
            passed: case.baseline.passed + case.candidate.passed,
            counted: case.baseline.counted + case.candidate.counted,
        })
        .collect();
    let trials = |passes: Passes| u32::try_from(passes.counted).unwrap_or(u32::MAX);
    case_rates(&pooled)
        .into_iter()
        .zip(counted)
        .map(|(rate, case)| PlannedCase {
            rate,
            baseline_trials: trials(case.baseline),
            candidate_trials: trials(case.candidate),
        })
        .collect()
}

/// Returns a design of other size: as many cases as asked for, whose rates are spread as `rates` are, each with as many
/// trials on both sides. No cases of no rates.
pub fn planned_cases(rates: &[f64], cases: usize, trials: u32) -> Vec<PlannedCase> {
    let mut sorted = rates.to_vec();
    sorted.sort_by(f64::total_cmp);
    let at = |case: usize| sorted.get((2 * case + 1) * sorted.len() / (2 * cases)).copied();
    (0..cases)
        .filter_map(at)
        .map(|rate| PlannedCase { rate, baseline_trials: trials, candidate_trials: trials })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{as_observed, case_rates, planned_cases};
    use crate::stats::{PairedCase, Passes};

    fn passes(passed: u64, counted: u64) -> Passes {
        Passes { passed, counted }
    }

    #[test]
    fn cases_that_differ_no_more_than_trials_do_have_the_mean_rate() {
        let alike = [passes(2, 3), passes(1, 3), passes(2, 3), passes(1, 3)];
        assert_eq!(case_rates(&alike), vec![0.5; 4]);
        assert_eq!(case_rates(&[passes(5, 5), passes(0, 0)]), vec![6.0 / 7.0]);
        assert!(case_rates(&[]).is_empty());
    }

    #[test]
    fn cases_that_differ_keep_their_own_rates_and_none_is_certain() {
        let rates = case_rates(&[[passes(30, 30); 10], [passes(0, 30); 10]].concat());
        assert!(rates[0] > 0.95 && rates[0] < 1.0 && rates[19] < 0.05 && rates[19] > 0.0, "{rates:?}");
        let few = case_rates(&[[passes(3, 3); 6], [passes(1, 3); 6]].concat());
        assert!(few[0] > few[11] && few[0] < 1.0 && few[11] > 1.0 / 3.0, "{few:?}");
    }

    #[test]
    fn a_design_keeps_the_trials_that_were_counted() {
        let cases = [
            PairedCase { baseline: passes(3, 3), candidate: passes(1, 2) },
            PairedCase { baseline: passes(3, 3), candidate: passes(0, 0) },
        ];
        let design = as_observed(&cases);
        assert_eq!(design.len(), 1);
        assert_eq!((design[0].baseline_trials, design[0].candidate_trials), (3, 2));
    }

    #[test]
    fn a_design_of_other_size_has_the_same_spread_of_rates() {
        let rates = |cases| planned_cases(&[0.9, 0.1, 0.5], cases, 2).iter().map(|case| case.rate).collect::<Vec<_>>();
        assert_eq!(rates(3), [0.1, 0.5, 0.9]);
        assert_eq!(rates(1), [0.5]);
        assert_eq!(rates(6), [0.1, 0.1, 0.5, 0.5, 0.9, 0.9]);
        assert!(planned_cases(&[], 3, 2).is_empty());
    }
}
