//! A model and servers that say what a test wrote down.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use mst_ext::{ClientContext, ClientSessionOptions, ClientTrial, NamedServer};
use mst_llm::{AssistantPart, ChatReply, ChatRequest, Finish, Llm, LlmError, ToolArguments, ToolCall};
use mst_mcp::{ListedTool, ResourceContent, ResultPart, SkillEntry, SkillListing, ToolSurface};
use mst_model::{
    ClientRun, Clock, Provider, ServerConfig, ServerLabel, ServerObservation, StdioServer, Timestamp, Usage,
    VariantName,
};
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use super::offers::Offers;
use super::options::ApiOptions;
use super::tool_server::{Connector, ReadFailure, ToolAnswer, ToolServer, Unconnected};
use super::trial::TrialRun;

/// What a step of the script does.
pub(super) type Step = Box<dyn Fn(&ChatRequest) -> Result<ChatReply, LlmError> + Send + Sync>;

/// A model that follows a script; its last step repeats.
pub(super) struct ScriptedLlm {
    steps: Mutex<VecDeque<Step>>,
    pub(super) requests: Mutex<Vec<ChatRequest>>,
    delay: Duration,
    takes_images: bool,
}

#[async_trait]
impl Llm for ScriptedLlm {
    async fn chat(&self, request: &ChatRequest, cancel: &CancellationToken) -> Result<ChatReply, LlmError> {
        self.requests.lock().expect("no test panics with it").push(request.clone());
        if cancel.run_until_cancelled(tokio::time::sleep(self.delay)).await.is_none() {
            return Err(LlmError::Cancelled);
        }
        let mut steps = self.steps.lock().expect("no test panics with it");
        let step = if steps.len() > 1 { steps.pop_front() } else { None };
        match &step {
            Some(step) => step(request),
            None => steps.front().expect("a script has a step")(request),
        }
    }

    fn provider(&self) -> Provider {
        Provider::Anthropic
    }

    fn takes_images(&self) -> bool {
        self.takes_images
    }

    fn secrets(&self) -> Vec<String> {
        Vec::new()
    }
}

/// Makes a reply.
pub(super) fn reply(parts: Vec<AssistantPart>, finish: Finish, word: &str) -> ChatReply {
    let now = Timestamp::from_millis(0).expect("in range");
    let usage = Usage { input_tokens: Some(10), output_tokens: Some(5), ..Usage::default() };
    ChatReply {
        id: Some("msg_1".into()),
        request_id: Some("req_1".into()),
        model: "claude-x-1".into(),
        parts,
        finish,
        finish_reason: Some(word.into()),
        usage: Some(usage),
        started_at: now,
        completed_at: now,
        notes: vec![],
    }
}

/// A step that answers.
pub(super) fn say(text: &str) -> Step {
    let parts = if text.is_empty() { vec![] } else { vec![AssistantPart::Text { text: text.to_owned() }] };
    let reply = reply(parts, Finish::Stop, "end_turn");
    Box::new(move |_| Ok(reply.clone()))
}

/// A step that gives this reply.
pub(super) fn give(reply: ChatReply) -> Step {
    Box::new(move |_| Ok(reply.clone()))
}

/// A step that fails.
pub(super) fn fail(error: LlmError) -> Step {
    Box::new(move |_| Err(error.clone()))
}

/// Calls as a turn's parts: JSON objects as arguments, texts as malformed ones.
pub(super) fn call_parts(calls: &[(&str, Value)]) -> Vec<AssistantPart> {
    calls
        .iter()
        .enumerate()
        .map(|(at, (name, arguments))| {
            let arguments = match arguments {
                Value::Object(map) => ToolArguments::Object(map.clone()),
                Value::String(raw) => ToolArguments::Malformed(raw.clone()),
                _ => panic!("arguments are an object or a raw text"),
            };
            let id = format!("{name}-{at}");
            AssistantPart::ToolCall(ToolCall { id, name: (*name).to_owned(), arguments, signature: None })
        })
        .collect()
}

/// A step that calls tools.
pub(super) fn calls(calls: &[(&str, Value)]) -> Step {
    give(reply(call_parts(calls), Finish::ToolCalls, "tool_use"))
}

