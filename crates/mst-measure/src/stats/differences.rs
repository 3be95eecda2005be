//! Differences of shares as whole numbers of one unit.

use super::passes::PairedCase;

/// The unit where no common one is small enough: two shares of up to 10,000 trials differ by more.
const FALLBACK: f64 = 1e9;
/// A unit with more parts leaves no room to add up cases.
const MOST_PARTS: i128 = 1 << 100;

/// Returns each case's difference as a whole number of one unit that they all share, so that sums are equal exactly when the
/// fractions are (1/10 + 2/10 = 3/10). A case in which nothing counts on a side is left out.
pub(super) fn whole_differences(cases: &[PairedCase]) -> Vec<i128> {
    let counted = || cases.iter().filter(|case| case.baseline.counted > 0 && case.candidate.counted > 0);
    exact(counted()).unwrap_or_else(|| {
        counted().map(|case| (case.difference().unwrap_or_default() * FALLBACK).round() as i128).collect()
    })
}

/// Returns a whole number that each of `counts` divides, or [`FALLBACK`] where the least such one is too large.
pub(super) fn common_unit(counts: impl Iterator<Item = i128>) -> i128 {
    let mut counts = counts.filter(|count| *count > 0);
    let least = counts.try_fold(1_i128, |unit, count| (unit / divisor(unit, count)).checked_mul(count));
    least.filter(|unit| *unit < MOST_PARTS).unwrap_or(FALLBACK as i128)
}

/// `None` where the numbers become too large: trial counts of many kinds without common factors.
fn exact<'a>(cases: impl Iterator<Item = &'a PairedCase>) -> Option<Vec<i128>> {
    let fractions: Vec<(i128, i128)> = cases
        .map(|case| {
            let (old, new) = (case.baseline, case.candidate);
            let wide = |count: u64| i128::from(count);
            let above =
                wide(new.passed).checked_mul(wide(old.counted))? - wide(old.passed).checked_mul(wide(new.counted))?;
            let below = wide(old.counted).checked_mul(wide(new.counted))?;
            let common = divisor(above.abs(), below);
            Some((above / common, below / common))
        })
        .collect::<Option<_>>()?;
    let unit =
        fractions.iter().try_fold(1_i128, |unit, (_, below)| (unit / divisor(unit, *below)).checked_mul(*below))?;
    let mut whole =
        fractions.iter().map(|(above, below)| above.checked_mul(unit / below)).collect::<Option<Vec<_>>>()?;
    // Their sum has to be a number too.
    whole.iter().try_fold(0_i128, |sum, difference| sum.checked_add(difference.abs()))?;
    let common = whole.iter().fold(0, |common, difference| divisor(common, difference.abs())).max(1);
    for difference in &mut whole {
        *difference /= common;
    }
    Some(whole)
}

/// Returns the greatest common divisor (Euclid) of two numbers that are not negative.
fn divisor(a: i128, b: i128) -> i128 {
    if b == 0 { a } else { divisor(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::whole_differences;
    use crate::stats::{PairedCase, Passes};

    fn case(old: (u64, u64), new: (u64, u64)) -> PairedCase {
        let passes = |(passed, counted)| Passes { passed, counted };
        PairedCase { baseline: passes(old), candidate: passes(new) }
    }

    #[test]
    fn differences_share_the_largest_unit() {
        for (cases, want) in [
            (vec![], vec![]),
            (vec![case((1, 3), (2, 6))], vec![0]),
            (vec![case((0, 10), (1, 10)), case((0, 10), (2, 10)), case((3, 10), (0, 10))], vec![1, 2, -3]),
            (vec![case((0, 2), (1, 2)), case((1, 3), (0, 3)), case((1, 1), (1, 0))], vec![3, -2]),
            (vec![case((3, 3), (0, 3)), case((3, 3), (0, 3))], vec![-1, -1]),
        ] {
            assert_eq!(whole_differences(&cases), want, "{cases:?}");
        }
    }

    #[test]
    fn what_has_no_common_unit_is_rounded() {
        let primes = [10_007, 10_009, 10_037, 10_039, 10_061, 10_067, 10_069, 10_079, 10_091, 10_093, 10_099];
        let cases: Vec<_> = primes.iter().map(|prime| case((0, *prime), (1, *prime))).collect();
        assert_eq!(whole_differences(&cases)[0], 99_930);
    }
}
