//! What a row says of one variant.

use std::collections::BTreeMap;

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::change::Change;
use crate::names::{CaseId, ServerLabel, VariantName};
use crate::record::RecordedServer;
use crate::results::Interval;
use crate::run_id::RunId;
use crate::write::WriteMode;

/// One variant of a run: its setup, what it measured, its cases, and its change since the run before.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HistoryVariant {
    /// The client.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    /// The model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The servers, as `run.json` records them.
    #[serde(default)]
    pub servers: Vec<RecordedServer>,
    /// The client apps that its trials recorded, sorted: a name with a version.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub apps: Vec<String>,
    /// Whether the offline baseline answered, which is not a language model.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub offline: bool,
    /// SHA-256 of its setup as recorded.
    pub setup_hash: String,
    /// The parts of the setup that are told apart. An addition to the format.
    pub setup: HistorySetup,
    /// What it measured.
    pub measures: VariantMeasures,
    /// Each complete case's passed and counted trials.
    #[serde(default)]
    pub cases: IndexMap<CaseId, (u64, u64)>,
    /// The complete cases that failed. An addition to the format.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failed_cases: Vec<CaseId>,
    /// The complete cases tagged `regression`. An addition to the format.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub regression_cases: Vec<CaseId>,
    /// Whether every case of the variant is tagged so, which makes them its headline cases. An addition to the format.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub regression_only: bool,
    /// How many cases are incomplete. An addition to the format.
    #[serde(default)]
    pub incomplete: usize,
    /// Which identity of a judge scored which cases. An addition to the format.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub judged: Vec<JudgedCases>,
    /// The variant's era, counted from 1. An addition to the format.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub era: Option<u32>,
    /// The run that the change is measured from. An addition to the format.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<RunId>,
    /// The paired test against the previous run of its era that was complete for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<Change>,
    /// Cases that passed in that run and fail in this one.
    #[serde(default)]
    pub regressed: Vec<CaseId>,
    /// Cases that failed in that run and pass in this one.
    #[serde(default)]
    pub improved: Vec<CaseId>,
}

/// The parts of a variant's setup that start an era when they change.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HistorySetup {
    /// SHA-256 of the client options, each hashed value by its name alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub options: Option<String>,
    /// The hashed values of client options, by their JSON pointers.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub hashed_options: BTreeMap<String, String>,
    /// The fingerprint of the key that they are hashed under.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub option_key: Option<String>,
    /// SHA-256 of the tool metadata.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<String>,
    /// SHA-256 of the input template.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_template: Option<String>,
    /// The names of the judges that every case has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judges: Option<Vec<String>>,
    /// The identities of the judges that the variant itself lists, by their types' and names' order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub own_judges: Vec<String>,
    /// Each server's write mode.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write_modes: Option<IndexMap<ServerLabel, WriteMode>>,
    /// How many trials its cases ask for, each number once, sorted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub trials: Vec<u32>,
}

/// The cases that one identity of a judge scored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct JudgedCases {
    /// The judge's name in results.
    pub judge: String,
    /// Its identity.
    pub identity: String,
    /// The cases, sorted.
    pub cases: Vec<CaseId>,
}

/// What a variant measured. What has no value is absent, never 0.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct VariantMeasures {
    /// The share of complete cases that passed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pass_rate: Option<f64>,
    /// The mean over complete cases of the share of their trials that passed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trial_pass_rate: Option<f64>,
    /// The headline cases' rate with its likely range.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub headline: Option<HeadlineMeasure>,
    /// Each judge's pass rate and mean score.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub judges: IndexMap<String, JudgeMeasure>,
    /// Each pairwise judge's comparison with the baseline.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub pairwise: IndexMap<String, PairwiseMeasure>,
    /// USD per trial.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
    /// Where costs come from: `client`, `pricing` or `mixed`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_source: Option<String>,
    /// Models that could not be priced.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unpriced_models: Vec<String>,
    /// Input tokens per trial, cache reads and writes included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_tokens: Option<f64>,
    /// Output tokens per trial.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_tokens: Option<f64>,
    /// Input tokens read from a cache per trial.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_read_tokens: Option<f64>,
    /// Input tokens written to a cache per trial.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_creation_tokens: Option<f64>,
    /// The median of the trials' time, in seconds.
    #[serde(rename = "durationS", default, skip_serializing_if = "Option::is_none")]
    pub duration_s: Option<f64>,
    /// The 95th percentile of the trials' time, in seconds.
    #[serde(rename = "durationP95S", default, skip_serializing_if = "Option::is_none")]
    pub duration_p95_s: Option<f64>,
    /// Tool calls per trial.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_calls: Option<f64>,
    /// MCP tool calls per trial.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mcp_calls: Option<f64>,
    /// How many trials were stored.
    pub trials: usize,
    /// How many of them were infrastructure failures.
    pub infrastructure_failures: usize,
    /// In how many the client reported an error.
    pub client_errors: usize,
}

/// A headline rate and the range it likely lies in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HeadlineMeasure {
    /// The mean of the headline cases' shares of passed trials.
    pub rate: f64,
    /// Its 95% range; absent for one trial.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<Interval>,
    /// How the range was made: `t`, `wilson-cases` or `wilson-trials`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// How many cases it is of.
    pub cases: usize,
}

/// What a judge said of a variant's cases, by each case's last trial.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct JudgeMeasure {
    /// The share of its verdicts that passed.
    pub pass_rate: f64,
    /// The mean of its scores.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// How many verdicts it gave.
    pub verdicts: usize,
}

/// What a pairwise judge said of a variant against the baseline.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PairwiseMeasure {
    /// The variant that it was compared with.
    pub baseline: VariantName,
    /// Cases where it is better.
    pub wins: usize,
    /// Cases where neither is.
    pub ties: usize,
    /// Cases where the baseline is better.
    pub losses: usize,
    /// Wins and half the ties over compared cases.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub win_rate: Option<f64>,
    /// 95% Wilson interval of that.
    #[serde(rename = "winRateCI", default, skip_serializing_if = "Option::is_none")]
    pub win_rate_ci: Option<Interval>,
}
