//! What a server asked of its client during a trial.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A request of a server, and what became of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ServerRequest {
    /// The method, such as `elicitation/create`.
    pub method: String,
    /// What it was about, cut: an elicitation's message, the last message of a sampling.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// What became of it.
    pub outcome: ServerRequestOutcome,
    /// The result that it got, or why it was refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<Value>,
}

/// What became of a server's request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ServerRequestOutcome {
    /// It was answered from the server's `answers`.
    Answered,
    /// It had no answer and was refused.
    Refused,
}

/// Something that a server logged during a trial.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ServerLogLine {
    /// The level that it gave, such as `warning`.
    pub level: String,
    /// What it logged, cut.
    pub text: String,
}
