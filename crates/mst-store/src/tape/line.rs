//! The lines of a tape.

use mst_model::{TAPE_FORMAT, TapeAnswer, TapeKind, TapeScope, Timestamp};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

/// The first line: what the file is and what wrote it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TapeHeader {
    /// Always `mst.tape/v1`.
    pub format: String,
    /// The version of MST that wrote it.
    pub mst: String,
    /// When the recording began.
    pub created_at: Timestamp,
}

impl TapeHeader {
    /// Makes the header of a tape that begins.
    pub fn new(version: &str, created_at: Timestamp) -> Self {
        Self { format: TAPE_FORMAT.to_owned(), mst: version.to_owned(), created_at }
    }
}

/// Any later line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub(super) enum Line {
    /// An exchange with a model.
    Llm(ExchangeLine),
    /// An exchange with an MCP server.
    Mcp(ExchangeLine),
    /// What a server said after an exchange.
    Later(LaterLine),
    /// A long value that later lines refer to.
    Part(PartLine),
    /// The recording's own end; a tape without one was cut short.
    End {
        /// How many exchanges the tape has.
        exchanges: u64,
    },
}

/// An exchange.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ExchangeLine {
    pub(super) scope: TapeScope,
    pub(super) hash: String,
    pub(super) ordinal: u32,
    pub(super) request: Value,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) server: Vec<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub(super) reply: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub(super) failure: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) given_up_after_ms: Option<u64>,
    /// How long it took, for readers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) ms: Option<u64>,
}

impl ExchangeLine {
    /// Sets what the request came to.
    pub(super) fn set_answer(&mut self, answer: TapeAnswer) {
        match answer {
            TapeAnswer::Reply(reply) => self.reply = Some(reply),
            TapeAnswer::Failure(failure) => self.failure = Some(failure),
            TapeAnswer::GivenUp(ms) => self.given_up_after_ms = Some(ms),
        }
    }

    /// Returns what the request came to; `None` when the line says nothing, or two things.
    pub(super) fn answer(&self) -> Option<TapeAnswer> {
        match (&self.reply, &self.failure, self.given_up_after_ms) {
            (Some(reply), None, None) => Some(TapeAnswer::Reply(reply.clone())),
            (None, Some(failure), None) => Some(TapeAnswer::Failure(failure.clone())),
            (None, None, Some(ms)) => Some(TapeAnswer::GivenUp(ms)),
            _ => None,
        }
    }
}

/// What a server said after an exchange, before the next began.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct LaterLine {
    pub(super) of: TapeKind,
    pub(super) scope: TapeScope,
    pub(super) hash: String,
    pub(super) ordinal: u32,
    pub(super) server: Vec<Value>,
}

/// A long value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct PartLine {
    pub(super) hash: String,
    pub(super) value: Value,
}

impl Line {
    /// Returns the line as text, with its end.
    pub(super) fn text(&self) -> String {
        let mut text = serde_json::to_string(self).expect("a line has a JSON form");
        text.push('\n');
        text
    }
}

/// Keeps a null that is there apart from a field that is not.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}
