//! Runs `gradable` in a folder of its own.

use std::path::PathBuf;

use mst_testkit::env::find_binary;
use mst_testkit::mcp::stdio_arguments;
use mst_testkit::{Finished, Mode, TestEnv, fake_binary};
use serde_json::{Value, json};

/// Returns the program.
pub(crate) fn gradable() -> PathBuf {
    find_binary("gradable", "gradable")
}

/// Runs it; whatever happens, it must not panic.
#[track_caller]
pub(crate) fn run(env: &TestEnv, arguments: &[&str]) -> Finished {
    let finished = env.run(&gradable(), arguments);
    assert!(!finished.stderr.contains("panicked at"), "{}", finished.stderr);
    finished
}

/// Scans a fake server into `out`, with a log of what it was sent in `log`.
#[track_caller]
pub(crate) fn scan_mode(env: &TestEnv, flags: &[&str], mode: Mode) -> Finished {
    let (fake, log) = (fake_binary().display().to_string(), env.path("log"));
    let server = stdio_arguments(mode, Some(&log));
    let server: Vec<&str> = server.iter().map(String::as_str).collect();
    run(env, &[&["scan", "--out", "out"], flags, &["--", &fake], &server].concat())
}

/// Scans a surface that the test makes up, into `out`.
#[track_caller]
pub(crate) fn scan_tools(env: &TestEnv, flags: &[&str], tools: &Value) -> Finished {
    env.write_json("surface.json", &json!({ "name": "parts", "tools": tools }));
    run(env, &[&["scan", "--out", "out", "--surface", "surface.json"], flags].concat())
}

/// Returns the methods that the fake server was sent.
pub(crate) fn methods(env: &TestEnv) -> Vec<String> {
    let lines = env.read_lines("log");
    lines.iter().filter_map(find_method).collect()
}

fn find_method(value: &Value) -> Option<String> {
    match value {
        Value::Object(fields) => match fields.get("method") {
            Some(Value::String(method)) => Some(method.clone()),
            _ => fields.values().find_map(find_method),
        },
        _ => None,
    }
}

/// Returns the names of the files in a folder.
pub(crate) fn files(env: &TestEnv, folder: &str) -> Vec<String> {
    let Ok(entries) = fs_err::read_dir(env.path(folder)) else { return Vec::new() };
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// Three tools: one to look, one to change, one to destroy.
pub(crate) fn three_tools() -> Value {
    let by_id = json!({ "type": "object", "properties": { "part_id": { "type": "string" } }, "required": ["part_id"] });
    json!([
        { "name": "get_part", "description": "Gets the bin and the weight of one part.", "inputSchema": by_id },
        { "name": "update_part", "description": "Update part", "inputSchema": by_id },
        { "name": "delete_part", "description": "Deletes a part from every shelf and list; returns how many there were.", "inputSchema": by_id },
    ])
}
