//! A server's process, watched from start to end: no path leaves it or its group behind.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;

use process_wrap::tokio::{ChildWrapper, CommandWrap, KillOnDrop};

use super::group::ended;
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

/// How a process is started.
#[derive(Debug)]
pub(crate) struct Program {
    pub(crate) command: String,
    pub(crate) args: Vec<String>,
    pub(crate) cwd: Option<PathBuf>,
    pub(crate) env: BTreeMap<String, String>,
    pub(crate) quiet: bool,
}

/// Starts a program as the leader of a group of its own.
pub(super) fn spawn(program: &Program) -> std::io::Result<Box<dyn ChildWrapper>> {
    let mut command = CommandWrap::with_new(&program.command, |command| {
        command
            .args(&program.args)
            .env_clear()
            .envs(&program.env)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(if program.quiet { Stdio::null() } else { Stdio::piped() });
        if let Some(cwd) = &program.cwd {
            command.current_dir(cwd);
        }
    });
    command.wrap(KillOnDrop);
    #[cfg(unix)]
    command.wrap(process_wrap::tokio::ProcessGroup::leader());
    #[cfg(windows)]
    command.wrap(process_wrap::tokio::JobObject);
    command.spawn()
}

/// Watches the process until it has ended, and ends it when asked to.
pub(super) async fn watch(mut child: Box<dyn ChildWrapper>, shared: Arc<Shared>) {
    let Shared { pending, group, stop, stdout_closed, .. } = &*shared;
    let _over = shared.over.clone().drop_guard();
    let exit = tokio::select! {
        status = leader(&mut *child) => Some(status.ok()),
        () = stop.cancelled() => None,
        () = stdout_closed.cancelled() => outlive_stdout(&mut *child, &shared).await,
    };
    if let Some(status) = exit {
        // Its descendants hold the pipes and may live on: they go with it.
        group.kill();
        let closed = async { tokio::join!(stdout_closed.cancelled(), shared.stderr_closed.cancelled()) };
        tokio::time::timeout(LAST_WORDS, closed).await.ok();
        pending.end(CallFailure::ServerGone { exit: ended(status), stderr_tail: shared.tail.text() });
    } else {
        pending.end(closed());
        end(&mut *child, &shared).await;
    }
    group.finish().await;
    // Where orphans become ours (as a container's first process), those of the group are reaped by this.
    tokio::time::timeout(AFTER_KILL, child.wait()).await.ok();
    stop.cancel();
}

/// Waits for the process itself; the wrapper would also wait for descendants that nobody has ended yet.
async fn leader(child: &mut dyn ChildWrapper) -> std::io::Result<ExitStatus> {
    child.inner_mut().wait().await
}

/// Waits for a process that closed its stdout, from which no answer can come any more; `None` when it is to be ended.
async fn outlive_stdout(child: &mut dyn ChildWrapper, shared: &Shared) -> Option<Option<ExitStatus>> {
    if let Ok(status) = tokio::time::timeout(AFTER_STDOUT, leader(child)).await {
        return Some(status.ok());
    }
    let exit = "closed its stdout".to_owned();
    shared.pending.end(CallFailure::ServerGone { exit, stderr_tail: shared.tail.text() });
    shared.stop.run_until_cancelled(leader(child)).await.map(Result::ok)
}

/// Ends a process whose stdin has been closed.
async fn end(child: &mut dyn ChildWrapper, shared: &Shared) {
    let polite = async {
        if tokio::time::timeout(AFTER_STDIN, leader(child)).await.is_ok() {
            return;
        }
        shared.group.terminate();
        tokio::time::timeout(AFTER_TERM, leader(child)).await.ok();
    };
    shared.hurry.run_until_cancelled(polite).await;
    shared.group.kill();
    #[cfg(not(unix))]
    child.start_kill().ok();
    tokio::time::timeout(AFTER_KILL, leader(child)).await.ok();
}
