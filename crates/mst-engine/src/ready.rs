//! Readiness: before a batch's first trial every server of its variant connects and lists its tools, or no trial is sent.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use futures::future::join_all;
use indexmap::IndexMap;
use mst_mcp::{Fault, McpError};
use mst_model::{Broke, Ending, Scrubber, ServerConfig, ServerLabel, ServerObservation, WriteMode};
use tokio_util::sync::CancellationToken;

use crate::bind::{BoundPlan, write_tools};
use crate::deps::RunDeps;

/// A batch whose servers are ready.
#[derive(Clone, Debug, Default)]
pub struct ReadyBatch {
    /// The tools that each server listed.
    pub tools: BTreeMap<ServerLabel, BTreeSet<String>>,
    /// What was seen of each server.
    pub servers: Vec<ServerObservation>,
}

/// A batch whose servers are not ready.
#[derive(Clone, Debug)]
pub(crate) struct NotReady {
    /// The ending that every trial of the batch gets.
    pub(crate) ending: Ending,
    /// Whether a server lacked or refused credentials.
    pub(crate) unauthenticated: bool,
}

impl From<Ending> for NotReady {
    fn from(ending: Ending) -> Self {
        Self { ending, unauthenticated: false }
    }
}

/// Told of each wait: what failed, and how long until the next check.
pub(crate) type OnWait<'a> = &'a (dyn Fn(String, Duration) + Send + Sync);

/// Checks a variant's servers, those that fail again after each delay.
///
/// # Errors
/// When they are not ready: the ending that every trial of the batch gets.
pub(crate) async fn check(
    bound: &BoundPlan,
    servers: &IndexMap<ServerLabel, ServerConfig>,
    context: &CheckContext<'_>,
) -> Result<ReadyBatch, NotReady> {
    let mut ready = ReadyBatch::default();
    let mut waiting: Vec<(&ServerLabel, &ServerConfig)> = servers.iter().collect();
    let mut checks = 0;
    loop {
        checks += 1;
        let answers = join_all(waiting.iter().map(|(label, config)| async move {
            match bound.take_first_check(label) {
                Some(first) => first,
                None => context.deps.pool.probe(label, config, context.cancel).await,
            }
        }))
        .await;
        let mut failed = Vec::new();
        let mut unauthenticated = false;
        for ((label, config), answer) in waiting.into_iter().zip(answers) {
            match answer {
                Ok(probed) => {
                    tracing::info!(server = %label, tools = probed.surface.tools.len(), check = checks, "server ready");
                    if bound.modes.get(label).is_none_or(|mode| *mode == WriteMode::ReadOnly) {
                        let tools = write_tools(&probed.surface);
                        if !tools.is_empty() {
                            return Err(lists_writes(label, &tools).into());
                        }
                    }
                    let names = probed.surface.tools.iter().map(|tool| tool.name().to_owned()).collect();
                    ready.tools.insert(label.clone(), names);
                    ready.servers.push(probed.observation);
                }
                Err(error) => {
                    let reason = context.scrubber.text(&error.to_string());
                    tracing::warn!(server = %label, check = checks, %reason, "server not ready");
                    unauthenticated |= error.is_authentication();
                    if error.is_off_tape() {
                        return Err(Ending::permanent(Broke::Collection, reason).into());
                    }
                    failed.push((label, config, reason, may_pass(&error)));
                }
            }
        }
        if failed.is_empty() {
            return Ok(ready);
        }
        let reasons: Vec<String> = failed.iter().map(|(_, _, reason, _)| reason.clone()).collect();
        let reason = reasons.join("; ");
        let not_ready = || NotReady { ending: not_ready(&reason, checks), unauthenticated };
        // One server that waiting cannot help is enough: the batch will not start without it.
        let can_wait = !context.cancel.is_cancelled() && failed.iter().all(|(.., may_pass)| *may_pass);
        let delay = context.delays.get(checks - 1).copied().filter(|_| can_wait);
        let Some(delay) = delay else { return Err(not_ready()) };
        (context.on_wait)(reason.clone(), delay);
        if context.cancel.run_until_cancelled(tokio::time::sleep(delay)).await.is_none() {
            return Err(not_ready());
        }
        waiting = failed.into_iter().map(|(label, config, ..)| (label, config)).collect();
    }
}

/// What a check works with.
pub(crate) struct CheckContext<'a> {
    pub(crate) deps: &'a RunDeps,
    pub(crate) delays: &'a [Duration],
    pub(crate) scrubber: &'a Scrubber,
    pub(crate) cancel: &'a CancellationToken,
    pub(crate) on_wait: OnWait<'a>,
}

/// Returns whether waiting can help: a program that cannot be started, or a setting that cannot be used, stays so.
fn may_pass(error: &McpError) -> bool {
    !matches!(error.fault, Fault::Spawn { .. } | Fault::Setting { .. } | Fault::MissingToken { .. })
}

fn not_ready(reason: &str, checks: usize) -> Ending {
    let times = match checks {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        n => format!("{n} times"),
    };
    Ending::retryable(Broke::Setup, format!("MCP server not ready, so no trial was sent: {reason}. Checked {times}."))
}

fn lists_writes(label: &ServerLabel, tools: &[String]) -> Ending {
    Ending::permanent(
        Broke::Setup,
        format!(
            "MST can't see this server's writes, so no trial was sent: {:?} lists tools that aren't read-only ({})",
            label.as_str(),
            tools.join(", ")
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_says_how_often_the_server_was_checked() {
        let Ending::Infrastructure { broke, retryable, reason } = not_ready("search listed no tools", 3) else {
            panic!("not an infrastructure ending")
        };
        assert_eq!((broke, retryable), (Broke::Setup, true));
        assert_eq!(reason, "MCP server not ready, so no trial was sent: search listed no tools. Checked 3 times.");
    }
}
