//! An MCP server as an eval config declares it (`MCPConfig` in the contract).

use std::borrow::Cow;
use std::fmt;

use indexmap::IndexMap;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use crate::answers::Answers;

/// A server entry, told apart by `transport`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "transport", rename_all = "lowercase")]
#[expect(
    clippy::large_enum_variant,
    reason = "an eval has a handful of servers, and a box would be in every reader's way"
)]
pub enum ServerConfig {
    /// A process that speaks over its stdin and stdout.
    Stdio(StdioServer),
    /// A Streamable HTTP endpoint.
    Http(HttpServer),
}

/// A stdio server entry.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StdioServer {
    /// The program, started without a shell.
    #[schemars(length(min = 1))]
    pub command: String,
    /// Its arguments.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
    /// Its working directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// Environment variables it gets beside the safe defaults (PATH, HOME, …).
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub env: IndexMap<String, String>,
    /// Whether it inherits the whole environment.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub inherit_env: bool,
    /// Whether its stderr is ignored.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub quiet: bool,
    /// Client capabilities to declare.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capabilities: Option<Capabilities>,
    /// What its own requests are answered with (an addition to the contract).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers: Option<Answers>,
    /// How the protocol revision is agreed on.
    #[serde(default, skip_serializing_if = "ProtocolSetting::is_default")]
    pub protocol: ProtocolSetting,
    /// Bounds of the probe of `protocol: "auto"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub protocol_probe: Option<ProtocolProbe>,
    /// How long connecting may take, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub connect_timeout_ms: Option<u64>,
    /// How long a request may take, in milliseconds. 30,000 when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub request_timeout_ms: Option<u64>,
    /// How long a tool call may take, in milliseconds; `requestTimeoutMs` when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub call_timeout_ms: Option<u64>,
    /// How many tools the server must list to be ready. 1 when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 10000))]
    pub min_tools: Option<u32>,
    /// Whether each trial gets a connection of its own, or a batch shares one (an addition to the contract).
    #[serde(default, skip_serializing_if = "SessionScope::is_default")]
    pub session: SessionScope,
}

/// A Streamable HTTP server entry.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HttpServer {
    /// The endpoint.
    #[schemars(url)]
    pub server_url: String,
    /// Headers sent with every request.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub headers: IndexMap<String, String>,
    /// How requests are authorized.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auth: Option<AccessAuth>,
    /// Client capabilities to declare.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capabilities: Option<Capabilities>,
    /// What its own requests are answered with (an addition to the contract).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers: Option<Answers>,
    /// How the protocol revision is agreed on.
    #[serde(default, skip_serializing_if = "ProtocolSetting::is_default")]
    pub protocol: ProtocolSetting,
    /// Bounds of the probe of `protocol: "auto"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub protocol_probe: Option<ProtocolProbe>,
    /// How long connecting may take, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub connect_timeout_ms: Option<u64>,
    /// How long a request may take, in milliseconds. 30,000 when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub request_timeout_ms: Option<u64>,
    /// How long a tool call may take, in milliseconds; `requestTimeoutMs` when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub call_timeout_ms: Option<u64>,
    /// A proxy for the server's requests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proxy: Option<ProxySetting>,
    /// How often a request that failed on the network is tried again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_attempts: Option<u32>,
    /// TLS material.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tls: Option<TlsSetting>,
    /// Whether each trial gets a connection of its own, or a batch shares one (an addition to the contract).
    #[serde(default, skip_serializing_if = "SessionScope::is_default")]
    pub session: SessionScope,
}

/// How an HTTP server's requests are authorized.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AccessAuth {
    /// A bearer token as a literal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub access_token: Option<String>,
    /// The name of the variable that holds the bearer token (environment or secrets file).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub access_token_env: Option<String>,
    /// OAuth sign-in. Not in this version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub oauth: Option<Map<String, Value>>,
    /// OAuth client credentials. Not in this version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_credentials: Option<Map<String, Value>>,
}

/// Client capabilities declared to a server.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Capabilities {
    /// Sampling.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sampling: Option<Map<String, Value>>,
    /// Roots.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub roots: Option<Map<String, Value>>,
}

/// Bounds of the probe of `protocol: "auto"`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProtocolProbe {
    /// How long the probe may take, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub timeout_ms: Option<u64>,
}

/// A proxy for a server's requests.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProxySetting {
    /// The proxy's URL.
    #[schemars(url)]
    pub url: String,
}

