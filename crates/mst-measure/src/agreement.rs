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
    let (mut passes, mut fails, mut disagreement) = (0_u64, 0_u64, 0.0);
    for unit in units {
        let (mut passed, mut failed) = (0_u64, 0_u64);
        for pass in unit.into_iter().flatten() {
            if pass { passed += 1 } else { failed += 1 }
        }
        let verdicts = passed + failed;
        if verdicts < 2 {
            continue;
        }
        passes += passed;
        fails += failed;
        // Ordered pairs of verdicts that differ, each weighted so that a trial counts by its number of verdicts.
        disagreement += (2 * passed * failed) as f64 / (verdicts - 1) as f64;
    }
    if passes == 0 || fails == 0 {
        return None;
    }
    let all = passes + fails;
    let observed = disagreement / all as f64;
    let expected = 2.0 * passes as f64 * fails as f64 / (all as f64 * (all - 1) as f64);
    Some(1.0 - observed / expected)
}
