//! The exact sign-flip test of paired differences.

mod edgeworth;
mod sums;

use num_bigint::BigUint;
use num_traits::One;

pub(super) use edgeworth::tail_of_sum;
use sums::Sums;

/// A limit that a p value is compared with, as a fraction, so that the comparison has no rounding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// Above the line.
    pub numerator: u32,
    /// Below the line; not 0.
    pub denominator: u32,
}

impl Limit {
    /// Returns 0.025 shared among as many candidates as were tried (C. E. Bonferroni, 1936); none counts as one.
    pub fn shared(variants_tried: u32) -> Self {
        Self { numerator: 1, denominator: variants_tried.max(1).saturating_mul(40) }
    }

    /// Returns the double nearest to it.
    pub fn value(self) -> f64 {
        f64::from(self.numerator) / f64::from(self.denominator)
    }
}

/// How a p value was come by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// From the exact distribution over all sign patterns.
    Exact,
    /// By an expansion of the normal distribution: the differences have too many distinct sums.
    Approximate,
}

/// The sign-flip test (R. A. Fisher, 1935; randomization test for paired comparisons) of differences of cases.
///
/// Were there no change, each difference could as well have the other sign. The p values are the shares of all sign patterns
/// whose sum is at least as large (`p_better`) or as small (`p_worse`) as the one that was seen. Differences of zero have no
/// sign and are left out. With one trial a case this is McNemar's exact test.
#[derive(Clone, Debug)]
pub struct SignFlip {
    /// Each magnitude and how many differences have it.
    groups: Vec<(i128, usize)>,
    /// The sum of the differences above zero, and of the magnitudes of those below.
    raised: i128,
    lowered: i128,
    differing: usize,
    p_better: f64,
    p_worse: f64,
    /// The largest relative error of the p values; `None` when they are approximate.
    error: Option<f64>,
}

impl SignFlip {
    /// Tests differences that are whole numbers of one unit.
    pub fn of(differences: impl IntoIterator<Item = i128>) -> Self {
        let mut differences: Vec<i128> = differences.into_iter().filter(|difference| *difference != 0).collect();
        let raised = differences.iter().filter(|difference| **difference > 0).sum();
        let lowered = -differences.iter().filter(|difference| **difference < 0).sum::<i128>();
        let differing = differences.len();
        differences.sort_unstable_by_key(|difference| difference.abs());
        let alike = differences.chunk_by(|one, other| one.abs() == other.abs());
        let groups: Vec<_> = alike.map(|alike| (alike[0].abs(), alike.len())).collect();
        let mut test = Self { groups, raised, lowered, differing, p_better: 1.0, p_worse: 1.0, error: Some(0.0) };
        if differing > 0 {
            test.weigh();
        }
        test
    }

    fn weigh(&mut self) {
        if let Some(sums) = Sums::<f64>::of(&self.groups) {
            // Patterns are counted by which differences are raised: the sum of those decides the sum of all.
            self.p_better = sums.at_least(self.raised).clamp(f64::MIN_POSITIVE, 1.0);
            self.p_worse = sums.at_most(self.raised).clamp(f64::MIN_POSITIVE, 1.0);
            // Only positive numbers are multiplied and added, so relative errors grow by a rounding a step.
            self.error = Some(8.0 * (4 * self.differing + sums.len()) as f64 * f64::EPSILON);
            return;
        }
        let power =
            |exponent: i32| self.groups.iter().map(|(m, n)| (*m as f64).powi(exponent) * *n as f64).sum::<f64>();
        let (squares, fourths) = (power(2), power(4));
        let sum = (self.raised - self.lowered) as f64;
        self.p_better = tail_of_sum(sum, squares, fourths, self.differing);
        self.p_worse = tail_of_sum(-sum, squares, fourths, self.differing);
        self.error = None;
    }

    /// Returns the probability of a sum at least as large, were there no change; 1 when nothing differs.
    pub fn p_better(&self) -> f64 {
        self.p_better
    }

    /// Returns the probability of a sum at least as small, were there no change; 1 when nothing differs.
    pub fn p_worse(&self) -> f64 {
        self.p_worse
    }

    /// Returns how many differences are not zero.
    pub fn differing(&self) -> usize {
        self.differing
    }

