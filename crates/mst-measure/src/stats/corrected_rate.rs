//! A pass rate corrected for its judge's errors.

use mst_model::Interval;

use super::judge_counts::JudgeCounts;
use super::normal::Z95;
use super::passes::Passes;

/// What the pass rate would be by the labels' standard.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CorrectedRate {
    /// The corrected rate (0 to 1).
    pub rate: f64,
    /// Its 95% interval, which carries the uncertainty of the judge's own rates. The rate can lie outside of it where there
    /// are few trials, since the interval is centred on smoothed rates.
    pub interval: Option<Interval>,
}

/// Corrects a judge's pass rate by its counts against labels; `None` when nothing was judged, a class has no label or the
/// judge is no better than chance.
///
/// The rate is `(p + q0 - 1) / (q0 + q1 - 1)` (W. J. Rogan and B. Gladen, 1978) with the judge's pass rate `p`, true negative
/// rate `q0` and true positive rate `q1`, cut to 0 to 1. The interval is that of C. Lee and others (arXiv:2511.21140, 2025):
/// all three rates smoothed, and the centre shifted for the error of the denominator. Labels have to be a random sample of
/// each class.
pub fn corrected_rate(judged: Passes, judge: &JudgeCounts) -> Option<CorrectedRate> {
    let (p, q1, q0) = (judged.share()?, judge.true_positive_rate()?, judge.true_negative_rate()?);
    judge.beats_chance().then(|| CorrectedRate {
        rate: ((p + q0 - 1.0) / (q0 + q1 - 1.0)).clamp(0.0, 1.0),
        interval: interval(judged, judge),
    })
}

fn interval(judged: Passes, judge: &JudgeCounts) -> Option<Interval> {
    let z2 = Z95 * Z95;
    let n = judged.counted as f64 + z2;
    let p = (judged.passed as f64 + z2 / 2.0) / n;
    let (m0, m1) = ((judge.tn + judge.fp) as f64 + 2.0, (judge.tp + judge.fn_) as f64 + 2.0);
    let (q0, q1) = ((judge.tn + 1) as f64 / m0, (judge.tp + 1) as f64 / m1);
    let better = q0 + q1 - 1.0;
    if better <= 0.0 {
        return None;
    }
    let (v0, v1) = (q0 * (1.0 - q0) / m0, q1 * (1.0 - q1) / m1);
    let t = (p + q0 - 1.0) / better;
    let shift = 2.0 * z2 * (t * v1 - (1.0 - t) * v0);
    let error = (p * (1.0 - p) / n + (1.0 - t).powi(2) * v0 + t * t * v1).sqrt() / better;
    let end = |sign: f64| (t + shift + sign * Z95 * error).clamp(0.0, 1.0);
    Some(Interval { lower: end(-1.0), upper: end(1.0) })
}
