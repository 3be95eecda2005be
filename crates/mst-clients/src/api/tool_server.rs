//! A connected server as the conversation uses it.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use mst_ext::NamedServer;
use mst_mcp::{CallFailure, ResourceContent, ResultPart, SkillEntry, SkillListing, ToolSurface};
use mst_model::{Ending, ServerLabel, ServerObservation};
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

/// A server that a trial is connected to.
#[async_trait]
pub(super) trait ToolServer: Send + Sync {
    /// Returns the server's label.
    fn label(&self) -> &ServerLabel;

    /// Returns what the server listed last when the trial took it: one value for all trials until the tools change.
    fn surface(&self) -> &Arc<ToolSurface>;

    /// Calls a tool by the name that the server lists. Never fails: what went wrong is a tool error.
    async fn call(&self, tool: &str, arguments: &Map<String, Value>, cancel: &CancellationToken) -> ToolAnswer;

    /// Returns whether the server has said, since it was last listed, that its tools changed.
    fn list_changed(&self) -> bool;

    /// Lists the tools again; an error is a text for people.
    async fn list(&self, cancel: &CancellationToken) -> Result<Arc<ToolSurface>, String>;

    /// Returns whether the server says that it serves skills.
    fn has_skills(&self) -> bool;

    /// Lists the skills; an error is a text for people.
    async fn skills(&self, cancel: &CancellationToken) -> Result<Arc<SkillListing>, String>;

    /// Returns one skill by its URI, listed or not; an error is a text for people.
    async fn skill(&self, uri: &str, cancel: &CancellationToken) -> Result<SkillEntry, String>;

    /// Returns whether the server lists a resource; an error is a text for people.
    async fn lists_resource(&self, uri: &str, cancel: &CancellationToken) -> Result<bool, String>;

    /// Reads a resource.
    async fn read_resource(&self, uri: &str, cancel: &CancellationToken) -> Result<Vec<ResourceContent>, CallFailure>;

    /// Returns what was seen of the server so far.
    fn observation(&self) -> ServerObservation;

    /// Gives the connection back. Bounded in time.
    async fn release(self: Box<Self>);
}

/// Something that connects a trial to servers.
#[async_trait]
pub(super) trait Connector: Send + Sync {
    /// Connects to a server.
    async fn take(&self, server: &NamedServer, cancel: &CancellationToken) -> Result<Box<dyn ToolServer>, Unconnected>;
}

/// Why a server could not be connected to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Unconnected {
    /// The server, the phase and what went wrong, for people.
    pub(super) reason: String,
    /// Whether a tape stood in the server's place and lacks a request.
    pub(super) is_off_tape: bool,
    /// Whether credentials were missing or refused.
    pub(super) is_authentication: bool,
}

/// What came back for a tool call.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct ToolAnswer {
    /// The result as text, for the transcript.
    pub(super) text: String,
    /// The result for the model, images included.
    pub(super) parts: Vec<ResultPart>,
    /// Whether the call failed.
    pub(super) is_error: bool,
    /// Whether it ended because the caller cancelled.
    pub(super) cancelled: bool,
    /// What a tape lacks, when one stood in the server's place and lacks the call.
    pub(super) off_tape: Option<String>,
    /// The end that it makes to the trial, when it was not the server's to run.
    pub(super) ending: Option<Ending>,
    /// How long it took.
    pub(super) duration: Duration,
    /// Faults of the server's answer that did not stop it.
    pub(super) warnings: Vec<String>,
}
