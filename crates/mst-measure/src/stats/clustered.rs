//! Means over trials that are clustered in cases.

use super::mean::mean;
use super::student::sample_variance;

/// A measurement of trials, several of which share a case.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clustered {
    /// The mean over all trials.
    pub mean: f64,
    /// The standard error of `mean` that clusters allow for; `None` of fewer than two cases.
    ///
    /// `sqrt(sum over cases of (sum of residuals)^2) / n`, times `sqrt(G / (G - 1))` for `G` cases (K.-Y. Liang and
    /// S. L. Zeger, 1986).
    pub standard_error: Option<f64>,
    /// The mean of the cases' means: the value that is reported for a variant.
    pub case_mean: f64,
    /// The standard error of `case_mean`: the sample standard deviation of the cases' means over `sqrt(G)`; `None` of fewer
    /// than two cases. The same as `standard_error` when every case has as many trials.
    pub case_standard_error: Option<f64>,
    /// The variance of trials within a case, pooled; `None` when no case has two trials.
    pub within: Option<f64>,
    /// The variance between cases that trials do not explain (one-way analysis of variance, R. A. Fisher, 1925), not below
    /// 0; `None` of fewer than two cases, or without `within`.
    pub between: Option<f64>,
}

/// Returns what the trials of each case come to; a case without trials is left out. `None` when there is no trial.
pub fn clustered<C: AsRef<[f64]>>(cases: &[C]) -> Option<Clustered> {
    let cases: Vec<&[f64]> = cases.iter().map(AsRef::as_ref).filter(|trials| !trials.is_empty()).collect();
    let (groups, trials) = (cases.len() as f64, cases.iter().map(|case| case.len()).sum::<usize>() as f64);
    let all = mean(cases.iter().copied().flatten().copied())?;
    let means: Vec<f64> = cases.iter().filter_map(|case| mean(case.iter().copied())).collect();
    let residuals: f64 = cases.iter().map(|case| case.iter().map(|value| value - all).sum::<f64>().powi(2)).sum();
    let several = cases.len() > 1;

    let spare = trials - groups;
    let spread = |case: &[f64], centre: f64| case.iter().map(|value| (value - centre).powi(2)).sum::<f64>();
    let within = (spare > 0.0)
        .then(|| cases.iter().zip(&means).map(|(case, centre)| spread(case, *centre)).sum::<f64>() / spare);
    let between = within.filter(|_| several).map(|within| {
        let size = |case: &&[f64]| case.len() as f64;
        let squares: f64 = cases.iter().zip(&means).map(|(case, centre)| size(case) * (centre - all).powi(2)).sum();
        let typical = (trials - cases.iter().map(|case| size(case).powi(2)).sum::<f64>() / trials) / (groups - 1.0);
        ((squares / (groups - 1.0) - within) / typical).max(0.0)
    });
    Some(Clustered {
        mean: all,
        standard_error: several.then(|| residuals.sqrt() / trials * (groups / (groups - 1.0)).sqrt()),
        case_mean: mean(means.iter().copied())?,
        case_standard_error: sample_variance(&means).map(|variance| (variance / groups).sqrt()),
        within,
        between,
    })
}
