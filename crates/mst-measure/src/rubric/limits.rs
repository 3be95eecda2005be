//! The method's constants, each exact, and its one shape of curve.

use num_traits::{One, Zero};

use super::exact::{Exact, whole};

/// Points of the safety category.
pub(super) const SAFETY: u64 = 30;
/// Points of the legibility category.
pub(super) const LEGIBILITY: u64 = 30;
/// Points of the economics category.
pub(super) const ECONOMICS: u64 = 20;
/// Points of the discoverability category.
pub(super) const DISCOVERABILITY: u64 = 20;

/// The defect weight from which nothing is left of the description quality.
pub(super) const DEFECT_WEIGHT: u64 = 30;
/// The weight of confusable pairs from which nothing is left of the disambiguation quality.
pub(super) const PAIR_WEIGHT: u64 = 10;

/// Tokens that cost nothing, and tokens from which nothing is left.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// Up to here the efficiency is 1.
    pub(super) ideal: u64,
    /// From here on it is 0.
    pub(super) unacceptable: u64,
}

/// Tokens of the whole tool surface.
pub(super) const DEFINITION: Limits = Limits { ideal: 2_000, unacceptable: 50_000 };
/// Mean tokens of a task.
pub(super) const TASK: Limits = Limits { ideal: 2_000, unacceptable: 20_000 };
/// Mean tokens of a tool's answer.
pub(super) const RESPONSE: Limits = Limits { ideal: 500, unacceptable: 8_000 };

impl Limits {
    /// Returns 1 up to the ideal, 0 from the unacceptable on, and the straight line between.
    pub(super) fn efficiency(self, value: &Exact) -> Exact {
        if *value <= whole(self.ideal) {
            return Exact::one();
        }
        if *value >= whole(self.unacceptable) {
            return Exact::zero();
        }
        Exact::one() - (value - whole(self.ideal)) / whole(self.unacceptable - self.ideal)
    }

    /// Returns the same curve in doubles, for resampling.
    pub(super) fn efficiency_of_double(self, value: f64) -> f64 {
        let (ideal, unacceptable) = (self.ideal as f64, self.unacceptable as f64);
        (1.0 - (value - ideal) / (unacceptable - ideal)).clamp(0.0, 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::super::exact::{counted, nearest};
    use super::{DEFINITION, RESPONSE, TASK};

    #[test]
    fn efficiency_at_its_edges() {
        let table = [
            (DEFINITION, 0.0, 1.0),
            (DEFINITION, 2_000.0, 1.0),
            (DEFINITION, 26_000.0, 0.5),
            (DEFINITION, 50_000.0, 0.0),
            (DEFINITION, 523_737.0, 0.0),
            (TASK, 2_000.0, 1.0),
            (TASK, 11_000.0, 0.5),
            (TASK, 20_000.0, 0.0),
            (RESPONSE, 500.0, 1.0),
            (RESPONSE, 4_250.0, 0.5),
            (RESPONSE, 8_000.0, 0.0),
        ];
        for (limits, value, right) in table {
            let exact = counted(value, String::new).expect("a count");
            assert_eq!(nearest(&limits.efficiency(&exact)).to_bits(), f64::to_bits(right), "{limits:?} at {value}");
            assert_eq!(limits.efficiency_of_double(value).to_bits(), f64::to_bits(right), "{limits:?} at {value}");
        }
    }
}
