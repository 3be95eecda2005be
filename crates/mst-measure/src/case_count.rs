//! What the trials of one case come to.

use crate::verdict::TrialVerdict;

/// How far from its threshold a share may be and still reach it: shares such as 1/3 are not exact.
const SLACK: f64 = 1e-12;

/// The trials of one case, counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CaseCount {
    /// Every attempt on record.
    pub trials: usize,
    /// Trials that passed or failed.
    pub counted: usize,
    /// Trials that passed.
    pub passed: usize,
    /// Attempts that were infrastructure failures.
    pub infrastructure: usize,
    /// Whether the case is passed or failed: no trial is missing, ungraded or an infrastructure failure.
    pub complete: bool,
    /// Whether it passed; false when incomplete.
    pub pass: bool,
}

impl CaseCount {
    /// Returns passed over counted trials; `None` when none counts.
    pub fn share(&self) -> Option<f64> {
        (self.counted > 0).then(|| self.passed as f64 / self.counted as f64)
    }
}

/// Counts a case's trials. `wanted` is how many it asks for, `threshold` the share (0 to 1) that must pass.
pub fn case_count(verdicts: impl IntoIterator<Item = TrialVerdict>, wanted: u32, threshold: f64) -> CaseCount {
    let mut count = CaseCount::default();
    for verdict in verdicts {
        count.trials += 1;
        count.counted += usize::from(verdict.is_counted());
        count.passed += usize::from(verdict == TrialVerdict::Passed);
        count.infrastructure += usize::from(verdict == TrialVerdict::Infrastructure);
    }
    count.complete = count.counted > 0 && count.counted == count.trials && count.trials >= wanted as usize;
    count.pass = count.complete && count.share().is_some_and(|share| share >= threshold - SLACK);
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_case_is_complete_when_every_trial_counts() {
        use TrialVerdict::{Failed as F, Infrastructure as I, Passed as P, Ungraded as U};
        for (verdicts, wanted, threshold, complete, pass) in [
            (&[P][..], 1, 1.0, true, true),
            (&[F], 1, 1.0, true, false),
            (&[P, P, F], 3, 2.0 / 3.0, true, true),
            (&[P, P, F], 3, 1.0, true, false),
            (&[P, P], 3, 0.5, false, false),
            (&[P, I], 2, 0.5, false, false),
            (&[P, U], 2, 0.5, false, false),
            (&[I], 1, 0.0, false, false),
            (&[], 1, 0.0, false, false),
            (&[F], 1, 0.0, true, true),
        ] {
            let count = case_count(verdicts.iter().copied(), wanted, threshold);
            assert_eq!((count.complete, count.pass), (complete, pass), "{verdicts:?} of {wanted} at {threshold}");
        }
    }
}
