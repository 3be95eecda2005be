//! One run's row.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::variant::HistoryVariant;
use crate::names::{CaseId, VariantName};
use crate::record::{DatasetRecord, MstVersion, Phases, RecordedJudge, RecordedPlugin, Selection};
use crate::run_id::RunId;
use crate::time::Timestamp;

/// What one run ran with, what it measured, and how it stands to the runs before it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HistoryRow {
    /// The run.
    pub run_id: RunId,
    /// When its trials were collected: a regrade's are its source's.
    pub collected_at: Timestamp,
    /// How far it came.
    pub status: RunStatus,
    /// The phases that the status is taken from. An addition to the format.
    pub phases: Phases,
    /// Whether flags narrowed it.
    pub partial: bool,
    /// How it was narrowed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selection: Option<Selection>,
    /// What identifies the eval config.
    pub config_id: String,
    /// SHA-256 of the eval config.
    pub content_hash: String,
    /// What wrote the run.
    pub mst: MstVersion,
    /// The datasets, with the hashes of their cases.
    pub datasets: Vec<DatasetRecord>,
    /// Every case, sorted.
    pub case_ids: Vec<CaseId>,
    /// SHA-256 of that list.
    pub case_ids_hash: String,
    /// The eval config's judges with their identities; absent when the run's MST recorded none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub judges: Vec<RecordedJudge>,
    /// The plugins that it loaded; absent when the run's MST recorded none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plugins: Option<Vec<RecordedPlugin>>,
    /// Whether writes were answered with a success reply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub simulate_writes: Option<bool>,
    /// Whether a tape answered in place of models and servers. An addition to the format.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replayed: Option<bool>,
    /// Its variants, baseline first.
    pub variants: IndexMap<VariantName, HistoryVariant>,
    /// What changed since the previous full run.
    #[serde(default)]
    pub changes: Vec<HistoryChange>,
    /// The era of the run, counted from 1: consecutive full runs that measured the same way. Absent for a run that stands on
    /// no line: a partial, ungraded, failed or superseded one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub era: Option<u32>,
    /// Whether a variant's change since the previous run of its era is worse.
    #[serde(default)]
    pub regressed: bool,
    /// The newer grading of the same trials that is shown in its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<RunId>,
    /// What the row was built from, so that it is built again when that changes. An addition to the format.
    pub source: RowSource,
}

/// How far a run came. A closed set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RunStatus {
    /// Collected and graded, no case incomplete.
    Complete,
    /// Something is missing: it still runs, was stopped, or a case is incomplete.
    Incomplete,
    /// Collected and not graded.
    Ungraded,
    /// Stopped by an error.
    Failed,
}

impl RunStatus {
    /// Returns the word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Complete => "complete",
            Self::Incomplete => "incomplete",
            Self::Ungraded => "ungraded",
            Self::Failed => "failed",
        }
    }
}

/// Something that changed since the previous full run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HistoryChange {
    /// What changed, in words.
    pub what: String,
    /// The variant whose setup changed; absent for what all variants share.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variant: Option<VariantName>,
    /// Whether it ends the era: what follows measured in another way.
    pub ends_era: bool,
}

/// What a row was built from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RowSource {
    /// SHA-256 of the run's `run.json`.
    pub run: String,
    /// SHA-256 of its `summary.json`; absent where there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// The version of the code that builds rows.
    pub builder: u32,
}
