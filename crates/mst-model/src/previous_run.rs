//! A run against the one before it, as `summary.json` says it.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::change::Change;
use crate::names::{CaseId, VariantName};
use crate::run_id::RunId;
use crate::time::Timestamp;

/// The comparison with the previous run of the same eval config and the same variants.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PreviousRun {
    /// The previous run.
    pub run_id: RunId,
    /// When its trials were collected.
    pub timestamp: Timestamp,
    /// Whether both ran one eval config, by its content hash; where not, no change is shown.
    pub same_config: bool,
    /// The previous run's share of complete cases that passed; absent without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pass_rate: Option<f64>,
    /// This run's share minus the previous one's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pass_rate_delta: Option<f64>,
    /// Each variant against itself.
    pub variants: IndexMap<VariantName, PreviousVariant>,
    /// What else differs: another form of hash, other datasets, other judges. An addition to the format.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// A variant against itself in the previous run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PreviousVariant {
    /// Its case pass rate minus the previous run's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pass_rate_delta: Option<f64>,
    /// Its trial pass rate minus the previous run's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trial_pass_rate_delta: Option<f64>,
    /// The paired test of its headline cases; absent without a case that is complete in both.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<Change>,
    /// Cases that passed and fail now.
    #[serde(default)]
    pub regressed: Vec<CaseId>,
    /// Cases that failed and pass now.
    #[serde(default)]
    pub improved: Vec<CaseId>,
    /// Cases of this run alone.
    #[serde(default)]
    pub added: Vec<CaseId>,
    /// Cases of the previous run alone.
    #[serde(default)]
    pub removed: Vec<CaseId>,
}
