//! An eval config as written: its shape has been checked, its names have not.

use std::num::NonZeroU32;

use indexmap::IndexMap;
use mst_model::{
    ModelPrice, ServerConfig, ServerLabel, ToolMetadata, VariantName, WriteMode, WrittenJudge, WrittenPairwiseJudge,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Number, Value};

use crate::dataset_source::DatasetSource;
use crate::metric_entry::MetricEntry;
use crate::result_store::WrittenResultStore;

/// An eval config.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "EvalConfig")]
pub struct EvalDraft {
    /// Where an editor finds the schema.
    #[serde(rename = "$schema", default)]
    pub schema: Option<String>,
    /// The eval's name: its identity in history and its results directory.
    #[schemars(length(min = 1))]
    pub name: String,
    /// Where the cases come from: a path is short for `{ "type": "file", "path": … }`.
    #[schemars(length(min = 1))]
    pub datasets: Vec<DatasetSource>,
    /// The MCP servers under test, by label.
    #[serde(default)]
    pub servers: IndexMap<ServerLabel, ServerConfig>,
    /// The client under test. `claude-code` when absent.
    #[serde(default)]
    #[schemars(length(min = 1))]
    pub client: Option<String>,
    /// The model that the client uses, in every variant and case that names none.
    #[serde(default)]
    #[schemars(length(min = 1))]
    pub model: Option<String>,
    /// The client's other options.
    #[serde(default)]
    pub client_options: Option<Map<String, Value>>,
    /// The client option `provider`, for the clients that take it.
    #[serde(default)]
    #[schemars(length(min = 1))]
    pub provider: Option<String>,
    /// The client option `maxToolCalls`, for the clients that take it.
    #[serde(default)]
    pub max_tool_calls: Option<u64>,
    /// The client option `timeout` in milliseconds, for the clients that take it.
    #[serde(default)]
    #[schemars(range(min = 1))]
    pub timeout: Option<u64>,
    /// The client option `temperature`, for the clients that take it.
    #[serde(default)]
    pub temperature: Option<Number>,
    /// The client option `maxTokens`, for the clients that take it.
    #[serde(default)]
    #[schemars(range(min = 1))]
    pub max_tokens: Option<u64>,
    /// Canonical tool names to the native names that stand for them.
    #[serde(default)]
    pub tool_map: Option<IndexMap<String, Vec<String>>>,
    /// What to show in place of the tools' own names, descriptions and input schemas.
    #[serde(default)]
    pub tools: Option<ToolMetadata>,
    /// The prompt around each case's input: every `{{input}}` is replaced with it.
    #[serde(default)]
    pub input_template: Option<String>,
    /// The variants, each a patch over this config; one named `default` when absent.
    #[serde(default)]
    #[schemars(length(min = 1))]
    pub variants: Option<Vec<VariantDraft>>,
    /// The variant that the others are compared with; the first when absent.
    #[serde(default)]
    pub baseline: Option<VariantName>,
    /// Metrics beside the core ones.
    #[serde(default)]
    pub metrics: Option<Vec<MetricEntry>>,
    /// The judges that every case has, beside its own.
    #[serde(default)]
    #[schemars(with = "Option<Vec<WrittenJudge>>")]
    pub judges: Option<Vec<Value>>,
    /// The judges that compare each variant with the baseline, case by case.
    #[serde(default)]
    #[schemars(with = "Option<Vec<WrittenPairwiseJudge>>")]
    pub pairwise_judges: Option<Vec<Value>>,
    /// How many times each case runs. 1 when absent.
    #[serde(default)]
    #[schemars(range(min = 1, max = 100_000))]
    pub trials: Option<u32>,
    /// How many cases of each dataset run; all when absent.
    #[serde(default)]
    #[schemars(range(min = 1))]
    pub max_cases: Option<u32>,
    /// How many trials run at once. 1 when absent.
    #[serde(default)]
    #[schemars(range(min = 1))]
    pub concurrency: Option<u32>,
    /// Only cases that have one of these tags run.
    #[serde(default)]
    pub filter_tags: Option<Vec<String>>,
    /// The share of a case's trials that must pass. 1 when absent.
    #[serde(default)]
    #[schemars(range(min = 0, max = 1))]
    pub pass_threshold: Option<f64>,
    /// The run controls in one place, instead of at the top.
    #[serde(default)]
    pub run: Option<RunControls>,
    /// How many trials may run at once, by what they use.
    #[serde(default)]
    pub limits: Option<LimitsDraft>,
    /// Prices by model, in USD per million tokens.
    #[serde(default)]
    pub pricing: Option<IndexMap<String, ModelPrice>>,
    /// Whether answers and tool outputs are left out of what is stored. `true` when absent.
    #[serde(default)]
    pub redact_stored_responses: Option<bool>,
    /// Whether a proxy answers writes with success replies. Only `false` in this version.
    #[serde(default)]
    #[schemars(extend("const" = false))]
    pub simulate_writes: Option<bool>,
    /// Write modes by server label.
    #[serde(default)]
    pub writes: Option<IndexMap<ServerLabel, WriteSetting>>,
    /// Where runs are kept besides the eval's directory.
    #[serde(default)]
    pub results: Option<ResultsDraft>,
    /// Whether every HTTP server's path must hold `/eval`.
    #[serde(default)]
    pub require_eval_endpoint: Option<bool>,
}

