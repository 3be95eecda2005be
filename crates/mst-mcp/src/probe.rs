//! Checks whether a server is ready.

use mst_model::ServerObservation;
use tokio_util::sync::CancellationToken;

use crate::connect::{Attempt, Memory};
use crate::error::{Fault, McpError, Phase};
use crate::options::{ConnectOptions, NamedServerRef};
use crate::surface::ToolSurface;

/// A server that was found ready.
#[derive(Clone, Debug, PartialEq)]
pub struct Probed {
    /// What it listed.
    pub surface: ToolSurface,
    /// What the check showed of it.
    pub observation: ServerObservation,
}

/// Connects to a server, lists its tools and closes the connection.
///
/// It is ready when it lists at least its `minTools` (one over HTTP). All of it has 30 s, with a longer
/// `connectTimeoutMs` that and 30 s more; when the time runs out, the connection is closed at once.
pub async fn probe(
    server: NamedServerRef<'_>,
    options: &ConnectOptions,
    cancel: &CancellationToken,
) -> Result<Probed, McpError> {
    probe_with(server, options, &Memory::default(), cancel).await
}

pub(crate) async fn probe_with(
    server: NamedServerRef<'_>,
    options: &ConnectOptions,
    memory: &Memory,
    cancel: &CancellationToken,
) -> Result<Probed, McpError> {
    let session = Attempt::new(server, options, memory, cancel).connect_to_list().await?;
    let ready = Probed { surface: ToolSurface::clone(session.surface()), observation: session.observation() };
    session.close().await;
    let (listed, wanted) = (ready.surface.tools.len(), server.config.min_tools());
    if (listed as u64) < u64::from(wanted) {
        let fault = Fault::TooFewTools { listed, wanted };
        return Err(McpError { server: server.label.clone(), phase: Phase::List, fault });
    }
    Ok(ready)
}
