//! The headline rate: the number a run is remembered by.

use mst_model::Interval;

use super::mean::mean;
use super::passes::Passes;
use super::student::t_interval;
use super::wilson::{wilson, wilson_of_share};

/// The tag of a case that guards what worked.
pub const REGRESSION: &str = "regression";
/// With fewer cases than this a t interval of shares covers less often than it claims.
pub const FEWEST_FOR_T: usize = 20;

/// Returns the indices of the headline cases by their tags: those not tagged `regression`, or all when every case is.
pub fn headline_cases<T: AsRef<str>>(tags: &[impl AsRef<[T]>]) -> Vec<usize> {
    let guards = |index: &usize| tags[*index].as_ref().iter().any(|tag| tag.as_ref() == REGRESSION);
    let capability: Vec<usize> = (0..tags.len()).filter(|index| !guards(index)).collect();
    if capability.is_empty() { (0..tags.len()).collect() } else { capability }
}

/// Where a headline rate's likely range comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RangeMethod {
    /// A t interval over the cases' shares.
    T,
    /// Wilson's interval with the cases as its number: there are few, or their shares do not vary.
    WilsonCases,
    /// Wilson's interval over the trials of the only case.
    WilsonTrials,
}

/// A headline rate and the range it likely lies in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HeadlineRate {
    /// The mean of the cases' shares (0 to 1).
    pub rate: f64,
    /// Its 95% range; `None` of one trial.
    pub range: Option<(Interval, RangeMethod)>,
    /// Cases with a counted trial.
    pub cases: usize,
}

/// Returns the headline rate of the headline cases; `None` when nothing counts.
pub fn headline_rate(cases: &[Passes]) -> Option<HeadlineRate> {
    let counted: Vec<Passes> = cases.iter().copied().filter(|case| case.counted > 0).collect();
    let shares: Vec<f64> = counted.iter().filter_map(|case| case.share()).collect();
    let rate = mean(shares.iter().copied())?;
    let range = match counted[..] {
        [only] if only.counted < 2 => None,
        [only] => wilson(only.passed, only.counted).map(|range| (range, RangeMethod::WilsonTrials)),
        _ if counted.len() < FEWEST_FOR_T || are_alike(&counted) => {
            wilson_of_share(rate.clamp(0.0, 1.0), counted.len() as u64).map(|range| (range, RangeMethod::WilsonCases))
        }
        _ => Some((t_interval(&shares, Interval { lower: 0.0, upper: 1.0 }), RangeMethod::T)),
    };
    Some(HeadlineRate { rate, range, cases: counted.len() })
}

/// Whether all shares are the same fraction.
fn are_alike(cases: &[Passes]) -> bool {
    let product = |passed: u64, counted: u64| u128::from(passed) * u128::from(counted);
    cases.windows(2).all(|pair| product(pair[0].passed, pair[1].counted) == product(pair[1].passed, pair[0].counted))
}

#[cfg(test)]
mod tests {
    use super::{Passes, RangeMethod, headline_cases, headline_rate};
    use crate::stats::{wilson, wilson_of_share};

    fn passes(passed: u64, counted: u64) -> Passes {
        Passes { passed, counted }
    }

    #[test]
    fn headline_cases_are_capability_cases_or_else_all() {
        for (tags, want) in [
            (&[&["a"][..], &["regression", "b"], &[]][..], vec![0, 2]),
            (&[&["regression"][..], &["x", "regression"]], vec![0, 1]),
            (&[&["regressions"][..], &["regression"]], vec![0]),
            (&[], vec![]),
        ] {
            assert_eq!(headline_cases(tags), want, "{tags:?}");
        }
    }

    #[test]
    fn the_range_is_wilsons_where_a_t_interval_is_unsound() {
        use RangeMethod::{T, WilsonCases, WilsonTrials};
        let mixed = |cases: usize| -> Vec<Passes> { (0..cases).map(|case| passes(case as u64 % 3, 2)).collect() };
        for (cases, want) in [
            (vec![], None),
            (vec![passes(0, 0)], None),
            (vec![passes(1, 1), passes(0, 0)], Some(None)),
            (vec![passes(2, 3)], Some(Some(WilsonTrials))),
            (mixed(2), Some(Some(WilsonCases))),
            (mixed(19), Some(Some(WilsonCases))),
            (mixed(20), Some(Some(T))),
            (vec![passes(1, 3); 40], Some(Some(WilsonCases))),
            ([vec![passes(1, 3); 20], vec![passes(2, 6); 20]].concat(), Some(Some(WilsonCases))),
        ] {
            let got = headline_rate(&cases).map(|headline| headline.range.map(|(_, method)| method));
            assert_eq!(got, want, "{cases:?}");
        }
        assert_eq!(headline_rate(&[passes(2, 3)]).unwrap().range.unwrap().0, wilson(2, 3).unwrap());
        assert_eq!(headline_rate(&vec![passes(3, 3); 40]).unwrap().range.unwrap().0, wilson(40, 40).unwrap());
        let few = headline_rate(&[passes(1, 2), passes(1, 1), passes(0, 0)]).unwrap();
        assert_eq!((few.rate, few.cases), (0.75, 2));
        assert_eq!(few.range.unwrap().0, wilson_of_share(0.75, 2).unwrap());
    }
}
