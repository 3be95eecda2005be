//! One thing a client did during a trial.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::names::ServerLabel;
use crate::time::Timestamp;

/// What kind of thing a client did. A closed set: an unknown kind fails the read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EventKind {
    /// A call to a tool.
    #[default]
    ToolCall,
    /// A skill that was loaded.
    Skill,
    /// A slash command.
    Command,
    /// A subagent that was started.
    Subagent,
    /// A search of the client's tool catalog.
    ToolSearch,
}

/// Who offered what was called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EventSource {
    /// An MCP server.
    Mcp,
    /// The client itself.
    Builtin,
}

/// One event of a transcript.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Event {
    /// What kind of thing happened.
    #[serde(default)]
    pub kind: EventKind,
    /// Who offered it.
    pub source: EventSource,
    /// The name: for a tool of a server, exactly as that server lists it.
    pub name: String,
    /// The label of the server that was called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<ServerLabel>,
    /// The name the model used, when it is not `name`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw_name: Option<String>,
    /// The call's arguments; absent when the model gave no JSON object (see `raw_arguments`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Map<String, Value>>,
    /// The model's argument text when it was not a JSON object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw_arguments: Option<String>,
    /// What came back, as text. Absent in a redacted run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    /// Whether the call failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_error: Option<bool>,
    /// The call's id in the client.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// When it began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Timestamp>,
    /// When it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completed_at: Option<Timestamp>,
    /// How long it took, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<f64>,
    /// What a tool search returned. Only for `tool_search`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub results: Option<Vec<SearchHit>>,
}

/// A tool that a tool search returned.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SearchHit {
    /// The tool's name.
    pub name: String,
    /// The label of its server, when known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<ServerLabel>,
}

impl Event {
    /// Returns whether the event is a call to a tool, built-in or not.
    pub fn is_tool_call(&self) -> bool {
        self.kind == EventKind::ToolCall
    }

    /// Returns whether the event is a call to a tool of an MCP server.
    pub fn is_mcp_call(&self) -> bool {
        self.is_tool_call() && self.source == EventSource::Mcp
    }

    /// Returns `server.name` where a server is known, else the name.
    pub fn qualified_name(&self) -> String {
        self.server.as_ref().map_or_else(|| self.name.clone(), |server| format!("{server}.{}", self.name))
    }
}
