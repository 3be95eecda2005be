//! Servers that others wrote, from npm. They are installed once beside the test's program and run without a network.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::json;
use tokio::sync::OnceCell;
use tokio_util::sync::CancellationToken;

use crate::support::{Stdio, names, within};

const PACKAGES: [&str; 3] = [
    "@modelcontextprotocol/server-everything@2026.8.31",
    "@modelcontextprotocol/server-filesystem@2026.8.31",
    "@modelcontextprotocol/server-memory@2026.8.31",
];

/// Returns the folder of the installed packages.
async fn modules() -> &'static Path {
    static FOLDER: OnceCell<PathBuf> = OnceCell::const_new();
    FOLDER.get_or_init(install).await
}

async fn install() -> PathBuf {
    let test = std::env::current_exe().expect("a running program knows its own path");
    let folder = test.with_file_name("node-servers");
    let modules = folder.join("node_modules/@modelcontextprotocol");
    if !modules.is_dir() {
        fs_err::create_dir_all(&folder).expect("the target folder can be written");
        let mut npm = tokio::process::Command::new("npm");
        npm.args(["install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix"]).arg(&folder).args(PACKAGES);
        let installed = within(Duration::from_mins(5), npm.output()).await.expect("npm can be started");
        assert!(installed.status.success(), "{}", String::from_utf8_lossy(&installed.stderr));
    }
    modules
}

async fn server(package: &str, argument: &Path) -> Stdio {
    let entry = modules().await.join(package).join("dist/index.js");
    let run = format!("ip link set lo up; exec node {} {}", entry.display(), argument.display());
    Stdio::program("unshare", ["--net", "sh", "-c", &run].map(str::to_owned).to_vec())
}

#[tokio::test]
#[ignore = "needs node"]
async fn everything_lists_and_calls() {
    let server = server("server-everything", Path::new("")).await;
    let session = server.session().await;
    assert!(names(&session).contains(&"echo"), "{:?}", names(&session));
    let arguments = json!({ "message": "hello" });
    let outcome = session.call("echo", arguments.as_object(), &CancellationToken::new()).await;
    assert_eq!((outcome.text.as_str(), outcome.is_error), ("Echo: hello", false), "{outcome:?}");
    session.close().await;
    server.assert_nothing_left();
}

#[tokio::test]
#[ignore = "needs node"]
async fn filesystem_reads_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("part.txt");
    fs_err::write(&path, "bin 7").unwrap();
    let server = server("server-filesystem", folder.path()).await;
    let session = server.session().await;
    let arguments = json!({ "path": path });
    let outcome = session.call("read_text_file", arguments.as_object(), &CancellationToken::new()).await;
    assert_eq!((outcome.text.as_str(), outcome.is_error), ("bin 7", false), "{outcome:?}");
    session.close().await;
    server.assert_nothing_left();
}

#[tokio::test]
#[ignore = "needs node"]
async fn memory_answers() {
    let folder = tempfile::tempdir().unwrap();
    let mut server = server("server-memory", Path::new("")).await;
    let file = folder.path().join("memory.jsonl").display().to_string();
    server.entry.env.insert("MEMORY_FILE_PATH".to_owned(), file);
    let session = server.session().await;
    let outcome = session.call("read_graph", None, &CancellationToken::new()).await;
    assert!(!outcome.is_error && outcome.text.contains("entities"), "{outcome:?}");
    session.close().await;
    server.assert_nothing_left();
}
