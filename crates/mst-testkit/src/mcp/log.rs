//! The log of a fake server: what came in and what went out, so that a test can prove what was called.

use std::io::{self, Write as _};
use std::path::PathBuf;

use serde_json::{Value, json};

/// Messages longer than this are logged by their size only.
const LONGEST: usize = 100_000;

/// Appends lines of JSON to a file; does nothing without one. Several processes may share the file.
#[derive(Debug, Clone)]
pub(super) struct MessageLog(Option<PathBuf>);

impl MessageLog {
    pub(super) fn new(path: Option<PathBuf>) -> Self {
        Self(path)
    }

    /// Appends `{ "pid": …, "<what>": value }`. A log that cannot be written would prove nothing, so that is an error.
    pub(super) fn note(&self, what: &str, value: &Value) -> io::Result<()> {
        let Some(path) = &self.0 else { return Ok(()) };
        let mut line = json!({"pid": std::process::id(), what: value}).to_string();
        if line.len() > LONGEST {
            line = json!({"pid": std::process::id(), what: {"id": value.get("id"), "bytes": line.len()}}).to_string();
        }
        line.push('\n');
        // One write for the line: lines of several processes do not mix in a file that is only appended to.
        fs_err::OpenOptions::new().create(true).append(true).open(path)?.write_all(line.as_bytes())
    }
}
