//! The logic of a fake server, the same for every transport: a message in, steps out.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use indexmap::IndexMap;
use serde_json::{Value, json};

use super::action::Action;
use super::mode::Mode;
use super::{asking, calls, handshake, listing, skills};

/// How a fake server behaves.
#[derive(Debug, Clone, Default, Args)]
pub struct McpOptions {
    /// The behaviour.
    #[arg(long, value_enum, default_value_t)]
    pub mode: Mode,
    /// Appends every message in and out, and the process's start and end, to this file as lines of JSON.
    #[arg(long)]
    pub log: Option<PathBuf>,
    /// The server's name in `serverInfo`.
    #[arg(long)]
    pub name: Option<String>,
    /// How many tools `many-tools` lists beside `lookup`.
    #[arg(long)]
    pub tools: Option<usize>,
    /// The delay of the slow modes, in milliseconds.
    #[arg(long)]
    pub delay_ms: Option<u64>,
    /// The size of the big results, in bytes.
    #[arg(long)]
    pub bytes: Option<usize>,
    /// Lists the `tools` of this JSON file in place of the mode's own; their calls are answered with a text.
    #[arg(long)]
    pub surface: Option<PathBuf>,
    /// Splits the list of tools into pages of this size.
    #[arg(long)]
    pub page_size: Option<usize>,
}

impl McpOptions {
    /// Makes options with a mode and defaults.
    pub fn mode(mode: Mode) -> Self {
        Self { mode, ..Self::default() }
    }

    pub(super) fn delay(&self, default_ms: u64) -> Duration {
        Duration::from_millis(self.delay_ms.unwrap_or(default_ms))
    }
}

/// One server: over stdio one a process, over HTTP one a session.
#[derive(Debug)]
pub(super) struct McpServer {
    pub(super) options: McpOptions,
    /// Calls of tools so far.
    pub(super) calls: usize,
    /// Lists of tools so far.
    pub(super) lists: usize,
    /// Requests to the client whose answer a call waits for: the request's id to the call's.
    pub(super) asked: IndexMap<String, Value>,
    /// The id of the request that subscribed to changes.
    pub(super) subscription: Option<Value>,
    /// The headers of the message that is being answered, for the mode that prints them.
    pub(super) headers: Option<IndexMap<String, String>>,
}

impl McpServer {
    pub(super) fn new(options: McpOptions) -> Self {
        Self { options, calls: 0, lists: 0, asked: IndexMap::new(), subscription: None, headers: None }
    }

    pub(super) fn mode(&self) -> Mode {
        self.options.mode
    }

    pub(super) fn name(&self) -> &str {
        self.options.name.as_deref().unwrap_or("fake")
    }

    /// Returns what a server does before its first message.
    pub(super) fn begin(&self) -> Vec<Action> {
        match self.mode() {
            Mode::StrayLines => {
                vec![Action::Raw("Starting parts server...\n\n{\"level\":\"info\",\"msg\":\"up\"}\n42\n".to_owned())]
            }
            Mode::DiesAtStart => vec![Action::Stderr("fatal: no configuration found".to_owned()), Action::Exit(3)],
            _ => Vec::new(),
        }
    }

    /// Answers one message of the client.
    pub(super) fn handle(&mut self, message: &Value) -> Vec<Action> {
        let id = message.get("id").filter(|id| !id.is_null());
        let method = message.get("method").and_then(Value::as_str);
        if self.mode() == Mode::NeverAnswers {
            return Vec::new();
        }
        match (method, id) {
            (Some(method), Some(id)) => self.request(method, id, message),
            (None, Some(id)) => asking::answered(self, id, message),
            (_, None) => Vec::new(),
        }
    }

    fn request(&mut self, method: &str, id: &Value, message: &Value) -> Vec<Action> {
        let params = message.get("params").cloned().unwrap_or_default();
        if self.mode().is_modern()
            && let Some(refused) = handshake::refuse_version(id, method, &params)
        {
            return vec![refused];
        }
        match method {
            "initialize" => handshake::initialize(self, id, &params),
            "server/discover" if self.mode().is_modern() => vec![Action::reply(id, handshake::discover(self))],
            "subscriptions/listen" if self.mode() == Mode::ModernListChanged => {
                self.subscription = Some(id.clone());
                let meta = json!({"io.modelcontextprotocol/subscriptionId": id});
                let accepted = json!({"_meta": meta, "notifications": params.get("notifications")});
                vec![Action::notify("notifications/subscriptions/acknowledged", accepted)]
            }
            "ping" => vec![Action::reply(id, json!({}))],
            "tools/list" => listing::list(self, id, &params),
            "tools/call" => calls::call(self, id, &params),
            "skills/list" | "skills/get" | "resources/list" | "resources/read" if self.mode().has_skills() => {
                skills::answer(self, method, id, &params)
            }
            _ => vec![Action::error(id, -32601, &format!("method not found: {method}"), None)],
        }
    }
}
