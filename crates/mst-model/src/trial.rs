//! A trial as stored.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::diagnostics::ClientDiagnostics;
use crate::ending::Ending;
use crate::names::{CaseId, VariantName};
use crate::run_id::RunId;
use crate::skill_load::SkillLoad;
use crate::transcript::Transcript;
use crate::usage::Usage;

/// One attempt at a case (`transcripts/<variant>/<case-id>/<trial>.json`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TrialRecord {
    /// Always `mst.run/v1`.
    pub format: String,
    /// Always `trial`.
    pub kind: String,
    /// The run that collected it.
    pub run_id: RunId,
    /// The variant.
    pub variant: VariantName,
    /// The case.
    pub case_id: CaseId,
    /// The dataset the case is from.
    pub dataset_name: String,
    /// The trial, from 0.
    pub trial: u32,
    /// How long the client took, in milliseconds, without grading.
    pub duration_ms: f64,
    /// Whether the ending is an infrastructure failure.
    pub infrastructure_error: bool,
    /// How the attempt ended.
    pub ending: Ending,
    /// What went wrong, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// `<grader>: <error>` when a grader gave no verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grading_error: Option<String>,
    /// What the client did. Absent when it never ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transcript: Option<Transcript>,
    /// Run-relative path of the kept artifacts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artifacts: Option<String>,
    /// The write record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write_record: Option<Value>,
    /// The client's usage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_usage: Option<Usage>,
    /// The client's telemetry; without `content` in a redacted run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_telemetry: Option<Value>,
    /// What the client said of itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_metadata: Option<Value>,
    /// What was read of the servers' skills. Absent when the client offered none to the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skill_loads: Option<Vec<SkillLoad>>,
    /// Notes that no grader reads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_diagnostics: Option<ClientDiagnostics>,
}

impl TrialRecord {
    /// Returns whether the client reported an error, which alone fails the trial.
    pub fn client_error(&self) -> Option<&str> {
        self.transcript.as_ref().and_then(|transcript| transcript.error.as_deref())
    }
}
