//! A connection over a process's stdin and stdout.
//!
//! A request is raced against the process's death, stderr is always drained, and lines that are no message are counted
//! and skipped.

use std::sync::Arc;

use mst_process::{Group, InPipe, Launcher, OutPipe, Program, Started};
use serde::Serialize;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::sync::{Mutex, mpsc};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::pending::{Delivery, Pending};
use super::process::watch;
use super::tail::Tail;
use super::{Request, Wait};
use crate::failure::CallFailure;
use crate::host::Host;
use crate::message::{self, Incoming, LONGEST_MESSAGE, NoMessage};
use crate::notes::quoted;

/// The connection.
#[derive(Debug)]
pub(crate) struct StdioLink {
    shared: Arc<Shared>,
    outbox: mpsc::UnboundedSender<Vec<u8>>,
    tasks: Mutex<JoinSet<()>>,
}

/// What the connection's tasks share.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) pending: Pending,
    pub(super) host: Arc<Host>,
    pub(super) tail: Tail,
    pub(super) group: Group,
    /// Asks the tasks to end.
    pub(super) stop: CancellationToken,
    /// Leaves the process no time to end by itself.
    pub(super) hurry: CancellationToken,
    pub(super) stdout_closed: CancellationToken,
    pub(super) stderr_closed: CancellationToken,
    /// The process and its group are over.
    pub(super) over: CancellationToken,
}

impl StdioLink {
    /// Starts the program.
    pub(crate) async fn start(launcher: &Launcher, program: &Program, host: Arc<Host>) -> std::io::Result<Self> {
        let Started { stdin, stdout, stderr, process } = launcher.start(program).await?;
        let (outbox, inbox) = mpsc::unbounded_channel();
        let shared = Arc::new(Shared {
            pending: Pending::default(),
            host,
            tail: Tail::default(),
            group: process.group(),
            stop: CancellationToken::new(),
            hurry: CancellationToken::new(),
            stdout_closed: CancellationToken::new(),
            stderr_closed: CancellationToken::new(),
            over: CancellationToken::new(),
        });
        let mut tasks = JoinSet::new();
        if let Some(stdin) = stdin {
            tasks.spawn(write(stdin, inbox, shared.stop.clone()));
        }
        if let Some(stdout) = stdout {
            tasks.spawn(listen(stdout, outbox.clone(), Arc::clone(&shared)));
        }
        let drained = Arc::clone(&shared);
        tasks.spawn(async move {
            if let Some(stderr) = stderr {
                drained.tail.drain(stderr).await;
            }
            drained.stderr_closed.cancel();
        });
        tasks.spawn(watch(process, Arc::clone(&shared)));
        Ok(Self { shared, outbox, tasks: Mutex::new(tasks) })
    }

    /// Sends a request and waits for its answer, the process's end, the deadline or the caller.
    pub(crate) async fn request<P: Serialize>(&self, request: Request<'_, P>, wait: Wait<'_>) -> Delivery {
        let pending = &self.shared.pending;
        pending.take_unreadable();
        let mut ticket = pending.begin()?;
        let line = message::outgoing(Some(ticket.id), request.method, Some(request.params));
        if self.outbox.send(line).is_err() {
            return Err(pending.gone().unwrap_or_else(closed));
        }
        let failure = tokio::select! {
            biased;
            answer = &mut ticket.answer => return answer.unwrap_or_else(|_| Err(closed())),
            () = wait.cancel.cancelled() => CallFailure::Cancelled,
            () = tokio::time::sleep_until(wait.deadline) => {
                CallFailure::Timeout { after: wait.after, unreadable: pending.take_unreadable() }
            }
        };
        if request.cancellable {
            self.notify("notifications/cancelled", Some(super::CancelledParams { request_id: ticket.id }));
        }
        Err(failure)
    }

    /// Sends a request whose answer nobody waits for.
    pub(crate) fn begin<P: Serialize>(&self, request: Request<'_, P>) {
        if let Ok(ticket) = self.shared.pending.begin() {
            self.outbox.send(message::outgoing(Some(ticket.id), request.method, Some(request.params))).ok();
        }
    }

