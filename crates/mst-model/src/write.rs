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

impl WriteMode {
    /// Returns the mode as written.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Planned => "planned",
            Self::Simulated => "simulated",
            Self::ServerPlanned => "server-planned",
            Self::Unguarded => "unguarded",
            Self::Live => "live",
            Self::ReadOnly => "read-only",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::WriteMode;

    #[test]
    fn a_mode_is_named_as_it_is_written() {
        use WriteMode::{Live, Planned, ReadOnly, ServerPlanned, Simulated, Unguarded};
        for mode in [Planned, Simulated, ServerPlanned, Unguarded, Live, ReadOnly] {
            assert_eq!(serde_json::to_value(mode).expect("JSON"), mode.as_str());
        }
    }
}
