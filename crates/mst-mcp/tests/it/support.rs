//! What the tests share: servers, connections, and a look at the processes that are left.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use mst_mcp::{ConnectOptions, McpError, NamedServerRef, Session};
use mst_model::{HttpServer, ServerConfig, ServerLabel, StdioServer};
use mst_testkit::mcp::{FakeMcpHttp, Mode, stdio_arguments};
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

/// The variable that marks a test's processes and everything they start.
const TAG: &str = "MST_TEST_TAG";

/// A stdio server whose processes can be found again.
pub(crate) struct Stdio {
    pub(crate) entry: StdioServer,
    tag: String,
}

impl Stdio {
    /// The fake in a mode.
    pub(crate) fn fake(mode: Mode) -> Self {
        let program = mst_testkit::fake_binary();
        Self::program(program.to_str().expect("the target folder is UTF-8"), stdio_arguments(mode, None))
    }

    /// The fake in a mode, writing a log.
    pub(crate) fn logged(mode: Mode, log: &Path) -> Self {
        let mut server = Self::fake(mode);
        server.entry.args = stdio_arguments(mode, Some(log));
        server
    }

    /// A shell script.
    pub(crate) fn script(script: &str) -> Self {
        Self::program("sh", vec!["-c".to_owned(), script.to_owned()])
    }

    /// Any program.
    pub(crate) fn program(command: &str, args: Vec<String>) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let tag = format!("{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let env = [(TAG.to_owned(), tag.clone())].into_iter().collect();
        Self { entry: StdioServer { command: command.to_owned(), args, env, ..StdioServer::default() }, tag }
    }

    /// With other times.
    pub(crate) fn times(mut self, connect_ms: Option<u64>, call_ms: Option<u64>) -> Self {
        (self.entry.connect_timeout_ms, self.entry.call_timeout_ms) = (connect_ms, call_ms);
        self
    }

    pub(crate) fn config(&self) -> ServerConfig {
        ServerConfig::Stdio(self.entry.clone())
    }

    pub(crate) async fn connect(&self) -> Result<Session, McpError> {
        connect(&self.config()).await
    }

    /// Connects to a server that must let it.
    pub(crate) async fn session(&self) -> Session {
        self.connect().await.unwrap_or_else(|error| panic!("{error}"))
    }

    /// Returns the commands of the server's processes that are alive, and of those that they started.
    pub(crate) fn left(&self) -> Vec<String> {
        let mark = format!("{TAG}={}", self.tag);
        processes().filter_map(|process| command_of(&process, mark.as_bytes())).collect()
    }

    /// Fails when a process of the server, or one that it started, is left.
    pub(crate) fn assert_nothing_left(&self) {
        let left = self.left();
        assert!(left.is_empty(), "left behind: {left:?}");
    }
}

fn processes() -> impl Iterator<Item = std::path::PathBuf> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten().map(|entry| entry.path());
    entries.filter(|path| path.file_name().is_some_and(|name| name.as_encoded_bytes()[0].is_ascii_digit()))
}

/// Returns the command of a living process that carries the mark; a zombie has no environment any more.
fn command_of(process: &Path, mark: &[u8]) -> Option<String> {
    let environment = fs_err::read(process.join("environ")).ok()?;
    environment
        .split(|byte| *byte == 0)
        .any(|variable| variable == mark)
        .then(|| String::from_utf8_lossy(&fs_err::read(process.join("cmdline")).unwrap_or_default()).replace('\0', " "))
}

#[expect(clippy::disallowed_methods, reason = "servers are found where the tests' own programs are")]
pub(crate) fn options() -> ConnectOptions {
    let path = std::env::var("PATH").ok().map(|path| ("PATH".to_owned(), path));
    ConnectOptions {
        base_env: path.into_iter().collect(),
        client_version: "0.0.0".to_owned(),
        ..ConnectOptions::default()
    }
}

pub(crate) fn label() -> ServerLabel {
    ServerLabel::new("parts")
}

pub(crate) async fn connect(config: &ServerConfig) -> Result<Session, McpError> {
    let server = NamedServerRef { label: &label(), config };
    mst_mcp::connect(server, &options(), &CancellationToken::new()).await
}

pub(crate) fn http(server: &FakeMcpHttp) -> HttpServer {
    HttpServer { server_url: server.url(), ..HttpServer::default() }
}

/// Calls `lookup` as the tests do.
pub(crate) async fn lookup(session: &Session) -> mst_mcp::CallOutcome {
    session.call("lookup", Some(&arguments()), &CancellationToken::new()).await
}

pub(crate) fn arguments() -> Map<String, Value> {
    [("id".to_owned(), Value::from("p-1"))].into_iter().collect()
}

pub(crate) fn names(session: &Session) -> Vec<&str> {
    session.surface().tools.iter().map(mst_mcp::ListedTool::name).collect()
}

/// Fails when something took longer than it may.
pub(crate) async fn within<T>(limit: Duration, what: impl Future<Output = T>) -> T {
    tokio::time::timeout(limit, what).await.unwrap_or_else(|_| panic!("took longer than {limit:?}"))
}

/// The messages of a method in a fake's log.
pub(crate) fn logged(log: &Path, method: &str) -> Vec<Value> {
    let text = fs_err::read_to_string(log).unwrap_or_default();
    let lines = text.lines().filter_map(|line| serde_json::from_str::<BTreeMap<String, Value>>(line).ok());
    let messages = lines.flat_map(BTreeMap::into_values);
    messages.filter(|message| message.get("method").and_then(Value::as_str) == Some(method)).collect()
}