/// TLS material for a server, as paths.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TlsSetting {
    /// A certificate authority.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ca: Option<String>,
    /// A client certificate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cert: Option<String>,
    /// The client certificate's key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Whether a certificate that cannot be verified is refused. `true` when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reject_unauthorized: Option<bool>,
}

/// Who shares a connection to a server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SessionScope {
    /// Each trial has a connection of its own (for stdio, a process).
    #[default]
    Trial,
    /// A batch's trials share one connection.
    Shared,
}

impl SessionScope {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// How the protocol revision is agreed on: `legacy`, `auto`, or one revision (`YYYY-MM-DD`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ProtocolSetting {
    /// `initialize` first; any revision the server answers that we know.
    #[default]
    Legacy,
    /// A probe of `server/discover` first, on a connection of its own.
    Auto,
    /// One revision and no other.
    Revision(String),
}

impl ProtocolSetting {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// Reads the setting's text; `None` when it is none of the three forms.
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "legacy" => Some(Self::Legacy),
            "auto" => Some(Self::Auto),
            _ => {
                let bytes = text.as_bytes();
                let dated = bytes.len() == 10
                    && bytes
                        .iter()
                        .enumerate()
                        .all(|(at, b)| if matches!(at, 4 | 7) { *b == b'-' } else { b.is_ascii_digit() });
                dated.then(|| Self::Revision(text.to_owned()))
            }
        }
    }
}

impl fmt::Display for ProtocolSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Legacy => "legacy",
            Self::Auto => "auto",
            Self::Revision(revision) => revision,
        })
    }
}

impl Serialize for ProtocolSetting {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for ProtocolSetting {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| {
            serde::de::Error::custom(format!("{text:?} is not legacy, auto or a revision such as 2025-11-25"))
        })
    }
}

impl JsonSchema for ProtocolSetting {
    fn schema_name() -> Cow<'static, str> {
        "ProtocolSetting".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": r"^(legacy|auto|\d{4}-\d{2}-\d{2})$" })
    }
}

impl ServerConfig {
    /// Returns who shares a connection to the server.
    pub fn session(&self) -> SessionScope {
        match self {
            Self::Stdio(server) => server.session,
            Self::Http(server) => server.session,
        }
    }

    /// Returns the protocol setting.
    pub fn protocol(&self) -> &ProtocolSetting {
        match self {
            Self::Stdio(server) => &server.protocol,
            Self::Http(server) => &server.protocol,
        }
    }

    /// Returns the bounds of the probe of `protocol: "auto"`.
    pub fn protocol_probe(&self) -> Option<ProtocolProbe> {
        match self {
            Self::Stdio(server) => server.protocol_probe,
            Self::Http(server) => server.protocol_probe,
        }
    }

    /// Returns the client capabilities that the entry declares.
    pub fn capabilities(&self) -> Option<&Capabilities> {
        match self {
            Self::Stdio(server) => server.capabilities.as_ref(),
            Self::Http(server) => server.capabilities.as_ref(),
        }
    }

    /// Returns what the server's own requests are answered with.
    pub fn answers(&self) -> Option<&Answers> {
        match self {
            Self::Stdio(server) => server.answers.as_ref(),
            Self::Http(server) => server.answers.as_ref(),
        }
    }

    /// Returns how long connecting may take, in milliseconds, when the entry says so.
    pub fn connect_timeout_ms(&self) -> Option<u64> {
        match self {
            Self::Stdio(server) => server.connect_timeout_ms,
            Self::Http(server) => server.connect_timeout_ms,
        }
    }

    /// Returns how long a request may take, in milliseconds, when the entry says so.
    pub fn request_timeout_ms(&self) -> Option<u64> {
        match self {
            Self::Stdio(server) => server.request_timeout_ms,
            Self::Http(server) => server.request_timeout_ms,
        }
    }

    /// Returns how long a tool call may take, in milliseconds, when the entry says so.
    pub fn call_timeout_ms(&self) -> Option<u64> {
        match self {
            Self::Stdio(server) => server.call_timeout_ms.or(server.request_timeout_ms),
            Self::Http(server) => server.call_timeout_ms.or(server.request_timeout_ms),
        }
    }

    /// Returns how many tools the server must list to be ready.
    pub fn min_tools(&self) -> u32 {
        match self {
            Self::Stdio(server) => server.min_tools.unwrap_or(1),
            Self::Http(_) => 1,
        }
    }
}
