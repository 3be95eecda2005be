//! Tasks, and what the judge did with them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A task made from a tool surface.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ScanTask {
    /// Unique in the report.
    #[schemars(length(min = 1))]
    pub id: String,
    /// What a user asks for, in plain words.
    #[schemars(length(min = 1))]
    pub prompt: String,
    /// The tool that fits; `null` when none does.
    pub expected_tool: Option<String>,
    /// Whether the expected tool is destructive.
    pub destructive: bool,
}

/// The harness runs of a report.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HarnessRuns {
    /// With the descriptions as declared. It alone feeds the score.
    pub baseline: Harness,
    /// With the suggested descriptions in place of the defective ones; there exactly when a defect was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after_rewrite: Option<Harness>,
}

/// One pass over all tasks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Harness {
    /// The five metrics and what they were counted over.
    pub metrics: HarnessMetrics,
    /// One result a task, in the tasks' order.
    #[schemars(length(min = 1))]
    pub results: Vec<TaskResult>,
}

/// The metrics of one pass.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HarnessMetrics {
    /// The share of tasks where the judge chose the expected tool.
    #[schemars(range(min = 0, max = 1))]
    pub selection_accuracy: f64,
    /// The share of tasks where it did, and the first call was well formed.
    #[schemars(range(min = 0, max = 1))]
    pub first_call_success: f64,
    /// The mean number of calls a task.
    #[schemars(range(min = 0))]
    pub avg_steps_to_completion: f64,
    /// The mean number of tokens a task.
    #[schemars(range(min = 0))]
    pub avg_token_cost_per_task: f64,
    /// The share of destructive candidate calls that were confirmed first; 1 when there was none.
    #[schemars(range(min = 0, max = 1))]
    pub destructive_safety_rate: f64,
    /// How many destructive candidate calls there were.
    pub destructive_candidates: u64,
    /// How many tasks there were.
    pub tasks: u64,
}

/// What the judge did with one task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TaskResult {
    /// The task.
    #[schemars(length(min = 1))]
    pub task_id: String,
    /// The tool it would call, as it named it; `null` for none.
    pub chosen_tool: Option<String>,
    /// The arguments it would give, as it gave them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Value>,
    /// Whether the arguments validate against the tool's input schema; for a call of nothing, whether that was right.
    pub well_formed: bool,
    /// Whether the expected tool was chosen.
    pub correct: bool,
    /// How many calls it would make.
    pub steps: u32,
    /// The tokens of the prompt and the answer.
    #[schemars(range(min = 0))]
    pub tokens: f64,
    /// Whether the chosen tool is destructive.
    pub destructive_candidate: bool,
    /// Whether the judge said plainly that it would ask the user first.
    pub confirmed: bool,
}
