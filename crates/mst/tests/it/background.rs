//! A run that goes on while the test looks at it.

use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use mst_testkit::TestEnv;
use rustix::process::{Pid, Signal, kill_process, kill_process_group};

use crate::eval::Eval;

/// A run in a process group of its own. It is killed when the value ends.
pub(crate) struct Background {
    child: Option<Child>,
}

/// How a run ended.
pub(crate) struct Ended {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Background {
    /// Starts `mst run` with more flags.
    pub(crate) fn start(eval: &Eval, more: &[&str]) -> Self {
        Self::start_with(eval, &Eval::arguments(more))
    }

    /// Starts `mst`.
    pub(crate) fn start_with(eval: &Eval, arguments: &[&str]) -> Self {
        let mut command = eval.env.command(&TestEnv::mst(), arguments);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        Self { child: Some(command.spawn().expect("mst can be started")) }
    }

    /// Waits until something holds.
    #[track_caller]
    pub(crate) fn wait_until(&mut self, what: &str, holds: impl Fn() -> bool) {
        let end = Instant::now() + Duration::from_secs(40);
        while !holds() {
            let child = self.child.as_mut().expect("it runs");
            assert!(child.try_wait().expect("its status").is_none(), "the run was over before {what}");
            assert!(Instant::now() < end, "waited too long for {what}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn pid(&self) -> Pid {
        Pid::from_child(self.child.as_ref().expect("it runs"))
    }

    /// Sends a signal to the whole group, as a terminal does.
    pub(crate) fn interrupt_group(&self) {
        kill_process_group(self.pid(), Signal::INT).expect("the group exists");
    }

    /// Sends a signal to the program alone.
    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(self.pid(), signal).expect("the process exists");
    }

    /// Waits for the end.
    pub(crate) fn end(mut self) -> Ended {
        let output = self.child.take().expect("it runs").wait_with_output().expect("its output");
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!stderr.contains("panicked at"), "{stderr}");
        Ended { code: output.status.code(), stdout: String::from_utf8_lossy(&output.stdout).into_owned(), stderr }
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            kill_process_group(Pid::from_child(child), Signal::KILL).ok();
            child.wait().ok();
        }
    }
}
