//! How a test names a fake server to the program that it tests.

use std::path::Path;

use serde_json::{Value, json};

use super::mode::Mode;
use crate::env::fake_binary;

/// Returns the arguments of `mst-fake` for a stdio server, with a log when there is a path.
pub fn stdio_arguments(mode: Mode, log: Option<&Path>) -> Vec<String> {
    arguments("mcp", mode, log)
}

/// Returns the arguments of `mst-fake` for an HTTP server at a free port, with a log when there is a path.
pub fn http_arguments(mode: Mode, log: Option<&Path>) -> Vec<String> {
    arguments("mcp-http", mode, log)
}

/// Returns a `servers` entry of an eval that starts a fake over stdio.
///
/// # Panics
/// When `mst-fake` was not built.
pub fn stdio_entry(mode: Mode, log: Option<&Path>) -> Value {
    json!({"transport": "stdio", "command": fake_binary(), "args": stdio_arguments(mode, log)})
}

fn arguments(command: &str, mode: Mode, log: Option<&Path>) -> Vec<String> {
    let mut arguments = vec![command.to_owned(), "--mode".to_owned(), mode.name()];
    if let Some(log) = log {
        arguments.extend(["--log".to_owned(), log.display().to_string()]);
    }
    arguments
}
