//! What was scanned.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What was scanned. It holds no secret.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ScanTarget {
    /// The server's name.
    #[schemars(length(min = 1))]
    pub name: String,
    /// The server's version, as it says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// How it was reached.
    pub transport: ScanTransport,
    /// The command that started it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<Vec<String>>,
    /// Its endpoint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The protocol revision that was agreed on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub protocol_version: Option<String>,
    /// SHA-256 (64 lower-case hex digits) of the canonical form of `{ instructions?, tools }`, tools sorted by name with
    /// exactly the fields that the server sent.
    #[schemars(regex(pattern = r"^[0-9a-f]{64}$"))]
    pub surface_hash: String,
    /// How many tools it lists.
    pub tool_count: u64,
}

/// What was to be scanned, as far as it was known when a scan failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FailedTarget {
    /// The server's name.
    #[schemars(length(min = 1))]
    pub name: String,
    /// The server's version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// How it was to be reached.
    pub transport: ScanTransport,
    /// The command that starts it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<Vec<String>>,
    /// Its endpoint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The protocol revision that was agreed on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub protocol_version: Option<String>,
    /// The surface's hash, once it was listed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = r"^[0-9a-f]{64}$"))]
    pub surface_hash: Option<String>,
    /// How many tools it lists, once that was known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_count: Option<u64>,
}

/// How a surface was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ScanTransport {
    /// A process that was started.
    Stdio,
    /// A Streamable HTTP endpoint.
    Http,
    /// A file that holds a listing.
    File,
}

impl From<ScanTarget> for FailedTarget {
    fn from(target: ScanTarget) -> Self {
        Self {
            name: target.name,
            version: target.version,
            transport: target.transport,
            command: target.command,
            url: target.url,
            protocol_version: target.protocol_version,
            surface_hash: Some(target.surface_hash),
            tool_count: Some(target.tool_count),
        }
    }
}