    /// Returns whether the p values are exact.
    pub fn method(&self) -> Method {
        if self.error.is_some() { Method::Exact } else { Method::Approximate }
    }

    /// Returns whether `p_better` is below the limit, without rounding.
    pub fn is_better_below(&self, limit: Limit) -> bool {
        self.is_below(self.p_better, limit, Sums::at_least)
    }

    /// Returns whether `p_worse` is below the limit, without rounding.
    pub fn is_worse_below(&self, limit: Limit) -> bool {
        self.is_below(self.p_worse, limit, Sums::at_most)
    }

    fn is_below(&self, p: f64, limit: Limit, tail: impl Fn(&Sums<BigUint>, i128) -> BigUint) -> bool {
        let near = self.error.is_some_and(|error| (p - limit.value()).abs() <= 2.0 * error.max(f64::EPSILON) * p);
        match near.then(|| Sums::<BigUint>::of(&self.groups)).flatten() {
            // patterns / 2^differing < numerator / denominator
            Some(sums) => {
                let patterns = tail(&sums, self.raised);
                patterns * limit.denominator < (BigUint::one() << self.differing) * limit.numerator
            }
            None => p < limit.value(),
        }
    }
}

/// Returns the fewest differing cases that can ever fall below the limit: all changed the same way, their p is 2^-n.
pub fn least_differing(limit: Limit) -> usize {
    (0..64).find(|n| u64::from(limit.denominator) < u64::from(limit.numerator) << n).unwrap_or(64)
}

#[cfg(test)]
mod tests {
    use super::{Limit, Method, SignFlip, least_differing};

    #[test]
    fn p_at_its_limit_is_not_below_it() {
        let six = SignFlip::of([-1; 6]);
        assert!(!six.is_worse_below(Limit { numerator: 1, denominator: 64 }));
        assert!(six.is_worse_below(Limit { numerator: 1, denominator: 63 }));
        assert!(!six.is_worse_below(Limit { numerator: 1, denominator: 65 }));
        // The sums of subsets of powers of two are all numbers: 16 of 2^20 are at most 15.
        let twenty = SignFlip::of((0..20).map(|power| -(1_i128 << power)));
        let one = SignFlip::of([1, 2, 4, 8].into_iter().chain((4..20).map(|power| -(1_i128 << power))));
        assert!(twenty.is_worse_below(Limit { numerator: 2, denominator: 1 << 20 }));
        for (numerator, below) in [(15, false), (16, false), (17, true)] {
            assert_eq!(one.is_worse_below(Limit { numerator, denominator: 1 << 20 }), below, "{numerator}");
        }
    }

    #[test]
    fn six_differing_cases_are_the_fewest_that_decide_for_one_candidate() {
        for (variants, least) in [(0, 6), (1, 6), (2, 7), (3, 7), (4, 8), (5, 8), (100, 12)] {
            assert_eq!(least_differing(Limit::shared(variants)), least, "{variants}");
            assert!(SignFlip::of(vec![-1; least]).is_worse_below(Limit::shared(variants)));
            assert!(!SignFlip::of(vec![-1; least - 1]).is_worse_below(Limit::shared(variants)));
        }
    }

    #[test]
    fn nothing_that_differs_is_certain_both_ways() {
        let none = SignFlip::of([0, 0]);
        assert_eq!((none.p_better().to_bits(), none.p_worse().to_bits()), (1.0_f64.to_bits(), 1.0_f64.to_bits()));
        assert_eq!(none.differing(), 0);
    }

    #[test]
    fn what_is_too_large_is_approximated_and_says_so() {
        // Magnitudes that no two subsets share a sum of, or nearly: their halves are too large.
        let unlike = |sign: i128| (0..50).map(move |n: i128| sign * (1_000_003 * n * n + 7_919 * n + 1_000_000_007));
        let test = SignFlip::of(unlike(1).take(30).chain(unlike(-1).skip(30)));
        assert_eq!(test.method(), Method::Approximate);
        assert!((test.p_better() + test.p_worse() - 1.0).abs() < 1e-9);
        assert_eq!(SignFlip::of([3, -1, 4]).method(), Method::Exact);
    }
}
