//! Metrics: their names, what they measure, and how a variant's value comes from its trials.

mod catalog;
mod judges;
mod measure;
mod skills;
mod variant;

pub use catalog::metric_entries;
pub use measure::Measure;
pub(crate) use variant::{CountedCase, VariantMetrics};

/// A metric that an eval config lists beside the core ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedMetric {
    /// The built-in's name.
    pub metric: String,
    /// The name it is reported under.
    pub name: String,
    /// The judge that it is of, by its name in results; only of `judge_pass_for` and `judge_score_for`.
    pub judge: Option<String>,
}
