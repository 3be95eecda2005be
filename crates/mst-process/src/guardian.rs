//! The guardian: a process of its own that starts programs for a run and outlives it just long enough to end them.
//!
//! It is in a session of its own, so that no terminal signals it, heeds no request to end, and writes nothing. Its only tie
//! is a socket on its stdin. When that closes, the run is over, however it ended. As a *child subreaper* it becomes the
//! parent of every orphan among its descendants: nothing that it started can get away from it, whatever groups and
//! sessions it makes, and when it has no child left, nothing is left at all.

use std::collections::HashMap;
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::net::UnixStream as StdUnixStream;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitOptions, getpgid, getpid, getsid, kill_process, kill_process_group};
use tokio::net::UnixStream;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use crate::lineage::{children, descendants, was_started_with};
use crate::program::{Program, Stream};
use crate::wire::{Report, Request, receive, send};

/// The variable that marks what a program starts, so that it is known for its own once it has left the program's group.
const MARK: &str = "MST_STARTED_AS";
/// How often the remains of a program are looked at.
const SWEEP: Duration = Duration::from_millis(5);
/// How long the last descendants are waited for; only the kernel can hold one that is killed.
const LAST: Duration = Duration::from_mins(1);

/// Why there is no guardian.
#[derive(Debug, thiserror::Error)]
pub enum GuardError {
    /// Stdin leads to no run.
    #[error("stdin is no socket of a run")]
    NoRun,
    /// The system refused something.
    #[error("the guardian cannot work")]
    System(#[from] io::Error),
}

/// Serves a run as its guardian until the run is over and nothing is left of what it started.
///
/// # Errors
/// When stdin is no socket, or the system refuses what a guardian needs.
pub fn guard() -> Result<(), GuardError> {
    let socket = io::stdin().as_fd().try_clone_to_owned()?;
    if rustix::net::sockopt::socket_domain(&socket) != Ok(rustix::net::AddressFamily::UNIX) {
        return Err(GuardError::NoRun);
    }
    // It fails for the leader of a group, as when a shell has started it: then it has a group of its own at least.
    rustix::process::setsid().ok();
    rustix::process::set_child_subreaper(Some(getpid())).map_err(io::Error::from)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(serve(socket))?;
    Ok(())
}

async fn serve(socket: OwnedFd) -> io::Result<()> {
    // A signal with a listener does not end the process. Programs start with the defaults all the same.
    let _deaf = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup(), SignalKind::quit()]
        .map(|kind| signal(kind).ok());
    let mut child_ended = signal(SignalKind::child())?;
    let socket = StdUnixStream::from(socket);
    socket.set_nonblocking(true)?;
    let socket = Arc::new(UnixStream::from_std(socket)?);
    let (requests, mut asked) = mpsc::channel(64);
    let (outbox, reports) = mpsc::unbounded_channel();
    let mut ward = Ward { own: getpid(), charges: HashMap::new(), outbox };
    ward.report(Report::Ready);
    let mut talking = JoinSet::new();
    talking.spawn(listen(Arc::clone(&socket), requests));
    talking.spawn(tell(socket, reports));
    loop {
        tokio::select! {
            request = asked.recv() => match request {
                Some((request, pipes)) => ward.take(request, pipes),
                None => break,
            },
            _ = child_ended.recv() => ward.look(),
            () = tokio::time::sleep(SWEEP), if ward.is_sweeping() => ward.look(),
        }
    }
    ward.end_all();
    Ok(())
}

/// Hands on requests; the channel closes when the run is gone.
async fn listen(socket: Arc<UnixStream>, requests: mpsc::Sender<(Request, Vec<OwnedFd>)>) {
    while let Ok(Some(request)) = receive(&socket).await {
        if requests.send(request).await.is_err() {
            return;
        }
    }
}

async fn tell(socket: Arc<UnixStream>, mut reports: mpsc::UnboundedReceiver<Report>) {
    while let Some(report) = reports.recv().await {
        if send(&socket, &report, &[]).await.is_err() {
            return;
        }
    }
}

/// What the guardian looks after.
struct Ward {
    own: Pid,
    charges: HashMap<u64, Charge>,
    outbox: mpsc::UnboundedSender<Report>,
}

/// A program that was started.
struct Charge {
    leader: Pid,
    mark: String,
    exited: bool,
}

impl Ward {
    fn report(&self, report: Report) {
        // When nobody reads it, the run is gone, which the socket tells too.
        self.outbox.send(report).ok();
    }

    fn take(&mut self, request: Request, pipes: Vec<OwnedFd>) {
        match request {
            Request::Start { id, program } => self.start(id, &program, pipes),
            Request::Terminate { id } => {
                if let Some(charge) = self.charges.get(&id).filter(|charge| !charge.exited) {
                    kill_process_group(charge.leader, Signal::TERM).ok();
                }
            }
            Request::Kill { id } => {
                if let Some(charge) = self.charges.get(&id).filter(|charge| !charge.exited) {
                    charge.kill();
                }
            }
        }
    }

