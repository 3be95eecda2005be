//! A server's process, watched from start to end: no path leaves it or what it started behind.

use std::process::ExitStatus;
use std::sync::Arc;
use std::time::Duration;

use mst_process::Process;

use super::stdio::{Shared, closed};
use crate::failure::CallFailure;

/// How long a server may take to end by itself once its stdin is closed.
const AFTER_STDIN: Duration = Duration::from_millis(400);
/// How long it may take to end once it got SIGTERM.
const AFTER_TERM: Duration = Duration::from_millis(300);
/// How long a killed process is waited for.
const AFTER_KILL: Duration = Duration::from_secs(1);
/// How long the last output of a process that ended is waited for; a descendant may hold its pipes open.
const LAST_WORDS: Duration = Duration::from_millis(300);
/// How long a server that closed its stdout may take to end before it counts as gone.
const AFTER_STDOUT: Duration = Duration::from_secs(1);

/// Watches the process until it has ended, and ends it when asked to.
pub(super) async fn watch(mut process: Process, shared: Arc<Shared>) {
    let Shared { pending, group, stop, stdout_closed, .. } = &*shared;
    let _over = shared.over.clone().drop_guard();
    let exit = tokio::select! {
        status = process.exited() => Some(status),
        () = stop.cancelled() => None,
        () = stdout_closed.cancelled() => outlive_stdout(&mut process, &shared).await,
    };
    if let Some(status) = exit {
        // Its descendants hold the pipes and may live on: they go with it.
        group.kill();
        let closed = async { tokio::join!(stdout_closed.cancelled(), shared.stderr_closed.cancelled()) };
        tokio::time::timeout(LAST_WORDS, closed).await.ok();
        pending.end(CallFailure::ServerGone { exit: ended(status), stderr_tail: shared.tail.text() });
    } else {
        pending.end(closed());
        end(&mut process, &shared).await;
    }
    process.over().await;
    stop.cancel();
}

/// Waits for a process that closed its stdout, from which no answer can come any more; `None` when it is to be ended.
async fn outlive_stdout(process: &mut Process, shared: &Shared) -> Option<Option<ExitStatus>> {
    if let Ok(status) = tokio::time::timeout(AFTER_STDOUT, process.exited()).await {
        return Some(status);
    }
    let exit = "closed its stdout".to_owned();
    shared.pending.end(CallFailure::ServerGone { exit, stderr_tail: shared.tail.text() });
    shared.stop.run_until_cancelled(process.exited()).await
}

/// Ends a process whose stdin has been closed.
async fn end(process: &mut Process, shared: &Shared) {
    let polite = async {
        if tokio::time::timeout(AFTER_STDIN, process.exited()).await.is_ok() {
            return;
        }
        shared.group.terminate();
        tokio::time::timeout(AFTER_TERM, process.exited()).await.ok();
    };
    shared.hurry.run_until_cancelled(polite).await;
    shared.group.kill();
    tokio::time::timeout(AFTER_KILL, process.exited()).await.ok();
}

/// Returns how a process ended, as the rest of a sentence.
fn ended(status: Option<ExitStatus>) -> String {
    let Some(status) = status else { return "ended".to_owned() };
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return format!("was ended by signal {signal}");
    }
    status.code().map_or_else(|| "ended".to_owned(), |code| format!("exited with status {code}"))
}
