//! A server's process and its descendants, ended together.

use std::process::ExitStatus;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The process group that a server leads. Dropping it kills whatever is left of the group.
#[derive(Debug)]
pub(super) struct Group {
    leader: Option<u32>,
    over: AtomicBool,
}

impl Group {
    /// Takes charge of the group that this process leads.
    pub(super) fn new(leader: Option<u32>) -> Self {
        Self { leader, over: AtomicBool::new(false) }
    }

    /// Asks every process of the group to end.
    pub(super) fn terminate(&self) {
        self.signal(Ending::Term);
    }

    /// Kills every process of the group.
    pub(super) fn kill(&self) {
        self.signal(Ending::Kill);
    }

    /// Kills what is left once the leader has been reaped, and waits a moment until the group is empty.
    pub(super) async fn finish(&self) {
        for _ in 0..100 {
            self.kill();
            if self.is_empty() {
                break;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        // The leader's id may be given to another process from here on.
        self.over.store(true, Ordering::Release);
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
    }
}

#[derive(Clone, Copy)]
enum Ending {
    Term,
    Kill,
}

#[cfg(unix)]
impl Group {
    fn signal(&self, ending: Ending) {
        use rustix::process::{Signal, kill_process_group};
        let signal = match ending {
            Ending::Term => Signal::TERM,
            Ending::Kill => Signal::KILL,
        };
        if let Some(group) = self.id() {
            // It fails when nobody is left, which is what was wanted.
            kill_process_group(group, signal).ok();
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
    fn signal(&self, _: Ending) {}

    fn is_empty(&self) -> bool {
        self.leader.is_none() || self.over.load(Ordering::Acquire)
    }
}

/// Returns how a process ended, as the rest of a sentence.
pub(super) fn ended(status: Option<ExitStatus>) -> String {
    let Some(status) = status else { return "ended".to_owned() };
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return format!("was ended by signal {signal}");
    }
    status.code().map_or_else(|| "ended".to_owned(), |code| format!("exited with status {code}"))
}