    /// Sends a notification.
    pub(crate) fn notify<P: Serialize>(&self, method: &str, params: Option<P>) {
        // It fails when the process is gone, which the next request tells.
        self.outbox.send(message::outgoing(None, method, params)).ok();
    }

    /// Returns how the connection ended, when it has.
    pub(crate) fn gone(&self) -> Option<CallFailure> {
        self.shared.pending.gone()
    }

    /// Ends the connection and the process with its group: politely within a second, or at once.
    pub(crate) async fn close(&self, at_once: bool) {
        if at_once {
            self.shared.hurry.cancel();
            self.shared.group.kill();
        }
        self.shared.stop.cancel();
        let mut tasks = self.tasks.lock().await;
        if !tasks.is_empty() {
            self.shared.over.cancelled().await;
            // A process that left the group may hold the pipes open for ever.
            tasks.shutdown().await;
        }
    }
}

impl Drop for StdioLink {
    fn drop(&mut self) {
        self.shared.group.kill();
    }
}

/// Tells of a request to a connection that was closed on this side.
pub(super) fn closed() -> CallFailure {
    CallFailure::NotSent { detail: "the connection was closed".to_owned() }
}

async fn write(mut stdin: InPipe, mut inbox: mpsc::UnboundedReceiver<Vec<u8>>, stop: CancellationToken) {
    let writing = async {
        while let Some(mut line) = inbox.recv().await {
            line.push(b'\n');
            if stdin.write_all(&line).await.is_err() || stdin.flush().await.is_err() {
                break;
            }
        }
    };
    // Dropping stdin is what tells the server to end.
    stop.run_until_cancelled(writing).await;
}

/// Reads lines until stdout ends.
async fn listen(stdout: OutPipe, outbox: mpsc::UnboundedSender<Vec<u8>>, shared: Arc<Shared>) {
    let mut reader = BufReader::with_capacity(64 * 1024, stdout);
    let mut line = Vec::new();
    loop {
        line.clear();
        line.shrink_to(1 << 20);
        let read = (&mut reader).take(LONGEST_MESSAGE as u64).read_until(b'\n', &mut line).await;
        if !matches!(read, Ok(1..)) {
            break;
        }
        if line.len() >= LONGEST_MESSAGE {
            let line = format!("{} (longer than 100 MB)", quoted(&line));
            shared.pending.end(CallFailure::Unreadable { line });
            break;
        }
        handle(&line, &outbox, &shared).await;
    }
    shared.stdout_closed.cancel();
}

async fn handle(line: &[u8], outbox: &mpsc::UnboundedSender<Vec<u8>>, shared: &Shared) {
    let Shared { pending, host, .. } = shared;
    let notes = &host.notes;
    let read = message::read(line);
    if read.repaired {
        notes.repaired();
    }
    let messages = match read.messages {
        Ok(messages) => messages,
        Err(NoMessage::Stray) => return notes.stray(line),
        Err(NoMessage::Unreadable) => {
            let line = quoted(line);
            notes.warn(format!("{} sent a line that could not be read: {line}", notes.label()));
            if !pending.fail_only(CallFailure::Unreadable { line: line.clone() }) {
                pending.keep_unreadable(line);
            }
            return;
        }
    };
    for message in messages {
        match message {
            Incoming::Response { id: Some(id), outcome } => {
                if !pending.deliver(id, outcome) {
                    notes.warn(format!("{} answered a request that was never sent", notes.label()));
                }
            }
            Incoming::Response { id: None, outcome } => {
                // An answer to something the server could not make out: only the sole request can have been meant.
                let failure =
                    outcome.err().unwrap_or(CallFailure::Malformed { detail: "a result without an id".to_owned() });
                if !pending.fail_only(failure) {
                    notes.warn(format!("{} sent an answer without an id", notes.label()));
                }
            }
            Incoming::Request { id, method, params } => {
                outbox.send(host.answer(&id, &method, &params).await).ok();
            }
            Incoming::Notification { method, params } => notes.notified(&method, &params),
        }
    }
}
