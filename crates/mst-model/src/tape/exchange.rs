//! One exchange: what was asked, what the server said meanwhile, and what came back.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::scope::TapeScope;
use crate::identity::content_hash;

/// Whom an exchange is with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TapeKind {
    /// A model: our request and our reading of its reply.
    Llm,
    /// An MCP server: a method with its parameters, and the raw result.
    Mcp,
}

impl fmt::Display for TapeKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Llm => "model",
            Self::Mcp => "server",
        })
    }
}

/// A request as a tape knows it: without ids, tokens, versions and whatever else differs from run to run.
#[derive(Clone, Debug, PartialEq)]
pub struct TapeRequest {
    /// Whom it goes to.
    pub kind: TapeKind,
    /// What it belongs to.
    pub scope: TapeScope,
    /// The request.
    pub request: Value,
}

impl TapeRequest {
    /// Returns the SHA-256 (64 lower-case hex digits) of the request's canonical JSON.
    pub fn hash(&self) -> String {
        content_hash(&self.request)
    }
}

/// What an exchange is found by. That order plays no part in it makes a replay independent of concurrency.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct TapeKey {
    /// Whom it is with.
    pub kind: TapeKind,
    /// What it belongs to.
    pub scope: TapeScope,
    /// SHA-256 of the request's canonical JSON.
    pub hash: String,
    /// How many equal requests came before it in its scope.
    pub ordinal: u32,
}

/// What a request came to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum TapeAnswer {
    /// An answer.
    Reply(Value),
    /// A failure, as the crate that asked writes it.
    Failure(Value),
    /// Nothing: whoever asked gave up, so many milliseconds after it had begun (not after this request).
    #[serde(rename = "givenUpAfterMs")]
    GivenUp(u64),
}

/// One exchange, as it is handed to a recorder.
#[derive(Clone, Debug, PartialEq)]
pub struct Exchange {
    /// What was asked.
    pub request: TapeRequest,
    /// The server's own messages between this request and its answer, in order.
    pub server: Vec<Value>,
    /// What it came to.
    pub answer: TapeAnswer,
    /// How long it took, in milliseconds.
    pub took_ms: u64,
}
