//! Servers from the run's pool of sessions.

use std::sync::Arc;

use async_trait::async_trait;
use mst_ext::NamedServer;
use mst_mcp::{CallFailure, CallOutcome, Lease, ServerPool, SessionRequest, ToolSurface};
use mst_model::{ServerLabel, ServerObservation, TapeScope};
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use super::tool_server::{Connector, ToolAnswer, ToolServer, Unconnected};

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
            Ok(lease) => Ok(Box::new(lease)),
            Err(error) => Err(Unconnected { reason: error.to_string(), is_off_tape: error.is_off_tape() }),
        }
    }
}

#[async_trait]
impl ToolServer for Lease {
    fn label(&self) -> &ServerLabel {
        (**self).label()
    }

    fn surface(&self) -> &Arc<ToolSurface> {
        (**self).surface()
    }

    async fn call(&self, tool: &str, arguments: &Map<String, Value>, cancel: &CancellationToken) -> ToolAnswer {
        (**self).call(tool, Some(arguments), cancel).await.into()
    }

    fn list_changed(&self) -> bool {
        (**self).list_changed()
    }

    async fn list(&self, cancel: &CancellationToken) -> Result<ToolSurface, String> {
        (**self).list(cancel).await.map_err(|error| error.to_string())
    }

    fn observation(&self) -> ServerObservation {
        (**self).observation()
    }

    async fn release(self: Box<Self>) {
        Self::release(*self).await;
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
            duration: outcome.duration,
            warnings: outcome.warnings,
        }
    }
}
