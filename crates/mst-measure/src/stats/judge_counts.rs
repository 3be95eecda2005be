//! A judge against people's labels.

use num_rational::Ratio;
use num_traits::ToPrimitive;

/// Labels that a calibration needs, those with an unknown verdict too.
pub const FEWEST_LABELS: u64 = 20;
/// Labels of each class that it needs.
pub const FEWEST_OF_A_CLASS: u64 = 5;
/// The least true positive rate and true negative rate, as a fraction.
pub const LEAST_RATE: (i128, i128) = (4, 5);
/// The least Cohen's kappa, as a fraction.
pub const LEAST_KAPPA: (i128, i128) = (3, 5);
/// The greatest share of unknown verdicts, as a fraction.
pub const MOST_UNKNOWN: (i128, i128) = (1, 5);

/// A judge's verdicts on labelled trials, counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JudgeCounts {
    /// Labelled pass, judged pass.
    pub tp: u64,
    /// Labelled pass, judged fail.
    pub fn_: u64,
    /// Labelled fail, judged fail.
    pub tn: u64,
    /// Labelled fail, judged pass.
    pub fp: u64,
    /// Labelled pass, judged unknown.
    pub unknown_pass: u64,
    /// Labelled fail, judged unknown.
    pub unknown_fail: u64,
}

/// Why a judge is not usable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shortfall {
    /// Too few labels.
    Labels,
    /// Too few labels of one class.
    Classes,
    /// The true positive rate is too low, or there is none.
    TruePositiveRate,
    /// The true negative rate is too low, or there is none.
    TrueNegativeRate,
    /// Kappa is too low, or there is none.
    Kappa,
    /// Too many verdicts are unknown.
    Unknown,
}

/// A rate as an exact fraction: limits are met exactly.
type Exact = Ratio<i128>;

impl JudgeCounts {
    /// Returns the share of labelled passes that the judge passed, of those it decided; `None` of none.
    pub fn true_positive_rate(&self) -> Option<f64> {
        nearest(self.exact_positive())
    }

    /// Returns the share of labelled fails that the judge failed, of those it decided; `None` of none.
    pub fn true_negative_rate(&self) -> Option<f64> {
        nearest(self.exact_negative())
    }

    /// Returns Cohen's kappa (J. Cohen, 1960) of label and verdict over the decided trials: 1 is full agreement, 0 what chance
    /// would give. `None` when both always are the same single value, or nothing was decided.
    pub fn kappa(&self) -> Option<f64> {
        nearest(self.exact_kappa())
    }

    /// Returns the share of labelled trials on which the verdict was unknown; `None` without labels.
    pub fn unknown_rate(&self) -> Option<f64> {
        nearest(self.exact_unknown())
    }

    /// Returns everything that keeps the judge from being usable, by the limits named above; none when it is.
    pub fn shortfalls(&self) -> Vec<Shortfall> {
        let classes = [self.tp + self.fn_ + self.unknown_pass, self.tn + self.fp + self.unknown_fail];
        let at_least = |rate: Option<Exact>, (above, below)| rate.is_some_and(|rate| rate >= Exact::new(above, below));
        let at_most = |rate: Option<Exact>, (above, below)| rate.is_some_and(|rate| rate <= Exact::new(above, below));
        [
            (Shortfall::Labels, classes.iter().sum::<u64>() >= FEWEST_LABELS),
            (Shortfall::Classes, classes.iter().all(|labels| *labels >= FEWEST_OF_A_CLASS)),
            (Shortfall::TruePositiveRate, at_least(self.exact_positive(), LEAST_RATE)),
            (Shortfall::TrueNegativeRate, at_least(self.exact_negative(), LEAST_RATE)),
            (Shortfall::Kappa, at_least(self.exact_kappa(), LEAST_KAPPA)),
            (Shortfall::Unknown, at_most(self.exact_unknown(), MOST_UNKNOWN)),
        ]
        .into_iter()
        .filter_map(|(shortfall, holds)| (!holds).then_some(shortfall))
        .collect()
    }

    /// Returns whether the two rates add up to more than 1.
    pub(super) fn beats_chance(&self) -> bool {
        let rates = self.exact_positive().zip(self.exact_negative());
        rates.is_some_and(|(positive, negative)| positive + negative > Exact::from_integer(1))
    }

    fn exact_positive(&self) -> Option<Exact> {
        fraction(self.tp, self.tp + self.fn_)
    }

    fn exact_negative(&self) -> Option<Exact> {
        fraction(self.tn, self.tn + self.fp)
    }

    fn exact_unknown(&self) -> Option<Exact> {
        let unknown = self.unknown_pass + self.unknown_fail;
        fraction(unknown, self.tp + self.fn_ + self.tn + self.fp + unknown)
    }

    fn exact_kappa(&self) -> Option<Exact> {
        kappa([[self.tp, self.fn_], [self.fp, self.tn]])
    }
}

/// Returns Cohen's kappa of a square table of counts; `None` where chance alone already agrees always.
///
/// `(observed - expected) / (1 - expected)`, here times the square of the number of pairs.
pub(super) fn kappa<const N: usize>(table: [[u64; N]; N]) -> Option<Exact> {
    let wide = |count: u64| i128::from(count);
    let row = |i: usize| table[i].iter().copied().map(wide).sum::<i128>();
    let column = |i: usize| table.iter().map(|row| wide(row[i])).sum::<i128>();
    let all: i128 = (0..N).map(row).sum();
    let agreed: i128 = (0..N).map(|i| wide(table[i][i])).sum();
    let expected: i128 = (0..N).map(|i| row(i) * column(i)).sum();
    let possible = all * all - expected;
    (possible > 0).then(|| Exact::new(all * agreed - expected, possible))
}

fn fraction(above: u64, below: u64) -> Option<Exact> {
    (below > 0).then(|| Exact::new(above.into(), below.into()))
}

/// Returns the double nearest to a fraction.
pub(super) fn nearest(exact: Option<Exact>) -> Option<f64> {
    exact?.to_f64()
}
