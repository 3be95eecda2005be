//! `results.json`: every case result, transcripts and scores joined.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::assertion::Assertions;
use crate::diagnostics::ClientDiagnostics;
use crate::ending::Ending;
use crate::names::{CaseId, GraderName, VariantName};
use crate::run_id::RunId;
use crate::score::GraderScore;
use crate::skill_load::SkillLoad;
use crate::transcript::{Evidence, Transcript};
use crate::usage::Usage;

/// `results.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Results {
    /// Always `mst.run/v1`.
    pub format: String,
    /// Always `results`.
    pub kind: String,
    /// The run.
    pub run_id: RunId,
    /// One result a variant and case, in the plan's order.
    pub cases: Vec<CaseResult>,
}

/// One case in one variant (`EvalCaseResult` in the contract).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CaseResult {
    /// The case.
    pub id: CaseId,
    /// Its dataset.
    pub dataset_name: String,
    /// The variant.
    pub variant: VariantName,
    /// Where the result comes from: always `client`.
    pub source: String,
    /// Whether the case passed; false when incomplete. Absent in an ungraded run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pass: Option<bool>,
    /// What was asked for.
    pub request: CaseRequest,
    /// The last trial's final answer. Absent in a redacted run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response: Option<String>,
    /// What went wrong, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// `<grader>: <error>` when a grader gave no verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grading_error: Option<String>,
    /// The last trial's scores.
    pub scores: IndexMap<GraderName, GraderScore>,
    /// The trials' time together, in milliseconds.
    pub duration_ms: f64,
    /// Passed over counted trials.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pass_rate: Option<f64>,
    /// 95% Wilson interval of the pass rate; only with at least two counted trials.
    #[serde(rename = "passRateCI", default, skip_serializing_if = "Option::is_none")]
    pub pass_rate_ci: Option<Interval>,
    /// Share of attempts that were infrastructure failures.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub infrastructure_error_rate: Option<f64>,
    /// Attempts that were infrastructure failures.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub infrastructure_error_count: Option<u32>,
    /// Each trial, when the case has several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trial_results: Option<Vec<TrialResult>>,
    /// The case's tags.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tags: Option<Vec<String>>,
    /// Events that match an expected call's identity, over all events.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_precision: Option<f64>,
    /// Required calls that were made, over required calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_recall: Option<f64>,
    /// Which calls were expected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_call_trace: Option<ToolCallTrace>,
    /// The last trial's notes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_diagnostics: Option<ClientDiagnostics>,
    /// The transcript, when the case has one trial.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transcript: Option<Transcript>,
    /// The weakest evidence of the trials.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Evidence>,
    /// The trials' usage together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_usage: Option<Usage>,
    /// What the judges of the trials used together, apart from the client.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge_usage: Option<Usage>,
    /// What the trial read of the servers' skills, when the case has one trial.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skill_loads: Option<Vec<SkillLoad>>,
    /// The trial's ending, when the case has one trial.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ending: Option<Ending>,
    /// Whether the case is neither passed nor failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub incomplete: Option<bool>,
}

/// What a case asked for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CaseRequest {
    /// The case's description.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// How many trials.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trials: Option<u32>,
    /// The share of trials that must pass.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pass_threshold: Option<f64>,
    /// The case's tags.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tags: Option<Vec<String>>,
    /// The case's assertions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assertions: Option<Assertions>,
    /// The prompt, as the dataset has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<String>,
    /// The reference answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<Value>,
    /// The client the case ran on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    /// The model the case ran on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The rest of what was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<Map<String, Value>>,
}

/// A confidence interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Interval {
    /// Its lower end.
    pub lower: f64,
    /// Its upper end.
    pub upper: f64,
}

/// One trial of a case with several.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TrialResult {
    /// The trial, from 0.
    pub trial: u32,
    /// Whether it passed; absent in an ungraded run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pass: Option<bool>,
    /// Its scores.
    pub scores: IndexMap<GraderName, GraderScore>,
    /// Its time, in milliseconds.
    pub duration_ms: f64,
    /// What went wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// `<grader>: <error>` when a grader gave no verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grading_error: Option<String>,
    /// How it ended.
    pub ending: Ending,
    /// Which calls were expected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_call_trace: Option<ToolCallTrace>,
    /// Its notes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_diagnostics: Option<ClientDiagnostics>,
    /// Its evidence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Evidence>,
    /// Its transcript.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transcript: Option<Transcript>,
    /// Its usage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_usage: Option<Usage>,
    /// What its judges used, apart from the client.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge_usage: Option<Usage>,
    /// What it read of the servers' skills.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skill_loads: Option<Vec<SkillLoad>>,
}

/// Which observed tool calls were expected, under the client's own names.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ToolCallTrace {
    /// The observed tool calls, in order.
    pub calls: Vec<TracedCall>,
    /// The names of required calls that were not made.
    pub missed: Vec<MissedCall>,
}

/// One observed tool call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TracedCall {
    /// The tool's name.
    pub name: String,
    /// Whether it was expected.
    pub status: TracedStatus,
}

/// Whether an observed call was expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TracedStatus {
    /// It matches an expected call's identity.
    Expected,
    /// It matches none.
    Unexpected,
}

/// A required call that was not made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MissedCall {
    /// Its name.
    pub name: String,
}
