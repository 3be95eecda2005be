//! The least that a client must do: one shared MCP session, a number of cases at once, two model calls and one tool
//! call each, and nothing kept. What `mst run` takes beyond this is its own.

use std::collections::HashMap;
use std::error::Error;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use clap::Parser;
use futures::stream::{self, StreamExt as _};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::{ChildStdin, ChildStdout, Command};
use tokio::sync::{Mutex, oneshot};

type Failure = Box<dyn Error + Send + Sync>;

/// A bare client loop over Anthropic's wire form, with streaming.
#[derive(Parser)]
struct Arguments {
    /// The provider's address, without `/v1`.
    #[arg(long)]
    provider: String,
    /// How many cases.
    #[arg(long)]
    cases: usize,
    /// How many of them at once.
    #[arg(long)]
    concurrency: usize,
    /// The server's program and its arguments.
    #[arg(last = true, required = true)]
    server: Vec<String>,
}

fn main() -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(cases(Arguments::parse()))
}

async fn cases(arguments: Arguments) -> Result<(), Failure> {
    let mut command = Command::new(&arguments.server[0]);
    command.args(&arguments.server[1..]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.kill_on_drop(true).spawn()?;
    let stdin = child.stdin.take().ok_or("the server has no stdin")?;
    let stdout = child.stdout.take().ok_or("the server has no stdout")?;
    let session = Arc::new(Session { stdin: Mutex::new(stdin), waiting: Mutex::default(), next: AtomicU64::new(1) });
    let listening = read_answers(Arc::clone(&session), stdout);
    let working = work(&arguments, &session);
    tokio::select! {
        ended = working => ended,
        () = listening => Err("the server ended".into()),
    }
}

async fn work(arguments: &Arguments, session: &Session) -> Result<(), Failure> {
    let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bare-loop", "version": "0"}});
    session.request("initialize", hello).await?;
    session.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await?;
    let listed = session.request("tools/list", json!({})).await?;
    let tools = offered(&listed["tools"]);
    let model = Model {
        client: reqwest::Client::builder().build()?,
        url: format!("{}/v1/messages", arguments.provider),
        tools,
    };
    let done: Vec<_> = stream::iter(0..arguments.cases)
        .map(|number| case(&model, session, number))
        .buffer_unordered(arguments.concurrency)
        .collect()
        .await;
    let failures: Vec<_> = done.into_iter().filter_map(Result::err).collect();
    match failures.first() {
        None => Ok(()),
        Some(first) => Err(format!("{} of {} cases failed, such as: {first}", failures.len(), arguments.cases).into()),
    }
}

/// Asks, calls the tool that is asked for, and asks again.
async fn case(model: &Model, session: &Session, number: usize) -> Result<(), Failure> {
    let mut messages = vec![json!({"role": "user", "content": format!("Use echo to repeat \"parcel{number}\".")})];
    let (id, name, input) = model.ask(&messages).await?.ok_or("the model asked for no tool")?;
    let result = session.request("tools/call", json!({"name": name, "arguments": input})).await?;
    messages
        .push(json!({"role": "assistant", "content": [{"type": "tool_use", "id": id, "name": name, "input": input}]}));
    let content = json!([{"type": "tool_result", "tool_use_id": id, "content": result["content"][0]["text"]}]);
    messages.push(json!({"role": "user", "content": content}));
    match model.ask(&messages).await? {
        None => Ok(()),
        Some(_) => Err("the model asked for a second tool".into()),
    }
}

/// Returns the tools as the provider takes them.
fn offered(listed: &Value) -> Value {
    let tool = |tool: &Value| json!({"name": tool["name"], "description": tool["description"], "input_schema": tool["inputSchema"]});
    listed.as_array().map(|tools| tools.iter().map(tool).collect()).unwrap_or_default()
}

struct Model {
    client: reqwest::Client,
    url: String,
    tools: Value,
}

impl Model {
    /// Sends the conversation and reads the stream; returns the id, name and input of the tool it asks for.
    async fn ask(&self, messages: &[Value]) -> Result<Option<(String, String, Value)>, Failure> {
        let body = json!({
            "model": "claude-sonnet-4-5", "max_tokens": 1024, "stream": true, "messages": messages, "tools": self.tools,
        });
        let request = self.client.post(&self.url).header("x-api-key", "bench-key-of-no-worth").json(&body);
        let text = request.header("anthropic-version", "2023-06-01").send().await?.error_for_status()?.text().await?;
        let (mut call, mut input) = (None, String::new());
        for data in text.lines().filter_map(|line| line.strip_prefix("data:")) {
            let event: Value = serde_json::from_str(data.trim_start())?;
            if event["content_block"]["type"] == "tool_use" {
                let field = |name: &str| event["content_block"][name].as_str().unwrap_or_default().to_owned();
                call = Some((field("id"), field("name")));
            }
            input.push_str(event["delta"]["partial_json"].as_str().unwrap_or_default());
        }
        let Some((id, name)) = call else { return Ok(None) };
        Ok(Some((id, name, serde_json::from_str(&input)?)))
    }
}

struct Session {
    stdin: Mutex<ChildStdin>,
    waiting: Mutex<HashMap<u64, oneshot::Sender<Value>>>,
    next: AtomicU64,
}

impl Session {
    async fn request(&self, method: &str, params: Value) -> Result<Value, Failure> {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let (sender, receiver) = oneshot::channel();
        self.waiting.lock().await.insert(id, sender);
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).await?;
        let mut answer = receiver.await?;
        match answer.get_mut("result") {
            Some(result) => Ok(result.take()),
            None => Err(format!("{method} was answered with {answer}").into()),
        }
    }

    async fn send(&self, message: &Value) -> Result<(), Failure> {
        let mut line = message.to_string();
        line.push('\n');
        Ok(self.stdin.lock().await.write_all(line.as_bytes()).await?)
    }
}

async fn read_answers(session: Arc<Session>, stdout: ChildStdout) {
    let mut lines = BufReader::new(stdout).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        let Ok(message) = serde_json::from_str::<Value>(&line) else { continue };
        let Some(id) = message["id"].as_u64().filter(|_| message.get("method").is_none()) else { continue };
        if let Some(sender) = session.waiting.lock().await.remove(&id) {
            sender.send(message).ok();
        }
    }
}
