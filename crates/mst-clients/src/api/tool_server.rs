//! A connected server as the conversation uses it.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use mst_ext::NamedServer;
use mst_mcp::{ResourceContent, ResultPart, SkillEntry, SkillListing, ToolSurface};
use mst_model::{Ending, ServerLabel, ServerObservation};
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use super::stop::Stop;

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

    /// Lists the skills.
    async fn skills(&self, cancel: &CancellationToken) -> Result<Arc<SkillListing>, ReadFailure>;

    /// Returns one skill by its URI, listed or not.
    async fn skill(&self, uri: &str, cancel: &CancellationToken) -> Result<SkillEntry, ReadFailure>;

    /// Returns whether the server lists a resource.
    async fn lists_resource(&self, uri: &str, cancel: &CancellationToken) -> Result<bool, ReadFailure>;

    /// Reads a resource.
    async fn read_resource(&self, uri: &str, cancel: &CancellationToken) -> Result<Vec<ResourceContent>, ReadFailure>;

    /// Returns what was seen of the server so far.
    fn observation(&self) -> ServerObservation;

    /// Gives the connection back. Bounded in time.
    async fn release(self: Box<Self>);
}

/// Why nothing was read from a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ReadFailure {
    /// The caller cancelled.
    Cancelled,
    /// A replay's tape does not hold it.
    OffTape(String),
    /// Anything else, for people.
    Other(String),
}

impl ReadFailure {
    /// Returns what is to be told of a failure that the trial goes on after; the trial's end after any other.
    pub(super) fn told(self) -> Result<String, Stop> {
        match self {
            Self::Cancelled => Err(Stop::Cancelled),
            Self::OffTape(reason) => Err(Stop::off_tape(reason)),
            Self::Other(why) => Ok(why),
        }
    }
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

#[cfg(test)]
mod tests {
    use mst_mcp::CallFailure;

    use super::*;

    #[test]
    fn a_read_that_a_tape_lacks_ends_the_trial_and_one_that_fails_is_told() {
        let told = |failure: CallFailure| ReadFailure::from(failure).told();
        assert_eq!(told(CallFailure::Cancelled), Err(Stop::Cancelled));
        assert_eq!(told(CallFailure::OffTape { detail: "lost".into() }), Err(Stop::off_tape("lost")));
        assert_eq!(told(CallFailure::Network { detail: "reset".into() }).map(|why| why.contains("reset")), Ok(true));
    }
}
