//! What a client and the run noticed about a trial beside its transcript.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::ending::{Broke, Ending};
use crate::names::ServerLabel;
use crate::server_request::{ServerLogLine, ServerRequest};

/// Notes on a trial that no grader reads.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClientDiagnostics {
    /// What failed, when the client did not give an ending itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure_kind: Option<FailureKind>,
    /// Things a reader of the trial should know: an empty answer, adapted schemas, a reply that reported no tokens.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// What was seen of each server during the trial.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub servers: Vec<ServerObservation>,
    /// Anything else the client reports.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub details: Map<String, Value>,
}

impl ClientDiagnostics {
    /// Returns whether there is nothing to store.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// What a session with one server showed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ServerObservation {
    /// The server's label.
    pub label: String,
    /// The protocol revision that was agreed on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub protocol_version: Option<String>,
    /// The server's own name and version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server_info: Option<Value>,
    /// How many lines on its stdout were not protocol messages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stray_lines: Option<u64>,
    /// The first such line, cut.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_stray_line: Option<String>,
    /// What the server asked of its client, in order, the first hundred.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requests: Vec<ServerRequest>,
    /// What the server logged through the protocol, in order, the first hundred lines.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub log: Vec<ServerLogLine>,
    /// How many notifications and pings the server sent, by method.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub unsolicited: BTreeMap<String, u64>,
    /// Faults of the server that did not stop the trial.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

impl ServerObservation {
    /// Makes an empty observation of a server.
    pub fn new(label: &ServerLabel) -> Self {
        Self { label: label.to_string(), ..Self::default() }
    }
}

/// What failed in a client, from which an ending follows when the client gave none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FailureKind {
    /// The client did not start, or not with its servers.
    Startup,
    /// Its process failed.
    Process,
    /// Its output could not be read.
    Output,
    /// The trial was never sent.
    NotSubmitted,
    /// Its cleanup failed.
    Cleanup,
    /// It ran out of a time that was not the case's own.
    Timeout,
    /// The trial did not come back.
    Missing,
    /// Its artifacts could not be kept.
    Artifacts,
    /// It kept only part of the prompt.
    Input,
}

impl FailureKind {
    /// Returns the ending that follows from the failure.
    pub fn ending(self, reason: impl Into<String>) -> Ending {
        match self {
            Self::Startup | Self::Process | Self::Output | Self::NotSubmitted | Self::Cleanup => {
                Ending::retryable(Broke::ClientApp, reason)
            }
            Self::Timeout => Ending::retryable(Broke::Deadline, reason),
            Self::Missing | Self::Artifacts => Ending::retryable(Broke::Collection, reason),
            Self::Input => Ending::permanent(Broke::Setup, reason),
        }
    }
}
