//! A program that was started.

use std::process::ExitStatus;
use std::sync::Arc;

use tokio::io::{AsyncRead, AsyncWrite};

use crate::direct;
#[cfg(target_os = "linux")]
use crate::guarded;

/// What a program reads.
pub type InPipe = Box<dyn AsyncWrite + Send + Unpin>;
/// What a program writes.
pub type OutPipe = Box<dyn AsyncRead + Send + Unpin>;

/// A program that was started, with the pipes that were asked for.
pub struct Started {
    /// Its stdin.
    pub stdin: Option<InPipe>,
    /// Its stdout.
    pub stdout: Option<OutPipe>,
    /// Its stderr.
    pub stderr: Option<OutPipe>,
    /// The process.
    pub process: Process,
}

/// A process and everything that descends from it. Dropping it kills them.
#[derive(Debug)]
pub struct Process {
    pub(crate) kind: Kind,
}

#[derive(Debug)]
pub(crate) enum Kind {
    Direct(direct::Child),
    #[cfg(target_os = "linux")]
    Guarded(guarded::Child),
}

/// A hold on a process and its descendants. It does not keep them alive, and outlives them.
#[derive(Clone, Debug)]
pub struct Group {
    kind: GroupKind,
}

#[derive(Clone, Debug)]
enum GroupKind {
    Direct(Arc<direct::Group>),
    #[cfg(target_os = "linux")]
    Guarded(guarded::Reins),
}

impl Process {
    /// Returns the process's id; absent when it has ended already.
    pub fn id(&self) -> Option<u32> {
        match &self.kind {
            Kind::Direct(child) => child.id(),
            #[cfg(target_os = "linux")]
            Kind::Guarded(child) => child.id(),
        }
    }

    /// Returns a hold on the process and its descendants.
    pub fn group(&self) -> Group {
        let kind = match &self.kind {
            Kind::Direct(child) => GroupKind::Direct(child.group()),
            #[cfg(target_os = "linux")]
            Kind::Guarded(child) => GroupKind::Guarded(child.reins()),
        };
        Group { kind }
    }

    /// Waits until the process itself has ended, whatever its descendants do; `None` when nobody can tell how it ended.
    pub async fn exited(&mut self) -> Option<ExitStatus> {
        match &mut self.kind {
            Kind::Direct(child) => child.exited().await,
            #[cfg(target_os = "linux")]
            Kind::Guarded(child) => child.exited().await,
        }
    }

    /// Kills what is left once the process itself has ended, and waits until that is gone: a second at the most.
    pub async fn over(&mut self) {
        match &mut self.kind {
            Kind::Direct(child) => child.over().await,
            #[cfg(target_os = "linux")]
            Kind::Guarded(child) => child.over().await,
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.group().kill();
    }
}

impl Group {
    /// Asks the process and those in its group to end.
    pub fn terminate(&self) {
        match &self.kind {
            GroupKind::Direct(group) => group.terminate(),
            #[cfg(target_os = "linux")]
            GroupKind::Guarded(reins) => reins.terminate(),
        }
    }

    /// Kills the process and its descendants; those in its group alone where there is no guardian.
    pub fn kill(&self) {
        match &self.kind {
            GroupKind::Direct(group) => group.kill(),
            #[cfg(target_os = "linux")]
            GroupKind::Guarded(reins) => reins.kill(),
        }
    }
}
