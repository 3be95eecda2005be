//! Starts `mst-fake` and talks to it.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use mst_testkit::{TestEnv, fake_binary};
use serde_json::Value;

/// A running `mst-fake` with its pipes.
pub(crate) struct FakeProgram {
    pub(crate) child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
}

impl FakeProgram {
    /// Starts the program in a test's environment.
    pub(crate) fn start(env: &TestEnv, arguments: &[&str]) -> Self {
        let mut command = env.command(&fake_binary(), arguments);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("mst-fake starts");
        let stdin = child.stdin.take();
        let stdout = BufReader::new(child.stdout.take().expect("stdout is piped"));
        Self { child, stdin, stdout }
    }

    /// Reads one line, without its end; `None` when stdout has closed.
    pub(crate) fn line(&mut self) -> Option<String> {
        let mut bytes = Vec::new();
        self.stdout.read_until(b'\n', &mut bytes).unwrap();
        (!bytes.is_empty()).then(|| String::from_utf8_lossy(&bytes).trim_end_matches(['\r', '\n']).to_owned())
    }

    /// Reads one line as JSON.
    pub(crate) fn json(&mut self) -> Value {
        let line = self.line().expect("the fake writes a line");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("not JSON ({error}): {line}"))
    }

    /// Writes one message; a fake that has gone is no error here.
    pub(crate) fn send(&mut self, message: &Value) {
        let stdin = self.stdin.as_mut().expect("stdin is open");
        writeln!(stdin, "{message}").and_then(|()| stdin.flush()).ok();
    }

    /// Closes stdin.
    pub(crate) fn close_stdin(&mut self) {
        self.stdin = None;
    }

    /// Waits for the end and returns the exit status.
    pub(crate) fn wait(&mut self) -> Option<i32> {
        self.close_stdin();
        self.child.wait().unwrap().code()
    }
}

impl Drop for FakeProgram {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}
