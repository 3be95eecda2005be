//! A case's assertions, as a dataset writes them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::event::{EventKind, EventSource};
use crate::names::ServerLabel;
use crate::one_or_many::OneOrMany;

/// What a case's trials are checked for without a model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Assertions {
    /// Substrings that the final answer must all contain, letter case and all. Grader `textContains`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contains_text: Option<OneOrMany>,
    /// ECMAScript patterns that must each match somewhere in the final answer, with the `m` flag. Grader `regex`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub matches_pattern: Option<OneOrMany>,
    /// Calls that the transcript must show. Grader `toolsTriggered`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools_triggered: Option<ToolsTriggered>,
    /// How many tool calls the transcript may show. Grader `toolCallCount`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_call_count: Option<ToolCallCount>,
}

/// The calls that a trial must have made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ToolsTriggered {
    /// The expected calls; each needs an event of its own.
    #[schemars(length(min = 1))]
    pub calls: Vec<ExpectedCall>,
    /// Whether the calls must come in the order listed.
    #[serde(default)]
    pub order: CallOrder,
    /// Whether any event outside the list fails the trial.
    #[serde(default)]
    pub exclusive: bool,
}

/// How expected calls are matched with the transcript's order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum CallOrder {
    /// In any order.
    #[default]
    Any,
    /// In the order listed, with anything between.
    Strict,
}

/// One expected call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ExpectedCall {
    /// The tool's name on its server, or `server.tool`.
    #[schemars(length(min = 1))]
    pub name: String,
    /// The kind of event; any when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<EventKind>,
    /// The source of the event; any when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<EventSource>,
    /// The label of the server; any when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<ServerLabel>,
    /// Arguments that the call must have; more are allowed at every depth. `{ "$pattern": "…", "$flags"?: "…" }` matches a string.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Map<String, Value>>,
    /// Whether the trial fails without this call. `true` when absent.
    #[serde(default = "required", skip_serializing_if = "is_required")]
    pub required: bool,
}

fn required() -> bool {
    true
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
fn is_required(required: &bool) -> bool {
    *required
}

/// How many tool calls a trial may make. `exact` excludes the other two.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ToolCallCount {
    /// The fewest calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<u64>,
    /// The most calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<u64>,
    /// The only right number of calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exact: Option<u64>,
}