/// Where runs are kept besides the eval's directory.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "Results")]
pub struct ResultsDraft {
    /// The result store.
    #[schemars(with = "WrittenResultStore")]
    pub store: Value,
}

/// A variant: a patch over the eval config. What it leaves out is inherited.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "Variant")]
pub struct VariantDraft {
    /// The variant's name, unlike every other's whatever the letter case.
    #[schemars(with = "String", length(min = 1))]
    pub name: String,
    /// What the variant is for.
    #[serde(default)]
    pub description: Option<String>,
    /// The labels of its servers: every server when absent, none when empty.
    #[serde(default)]
    #[schemars(extend("uniqueItems" = true))]
    pub servers: Option<Vec<String>>,
    /// Its client.
    #[serde(default)]
    #[schemars(length(min = 1))]
    pub client: Option<String>,
    /// Its model.
    #[serde(default)]
    #[schemars(length(min = 1))]
    pub model: Option<String>,
    /// Its client options: over the config's when it has the same client, alone otherwise.
    #[serde(default)]
    pub client_options: Option<Map<String, Value>>,
    /// Its tool-name map, instead of the config's.
    #[serde(default)]
    pub tool_map: Option<IndexMap<String, Vec<String>>>,
    /// Its tool metadata, instead of the config's.
    #[serde(default)]
    pub tools: Option<ToolMetadata>,
    /// Its input template, instead of the config's.
    #[serde(default)]
    pub input_template: Option<String>,
    /// Its metrics, instead of the config's.
    #[serde(default)]
    pub metrics: Option<Vec<MetricEntry>>,
    /// The judges that every case has in it, instead of the config's; none when empty.
    #[serde(default)]
    #[schemars(with = "Option<Vec<WrittenJudge>>")]
    pub judges: Option<Vec<Value>>,
}

/// The run controls under `run`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RunControls {
    /// How many times each case runs.
    #[serde(default)]
    #[schemars(range(min = 1, max = 100_000))]
    pub trials: Option<u32>,
    /// How many cases of each dataset run.
    #[serde(default)]
    #[schemars(range(min = 1))]
    pub max_cases: Option<u32>,
    /// How many trials run at once.
    #[serde(default)]
    #[schemars(range(min = 1))]
    pub concurrency: Option<u32>,
    /// Only cases that have one of these tags run.
    #[serde(default)]
    pub filter_tags: Option<Vec<String>>,
    /// The share of a case's trials that must pass.
    #[serde(default)]
    #[schemars(range(min = 0, max = 1))]
    pub pass_threshold: Option<f64>,
}

/// How many trials may run at once, by what they use. A trial waits until everything it uses has room.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "Limits")]
pub struct LimitsDraft {
    /// By the provider of a trial's model: `anthropic`, `openai`, ….
    #[serde(default)]
    pub providers: Option<IndexMap<String, NonZeroU32>>,
    /// By the label of a server that a trial uses.
    #[serde(default)]
    pub servers: Option<IndexMap<ServerLabel, NonZeroU32>>,
}

/// A write mode that a config can give a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WriteSetting {
    /// Writes reach the server, and nothing watches them.
    Unguarded,
    /// Writes reach the service, and the run says so. Takes `--allow-live-writes`.
    Live,
}

impl From<WriteSetting> for WriteMode {
    fn from(setting: WriteSetting) -> Self {
        match setting {
            WriteSetting::Unguarded => Self::Unguarded,
            WriteSetting::Live => Self::Live,
        }
    }
}

impl EvalDraft {
    /// Returns a run control from the top or from `run`; where both give it they agree.
    pub(crate) fn controls(&self) -> RunControls {
        let run = self.run.clone().unwrap_or_default();
        RunControls {
            trials: self.trials.or(run.trials),
            max_cases: self.max_cases.or(run.max_cases),
            concurrency: self.concurrency.or(run.concurrency),
            filter_tags: self.filter_tags.clone().or(run.filter_tags),
            pass_threshold: self.pass_threshold.or(run.pass_threshold),
        }
    }

    /// Returns the client defaults that the config sets beside `model`, by the name of the option they fill.
    pub(crate) fn client_defaults(&self) -> Vec<(&'static str, Value)> {
        [
            ("provider", self.provider.clone().map(Value::from)),
            ("maxToolCalls", self.max_tool_calls.map(Value::from)),
            ("timeout", self.timeout.map(Value::from)),
            ("temperature", self.temperature.clone().map(Value::Number)),
            ("maxTokens", self.max_tokens.map(Value::from)),
        ]
        .into_iter()
        .filter_map(|(name, value)| Some((name, value?)))
        .collect()
    }
}