    fn start(&mut self, id: u64, program: &Program, pipes: Vec<OwnedFd>) {
        let mark = format!("{}.{id}", self.own.as_raw_nonzero());
        let report = match spawn(program, &mark, pipes) {
            Ok(leader) => {
                self.charges.insert(id, Charge { leader, mark: format!("{MARK}={mark}"), exited: false });
                Report::Started { id, pid: leader.as_raw_nonzero().get().cast_unsigned() }
            }
            Err(error) => Report::Failed { id, code: error.raw_os_error(), words: error.to_string() },
        };
        self.report(report);
    }

    /// Reaps what has ended, and kills what is left of programs that have.
    fn look(&mut self) {
        while let Ok(Some((pid, status))) = rustix::process::wait(WaitOptions::NOHANG) {
            let ended = self.charges.iter_mut().find(|(_, charge)| charge.leader == pid && !charge.exited);
            if let Some((id, charge)) = ended {
                charge.exited = true;
                // Its descendants go with it, those in its group at once.
                kill_process_group(pid, Signal::KILL).ok();
                let report = Report::Exited { id: *id, status: status.as_raw() };
                self.report(report);
            }
        }
        if !self.is_sweeping() {
            return;
        }
        let leads = |pid: &Pid| self.charges.values().any(|charge| charge.leader == *pid && !charge.exited);
        let orphans: Vec<Pid> = children(self.own).into_iter().filter(|pid| !leads(pid)).collect();
        let ended = self.charges.iter().filter(|(_, charge)| charge.exited);
        let over: Vec<u64> = ended.filter(|(_, charge)| !charge.kill_orphans(&orphans)).map(|(id, _)| *id).collect();
        for id in over {
            self.charges.remove(&id);
            self.report(Report::Over { id });
        }
    }

    /// Returns whether a program has ended whose descendants may be alive.
    fn is_sweeping(&self) -> bool {
        self.charges.values().any(|charge| charge.exited)
    }

    /// Kills everything until nothing is left.
    fn end_all(&self) {
        let begun = Instant::now();
        while begun.elapsed() < LAST {
            for charge in self.charges.values().filter(|charge| !charge.exited) {
                kill_process_group(charge.leader, Signal::KILL).ok();
            }
            for pid in descendants(self.own) {
                kill_process(pid, Signal::KILL).ok();
            }
            loop {
                match rustix::process::wait(WaitOptions::NOHANG) {
                    // Each orphan becomes a child of ours: without children there is nobody.
                    Err(Errno::CHILD) => return,
                    Ok(Some(_)) => {}
                    Ok(None) | Err(_) => break,
                }
            }
            std::thread::sleep(SWEEP);
        }
    }
}

impl Charge {
    /// Kills the program and its descendants, those that left its group too.
    fn kill(&self) {
        let all = descendants(self.leader);
        kill_process_group(self.leader, Signal::KILL).ok();
        for pid in all {
            kill_process(pid, Signal::KILL).ok();
        }
    }

    /// Kills those orphans that descend from the program. Returns whether there was one.
    fn kill_orphans(&self, orphans: &[Pid]) -> bool {
        let mut any = false;
        for orphan in orphans.iter().filter(|orphan| self.owns(**orphan)) {
            any = true;
            for pid in descendants(*orphan).into_iter().chain([*orphan]) {
                kill_process(pid, Signal::KILL).ok();
            }
        }
        any
    }

    fn owns(&self, orphan: Pid) -> bool {
        getpgid(Some(orphan)) == Ok(self.leader)
            || getsid(Some(orphan)) == Ok(self.leader)
            || was_started_with(orphan, &self.mark)
    }
}

#[expect(clippy::disallowed_methods, reason = "the door through which programs start")]
fn spawn(program: &Program, mark: &str, pipes: Vec<OwnedFd>) -> io::Result<Pid> {
    let mut pipes = pipes.into_iter();
    let mut next = |stream: Stream| match stream {
        Stream::Piped => pipes.next().map(Stdio::from).ok_or_else(|| io::Error::other("a pipe is missing")),
        Stream::Null => Ok(Stdio::null()),
    };
    let mut command = Command::new(&program.command);
    command.args(&program.args).env_clear().envs(&program.env).env(MARK, mark).process_group(0);
    command.stdin(next(program.stdin)?).stdout(next(program.stdout)?).stderr(next(program.stderr)?);
    if let Some(cwd) = &program.cwd {
        command.current_dir(cwd);
    }
    // It is reaped with everything else; a child that is dropped is neither waited for nor killed.
    let child = command.spawn()?;
    Ok(Pid::from_child(&child))
}
