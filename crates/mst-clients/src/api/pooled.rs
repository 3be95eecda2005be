//! Servers from the run's pool of sessions.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use async_trait::async_trait;
use mst_ext::NamedServer;
use mst_mcp::{
    CallFailure, CallOutcome, Fault, Lease, Mark, McpError, ResourceContent, ServerPool, SessionRequest, SkillEntry,
    SkillFault, SkillListing, ToolSurface,
};
use mst_model::{ServerLabel, ServerObservation, TapeScope};
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use super::tool_server::{Connector, ReadFailure, ToolAnswer, ToolServer, Unconnected};

/// Takes sessions from a pool for one trial.
pub(super) struct Pooled<'a> {
    /// The pool.
    pub(super) pool: &'a ServerPool,
    /// Whom shared sessions are shared with.
    pub(super) batch: &'a str,
    /// What the trial's exchanges belong to on a tape.
    pub(super) scope: &'a TapeScope,
}

#[async_trait]
impl Connector for Pooled<'_> {
    async fn take(&self, server: &NamedServer, cancel: &CancellationToken) -> Result<Box<dyn ToolServer>, Unconnected> {
        let NamedServer { label, config } = server;
        let wanted = SessionRequest { label, config, batch: self.batch, scope: self.scope };
        match self.pool.take(wanted, cancel).await {
            Ok(lease) => Ok(Box::new(Leased::new(lease))),
            Err(error) => Err(Unconnected {
                reason: error.to_string(),
                is_authentication: error.is_authentication(),
                is_off_tape: error.is_off_tape(),
            }),
        }
    }
}

/// A session as one trial sees it. Others may use it too, so that what this trial has seen of it is kept here.
struct Leased {
    lease: Lease,
    /// Where a shared session stood when the trial took it.
    begun: Mark,
    /// The listing that the trial began with.
    surface: Arc<ToolSurface>,
    /// How often the tools had changed when the trial's listing was made.
    changes: AtomicU64,
}

impl Leased {
    fn new(lease: Lease) -> Self {
        let begun = if lease.is_shared() { lease.mark() } else { Mark::default() };
        let (changes, surface) = lease.latest();
        Self { lease, begun, surface, changes: AtomicU64::new(changes) }
    }
}

#[async_trait]
impl ToolServer for Leased {
    fn label(&self) -> &ServerLabel {
        self.lease.label()
    }

    fn surface(&self) -> &Arc<ToolSurface> {
        &self.surface
    }

    async fn call(&self, tool: &str, arguments: &Map<String, Value>, cancel: &CancellationToken) -> ToolAnswer {
        self.lease.call(tool, Some(arguments), cancel).await.into()
    }

    fn list_changed(&self) -> bool {
        self.lease.changed_since(self.changes.load(Ordering::Acquire))
    }

    async fn list(&self, cancel: &CancellationToken) -> Result<Arc<ToolSurface>, String> {
        // What cannot be listed is not asked for again until the server says that it changed once more.
        self.changes.store(self.lease.list_changes(), Ordering::Release);
        let (changes, surface) = self.lease.current(cancel).await.map_err(|error| error.to_string())?;
        self.changes.store(changes, Ordering::Release);
        Ok(surface)
    }

    fn has_skills(&self) -> bool {
        self.lease.has_skills()
    }

    async fn skills(&self, cancel: &CancellationToken) -> Result<Arc<SkillListing>, ReadFailure> {
        self.lease.skills(cancel).await.map_err(not_listed)
    }

    async fn skill(&self, uri: &str, cancel: &CancellationToken) -> Result<SkillEntry, ReadFailure> {
        self.lease.skill(uri, cancel).await.map_err(|fault| match fault {
            SkillFault::Request(failure) => failure.into(),
            fault => ReadFailure::Other(fault.to_string()),
        })
    }

    async fn lists_resource(&self, uri: &str, cancel: &CancellationToken) -> Result<bool, ReadFailure> {
        Ok(self.lease.resources(cancel).await.map_err(not_listed)?.contains(uri))
    }

    async fn read_resource(&self, uri: &str, cancel: &CancellationToken) -> Result<Vec<ResourceContent>, ReadFailure> {
        Ok(self.lease.read_resource(uri, cancel).await?)
    }

    fn observation(&self) -> ServerObservation {
        self.lease.observation_since(&self.begun)
    }

    async fn release(self: Box<Self>) {
        self.lease.release().await;
    }
}

/// Returns a listing's failure; only where the trial goes on do the server and the phase matter.
fn not_listed(error: McpError) -> ReadFailure {
    match error.fault {
        Fault::Request(failure @ (CallFailure::Cancelled | CallFailure::OffTape { .. })) => failure.into(),
        _ => ReadFailure::Other(error.to_string()),
    }
}

impl From<CallFailure> for ReadFailure {
    fn from(failure: CallFailure) -> Self {
        match failure {
            CallFailure::Cancelled => Self::Cancelled,
            CallFailure::OffTape { detail } => Self::OffTape(detail),
            failure => Self::Other(failure.to_string()),
        }
    }
}

impl From<CallOutcome> for ToolAnswer {
    fn from(outcome: CallOutcome) -> Self {
        Self {
            text: outcome.text,
            parts: outcome.parts,
            is_error: outcome.is_error,
            cancelled: outcome.failure == Some(CallFailure::Cancelled),
            off_tape: match outcome.failure {
                Some(CallFailure::OffTape { detail }) => Some(detail),
                _ => None,
            },
            ending: outcome.ending,
            duration: outcome.duration,
            warnings: outcome.warnings,
        }
    }
}
