//! Runs a program with a time limit and gathers what it wrote and left behind.

use std::io::{self, Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::leftover::{self, LeftOver};

/// How long processes that were told to end have for it before they count as left over.
const GRACE: Duration = Duration::from_secs(2);

/// A program that has ended, or was ended at its time limit.
#[derive(Debug, Clone)]
pub struct Finished {
    /// The exit status; absent when a signal ended the program or its time was up.
    pub code: Option<i32>,
    /// Everything written to stdout.
    pub stdout: String,
    /// Everything written to stderr.
    pub stderr: String,
    /// Whether the program was killed at the time limit.
    pub timed_out: bool,
    /// How long the program ran.
    pub wall: Duration,
    /// Processes started by the program that were alive after it (Linux); they have been killed.
    pub left_over: Vec<LeftOver>,
}

impl Finished {
    /// Reads stdout as one JSON value.
    ///
    /// # Panics
    /// When stdout is anything else.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| {
            panic!("stdout is not one JSON value ({error}):\n{}\nstderr:\n{}", self.stdout, self.stderr)
        })
    }

    /// Checks the exit status and that no process is left over.
    ///
    /// # Panics
    /// When either is otherwise, with what the program wrote.
    #[track_caller]
    pub fn expect_code(&self, code: i32) -> &Self {
        assert!(
            self.code == Some(code) && self.left_over.is_empty(),
            "expected exit {code} and no process left over, found {:?}{}, left over {:?}\nstdout:\n{}\nstderr:\n{}",
            self.code,
            if self.timed_out { " (time limit)" } else { "" },
            self.left_over,
            self.stdout,
            self.stderr,
        );
        self
    }
}

/// Runs a prepared command; `find` finds the processes that it started.
pub(super) fn run(mut command: Command, stdin: &[u8], limit: Duration, find: &dyn Fn() -> Vec<LeftOver>) -> Finished {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let started = Instant::now();
    let program = command.get_program().to_owned();
    let mut child = command.spawn().unwrap_or_else(|error| panic!("cannot start {}: {error}", program.display()));
    let stdout = gather(child.stdout.take().expect("stdout is piped"));
    let stderr = gather(child.stderr.take().expect("stderr is piped"));
    let feeder = feed(child.stdin.take().expect("stdin is piped"), stdin.to_vec());
    let status = wait(&mut child, started + limit);
    let wall = started.elapsed();
    if status.is_none() {
        kill_group(&mut child);
    }
    let mut left_over = find();
    let patience = Instant::now() + GRACE;
    while !left_over.is_empty() && Instant::now() < patience {
        std::thread::sleep(Duration::from_millis(50));
        left_over = find();
    }
    // Left-over processes may hold the pipes, so they end before the pipes are read to their end.
    leftover::kill(&left_over);
    feeder.join().ok();
    Finished {
        code: status.and_then(|status| status.code()),
        stdout: text(stdout),
        stderr: text(stderr),
        timed_out: status.is_none(),
        wall,
        left_over,
    }
}

fn gather(mut pipe: impl Read + Send + 'static) -> JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        // What came before a read error is still the program's output.
        pipe.read_to_end(&mut bytes).ok();
        bytes
    })
}

fn feed(mut pipe: impl Write + Send + 'static, bytes: Vec<u8>) -> JoinHandle<io::Result<()>> {
    std::thread::spawn(move || pipe.write_all(&bytes))
}

fn text(gathered: JoinHandle<Vec<u8>>) -> String {
    String::from_utf8_lossy(&gathered.join().unwrap_or_default()).into_owned()
}

fn wait(child: &mut Child, end: Instant) -> Option<ExitStatus> {
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status),
            Ok(None) if Instant::now() < end => std::thread::sleep(Duration::from_millis(5)),
            Ok(None) | Err(_) => return None,
        }
    }
}

fn kill_group(child: &mut Child) {
    #[cfg(unix)]
    if let Some(group) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw) {
        rustix::process::kill_process_group(group, rustix::process::Signal::KILL).ok();
    }
    child.kill().ok();
    child.wait().ok();
}