/// A server that answers from a table and keeps what it was sent.
pub(super) struct ScriptedServer {
    label: ServerLabel,
    surface: std::sync::Arc<ToolSurface>,
    later: Option<ToolSurface>,
    changed: AtomicBool,
    slow: bool,
    log: std::sync::Arc<Log>,
}

/// What servers were asked to do.
#[derive(Default)]
pub(super) struct Log {
    pub(super) calls: Mutex<Vec<(String, Value)>>,
    pub(super) released: Mutex<Vec<String>>,
}

/// Makes a surface of tools by name.
pub(super) fn surface(names: &[&str]) -> ToolSurface {
    let tools = names
        .iter()
        .map(|name| {
            let raw =
                json!({ "name": name, "description": format!("the tool {name}"), "inputSchema": { "type": "object" } });
            ListedTool::new(raw.as_object().expect("an object").clone()).expect("it has a name")
        })
        .collect();
    ToolSurface { tools, ..ToolSurface::default() }
}

#[async_trait]
impl ToolServer for ScriptedServer {
    fn label(&self) -> &ServerLabel {
        &self.label
    }

    fn surface(&self) -> &std::sync::Arc<ToolSurface> {
        &self.surface
    }

    async fn call(&self, tool: &str, arguments: &Map<String, Value>, cancel: &CancellationToken) -> ToolAnswer {
        let id = arguments.get("id").and_then(Value::as_str).unwrap_or_default().to_owned();
        self.log
            .calls
            .lock()
            .expect("no test panics with it")
            .push((format!("{}.{tool}", self.label), Value::Object(arguments.clone())));
        if self.slow && cancel.run_until_cancelled(std::future::pending::<()>()).await.is_none() {
            return ToolAnswer { text: "cancelled".into(), is_error: true, cancelled: true, ..ToolAnswer::default() };
        }
        self.changed.store(self.later.is_some(), Ordering::Relaxed);
        let is_error = id == "p-2";
        let text = if is_error { format!("no part {id}") } else { format!("{tool} says bin 7") };
        let mut parts = vec![ResultPart::Text { text: text.clone() }];
        if id == "picture" {
            parts.push(ResultPart::Image { mime_type: "image/png".into(), data: "aGVsbG8h".into() });
        }
        let warnings = if id == "odd" { vec!["promised an outputSchema".to_owned()] } else { vec![] };
        let duration = Duration::from_millis(1);
        ToolAnswer { text, parts, is_error, duration, warnings, ..ToolAnswer::default() }
    }

    fn list_changed(&self) -> bool {
        self.changed.load(Ordering::Relaxed)
    }

    async fn list(&self, _: &CancellationToken) -> Result<std::sync::Arc<ToolSurface>, String> {
        self.changed.store(false, Ordering::Relaxed);
        self.later.clone().map(std::sync::Arc::new).ok_or_else(|| format!("{} listed nothing", self.label))
    }

    fn has_skills(&self) -> bool {
        false
    }

    async fn skills(&self, _: &CancellationToken) -> Result<std::sync::Arc<SkillListing>, ReadFailure> {
        Ok(std::sync::Arc::default())
    }

    async fn skill(&self, uri: &str, _: &CancellationToken) -> Result<SkillEntry, ReadFailure> {
        Err(ReadFailure::Other(format!("{} has no skill {uri}", self.label)))
    }

    async fn lists_resource(&self, _: &str, _: &CancellationToken) -> Result<bool, ReadFailure> {
        Ok(false)
    }

    async fn read_resource(&self, _: &str, _: &CancellationToken) -> Result<Vec<ResourceContent>, ReadFailure> {
        Ok(Vec::new())
    }

    fn observation(&self) -> ServerObservation {
        ServerObservation::new(&self.label)
    }

    async fn release(self: Box<Self>) {
        self.log.released.lock().expect("no test panics with it").push(self.label.to_string());
    }
}

/// A clock that moves by one millisecond each time it is asked.
struct TickingClock(AtomicI64);

impl Clock for TickingClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.0.fetch_add(1, Ordering::Relaxed)).expect("in range")
    }
}

