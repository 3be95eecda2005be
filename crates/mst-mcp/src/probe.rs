//! Checks whether servers are ready.

use std::time::Duration;

use futures::future::join_all;
use mst_model::{ServerLabel, ServerObservation};
use tokio_util::sync::CancellationToken;

use crate::connect::{Attempt, Memory};
use crate::error::{Fault, McpError, Phase};
use crate::options::{ConnectOptions, NamedServerRef};
use crate::surface::ToolSurface;

/// A server that was found ready.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadyServer {
    /// What it listed.
    pub surface: ToolSurface,
    /// What the check showed of it.
    pub observation: ServerObservation,
}

/// What the check of one server came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Readiness {
    /// The server.
    pub label: ServerLabel,
    /// How often it was checked.
    pub checks: u32,
    /// What it showed, or why the last check found it not ready (`search listed no tools`).
    pub state: Result<ReadyServer, McpError>,
}

/// Connects to a server, lists its tools and closes the connection.
///
/// It is ready when it lists at least its `minTools` (one over HTTP). All of it has 30 s, with a longer
/// `connectTimeoutMs` that and 30 s more; when the time runs out, the connection is closed at once.
pub async fn probe(
    server: NamedServerRef<'_>,
    options: &ConnectOptions,
    cancel: &CancellationToken,
) -> Result<ReadyServer, McpError> {
    probe_with(server, options, &Memory::default(), cancel).await
}

pub(crate) async fn probe_with(
    server: NamedServerRef<'_>,
    options: &ConnectOptions,
    memory: &Memory,
    cancel: &CancellationToken,
) -> Result<ReadyServer, McpError> {
    let session = Attempt::new(server, options, memory, cancel).connect_to_list().await?;
    let ready = ReadyServer { surface: session.surface().clone(), observation: session.observation() };
    session.close().await;
    let (listed, wanted) = (ready.surface.tools.len(), server.config.min_tools());
    if (listed as u64) < u64::from(wanted) {
        let fault = Fault::TooFewTools { listed, wanted };
        return Err(McpError { server: server.label.clone(), phase: Phase::List, fault });
    }
    Ok(ready)
}

/// Checks servers at the same time, and those that are not ready again after each delay.
///
/// `check` is one check of one server. Ends early when `cancel` does; the results are in the servers' order.
pub(crate) async fn check_again<'a, F>(
    servers: &[NamedServerRef<'a>],
    delays: &[Duration],
    cancel: &CancellationToken,
    check: impl Fn(NamedServerRef<'a>) -> F,
) -> Vec<Readiness>
where
    F: Future<Output = Result<ReadyServer, McpError>>,
{
    let first = join_all(servers.iter().map(|server| check(*server))).await;
    let mut results: Vec<Readiness> = servers
        .iter()
        .zip(first)
        .map(|(server, state)| Readiness { label: server.label.clone(), checks: 1, state })
        .collect();
    for delay in delays {
        if results.iter().all(|result| result.state.is_ok()) {
            break;
        }
        if cancel.run_until_cancelled(tokio::time::sleep(*delay)).await.is_none() {
            break;
        }
        let again = servers.iter().zip(&mut results).filter(|(_, result)| result.state.is_err());
        join_all(again.map(|(server, result)| {
            let checked = check(*server);
            async move {
                result.state = checked.await;
                result.checks += 1;
            }
        }))
        .await;
    }
    results
}
