//! What a client returns for one trial, before anything is scrubbed or graded.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::diagnostics::ClientDiagnostics;
use crate::ending::{Broke, Ending};
use crate::event::Event;
use crate::host_telemetry::HostTelemetry;
use crate::skill_load::SkillLoad;
use crate::time::Timestamp;
use crate::transcript::ModelCall;
use crate::usage::Usage;

/// The result of one attempt (`ClientRunResult` in the contract).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ClientRun {
    /// The final answer; empty when the model said nothing.
    pub final_text: String,
    /// What the client did, in order.
    pub events: Vec<Event>,
    /// What went wrong. Without an ending, it makes a trial that failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// How the attempt ended; a trial when absent, unless `diagnostics.failure_kind` says otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ending: Option<Ending>,
    /// Usage, summed over model calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// The model requests, when the client knows them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model_calls: Option<Vec<ModelCall>>,
    /// The conversation, when the client reports it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub messages: Option<Vec<Value>>,
    /// When the client began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Timestamp>,
    /// When the client ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completed_at: Option<Timestamp>,
    /// How long the client took, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<f64>,
    /// Counts, ids and statuses; its `content` may quote texts and is not stored in a redacted run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub telemetry: Option<Value>,
    /// What the client itself reported over OpenTelemetry; the run adds what its own receiver got.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host_telemetry: Option<HostTelemetry>,
    /// What was read of the servers' skills. A client that offers skills to the model gives it in every trial, empty when
    /// nothing was read; any other leaves it absent, and the skill metrics are then unavailable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skill_loads: Option<Vec<SkillLoad>>,
    /// Notes that no grader reads.
    #[serde(default)]
    pub diagnostics: ClientDiagnostics,
}

impl ClientRun {
    /// Makes the result of an attempt that broke before the client did anything.
    pub fn infrastructure(broke: Broke, retryable: bool, reason: impl Into<String>) -> Self {
        let reason = reason.into();
        Self {
            error: Some(reason.clone()),
            ending: Some(Ending::Infrastructure { broke, retryable, reason }),
            ..Self::default()
        }
    }

    /// Returns how the attempt ended, by the contract's order: the client's own ending, its failure kind, a trial.
    pub fn resolved_ending(&self) -> Ending {
        if let Some(ending) = &self.ending {
            return ending.clone();
        }
        match self.diagnostics.failure_kind {
            Some(kind) => kind.ending(self.error.clone().unwrap_or_else(|| "the client failed".to_owned())),
            None => Ending::Trial,
        }
    }
}
