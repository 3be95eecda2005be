//! What a run records that was watched so that it could stop when it was decided.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::names::VariantName;

/// A comparison that was looked at while its candidate ran. An addition to the format.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SequentialRecord {
    /// When it stops: always `decided`.
    pub stops_when: String,
    /// The variant that is compared with the baseline.
    pub candidate: VariantName,
    /// What the order of cases was drawn from, as hexadecimal digits: a case's place is the SHA-256 of this and its id.
    pub seed: String,
    /// The chance of a false decision over all looks, both sides together.
    pub level: f64,
    /// How many headline cases were planned.
    pub planned: usize,
    /// What was decided: `better`, `worse`, or `unclear` when no look decided.
    pub assessment: String,
    /// The looks that were taken, in order.
    pub looks: Vec<LookRecord>,
}

/// A look at the cases that were finished.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LookRecord {
    /// How many cases counted.
    pub cases: usize,
    /// Counted over planned cases.
    pub fraction: f64,
    /// What the one-sided p had to be at most.
    pub bound: f64,
    /// The chance, were there no change, of having stopped at this look or before.
    pub spent: f64,
    /// The mean change of the cases.
    pub mean: f64,
    /// The sign-flip test's p for better.
    pub p_better: f64,
    /// The sign-flip test's p for worse.
    pub p_worse: f64,
}
