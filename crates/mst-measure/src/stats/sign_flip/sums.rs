//! The distribution of a sum of fair coins with weights.

use num_bigint::BigUint;
use num_traits::{One, Zero};

/// The most distinct sums that one half of the cases may have. Two halves make far more sums than the 200,000 at which the
/// contract allows an approximation.
const MOST_SUMS: usize = 200_000;
/// The most steps of one convolution.
const MOST_STEPS: usize = 50_000_000;
/// The most places that a convolution holds at once.
const MOST_PLACES: usize = 4_000_000;

/// How likely a sum is: as a probability, or as the number of sign patterns that give it.
pub(super) trait Weight: Clone {
    /// Nothing.
    fn none() -> Self;
    /// One pattern, or certainty.
    fn all() -> Self;
    /// How `coins` fair coins fall, by the number of heads.
    fn coins(coins: usize) -> Vec<Self>;
    /// Both of two independent things.
    fn and(&self, other: &Self) -> Self;
    /// Either of two things that exclude each other.
    fn or(&mut self, other: &Self);
    /// Whether there is nothing.
    fn is_none(&self) -> bool;
}

impl Weight for f64 {
    fn none() -> Self {
        0.0
    }

    fn all() -> Self {
        1.0
    }

    /// From the likeliest outwards, so that 2^-coins never underflows; the relative error is a few `coins` roundings.
    fn coins(coins: usize) -> Vec<Self> {
        let mut row = vec![1.0; coins + 1];
        let middle = coins / 2;
        for heads in middle..coins {
            row[heads + 1] = row[heads] * (coins - heads) as Self / (heads + 1) as Self;
        }
        for heads in (1..=middle).rev() {
            row[heads - 1] = row[heads] * heads as Self / (coins - heads + 1) as Self;
        }
        let all: Self = row.iter().sum();
        row.iter().map(|weight| weight / all).collect()
    }

    fn and(&self, other: &Self) -> Self {
        self * other
    }

    fn or(&mut self, other: &Self) {
        *self += other;
    }

    fn is_none(&self) -> bool {
        *self <= 0.0
    }
}

impl Weight for BigUint {
    fn none() -> Self {
        Self::zero()
    }

    fn all() -> Self {
        Self::one()
    }

    fn coins(coins: usize) -> Vec<Self> {
        let next = |row: &Self, heads: usize| row * (coins - heads) / (heads + 1);
        let mut row = vec![Self::one()];
        for heads in 0..coins {
            row.push(next(&row[heads], heads));
        }
        row
    }

    fn and(&self, other: &Self) -> Self {
        self * other
    }

    fn or(&mut self, other: &Self) {
        *self += other;
    }

    fn is_none(&self) -> bool {
        self.is_zero()
    }
}

/// Each sum that some of the cases can have, in order, and how likely it is.
#[derive(Clone, Debug)]
struct Half<W>(Vec<(i128, W)>);

impl<W: Weight> Half<W> {
    fn empty() -> Self {
        Self(vec![(0, W::all())])
    }

    /// Adds `coins.len() - 1` cases of one magnitude; `None` where that is too large to hold.
    fn with(&self, magnitude: i128, coins: &[W]) -> Option<Self> {
        let steps = self.0.len().checked_mul(coins.len()).filter(|steps| *steps <= MOST_STEPS)?;
        let reach = self.0.last()?.0 + magnitude * (coins.len() as i128 - 1);
        let is_dense = reach < 4 * steps as i128 && reach < MOST_PLACES as i128;
        let joined = if is_dense { self.dense(magnitude, coins, reach) } else { self.sparse(magnitude, coins)? };
        (joined.0.len() <= MOST_SUMS).then_some(joined)
    }

    /// For sums that are close together: a place for every whole number.
    fn dense(&self, magnitude: i128, coins: &[W], reach: i128) -> Self {
        let mut places = vec![W::none(); reach as usize + 1];
        for (sum, weight) in &self.0 {
            for (heads, coin) in coins.iter().enumerate() {
                places[(sum + magnitude * heads as i128) as usize].or(&weight.and(coin));
            }
        }
        Self(places.into_iter().zip(0..).filter(|(weight, _)| !weight.is_none()).map(|(w, sum)| (sum, w)).collect())
    }

    /// For sums that are far apart.
    fn sparse(&self, magnitude: i128, coins: &[W]) -> Option<Self> {
        let places = self.0.len() * coins.len();
        if places > MOST_PLACES {
            return None;
        }
        let mut sums: Vec<(i128, W)> = Vec::with_capacity(places);
        for (heads, coin) in coins.iter().enumerate() {
            let shift = magnitude * heads as i128;
            sums.extend(self.0.iter().map(|(sum, weight)| (sum + shift, weight.and(coin))));
        }
        sums.sort_unstable_by_key(|(sum, _)| *sum);
        sums.dedup_by(|later, earlier| {
            let same = later.0 == earlier.0;
            if same {
                earlier.1.or(&later.1);
            }
            same
        });
        Some(Self(sums))
    }
}

