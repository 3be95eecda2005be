//! `run.json`: what ran.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::diagnostics::ServerObservation;
use crate::names::{CaseId, ServerLabel, VariantName};
use crate::provider::Provider;
use crate::run_id::RunId;
use crate::sequential::SequentialRecord;
use crate::time::Timestamp;
use crate::tool_metadata::ToolMetadata;
use crate::write::WriteMode;

/// `run.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunRecord {
    /// Always `mst.run/v1`.
    pub format: String,
    /// Always `run`.
    pub kind: String,
    /// The run's id.
    pub run_id: RunId,
    /// The eval's name.
    pub eval_name: String,
    /// What identifies the eval config: its name.
    pub config_id: String,
    /// SHA-256 of the eval config's canonical JSON.
    pub content_hash: String,
    /// When the run started.
    pub created_at: Timestamp,
    /// When it ended; absent while it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<Timestamp>,
    /// What wrote it.
    pub mst: MstVersion,
    /// The baseline variant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline: Option<VariantName>,
    /// The variants that finished, baseline first.
    pub variants: Vec<VariantRecord>,
    /// The datasets.
    pub datasets: Vec<DatasetRecord>,
    /// Whether flags narrowed the run.
    pub partial: bool,
    /// How it was narrowed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selection: Option<Selection>,
    /// Whether answers and tool outputs are dropped from what is stored.
    pub redact_stored_responses: bool,
    /// First 16 hex digits of the SHA-256 of the option key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub option_key: Option<String>,
    /// The run that collected the transcripts, when this one graded them again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub graded_from: Option<RunId>,
    /// The judges of the eval config and of variants, and pairwise judges. A case's own are not here.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub judges: Vec<RecordedJudge>,
    /// The plugins that were loaded; absent in a run whose MST had none to record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plugins: Option<Vec<RecordedPlugin>>,
    /// Whether writes were answered with a success reply instead of a planned-write result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub simulate_writes: Option<bool>,
    /// Where trials were collected.
    pub runner: RunnerRecord,
    /// How far the run got.
    pub phases: Phases,
    /// The tape that answered in place of models and servers, for a run that was replayed. An addition to the format.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replayed: Option<ReplayRecord>,
    /// What providers refused for coming too fast, and what that made of the run. An addition to the format.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub throttling: IndexMap<Provider, ProviderThrottling>,
    /// How the comparison of its variants was watched, when the run could stop early. An addition to the format.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sequential: Option<SequentialRecord>,
    /// Things a reader of the run should know.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// A judge that every case of a run or a variant has, or a pairwise judge.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RecordedJudge {
    /// The judge as registered.
    #[serde(rename = "type")]
    pub judge: String,
    /// The name that results give it. An addition to the format.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Where it is listed: `config`, `variant:<name>` or `pairwise`.
    pub level: String,
    /// SHA-256 of its options' canonical JSON, as the judge reads them; empty in a run whose MST recorded none.
    #[serde(default)]
    pub options_hash: String,
    /// What decides how it grades, as one SHA-256; empty in a run whose MST recorded none.
    #[serde(default)]
    pub identity: String,
    /// The version that the judge declares.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Whether no version would show a change of the judge.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unversioned: Option<bool>,
}

/// A plugin as loaded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RecordedPlugin {
    /// Its name.
    pub name: String,
    /// The namespace of what it brings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Its version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// SHA-256 of its settings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settings_hash: Option<String>,
}

/// The tape that a run was replayed from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReplayRecord {
    /// The name of its file, without folders.
    pub tape: String,
    /// SHA-256 of the file.
    pub sha256: String,
    /// When it was recorded.
    pub recorded_at: Timestamp,
    /// The version of MST that recorded it.
    pub recorded_with: String,
}

/// What a provider's throttling did to a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProviderThrottling {
    /// How many calls it refused for now: 429, 529, and 503 with a time to come back at.
    pub refused: u64,
    /// The fewest calls at a time that it was sent after a refusal.
    pub lowest_concurrency: u32,
    /// How long calls waited for it, in milliseconds, over all calls.
    pub waited_ms: u64,
}

/// The version of MST that wrote a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MstVersion {
    /// The version.
    pub version: String,
}

/// A variant's setup as recorded: no secrets, no arguments, no environment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct VariantRecord {
    /// The variant's name.
    pub name: VariantName,
    /// What it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Its servers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub servers: Option<Vec<RecordedServer>>,
    /// Its client.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    /// Its model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Its client options; a value whose name suggests a credential is `hmac:<16 hex>`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_options: Option<Map<String, Value>>,
    /// Its tool metadata.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<ToolMetadata>,
    /// Its input template.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_template: Option<String>,
    /// The names of the judges that every case has in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judges: Option<Vec<String>>,
    /// Each server's write mode.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write_modes: Option<IndexMap<ServerLabel, WriteMode>>,
    /// What the readiness checks of its servers found.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub readiness: Vec<ServerReadiness>,
    /// The model or client was the offline lexical baseline, not a language model.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub offline: bool,
}

/// What the readiness check of a server found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ServerReadiness {
    /// The names of the tools it listed.
    pub tools: Vec<String>,
    /// What else was seen of it.
    pub observation: ServerObservation,
}

/// A server as recorded: nothing that can hold a secret.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RecordedServer {
    /// The label.
    pub label: String,
    /// `stdio` or `http`.
    pub transport: String,
    /// For stdio: the program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// For http: the URL without user, query and fragment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

/// A dataset as run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DatasetRecord {
    /// The dataset's name.
    pub name: String,
    /// How many of its cases ran.
    pub case_count: usize,
    /// SHA-256 of the canonical JSON of the cases that ran.
    pub content_hash: String,
    /// The same of the cases without their own judges but for their references, where some have judges. An addition to the
    /// format.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cases_hash: Option<String>,
    /// Whether a plugin's snapshot or its live source was read: `snapshot` or `live`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The snapshot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<String>,
    /// The source's type.
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    pub source_type: Option<String>,
}

impl DatasetRecord {
    /// Returns whether two datasets hold the same cases, whatever judges the cases have of their own.
    pub fn has_the_cases_of(&self, other: &Self) -> bool {
        let cases = |dataset: &Self| dataset.cases_hash.clone().unwrap_or_else(|| dataset.content_hash.clone());
        // One of a version that did not know the cases without their judges has the whole hash alone.
        self.content_hash == other.content_hash || cases(self) == cases(other)
    }
}

/// How a partial run was narrowed. Lists are sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Selection {
    /// `--variant`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variants: Option<Vec<VariantName>>,
    /// `--case`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cases: Option<Vec<CaseId>>,
    /// `--filter-tag`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filter_tags: Option<Vec<String>>,
    /// `--max-cases`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_cases: Option<u32>,
    /// `--trials`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trials: Option<u32>,
    /// `decided` for a run that stopped as soon as its variants' comparison was: it has the cases that were finished by then.
    /// An addition to the format.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped_when: Option<String>,
}

impl Selection {
    /// Returns whether nothing was narrowed.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Where trials were collected.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunnerRecord {
    /// The runner's name.
    pub name: String,
    /// How many machines collected.
    pub shards: u32,
}

/// How far a run got.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Phases {
    /// Collecting trials.
    pub collect: Phase,
    /// Grading them.
    pub grade: Phase,
}

/// How far one phase got. A closed set: an unknown value fails the read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// Nothing is missing.
    Complete,
    /// Still running, killed, or something is missing.
    Partial,
    /// Not asked for.
    Skipped,
    /// Stopped by an error.
    Failed,
}
