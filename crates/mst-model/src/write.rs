//! Write modes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What happens to a write that a client sends to a server. A closed set: an unknown mode fails the read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WriteMode {
    /// The dry-run proxy stops it and answers with a planned-write result.
    Planned,
    /// The proxy stops it and answers with a success reply.
    Simulated,
    /// The server itself stops it and marks its result.
    ServerPlanned,
    /// It reaches the server, and nothing watches it.
    Unguarded,
    /// It reaches the service.
    Live,
    /// The server lists no write tools.
    ReadOnly,
}
