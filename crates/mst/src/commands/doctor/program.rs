//! The programs that servers and clients are often started with.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use mst_process::{Launcher, Program, Stream};
use serde_json::{Value, json};
use tokio::io::AsyncReadExt as _;

use crate::builtins;
use crate::commands::one_line::one_line;

/// The programs, in the order of the report.
const NAMES: [&str; 8] = ["node", "npx", "python3", "uv", "uvx", "docker", "claude", "codex"];
/// How long a program may take to say its version.
const LIMIT: Duration = Duration::from_secs(5);
/// How much of what it says is read.
const MOST_BYTES: u64 = 4_096;

/// Looks for every program and asks it for its version, all at once.
pub(crate) async fn versions(variables: &BTreeMap<String, String>) -> Vec<Value> {
    let launcher = builtins::launcher();
    let mut asked = tokio::task::JoinSet::new();
    for (at, name) in NAMES.into_iter().enumerate() {
        let (launcher, variables) = (launcher.clone(), variables.clone());
        asked.spawn(async move { (at, version(name, &launcher, variables).await) });
    }
    let mut found = asked.join_all().await;
    launcher.close().await;
    found.sort_by_key(|(at, _)| *at);
    found.into_iter().map(|(_, program)| program).collect()
}

async fn version(name: &str, launcher: &Launcher, variables: BTreeMap<String, String>) -> Value {
    let Some(path) = find(name, &variables) else { return json!({ "name": name, "found": false }) };
    let mut report = json!({ "name": name, "found": true, "path": path.display().to_string() });
    let program = Program {
        command: path.display().to_string(),
        args: vec!["--version".to_owned()],
        cwd: None,
        env: variables,
        stdin: Stream::Null,
        stdout: Stream::Piped,
        stderr: Stream::Null,
    };
    match tokio::time::timeout(LIMIT, ask(&program, launcher)).await {
        Err(_) => report["problem"] = json!(format!("did not say its version within {} s", LIMIT.as_secs())),
        Ok(Err(problem)) => report["problem"] = json!(problem),
        Ok(Ok(version)) => report["version"] = json!(version),
    }
    report
}

/// Returns the first line that a program prints. Dropping what is under way kills it with what it started.
async fn ask(program: &Program, launcher: &Launcher) -> Result<String, String> {
    let mut started = launcher.start(program).await.map_err(|error| format!("could not be started: {error}"))?;
    let mut said = Vec::new();
    if let Some(stdout) = started.stdout.take() {
        // What cannot be read was not said.
        stdout.take(MOST_BYTES).read_to_end(&mut said).await.ok();
    }
    let status = started.process.exited().await;
    let text = String::from_utf8_lossy(&said);
    match text.lines().map(str::trim).find(|line| !line.is_empty()) {
        Some(line) if status.is_some_and(|status| status.success()) => Ok(one_line(line, 80)),
        _ => Err("did not say its version".to_owned()),
    }
}

/// Finds a program in PATH.
fn find(name: &str, variables: &BTreeMap<String, String>) -> Option<PathBuf> {
    let folders = variables.get("PATH")?;
    let endings: &[&str] = if cfg!(windows) { &[".exe", ".cmd", ".bat"] } else { &[""] };
    std::env::split_paths(folders)
        .filter(|folder| folder.is_absolute())
        .flat_map(|folder| endings.iter().map(move |ending| folder.join(format!("{name}{ending}"))))
        .find(|path| is_program(path))
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    fs_err::metadata(path).is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}
