//! Exact fractions, and the way from and to doubles.

use num_rational::BigRational;
use num_traits::{One, ToPrimitive, Zero};

use super::fault::RubricFault;

/// An exact fraction.
pub(super) type Exact = BigRational;

/// Returns a whole number as a fraction.
pub(super) fn whole(number: u64) -> Exact {
    Exact::from_integer(number.into())
}

/// Returns `numerator / denominator`; the denominator is not 0.
pub(super) fn fraction(numerator: u64, denominator: u64) -> Exact {
    Exact::new(numerator.into(), denominator.into())
}

/// Returns the exact value of a double that counts something.
///
/// # Errors
/// It is not a finite number, or less than 0.
pub(super) fn counted(value: f64, what: impl FnOnce() -> String) -> Result<Exact, RubricFault> {
    match Exact::from_float(value) {
        Some(exact) if value >= 0.0 => Ok(exact),
        _ => Err(RubricFault::NotACount { what: what(), value }),
    }
}

/// Returns the double nearest to a fraction, half-way cases to the even one.
pub(super) fn nearest(value: &Exact) -> f64 {
    value.to_f64().expect("a fraction with a denominator is a number")
}

/// Bounds a value to 0 to 1.
pub(super) fn clamp(value: Exact) -> Exact {
    value.clamp(Exact::zero(), Exact::one())
}

#[cfg(test)]
mod tests {
    use super::{counted, fraction, nearest};

    #[test]
    fn a_double_goes_in_and_out_unchanged() {
        for value in [0.0, 0.1, 2000.25, 1.0 / 3.0, f64::MIN_POSITIVE, f64::MAX, 5e-324] {
            let exact = counted(value, String::new).expect("finite");
            assert_eq!(nearest(&exact).to_bits(), value.to_bits());
        }
    }

    #[test]
    fn what_is_no_count_is_refused() {
        for value in [f64::NAN, f64::INFINITY, -1.0, -0.25] {
            assert!(counted(value, || "tokens".to_owned()).is_err());
        }
    }

    #[test]
    fn the_nearest_double_of_a_third_is_that_of_the_division() {
        assert_eq!(nearest(&fraction(1, 3)).to_bits(), (1.0_f64 / 3.0).to_bits());
    }
}
