//! `summary.json` and `latest.json`: totals, metrics and comparisons.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::judge::Pairwise;
use crate::names::{ServerLabel, VariantName};
use crate::previous_run::PreviousRun;
use crate::provider::Provider;
use crate::record::{ProviderThrottling, RecordedServer, Selection};
use crate::run_id::RunId;
use crate::time::Timestamp;
use crate::transcript::Evidence;
use crate::usage::Usage;
use crate::write::WriteMode;

/// `summary.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Summary {
    /// Always `mst.run/v1`.
    pub format: String,
    /// Always `summary`.
    pub kind: String,
    /// The run.
    pub run_id: RunId,
    /// What identifies the eval config.
    pub config_id: String,
    /// SHA-256 of the eval config's canonical JSON.
    pub content_hash: String,
    /// When the run started.
    pub timestamp: Timestamp,
    /// How long it took, in milliseconds.
    pub duration_ms: f64,
    /// The eval's name.
    pub config_name: String,
    /// The variants that finished, baseline first.
    pub variants: Vec<VariantSummary>,
    /// Totals over every variant, and the first variant's metrics.
    pub metrics: SummaryMetrics,
    /// Each other variant against the first.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub variant_deltas: IndexMap<VariantName, Delta>,
    /// Counts over the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub telemetry: Option<Telemetry>,
    /// The comparison with the previous run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous_run: Option<PreviousRun>,
    /// Whether flags narrowed the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partial: Option<bool>,
    /// How it was narrowed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selection: Option<Selection>,
    /// SHA-256 of the selection's canonical JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selection_hash: Option<String>,
    /// `true` for a run that was replayed from a tape. An addition to the format.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replayed: Option<bool>,
    /// `false` for a run that was collected and not graded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub graded: Option<bool>,
}

/// Totals over every variant, then the first variant's metrics beside them.
///
/// In a run that was not graded: `total`, `collected` and `failedToCollect` alone.
pub type SummaryMetrics = Map<String, Value>;

/// One variant's aggregates.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct VariantSummary {
    /// The variant.
    pub name: VariantName,
    /// Its servers, without secrets.
    pub servers: Vec<RecordedServer>,
    /// Its counts.
    pub result: VariantResult,
    /// Its metrics; what has no value for any case is absent.
    pub metrics: Map<String, Value>,
    /// The weakest evidence of its cases.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Evidence>,
    /// Metrics that the config lists and that have no value.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unavailable_metrics: Vec<String>,
    /// Where costs come from: `client`, `pricing` or `mixed`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_source: Option<String>,
    /// The prices used.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub pricing: IndexMap<String, ModelPrice>,
    /// Models that could not be priced.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unpriced_models: Vec<String>,
    /// The comparison with the baseline by pairwise judges; the baseline has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pairwise: Option<Pairwise>,
    /// Each server's write mode.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub write_modes: IndexMap<ServerLabel, WriteMode>,
}

/// A variant's counts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct VariantResult {
    /// Every case, incomplete ones too.
    pub total: usize,
    /// Complete cases that passed.
    pub passed: usize,
    /// Complete cases that failed.
    pub failed: usize,
    /// The trials' time together, in milliseconds.
    pub duration_ms: f64,
    /// The trials' usage together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total_client_usage: Option<Usage>,
    /// What judges used together, apart from clients.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total_judge_usage: Option<Usage>,
}

/// A variant against the first one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Delta {
    /// Its case pass rate; absent without a complete case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pass_rate: Option<f64>,
    /// Its case pass rate minus the baseline's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pass_rate_delta: Option<f64>,
    /// Its trial pass rate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trial_pass_rate: Option<f64>,
    /// Its trial pass rate minus the baseline's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trial_pass_rate_delta: Option<f64>,
    /// The change of every numeric metric that both report.
    pub metric_deltas: Map<String, Value>,
    /// The baseline's name.
    pub baseline: VariantName,
}

/// Counts over a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Telemetry {
    /// Cases over all variants.
    pub cases: usize,
    /// Tool calls over all trials.
    pub tool_calls: usize,
    /// Cases that failed.
    pub failed_cases: usize,
    /// The clients' usage together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total_client_usage: Option<Usage>,
    /// What judges used together, pairwise judges included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total_judge_usage: Option<Usage>,
    /// What pairwise judges used of that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pairwise_judge_usage: Option<Usage>,
    /// What providers refused for coming too fast, and what that made of the run. An addition to the format.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub throttling: IndexMap<Provider, ProviderThrottling>,
}

/// A model's price in USD per million tokens.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ModelPrice {
    /// Uncached input.
    #[schemars(range(min = 0))]
    pub input: f64,
    /// Output.
    #[schemars(range(min = 0))]
    pub output: f64,
    /// Cache reads; the input price when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub cache_read: Option<f64>,
    /// Cache writes; the input price when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub cache_write: Option<f64>,
}

/// `latest.json`: the newest full, graded run with nothing missing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LatestRecord {
    /// Always `mst.run/v1`.
    pub format: String,
    /// Always `latest`.
    pub kind: String,
    /// The run.
    pub run_id: RunId,
    /// When it started.
    pub created_at: Timestamp,
    /// `runs/<run-id>`.
    pub path: String,
}