/// A trial to set up and run.
pub(super) struct Bench {
    pub(super) llm: ScriptedLlm,
    pub(super) options: ApiOptions,
    pub(super) context: ClientContext,
    pub(super) session: ClientSessionOptions,
    pub(super) cancel: CancellationToken,
    pub(super) later: Option<ToolSurface>,
    pub(super) slow: bool,
    pub(super) unreachable: Option<String>,
    pub(super) log: std::sync::Arc<Log>,
    surfaces: BTreeMap<ServerLabel, ToolSurface>,
}

impl Bench {
    /// Makes a trial with the server `parts` (`lookup`, `ping`).
    pub(super) fn new(steps: Vec<Step>) -> Self {
        Self::with_servers(&[("parts", &["lookup", "ping"])], steps)
    }

    /// Makes a trial with these servers.
    pub(super) fn with_servers(servers: &[(&str, &[&str])], steps: Vec<Step>) -> Self {
        let named = servers.iter().map(|(label, _)| NamedServer {
            label: ServerLabel::from(*label),
            config: ServerConfig::Stdio(StdioServer::default()),
        });
        Self {
            llm: ScriptedLlm {
                steps: Mutex::new(steps.into()),
                requests: Mutex::default(),
                delay: Duration::ZERO,
                takes_images: true,
            },
            options: ApiOptions::read(&Map::new()).expect("every option has a default"),
            context: ClientContext {
                variant: VariantName::from("v"),
                batch: "v/0".to_owned(),
                tools: mst_model::ToolMetadata::default(),
                ready_tools: BTreeMap::new(),
                signals: mst_ext::RunSignals::default(),
            },
            session: ClientSessionOptions { options: Map::new(), servers: named.collect() },
            cancel: CancellationToken::new(),
            later: None,
            slow: false,
            unreachable: None,
            log: std::sync::Arc::default(),
            surfaces: servers.iter().map(|(label, names)| (ServerLabel::from(*label), surface(names))).collect(),
        }
    }

    /// Sets options.
    pub(super) fn options(mut self, options: &Value) -> Self {
        self.options = ApiOptions::read(options.as_object().expect("an object")).expect("they fit");
        self
    }

    /// Makes every model step take this long.
    pub(super) fn thinking(mut self, delay: Duration) -> Self {
        self.llm.delay = delay;
        self
    }

    /// Makes the model one that takes no images.
    pub(super) fn blind(mut self) -> Self {
        self.llm.takes_images = false;
        self
    }

    /// Runs the trial.
    pub(super) async fn run(&self) -> ClientRun {
        let clock = TickingClock(AtomicI64::new(0));
        let run = TrialRun {
            llm: &self.llm,
            connector: self,
            offers: &Offers::default(),
            options: &self.options,
            session: &self.session,
            context: &self.context,
            clock: &clock,
        };
        let trial = ClientTrial { case_id: "c".into(), trial: 0, prompt: "Which bin?".into(), env: BTreeMap::new() };
        run.run(&trial, &self.cancel).await
    }

    /// Returns the requests the model got.
    pub(super) fn requests(&self) -> Vec<ChatRequest> {
        self.llm.requests.lock().expect("no test panics with it").clone()
    }

    /// Returns the calls the servers got.
    pub(super) fn sent(&self) -> Vec<(String, Value)> {
        self.log.calls.lock().expect("no test panics with it").clone()
    }

    /// Returns the labels of the servers that were given back.
    pub(super) fn released(&self) -> Vec<String> {
        self.log.released.lock().expect("no test panics with it").clone()
    }
}

#[async_trait]
impl Connector for Bench {
    async fn take(&self, server: &NamedServer, _: &CancellationToken) -> Result<Box<dyn ToolServer>, Unconnected> {
        if self.unreachable.as_deref() == Some(server.label.as_str()) {
            let reason = format!("{} did not answer initialize", server.label);
            return Err(Unconnected { reason, is_authentication: false, is_off_tape: false });
        }
        Ok(Box::new(ScriptedServer {
            label: server.label.clone(),
            surface: std::sync::Arc::new(self.surfaces[&server.label].clone()),
            later: self.later.clone(),
            changed: AtomicBool::new(false),
            slow: self.slow,
            log: std::sync::Arc::clone(&self.log),
        }))
    }
}