/// The distribution of a sum, as those of two halves of its terms.
#[derive(Clone, Debug)]
pub(super) struct Sums<W> {
    left: Half<W>,
    right: Half<W>,
}

impl<W: Weight> Sums<W> {
    /// Each of `groups` is a magnitude and how many cases have it. `None` where a half has too many sums to hold.
    pub(super) fn of(groups: &[(i128, usize)]) -> Option<Self> {
        let mut sums = Self { left: Half::empty(), right: Half::empty() };
        let mut largest_first = groups.to_vec();
        largest_first.sort_unstable_by_key(|(magnitude, cases)| (std::cmp::Reverse(*cases), *magnitude));
        for (magnitude, cases) in largest_first {
            let shorter = if sums.left.0.len() <= sums.right.0.len() { &mut sums.left } else { &mut sums.right };
            *shorter = shorter.with(magnitude, &W::coins(cases))?;
        }
        Some(sums)
    }

    /// Returns how many sums both halves hold: what bounds the error of adding them up.
    pub(super) fn len(&self) -> usize {
        self.left.0.len() + self.right.0.len()
    }

    /// Returns how likely a sum of at most `limit` is.
    pub(super) fn at_most(&self, limit: i128) -> W {
        let (mut total, mut below, mut taken) = (W::none(), W::none(), 0);
        for (sum, weight) in self.left.0.iter().rev() {
            while taken < self.right.0.len() && self.right.0[taken].0 + sum <= limit {
                below.or(&self.right.0[taken].1);
                taken += 1;
            }
            total.or(&weight.and(&below));
        }
        total
    }

    /// Returns how likely a sum of at least `limit` is.
    pub(super) fn at_least(&self, limit: i128) -> W {
        let (mut total, mut above, mut left) = (W::none(), W::none(), self.right.0.len());
        for (sum, weight) in &self.left.0 {
            while left > 0 && self.right.0[left - 1].0 + sum >= limit {
                left -= 1;
                above.or(&self.right.0[left].1);
            }
            total.or(&weight.and(&above));
        }
        total
    }
}

#[cfg(test)]
mod tests {
    use num_bigint::BigUint;
    use num_traits::ToPrimitive;
    use proptest::prelude::*;

    use super::{Sums, Weight};

    /// The share of all subsets whose sum the test accepts.
    fn enumerated(magnitudes: &[i128], accepts: impl Fn(i128) -> bool) -> f64 {
        let patterns = 1_u32 << magnitudes.len();
        let sum = |pattern: u32| (0..magnitudes.len()).filter(|i| pattern >> i & 1 == 1).map(|i| magnitudes[i]).sum();
        let accepted = (0..patterns).filter(|pattern| accepts(sum(*pattern))).count();
        accepted as f64 / f64::from(patterns)
    }

    proptest! {
        #[test]
        fn a_tail_is_the_share_of_all_sign_patterns(
            magnitudes in prop::collection::vec(prop_oneof![1..4_i128, 1..2_000_000_000_000_i128], 0..12),
            limit in prop_oneof![0..30_i128, 0..9_000_000_000_000_i128],
        ) {
            let groups: Vec<_> = magnitudes.iter().map(|magnitude| (*magnitude, 1)).collect();
            let sums = Sums::<f64>::of(&groups).expect("few");
            prop_assert!((sums.at_most(limit) - enumerated(&magnitudes, |sum| sum <= limit)).abs() < 1e-14);
            prop_assert!((sums.at_least(limit) - enumerated(&magnitudes, |sum| sum >= limit)).abs() < 1e-14);
            let patterns = Sums::<BigUint>::of(&groups).expect("few").at_most(limit).to_f64().expect("small");
            prop_assert!((patterns / f64::from(1_u32 << magnitudes.len()) - sums.at_most(limit)).abs() < 1e-14);
        }
    }

    #[test]
    fn cases_of_one_magnitude_are_as_many_single_ones() {
        let together = Sums::<BigUint>::of(&[(2, 3), (3, 2)]).expect("few");
        let apart = Sums::<BigUint>::of(&[(2, 1), (3, 1), (2, 1), (3, 1), (2, 1)]).expect("few");
        for limit in -1..14 {
            assert_eq!(together.at_most(limit), apart.at_most(limit), "{limit}");
        }
    }

    #[test]
    fn more_coins_than_a_double_has_exponents_still_add_up_to_one() {
        let row = f64::coins(10_000);
        assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        assert!(row[5_000] > 0.0079 && row[5_000] < 0.0080);
    }
}
