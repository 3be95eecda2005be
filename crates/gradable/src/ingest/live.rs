//! A surface that a server lists.

use std::time::Duration;

use mst_cli::ExitClass;
use mst_mcp::{CallFailure, ConnectOptions, Fault, ListedTool, McpError, NamedServerRef, Session, connect};
use mst_model::{FailedTarget, ServerObservation, Tape};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::IngestFault;
use super::target::{ServerTarget, with_own_folder};
use crate::surface::{Surface, surface_hash};

/// How long after its time limit a connection that has not ended by itself is given up.
const GRACE: Duration = Duration::from_secs(1);

/// Connects to a server, lists its tools and ends the connection. Nothing is called.
/// With a tape that is served, nothing is connected to either.
pub(super) async fn surface(
    server: &ServerTarget,
    tape: Option<Tape>,
    cancel: &CancellationToken,
) -> Result<Surface, IngestFault> {
    let launcher = crate::launcher::guarded();
    let options = ConnectOptions {
        base_env: with_own_folder(&server.variables),
        client_version: env!("CARGO_PKG_VERSION").to_owned(),
        launcher: launcher.clone(),
        tape,
        ..ConnectOptions::default()
    };
    let ending = cancel.child_token();
    let named = NamedServerRef { label: &server.label, config: &server.config };
    let connected = {
        let mut connecting = std::pin::pin!(connect(named, &options, &ending));
        tokio::select! {
            done = &mut connecting => done,
            () = tokio::time::sleep(server.timeout + GRACE) => {
                ending.cancel();
                connecting.await
            }
        }
    };
    let timed_out = ending.is_cancelled() && !cancel.is_cancelled();
    let found = match connected {
        Ok(session) => {
            let found = seen(server, &session);
            session.close().await;
            found
        }
        Err(fault) if timed_out && fault.is_cancelled() => Err(IngestFault {
            class: ExitClass::Server,
            reason: format!("{} did not list its tools within {} s", server.label, server.timeout.as_secs()),
            hints: vec!["give it more time with --timeout SECONDS".to_owned()],
            target: Box::new(server.shown.clone()),
        }),
        Err(fault) => Err(refused(server, &fault)),
    };
    launcher.close().await;
    found
}

fn seen(server: &ServerTarget, session: &Session) -> Result<Surface, IngestFault> {
    let (listed, observation) = (session.surface(), session.observation());
    let target = Box::new(told(server, &observation));
    let warnings: Vec<String> = observation.warnings.iter().map(|warning| server.secrets.text(warning)).collect();
    if listed.tools.is_empty() {
        let reason = match warnings.first() {
            Some(warning) => format!("{} listed no tools, so there is nothing to grade; {warning}", server.label),
            None => format!("{} listed no tools, so there is nothing to grade", server.label),
        };
        return Err(IngestFault { class: ExitClass::Server, reason, hints: Vec::new(), target });
    }
    let tools = listed.tools.iter().map(|tool| {
        let mut raw = tool.raw().clone();
        server.secrets.object_in(&mut raw);
        ListedTool::new(raw).unwrap_or_else(|| tool.clone())
    });
    Ok(Surface {
        name: target.name,
        version: target.version,
        transport: target.transport,
        command: target.command,
        url: target.url,
        protocol_version: target.protocol_version,
        instructions: listed.instructions.as_deref().map(|text| server.secrets.text(text)),
        hash: surface_hash(listed.instructions.as_deref(), &listed.tools),
        tools: tools.collect(),
        listed_twice: listed.listed_twice.iter().map(|name| server.secrets.text(name)).collect(),
        warnings,
    })
}

/// Returns what is known of a server that was connected to.
fn told(server: &ServerTarget, observation: &ServerObservation) -> FailedTarget {
    let version = observation.server_info.as_ref().and_then(|info| info.get("version")).and_then(Value::as_str);
    FailedTarget {
        version: version.map(|text| shortened(&server.secrets.text(text))).filter(|text| !text.trim().is_empty()),
        protocol_version: observation.protocol_version.clone(),
        ..server.shown.clone()
    }
}

/// The longest version that is shown, in characters.
const LONGEST_VERSION: usize = 80;

fn shortened(version: &str) -> String {
    match version.char_indices().nth(LONGEST_VERSION) {
        Some((at, _)) => format!("{}…", &version[..at]),
        None => version.to_owned(),
    }
}

/// Says why a server could not be listed.
fn refused(server: &ServerTarget, fault: &McpError) -> IngestFault {
    let class = if fault.is_cancelled() {
        ExitClass::Interrupted
    } else if fault.is_authentication() {
        ExitClass::Authentication
    } else {
        ExitClass::Server
    };
    let mut hints: Vec<String> =
        server.unset.iter().map(|name| format!("{name} is not set; the server may need it")).collect();
    match &fault.fault {
        Fault::Spawn { .. } => hints.push("`mst doctor` says which programs are installed".to_owned()),
        Fault::Request(CallFailure::Timeout { .. }) => hints.push(
            "a stdio server speaks JSON-RPC on its stdout, and only that; a slow one gets more time with --timeout"
                .to_owned(),
        ),
        _ if class == ExitClass::Authentication => {
            hints.push("give the server's token with --token-env, --header or --env".to_owned());
        }
        _ => {}
    }
    IngestFault {
        class,
        reason: server.secrets.text(&fault.to_string()),
        hints,
        target: Box::new(server.shown.clone()),
    }
}
