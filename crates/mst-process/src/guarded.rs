//! The run's side of the guardian: programs that it starts and looks after.

use std::collections::HashMap;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream as StdUnixStream;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{ExitStatus, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use process_wrap::tokio::{ChildWrapper, CommandWrap};
use rustix::process::{Pid, Signal, kill_process_group, test_kill_process};
use tokio::net::UnixStream;
use tokio::net::unix::pipe;
use tokio::sync::{Mutex as AsyncMutex, mpsc, watch};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::launcher::GuardianProgram;
use crate::process::{InPipe, Kind, OutPipe, Process, Started};
use crate::program::{Program, Stream};
use crate::wire::{Report, Request, receive, send};

/// How long the guardian may take to be ready, and to be gone.
const PATIENCE: Duration = Duration::from_secs(2);
/// How long what is left of a program is waited for.
const AFTER_KILL: Duration = Duration::from_secs(1);
/// How often a process is looked at that nobody reports about any more.
const LOOK: Duration = Duration::from_millis(50);

/// The guardian of this process.
#[derive(Debug)]
pub(crate) struct Guardian {
    shared: Arc<Shared>,
    last_id: AtomicU64,
    inner: AsyncMutex<Inner>,
}

#[derive(Debug)]
struct Inner {
    program: Option<Box<dyn ChildWrapper>>,
    tasks: JoinSet<()>,
}

#[derive(Debug)]
struct Shared {
    /// Closed when the run needs no guardian any more.
    outbox: Mutex<Option<mpsc::UnboundedSender<Letter>>>,
    /// What is known of each program.
    programs: Mutex<HashMap<u64, watch::Sender<State>>>,
    /// The guardian is gone.
    lost: CancellationToken,
}

/// A request with the pipes that go along.
struct Letter {
    request: Request,
    pipes: Vec<OwnedFd>,
}

/// What is known of a program.
#[derive(Clone, Debug)]
enum State {
    Asked,
    Failed { code: Option<i32>, words: String },
    Runs(u32),
    Exited(i32),
    Over(Option<i32>),
}

/// Why a program was not started.
pub(crate) enum NotStarted {
    /// It cannot be.
    Program(io::Error),
    /// There is no guardian any more.
    Lost,
}

impl Guardian {
    /// Starts the guardian, with no environment and no hold on our terminal, and waits until it is ready.
    pub(crate) async fn start_from(program: &GuardianProgram) -> io::Result<Self> {
        let (ours, theirs) = StdUnixStream::pair()?;
        ours.set_nonblocking(true)?;
        let mut command = CommandWrap::with_new(&program.path, |command| {
            command.args(&program.args).env_clear();
            command.stdin(OwnedFd::from(theirs)).stdout(Stdio::null()).stderr(Stdio::null());
        });
        let child = command.spawn()?;
        // The command keeps the guardian's end open until it is dropped.
        drop(command);
        let stream = UnixStream::from_std(ours)?;
        match tokio::time::timeout(PATIENCE, receive(&stream)).await {
            Ok(Ok(Some((Report::Ready, _)))) => {}
            Ok(Err(error)) => return Err(error),
            Ok(Ok(_)) => return Err(io::Error::other("the guardian ended at once")),
            Err(_) => return Err(io::Error::other("the guardian did not answer")),
        }
        let (outbox, inbox) = mpsc::unbounded_channel();
        let lost = CancellationToken::new();
        let shared = Arc::new(Shared { outbox: Mutex::new(Some(outbox)), programs: Mutex::default(), lost });
        let mut tasks = JoinSet::new();
        let stream = Arc::new(stream);
        tasks.spawn(write(Arc::clone(&stream), inbox));
        tasks.spawn(read(stream, Arc::clone(&shared)));
        let inner = AsyncMutex::new(Inner { program: Some(child), tasks });
        Ok(Self { shared, last_id: AtomicU64::new(0), inner })
    }

    /// Has a program started.
    pub(crate) async fn start(self: &Arc<Self>, program: &Program) -> Result<Started, NotStarted> {
        if self.shared.lost.is_cancelled() {
            return Err(NotStarted::Lost);
        }
        let pipes = Pipes::open(program).map_err(NotStarted::Program)?;
        let id = self.last_id.fetch_add(1, Ordering::Relaxed);
        let (sender, mut state) = watch::channel(State::Asked);
        self.shared.programs().insert(id, sender);
        // Kills the program if nobody waits for its start any more.
        let asked = Reins { id, pid: None, shared: Arc::clone(&self.shared) };
        let unwanted = KillUnlessKept(Some(asked));
        if !self.shared.send(Request::Start { id, program: program.clone() }, pipes.theirs) {
            return Err(NotStarted::Lost);
        }
        let known = state.wait_for(|state| !matches!(state, State::Asked)).await.map(|state| State::clone(&state));
        let pid = match known {
            Ok(State::Failed { code, words }) => {
                let error = code.map_or_else(|| io::Error::other(words), io::Error::from_raw_os_error);
                return Err(NotStarted::Program(error));
            }
            Ok(State::Runs(pid)) => Some(pid),
            // It ended before anyone looked.
            Ok(_) => None,
            Err(_) => return Err(NotStarted::Lost),
        };
        let reins = Reins { pid, ..unwanted.keep() };
        let child = Child { reins, state, _guardian: Arc::clone(self) };
        Ok(Started {
            stdin: pipes.stdin,
            stdout: pipes.stdout,
            stderr: pipes.stderr,
            process: Process { kind: Kind::Guarded(child) },
        })
    }

    /// Ends the guardian with all that it looks after.
    pub(crate) async fn close(&self) {
        drop(self.shared.outbox.lock().unwrap_or_else(PoisonError::into_inner).take());
        let mut inner = self.inner.lock().await;
        let Some(mut program) = inner.program.take() else { return };
        let over = async {
            self.shared.lost.cancelled().await;
            program.wait().await
        };
        tokio::time::timeout(PATIENCE, over).await.ok();
        inner.tasks.shutdown().await;
    }
}

impl Shared {
    fn programs(&self) -> MutexGuard<'_, HashMap<u64, watch::Sender<State>>> {
        self.programs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends a request; `false` when there is no guardian any more.
    fn send(&self, request: Request, pipes: Vec<OwnedFd>) -> bool {
        if self.lost.is_cancelled() {
            return false;
        }
        let outbox = self.outbox.lock().unwrap_or_else(PoisonError::into_inner);
        outbox.as_ref().is_some_and(|outbox| outbox.send(Letter { request, pipes }).is_ok())
    }

    fn take(&self, report: Report) {
        let mut programs = self.programs();
        let (id, state) = match report {
            Report::Ready => return,
            Report::Started { id, pid } => (id, State::Runs(pid)),
            Report::Failed { id, code, words } => (id, State::Failed { code, words }),
            Report::Exited { id, status } => (id, State::Exited(status)),
            Report::Over { id } => {
                if let Some(known) = programs.remove(&id) {
                    known.send_modify(|state| {
                        let status = if let State::Exited(status) = state { Some(*status) } else { None };
                        *state = State::Over(status);
                    });
                }
                return;
            }
        };
        let is_failure = matches!(state, State::Failed { .. });
        if let Some(known) = programs.get(&id) {
            known.send_replace(state);
        }
        if is_failure {
            programs.remove(&id);
        }
    }
}

/// Sends what is asked for. Its end is what tells the guardian that the run needs it no more.
async fn write(stream: Arc<UnixStream>, mut inbox: mpsc::UnboundedReceiver<Letter>) {
    while let Some(letter) = inbox.recv().await {
        if send(&stream, &letter.request, &letter.pipes).await.is_err() {
            return;
        }
    }
    rustix::net::shutdown(&*stream, rustix::net::Shutdown::Write).ok();
}

/// Takes reports until the guardian is gone.
async fn read(stream: Arc<UnixStream>, shared: Arc<Shared>) {
    while let Ok(Some((report, _))) = receive(&stream).await {
        shared.take(report);
    }
    shared.lost.cancel();
    if shared.outbox.lock().unwrap_or_else(PoisonError::into_inner).is_some() {
        tracing::warn!("the guardian is gone: programs are ended by their group alone from here on");
    }
    // Whoever waits for a report sees the channel's end.
    shared.programs().clear();
}

/// Both ends of a program's pipes.
#[derive(Default)]
struct Pipes {
    stdin: Option<InPipe>,
    stdout: Option<OutPipe>,
    stderr: Option<OutPipe>,
    theirs: Vec<OwnedFd>,
}

impl Pipes {
    fn open(program: &Program) -> io::Result<Self> {
        let mut pipes = Self::default();
        if program.stdin == Stream::Piped {
            let (theirs, ours) = io::pipe()?;
            pipes.stdin = Some(Box::new(pipe::Sender::from_owned_fd(ours.into())?));
            pipes.theirs.push(theirs.into());
        }
        pipes.stdout = pipes.output(program.stdout)?;
        pipes.stderr = pipes.output(program.stderr)?;
        Ok(pipes)
    }

    fn output(&mut self, stream: Stream) -> io::Result<Option<OutPipe>> {
        if stream == Stream::Null {
            return Ok(None);
        }
        let (ours, theirs) = io::pipe()?;
        self.theirs.push(theirs.into());
        Ok(Some(Box::new(pipe::Receiver::from_owned_fd(ours.into())?)))
    }
}

/// A program that the guardian started.
#[derive(Debug)]
pub(crate) struct Child {
    reins: Reins,
    state: watch::Receiver<State>,
    /// The guardian ends everything when nobody holds it any more.
    _guardian: Arc<Guardian>,
}

impl Child {
    pub(crate) fn id(&self) -> Option<u32> {
        self.reins.pid
    }

    pub(crate) fn reins(&self) -> Reins {
        self.reins.clone()
    }

    pub(crate) async fn exited(&mut self) -> Option<ExitStatus> {
        let ended = self.state.wait_for(|state| matches!(state, State::Exited(_) | State::Over(_))).await;
        let Ok(ended) = ended.map(|state| State::clone(&state)) else {
            self.reins.gone().await;
            return None;
        };
        match ended {
            State::Exited(status) | State::Over(Some(status)) => Some(ExitStatus::from_raw(status)),
            _ => None,
        }
    }

    pub(crate) async fn over(&mut self) {
        let over = async {
            if self.state.wait_for(|state| matches!(state, State::Over(_))).await.is_err() {
                self.reins.kill();
                self.reins.gone().await;
            }
        };
        tokio::time::timeout(AFTER_KILL, over).await.ok();
    }
}

/// A hold on a program.
#[derive(Clone, Debug)]
pub(crate) struct Reins {
    id: u64,
    pid: Option<u32>,
    shared: Arc<Shared>,
}

impl Reins {
    pub(crate) fn terminate(&self) {
        self.signal(Request::Terminate { id: self.id }, Signal::TERM);
    }

    pub(crate) fn kill(&self) {
        self.signal(Request::Kill { id: self.id }, Signal::KILL);
    }

    /// Has a signal sent; without a guardian the group gets it from here.
    fn signal(&self, request: Request, signal: Signal) {
        if !self.shared.lost.is_cancelled() && !self.shared.programs().contains_key(&self.id) {
            return;
        }
        if !self.shared.send(request, Vec::new())
            && let Some(pid) = self.leader()
        {
            kill_process_group(pid, signal).ok();
        }
    }

    /// Waits for the end of a process about which nobody reports any more. It is no child of ours.
    async fn gone(&self) {
        let Some(pid) = self.leader() else { return };
        while test_kill_process(pid).is_ok() {
            tokio::time::sleep(LOOK).await;
        }
    }

    fn leader(&self) -> Option<Pid> {
        Pid::from_raw(i32::try_from(self.pid?).ok()?)
    }
}

/// Kills a program whose start is no longer waited for.
struct KillUnlessKept(Option<Reins>);

impl KillUnlessKept {
    fn keep(mut self) -> Reins {
        self.0.take().expect("it is taken once, here")
    }
}

impl Drop for KillUnlessKept {
    fn drop(&mut self) {
        if let Some(reins) = &self.0 {
            reins.kill();
        }
    }
}
