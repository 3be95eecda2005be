//! How a connection to a server fails.

use std::fmt;

use mst_model::ServerLabel;
use serde::{Deserialize, Serialize};

use crate::failure::CallFailure;

/// A server that could not be connected to, listed or found ready: which, in which phase, and why.
///
/// `Display` names the server and the phase. It never holds a header, a token, or a URL's query or user-info.
#[derive(Clone, Debug, PartialEq)]
pub struct McpError {
    /// The server.
    pub server: ServerLabel,
    /// What was being done.
    pub phase: Phase,
    /// What went wrong.
    pub fault: Fault,
}

/// A phase of a session's life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Starting the process, or preparing the HTTP client.
    Spawn,
    /// The `initialize` handshake.
    Initialize,
    /// The `server/discover` request.
    Discover,
    /// `tools/list`.
    List,
    /// `skills/list`.
    Skills,
    /// `resources/list`.
    Resources,
}

impl Phase {
    /// Returns the phase's name: the method, where there is one.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Spawn => "start",
            Self::Initialize => "initialize",
            Self::Discover => "server/discover",
            Self::List => "tools/list",
            Self::Skills => "skills/list",
            Self::Resources => "resources/list",
        }
    }
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What went wrong with a connection.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Fault {
    /// The program could not be started.
    Spawn {
        /// What the system said.
        detail: String,
    },
    /// A setting of the entry cannot be used: a proxy, a certificate, a header, a revision.
    Setting {
        /// Which, and why, without its value.
        detail: String,
    },
    /// The variable that should hold the server's token is not set.
    MissingToken {
        /// The variable.
        variable: String,
    },
    /// A request brought no result.
    Request(CallFailure),
    /// The answer to `initialize` lacks `protocolVersion`.
    VersionMissing {
        /// The revision that was offered.
        offered: String,
    },
    /// The server answered with a revision that is not known, or not the pinned one.
    VersionMismatch {
        /// The revision that was offered.
        offered: String,
        /// The revision that came back.
        answered: String,
    },
    /// The server named the revisions it speaks, and none can be used.
    VersionRefused {
        /// The revision that was offered.
        offered: String,
        /// What the server speaks.
        supported: Vec<String>,
    },
    /// The server speaks only the HTTP+SSE transport of 2024-11-05.
    OldTransport,
    /// `tools/list` gave a cursor that it had given before.
    RepeatedCursor {
        /// The cursor, cut.
        cursor: String,
    },
    /// `tools/list` has more pages than are read.
    TooManyPages {
        /// The most that are read.
        limit: usize,
    },
    /// The server lists more tools than are kept.
    TooManyTools {
        /// The most that are kept.
        limit: usize,
    },
    /// The server lists fewer tools than its entry asks for.
    TooFewTools {
        /// How many it lists.
        listed: usize,
        /// How many it should.
        wanted: u32,
    },
}

impl McpError {
    /// Returns whether the server refused or lacked credentials.
    pub fn is_authentication(&self) -> bool {
        matches!(self.fault, Fault::MissingToken { .. } | Fault::Request(CallFailure::Unauthorized { .. }))
    }

    /// Returns whether a tape stood in the server's place and lacked a request.
    pub fn is_off_tape(&self) -> bool {
        matches!(self.fault, Fault::Request(CallFailure::OffTape { .. }))
    }

    /// Returns whether the caller cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.fault == Fault::Request(CallFailure::Cancelled)
    }
}

impl fmt::Display for McpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { server, phase, fault } = self;
        match fault {
            Fault::Spawn { detail } => write!(f, "{server} could not be started: {detail}"),
            Fault::Setting { detail } => write!(f, "{server} has a setting that cannot be used: {detail}"),
            Fault::MissingToken { variable } => {
                write!(f, "{server} needs a token, and the variable {variable} is not set")
            }
            Fault::Request(failure) => write!(f, "{server} {}", failure.predicate(phase.as_str())),
            Fault::VersionMissing { offered } => {
                write!(f, "{server} answered {phase} without a protocolVersion ({offered} was offered)")
            }
            Fault::VersionMismatch { offered, answered } => {
                write!(f, "{server} answered {phase} with the protocol version {answered:?}, and {offered} was offered")
            }
            Fault::VersionRefused { offered, supported } => write!(
                f,
                "{server} refused {phase} with the protocol version {offered}; it speaks {}",
                if supported.is_empty() { "none that it names".to_owned() } else { supported.join(", ") }
            ),
            Fault::OldTransport => write!(
                f,
                "{server} speaks only the HTTP+SSE transport of 2024-11-05, which needs a bridge to Streamable HTTP"
            ),
            Fault::RepeatedCursor { cursor } => write!(f, "{server} repeated the cursor {cursor:?} in {phase}"),
            Fault::TooManyPages { limit } => write!(f, "{server} has more than {limit} pages of {phase}"),
            Fault::TooManyTools { limit } => write!(f, "{server} lists more than {limit} tools"),
            Fault::TooFewTools { listed: 0, .. } => write!(f, "{server} listed no tools"),
            Fault::TooFewTools { listed: 1, wanted } => {
                write!(f, "{server} listed 1 tool, fewer than its minTools of {wanted}")
            }
            Fault::TooFewTools { listed, wanted } => {
                write!(f, "{server} listed {listed} tools, fewer than its minTools of {wanted}")
            }
        }
    }
}

impl std::error::Error for McpError {}
