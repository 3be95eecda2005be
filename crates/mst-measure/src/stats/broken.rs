//! Regression cases that broke.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::ToPrimitive;

use super::fisher::fisher_fell;
use super::multiple::holm;
use super::passes::PairedCase;

/// What a regression case's trials say of it alone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RegressionCase {
    /// The one-sided p of Fisher's exact test.
    pub p: f64,
    /// The same adjusted by Holm's method over all regression cases.
    pub adjusted: f64,
    /// Whether the case is broken: its adjusted p is at most 0.05, as fractions.
    pub broken: bool,
}

/// Tests each regression case for fewer passes, at 0.05 over all of them together, in the order given.
///
/// With three trials a side the smallest p is 1/20, so that of two or more regression cases none can ever be broken.
pub fn regression_cases(cases: &[PairedCase]) -> Vec<RegressionCase> {
    let level = BigRational::new(BigInt::from(1), BigInt::from(20));
    let p: Vec<BigRational> = cases.iter().map(|case| fisher_fell(*case)).collect();
    let double = |fraction: &BigRational| fraction.to_f64().expect("a fraction with a denominator is a number");
    p.iter()
        .zip(holm(&p))
        .map(|(p, adjusted)| RegressionCase { p: double(p), broken: adjusted <= level, adjusted: double(&adjusted) })
        .collect()
}
