//! What a case's trials came to, on one side and on two.

use crate::case_count::CaseCount;

/// The trials of one case that passed, out of those that count: graded, and no infrastructure failure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Passes {
    /// Trials that passed; at most `counted`.
    pub passed: u64,
    /// Trials that passed or failed.
    pub counted: u64,
}

impl Passes {
    /// Returns passed over counted trials (0 to 1); `None` when none counts.
    pub fn share(self) -> Option<f64> {
        (self.counted > 0).then(|| self.passed as f64 / self.counted as f64)
    }

    /// Returns the trials that failed.
    pub(super) fn failed(self) -> u64 {
        self.counted.saturating_sub(self.passed)
    }
}

impl From<CaseCount> for Passes {
    fn from(count: CaseCount) -> Self {
        Self { passed: count.passed as u64, counted: count.counted as u64 }
    }
}

/// One case on both sides of a comparison.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct PairedCase {
    /// What the candidate is measured against.
    pub baseline: Passes,
    /// What may have become better or worse.
    pub candidate: Passes,
}

impl PairedCase {
    /// Returns the candidate's share less the baseline's (-1 to 1); `None` when nothing counts on a side.
    pub fn difference(self) -> Option<f64> {
        Some(self.candidate.share()? - self.baseline.share()?)
    }

    /// Whether more trials count on one side than on the other, and some on both.
    pub(super) fn is_uneven(self) -> bool {
        let (old, new) = (self.baseline.counted, self.candidate.counted);
        old != new && old > 0 && new > 0
    }
}
