//! A trial with a fake provider and fake servers.

use std::collections::BTreeMap;
use std::sync::Arc;

use mst_clients::{ApiDeps, api_client};
use mst_ext::{ClientContext, ClientOpenError, ClientSessionOptions, ClientTrial, NamedServer};
use mst_llm::LlmConnector;
use mst_mcp::{ConnectOptions, ServerPool};
use mst_model::{
    Broke, ClientRun, Clock, Ending, ServerConfig, ServerLabel, SessionScope, Timestamp, ToolMetadata, VariantName,
};
use mst_testkit::mcp::stdio_entry;
use mst_testkit::{FakeProvider, Mode, Script};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

/// A clock for tests, which may ask the system.
struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "a test's clock is the system's")]
    fn now(&self) -> Timestamp {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("after 1970");
        Timestamp::from_millis(since.as_millis() as i64).expect("in range")
    }
}

/// What a trial runs with.
pub(crate) struct Bench {
    pub(crate) provider: FakeProvider,
    pub(crate) context: ClientContext,
    pub(crate) cancel: CancellationToken,
    pub(crate) env: BTreeMap<String, String>,
    options: Value,
    servers: Vec<NamedServer>,
    folder: TempDir,
}

impl Bench {
    /// Makes a trial without servers.
    pub(crate) fn new(script: Script) -> Self {
        let provider = FakeProvider::start_now(script);
        let env = [
            ("ANTHROPIC_API_KEY", "sk-test-anthropic".to_owned()),
            ("ANTHROPIC_BASE_URL", provider.anthropic_url()),
            ("OPENAI_API_KEY", "sk-test-openai".to_owned()),
            ("OPENAI_BASE_URL", provider.openai_url()),
            ("GOOGLE_GENERATIVE_AI_API_KEY", "sk-test-google".to_owned()),
            ("GOOGLE_GENERATIVE_AI_BASE_URL", provider.google_url()),
            ("PATH", "/usr/bin:/bin".to_owned()),
        ];
        Self {
            provider,
            context: ClientContext {
                variant: VariantName::from("v"),
                batch: "v/0".to_owned(),
                tools: ToolMetadata::default(),
                ready_tools: BTreeMap::new(),
                signals: mst_ext::RunSignals::default(),
            },
            cancel: CancellationToken::new(),
            env: env.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
            options: json!({ "model": "claude-x" }),
            servers: Vec::new(),
            folder: tempfile::tempdir().expect("a folder can be made"),
        }
    }

    /// Adds a server that keeps a log of its messages.
    pub(crate) fn server(mut self, label: &str, mode: Mode) -> Self {
        let log = self.folder.path().join(format!("{label}.log"));
        let config = serde_json::from_value(stdio_entry(mode, Some(&log))).expect("the entry is a server's");
        self.servers.push(NamedServer { label: ServerLabel::from(label), config });
        self
    }

    /// Adds a server at a URL.
    pub(crate) fn http_server(mut self, label: &str, url: &str) -> Self {
        let config = serde_json::from_value(json!({ "transport": "http", "serverUrl": url }));
        let config = config.expect("the entry is a server's");
        self.servers.push(NamedServer { label: ServerLabel::from(label), config });
        self
    }

    /// Adds a server whose session a batch's trials share.
    pub(crate) fn shared_server(self, label: &str, mode: Mode) -> Self {
        let mut bench = self.server(label, mode);
        if let Some(NamedServer { config: ServerConfig::Stdio(server), .. }) = bench.servers.last_mut() {
            server.session = SessionScope::Shared;
        }
        bench
    }

    /// Sets the client's options.
    pub(crate) fn options(mut self, options: Value) -> Self {
        self.options = options;
        self
    }

    /// Opens the client and runs the trial.
    pub(crate) async fn run(&self) -> ClientRun {
        self.try_run().await.expect("the client opens")
    }

    /// Opens the client, runs the trial, and checks that no server is left running.
    pub(crate) async fn try_run(&self) -> Result<ClientRun, ClientOpenError> {
        let mut runs = self.run_times(1).await?;
        Ok(runs.remove(0))
    }

    /// Runs the trial so many times, one after the other, in one session of the client.
    pub(crate) async fn run_times(&self, times: u32) -> Result<Vec<ClientRun>, ClientOpenError> {
        let env = Arc::new(self.env.clone());
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        let connect = ConnectOptions { base_env: self.env.clone(), client_version: "0".into(), ..Default::default() };
        let pool = Arc::new(ServerPool::new(connect));
        let llm = LlmConnector::new(&env, Arc::clone(&clock));
        let client = api_client(ApiDeps { pool: Arc::clone(&pool), llm, clock, env });
        let options = self.options.as_object().expect("options are an object").clone();
        let session = ClientSessionOptions { options, servers: self.servers.clone() };
        let mut session = client.open(session, self.context.clone()).await?;
        let mut runs = Vec::new();
        for trial in 0..times {
            let trial = ClientTrial {
                case_id: "c".into(),
                trial,
                prompt: "Which bin is part p-1 in?".into(),
                env: BTreeMap::new(),
            };
            runs.push(session.run(&trial, &self.cancel).await.result);
        }
        session.close().await.expect("nothing is left to close");
        pool.close_all().await;
        for server in &self.servers {
            let left = self.started(server.label.as_str()).into_iter().find(|pid| is_running(*pid));
            assert_eq!(left, None, "a process of {} is left", server.label);
        }
        Ok(runs)
    }

    /// Returns the processes that were started for a server.
    pub(crate) fn started(&self, label: &str) -> Vec<u64> {
        self.log(label)
            .iter()
            .filter(|line| line.get("start").is_some())
            .filter_map(|line| line["pid"].as_u64())
            .collect()
    }

    fn log(&self, label: &str) -> Vec<Value> {
        let log = self.folder.path().join(format!("{label}.log"));
        let log = fs_err::read_to_string(log).unwrap_or_default();
        log.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }

    /// Returns how often a server was asked with a method.
    pub(crate) fn asked(&self, label: &str, method: &str) -> usize {
        self.log(label).iter().filter(|line| line["in"]["method"] == method).count()
    }

    /// Returns the names of the tools that a server was asked to call.
    pub(crate) fn called(&self, label: &str) -> Vec<String> {
        self.log(label)
            .iter()
            .filter(|line| line["in"]["method"] == "tools/call")
            .filter_map(|line| line["in"]["params"]["name"].as_str().map(str::to_owned))
            .collect()
    }
}

/// Returns whether a process exists and has not ended. Always `false` where there is no `/proc`.
fn is_running(pid: u64) -> bool {
    let status = fs_err::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    !status.is_empty() && !status.contains("State:\tZ")
}

/// Returns what broke and whether collecting again can help; `None` for a trial.
pub(crate) fn broke(run: &ClientRun) -> Option<(Broke, bool)> {
    match run.resolved_ending() {
        Ending::Infrastructure { broke, retryable, .. } => Some((broke, retryable)),
        Ending::Trial => None,
    }
}
