//! Fisher's exact test.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::One;

use super::passes::PairedCase;

/// Returns the one-sided p of Fisher's exact test (R. A. Fisher, 1934) that a case's passes fell: the probability of at most
/// as many passes on the candidate's side, were all trials of both sides exchangeable. 1 when nothing counts on a side.
///
/// With `N` trials of which `F` failed, `n` of them the candidate's: `sum over j >= failed of C(n, j) C(N - n, F - j) /
/// C(N, F)`. An exact fraction, since 3 of 3 against 0 of 3 is exactly the 1/20 that it is compared with.
pub fn fisher_fell(case: PairedCase) -> BigRational {
    let (old, new) = (case.baseline, case.candidate);
    if old.counted == 0 || new.counted == 0 {
        return BigRational::one();
    }
    let (passed, failed) = (old.passed + new.passed, old.failed() + new.failed());
    // The rarer outcome is drawn: its binomials are the small ones.
    let (drawn, counts) = if failed <= passed {
        (failed, new.failed()..=failed.min(new.counted))
    } else {
        (passed, passed.saturating_sub(old.counted)..=new.passed)
    };
    let (Some(mut ours), Some(mut theirs)) =
        (Binomial::at(new.counted, *counts.start()), Binomial::at(old.counted, drawn - counts.start()))
    else {
        return BigRational::one();
    };
    let mut tables = BigInt::ZERO;
    for count in counts.clone() {
        tables += &ours.value * &theirs.value;
        if count < *counts.end() {
            ours.up();
            theirs.down();
        }
    }
    let all = Binomial::at(new.counted + old.counted, drawn).map_or(BigInt::one(), |binomial| binomial.value);
    // Not reduced: a common divisor of large numbers costs more than everything else here.
    BigRational::new_raw(tables, all)
}

/// A binomial coefficient that moves along its row.
struct Binomial {
    of: u64,
    chosen: u64,
    value: BigInt,
}

impl Binomial {
    /// `None` when fewer are there than are chosen.
    fn at(of: u64, chosen: u64) -> Option<Self> {
        let mut short = Self { of, chosen: 0, value: BigInt::one() };
        let steps = chosen.min(of.checked_sub(chosen)?);
        (0..steps).for_each(|_| short.up());
        Some(Self { chosen, ..short })
    }

    fn up(&mut self) {
        self.value = &self.value * (self.of - self.chosen) / (self.chosen + 1);
        self.chosen += 1;
    }

    fn down(&mut self) {
        self.value = &self.value * self.chosen / (self.of - self.chosen + 1);
        self.chosen -= 1;
    }
}
