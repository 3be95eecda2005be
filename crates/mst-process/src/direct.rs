//! A program that this process starts itself, ended by its process group.

use std::io;
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use process_wrap::tokio::{ChildWrapper, CommandWrap, KillOnDrop};

use crate::process::{InPipe, Kind, OutPipe, Process, Started};
use crate::program::{Program, Stream};

/// How long a killed process is waited for.
const AFTER_KILL: Duration = Duration::from_millis(500);

/// Starts a program as the leader of a group of its own.
pub(crate) fn start(program: &Program) -> io::Result<Started> {
    let mut command = CommandWrap::with_new(&program.command, |command| {
        command
            .args(&program.args)
            .env_clear()
            .envs(&program.env)
            .stdin(stdio(program.stdin))
            .stdout(stdio(program.stdout))
            .stderr(stdio(program.stderr));
        if let Some(cwd) = &program.cwd {
            command.current_dir(cwd);
        }
    });
    command.wrap(KillOnDrop);
    #[cfg(unix)]
    command.wrap(process_wrap::tokio::ProcessGroup::leader());
    #[cfg(windows)]
    command.wrap(process_wrap::tokio::JobObject);
    let mut child = command.spawn()?;
    let (stdin, stdout, stderr) = (child.stdin().take(), child.stdout().take(), child.stderr().take());
    let group = Arc::new(Group { leader: child.id(), over: AtomicBool::new(false) });
    Ok(Started {
        stdin: stdin.map(|pipe| Box::new(pipe) as InPipe),
        stdout: stdout.map(|pipe| Box::new(pipe) as OutPipe),
        stderr: stderr.map(|pipe| Box::new(pipe) as OutPipe),
        process: Process { kind: Kind::Direct(Child { child, group }) },
    })
}

fn stdio(stream: Stream) -> Stdio {
    match stream {
        Stream::Piped => Stdio::piped(),
        Stream::Null => Stdio::null(),
    }
}

/// The process.
#[derive(Debug)]
pub(crate) struct Child {
    child: Box<dyn ChildWrapper>,
    group: Arc<Group>,
}

impl Child {
    pub(crate) fn id(&self) -> Option<u32> {
        self.group.leader
    }

    pub(crate) fn group(&self) -> Arc<Group> {
        Arc::clone(&self.group)
    }

    /// Waits for the process itself; the wrapper would also wait for descendants that nobody has ended yet.
    pub(crate) async fn exited(&mut self) -> Option<ExitStatus> {
        self.child.inner_mut().wait().await.ok()
    }

    pub(crate) async fn over(&mut self) {
        self.group.kill();
        #[cfg(not(unix))]
        self.child.start_kill().ok();
        tokio::time::timeout(AFTER_KILL, self.exited()).await.ok();
        self.group.finish().await;
        // Where orphans become ours (as a container's first process), those of the group are reaped by this.
        tokio::time::timeout(AFTER_KILL, self.child.wait()).await.ok();
    }
}

/// The process group that a program leads.
#[derive(Debug)]
pub(crate) struct Group {
    leader: Option<u32>,
    /// The group is empty, so that its id may be given to others.
    over: AtomicBool,
}

impl Group {
    /// Kills what is left once the leader has been reaped, and waits a moment until the group is empty.
    async fn finish(&self) {
        for _ in 0..100 {
            self.kill();
            if self.is_empty() {
                break;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        self.over.store(true, Ordering::Release);
    }
}

#[cfg(unix)]
impl Group {
    pub(crate) fn terminate(&self) {
        self.signal(rustix::process::Signal::TERM);
    }

    pub(crate) fn kill(&self) {
        self.signal(rustix::process::Signal::KILL);
    }

    fn signal(&self, signal: rustix::process::Signal) {
        if let Some(group) = self.id() {
            // It fails when nobody is left, which is what was wanted.
            rustix::process::kill_process_group(group, signal).ok();
        }
    }

    fn is_empty(&self) -> bool {
        self.id().is_none_or(|group| rustix::process::test_kill_process_group(group).is_err())
    }

    fn id(&self) -> Option<rustix::process::Pid> {
        if self.over.load(Ordering::Acquire) {
            return None;
        }
        rustix::process::Pid::from_raw(i32::try_from(self.leader?).ok()?)
    }
}

/// Elsewhere the job object of the process ends its descendants, when the handle is dropped.
#[cfg(not(unix))]
impl Group {
    pub(crate) fn terminate(&self) {}

    pub(crate) fn kill(&self) {}

    fn is_empty(&self) -> bool {
        self.leader.is_none() || self.over.load(Ordering::Acquire)
    }
}
