//! The plan: what a run will do, as plain data. It holds names, JSON options and hashes, never handles.

use indexmap::IndexMap;
use mst_model::{
    CaseId, DatasetRecord, JudgeEntry, ModelPrice, PairwiseSetting, Provider, Selection, ServerConfig, ServerLabel,
    ToolMetadata, VariantName,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::cases::Cases;

/// What an input template holds where the input goes.
pub(crate) const PLACEHOLDER: &str = "{{input}}";

/// Everything a run needs to know before it touches a server or a client.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Plan {
    /// The eval's name, which is its `configId` too.
    pub name: String,
    /// SHA-256 of the eval config's canonical JSON as written.
    pub content_hash: String,
    /// The variants that run, baseline first.
    pub variants: Vec<PlannedVariant>,
    /// The baseline's name, also when `--variant` leaves it out.
    pub baseline: VariantName,
    /// The datasets with the cases that run.
    pub datasets: Vec<PlannedDataset>,
    /// How many trials run at once.
    pub concurrency: u32,
    /// Whether flags narrowed the run.
    pub partial: bool,
    /// How it was narrowed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selection: Option<Selection>,
    /// Whether answers and tool outputs are dropped from what is stored.
    pub redact_stored_responses: bool,
    /// Whether any case that runs has a judge.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub has_judges: bool,
    /// The judges that compare each variant with the baseline.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pairwise_judges: Vec<PairwiseSetting>,
    /// Prices by model.
    pub pricing: IndexMap<String, ModelPrice>,
    /// The write modes that the config gives: label to `unguarded` or `live`.
    pub writes: IndexMap<ServerLabel, mst_model::WriteMode>,
    /// How many trials may run at once, by what they use.
    #[serde(default, skip_serializing_if = "Limits::is_empty")]
    pub limits: Limits,
    /// Things the user should know before the run: a plain-http URL to another host, an ambiguous name.
    pub warnings: Vec<String>,
}

impl Plan {
    /// Returns whether variants are compared: there are pairwise judges, the baseline runs, and another variant does.
    pub fn compares(&self) -> bool {
        let has_baseline = self.variants.first().is_some_and(|first| first.name == self.baseline);
        !self.pairwise_judges.is_empty() && has_baseline && self.variants.len() > 1
    }
}

impl PlannedVariant {
    /// Returns the prompt of a case's input: the input, in the variant's template when it has one.
    pub fn prompt(&self, input: &str) -> String {
        let template = self.input_template.as_deref();
        template.map_or_else(|| input.to_owned(), |template| template.replace(PLACEHOLDER, input))
    }
}

/// Caps on trials that run at once, beside the run's concurrency.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Limits {
    /// By the provider of a trial's model.
    pub providers: IndexMap<Provider, u32>,
    /// By the label of a server that a trial uses.
    pub servers: IndexMap<ServerLabel, u32>,
}

impl Limits {
    /// Returns whether nothing is capped.
    pub fn is_empty(&self) -> bool {
        self.providers.is_empty() && self.servers.is_empty()
    }
}

/// A dataset with the cases that run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PlannedDataset {
    /// What `run.json` records of it.
    pub record: DatasetRecord,
    /// The cases, in order.
    pub cases: Cases,
}

/// A variant, resolved: every inherited setting filled in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PlannedVariant {
    /// Its name.
    pub name: VariantName,
    /// What it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Its servers, in the config's order.
    pub servers: IndexMap<ServerLabel, ServerConfig>,
    /// Its client.
    pub client: PlannedClient,
    /// Canonical tool names to native ones.
    pub tool_map: IndexMap<String, Vec<String>>,
    /// Its tool metadata.
    pub tools: ToolMetadata,
    /// Its input template.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_template: Option<String>,
    /// The metrics the config lists for it, beside the core ones.
    pub metrics: Vec<PlannedMetric>,
    /// The judges that every case has in it, beside its own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub judges: Vec<JudgeEntry>,
    /// Whether the variant lists them itself, in place of the config's.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub own_judges: bool,
    /// Its batches: a dataset's trials on one client each.
    pub batches: Vec<PlannedBatch>,
}

/// A client with its options, checked against its schema.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PlannedClient {
    /// Its name as registered.
    pub name: String,
    /// The model as configured; absent when the client decides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The model that prices the trials: the configured one, else the client's default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priced_model: Option<String>,
    /// The options as the client gets them: config's, defaults of the config (`provider`, `timeout`, …), `model`.
    pub options: Map<String, Value>,
}

impl PlannedClient {
    /// Returns the API that serves its model: the option `provider`, else what the model's name tells. `None` when
    /// neither does; such a trial counts towards no provider's limit.
    pub fn provider(&self) -> Option<Provider> {
        match self.options.get("provider").and_then(Value::as_str) {
            Some(name) => name.parse().ok(),
            None => Provider::infer(self.priced_model.as_deref()?),
        }
    }
}

/// A metric that the config lists.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PlannedMetric {
    /// The built-in's name.
    pub metric: String,
    /// The name it is reported under.
    pub name: String,
    /// The judge that it is of, by its name in results.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge: Option<String>,
}

/// A variant's trials of one dataset on one client.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PlannedBatch {
    /// The dataset's index in [`Plan::datasets`].
    pub dataset: usize,
    /// The client: the variant's, or a case's own.
    pub client: PlannedClient,
    /// The cases of the batch.
    pub cases: Vec<PlannedCase>,
}

/// A case of a batch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PlannedCase {
    /// The case's index in its dataset's [`PlannedDataset::cases`].
    pub case: usize,
    /// Its id.
    pub id: CaseId,
    /// How many trials it runs.
    pub trials: u32,
    /// The share of trials that must pass.
    pub pass_threshold: f64,
}
