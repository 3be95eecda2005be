//! How far judges agree with each other.

/// Returns Krippendorff's alpha of passes and fails (nominal, two categories): 1 is full agreement, 0 what chance would give,
/// less than 0 worse than that.
///
/// A unit is one trial with the verdicts of a jury's members, `None` where one has none; a trial with fewer than two verdicts
/// counts for nothing. Returns `None` where the verdicts that count are all alike: there is no variation to measure.
pub fn krippendorff_alpha<U>(units: impl IntoIterator<Item = U>) -> Option<f64>
where
    U: IntoIterator<Item = Option<bool>>,
{
    let mut agreement = Agreement::default();
    for unit in units {
        agreement.add(unit);
    }
    agreement.alpha()
}

/// The agreement of the trials that were added so far, in three numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Agreement {
    passes: u64,
    fails: u64,
    /// Ordered pairs of verdicts that differ, each weighted so that a trial counts by its number of verdicts.
    disagreement: f64,
}

impl Agreement {
    /// Takes in one trial's verdicts.
    pub fn add(&mut self, unit: impl IntoIterator<Item = Option<bool>>) {
        let (mut passed, mut failed) = (0_u64, 0_u64);
        for pass in unit.into_iter().flatten() {
            passed += u64::from(pass);
            failed += u64::from(!pass);
        }
        let verdicts = passed + failed;
        if verdicts >= 2 {
            self.passes += passed;
            self.fails += failed;
            self.disagreement += (2 * passed * failed) as f64 / (verdicts - 1) as f64;
        }
    }

    /// Returns what [`krippendorff_alpha`] returns of the same trials.
    pub fn alpha(self) -> Option<f64> {
        if self.passes == 0 || self.fails == 0 {
            return None;
        }
        let (passes, fails) = (self.passes as f64, self.fails as f64);
        let all = passes + fails;
        let observed = self.disagreement / all;
        let expected = 2.0 * passes * fails / (all * (all - 1.0));
        Some(1.0 - observed / expected)
    }
}
