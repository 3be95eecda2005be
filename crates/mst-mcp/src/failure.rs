//! Why one request to a server brought no result.

use std::fmt;
use std::time::Duration;

use mst_model::{Broke, Ending, ServerLabel};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::text;

/// Why a request brought no result.
///
/// Texts of the server in it are cut, and no variant holds a header, a token or a URL.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum CallFailure {
    /// Its time ran out.
    Timeout {
        /// The time it had.
        after: Duration,
        /// A line that arrived in the meantime and could not be read, cut.
        unreadable: Option<String>,
    },
    /// The server's process ended, or its connection did.
    ServerGone {
        /// How it ended: `exited with status 3`, `closed its stdout`.
        exit: String,
        /// The end of what it wrote to stderr; empty when nothing was kept.
        stderr_tail: String,
    },
    /// The server ended the session (HTTP 404), and did so again after a new one was begun, or took no new one.
    SessionLost,
    /// The server refused the request as one too many (HTTP 429), for longer than could be waited for.
    RateLimited {
        /// How long it wanted to be left alone, when it said so.
        retry_after: Option<Duration>,
        /// How often it had been waited for.
        waits: u32,
    },
    /// The server asked for input that nothing answers.
    InputRefused {
        /// What it asked for, and why it did not get it.
        detail: String,
    },
    /// What should have been the answer could not be read.
    Unreadable {
        /// The line, cut.
        line: String,
    },
    /// An answer that is no JSON-RPC response, or no result of the method.
    Malformed {
        /// What was wrong.
        detail: String,
    },
    /// A JSON-RPC error.
    Protocol {
        /// Its code.
        code: i64,
        /// Its message, cut.
        message: String,
        /// Its data.
        data: Option<Value>,
    },
    /// The credentials were missing or refused (HTTP 401 or 403).
    Unauthorized {
        /// The status.
        status: u16,
        /// What the server said, cut.
        detail: String,
    },
    /// An HTTP status that is no success.
    Http {
        /// The status.
        status: u16,
        /// What the server said with a 4xx, cut; empty for any other.
        detail: String,
    },
    /// The connection failed.
    Network {
        /// What failed, without any address.
        detail: String,
    },
    /// A tape stood in the server's place, and lacks the request.
    OffTape {
        /// What the tape has that is nearest.
        detail: String,
    },
    /// The caller cancelled.
    Cancelled,
    /// Nothing was sent.
    NotSent {
        /// Why not.
        detail: String,
    },
}

impl CallFailure {
    /// Returns what the failure of a call makes of its trial, where the call was not the server's to run: rejected
    /// credentials (HTTP 401), which a retry cannot help, and a server that takes no more requests (HTTP 429). Any other
    /// failure is something that the server under test did, and the trial goes on.
    pub(crate) fn ending(&self, server: &ServerLabel) -> Option<Ending> {
        let reason = || format!("{server} {}", self.predicate("tools/call"));
        match self {
            Self::Unauthorized { status: 401, .. } => Some(Ending::permanent(Broke::Setup, reason())),
            Self::RateLimited { .. } => Some(Ending::retryable(Broke::Network, reason())),
            _ => None,
        }
    }

    /// Returns the failure as the rest of a sentence about the server: `did not answer tools/list within 30 s`.
    pub(crate) fn predicate(&self, doing: &str) -> String {
        let with = |lead: String, detail: &str| if detail.is_empty() { lead } else { format!("{lead}: {detail}") };
        match self {
            Self::Timeout { after, unreadable } => {
                let lead = format!("did not answer {doing} within {}", text::duration(*after));
                match unreadable {
                    Some(line) => format!("{lead}; it sent a line that could not be read: {line}"),
                    None => lead,
                }
            }
            Self::ServerGone { exit, stderr_tail } if stderr_tail.is_empty() => format!("{exit} during {doing}"),
            Self::ServerGone { exit, stderr_tail } => {
                format!("{exit} during {doing}; its stderr ends with: {stderr_tail}")
            }
            Self::SessionLost => format!("ended the session (HTTP 404) during {doing}"),
            Self::RateLimited { retry_after, waits } => {
                let lead = format!("answered {doing} with HTTP 429");
                let lead = match waits {
                    0 => lead,
                    1 => format!("{lead}, also after a wait"),
                    waits => format!("{lead}, also after {waits} waits"),
                };
                match retry_after {
                    Some(time) => format!("{lead}; it asks to wait {}", text::duration(*time)),
                    None => lead,
                }
            }
            Self::InputRefused { detail } => format!("asked for input during {doing}: {detail}"),
            Self::Unreadable { line } => format!("sent a line that could not be read during {doing}: {line}"),
            Self::Malformed { detail } => format!("answered {doing} wrongly: {detail}"),
            Self::Protocol { code, message, .. } => with(format!("answered {doing} with the error {code}"), message),
            Self::Unauthorized { status, detail } => {
                with(format!("refused the credentials for {doing} (HTTP {status})"), detail)
            }
            Self::Http { status, detail } => with(format!("answered {doing} with HTTP {status}"), detail),
            Self::Network { detail } => format!("could not be reached for {doing}: {detail}"),
            Self::OffTape { detail } => format!("could not be replayed ({doing}): {detail}"),
            Self::Cancelled => format!("was not waited for: {doing} was cancelled"),
            Self::NotSent { detail } => format!("was not sent {doing}: {detail}"),
        }
    }
}

impl fmt::Display for CallFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Protocol { code, message, .. } => write!(f, "the server answered with the error {code}: {message}"),
            other => write!(f, "the server {}", other.predicate("the call")),
        }
    }
}

impl std::error::Error for CallFailure {}
