//! The Streamable HTTP transport, on 127.0.0.1.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{ConnectInfo, Request, State};
use axum::response::Response;
use http::{HeaderMap, HeaderValue, Method};
use indexmap::IndexMap;
use serde_json::{Value, json};
use tokio::sync::mpsc::UnboundedSender;
use tokio_util::task::TaskTracker;

use super::action::Action;
use super::exchange::{HttpExchange, HttpOptions};
use super::log::MessageLog;
use super::mode::Mode;
use super::refusing::{self, Faults};
use super::server::McpOptions;
use super::session::{Piece, Session, lock};
use super::streaming::{answer_as_json, answer_as_stream, text, with_type};
use crate::connection::ResetSwitch;
use crate::server_thread::ServerThread;

/// The path that the server answers at.
const PATH: &str = "/mcp";
const SESSION_HEADER: &str = "mcp-session-id";

/// A status and the text of its body.
type Refusal = (u16, &'static str);

/// A fake server over HTTP, on a thread of its own. It stops when it is dropped.
#[derive(Debug)]
pub struct FakeMcpHttp {
    server: ServerThread,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    options: HttpOptions,
    log: MessageLog,
    sessions: Mutex<IndexMap<String, Arc<Session>>>,
    exchanges: Mutex<Vec<HttpExchange>>,
    opened: AtomicUsize,
    faults: Faults,
    is_dead: AtomicBool,
    tasks: TaskTracker,
}

impl FakeMcpHttp {
    /// Starts a server at a free port.
    ///
    /// # Panics
    /// When no loopback port can be had.
    pub fn start(options: HttpOptions) -> Self {
        Self::serve(0, options).expect("a loopback port can be bound and a thread started")
    }

    /// Starts a server in a mode at a free port.
    ///
    /// # Panics
    /// When no loopback port can be had.
    pub fn start_mode(mode: Mode) -> Self {
        Self::start(HttpOptions { mcp: McpOptions::mode(mode), ..HttpOptions::default() })
    }

    /// Starts a server at a port, 0 for a free one.
    pub fn serve(port: u16, options: HttpOptions) -> io::Result<Self> {
        let shared = Arc::new(Shared {
            log: MessageLog::new(options.mcp.log.clone()),
            sessions: Mutex::default(),
            exchanges: Mutex::default(),
            opened: AtomicUsize::new(0),
            faults: Faults::default(),
            is_dead: AtomicBool::new(options.mcp.mode == Mode::DiesAtStart),
            tasks: TaskTracker::new(),
            options,
        });
        let server = ServerThread::start(port, Router::new().fallback(handle).with_state(Arc::clone(&shared)))?;
        Ok(Self { server, shared })
    }

    /// Returns the URL of the MCP endpoint.
    pub fn url(&self) -> String {
        format!("http://{}{PATH}", self.server.address())
    }

    /// Returns the port.
    pub fn port(&self) -> u16 {
        self.server.address().port()
    }

    /// Returns the exchanges so far.
    pub fn exchanges(&self) -> Vec<HttpExchange> {
        lock(&self.shared.exchanges).clone()
    }

    /// Returns the messages of a method that reached the server, refused ones too.
    pub fn messages(&self, method: &str) -> Vec<Value> {
        let is_asked = |message: &Value| message.get("method").and_then(Value::as_str) == Some(method);
        self.exchanges().into_iter().map(|exchange| exchange.body).filter(is_asked).collect()
    }
}

async fn handle(
    State(shared): State<Arc<Shared>>,
    ConnectInfo(switch): ConnectInfo<ResetSwitch>,
    request: Request,
) -> Response {
    let (parts, body) = request.into_parts();
    let bytes = to_bytes(body, usize::MAX).await.unwrap_or_default();
    let message: Value = serde_json::from_slice(&bytes).unwrap_or_default();
    let number = shared.record(&parts.method, &parts.uri.to_string(), &parts.headers, &message);
    let response = match shared.refuse(parts.uri.path(), &parts.headers) {
        Some(refused) => refused,
        None if parts.method == Method::POST => shared.post(&parts.headers, message, &switch).await,
        None if parts.method == Method::GET => shared.stand(&parts.headers),
        None if parts.method == Method::DELETE && shared.mode() == Mode::StaysAfterEof => std::future::pending().await,
        None if parts.method == Method::DELETE => shared.end(&parts.headers),
        None => text(405, "method not allowed"),
    };
    if shared.is_dead.load(Ordering::Acquire) {
        switch.throw();
    }
    if let Some(exchange) = lock(&shared.exchanges).get_mut(number) {
        exchange.status = Some(response.status().as_u16());
    }
    response
}

impl Shared {
    fn mode(&self) -> Mode {
        self.options.mcp.mode
    }

    fn is_stateless(&self) -> bool {
        self.options.stateless || self.mode().is_modern()
    }

    fn record(&self, method: &Method, path: &str, headers: &HeaderMap, message: &Value) -> usize {
        let exchange = HttpExchange {
            method: method.to_string(),
            path: path.to_owned(),
            headers: texts(headers),
            body: message.clone(),
            status: None,
        };
        self.note("http", &json!(exchange));
        if !message.is_null() {
            self.note("in", message);
        }
        let mut exchanges = lock(&self.exchanges);
        exchanges.push(exchange);
        exchanges.len() - 1
    }

    fn note(&self, what: &str, value: &Value) {
        self.log.note(what, value).expect("the log can be written");
    }

    /// Answers what has nothing to do with the message.
    fn refuse(&self, path: &str, headers: &HeaderMap) -> Option<Response> {
        if self.mode() == Mode::Unavailable {
            return Some(text(503, "the parts store is closed"));
        }
        if path != PATH {
            return Some(text(404, "not found"));
        }
        let token = self.options.bearer.as_ref()?;
        let sent = headers.get(http::header::AUTHORIZATION).and_then(|value| value.to_str().ok());
        if sent == Some(format!("Bearer {token}").as_str()) {
            return None;
        }
        let mut refused = text(401, "unauthorized");
        let challenge = HeaderValue::from_static("Bearer realm=\"fake\", error=\"invalid_token\"");
        refused.headers_mut().insert(http::header::WWW_AUTHENTICATE, challenge);
        Some(refused)
    }

    async fn post(self: &Arc<Self>, headers: &HeaderMap, message: Value, switch: &ResetSwitch) -> Response {
        if !message.is_object() {
            let error = json!({"jsonrpc": "2.0", "id": null, "error": {"code": -32700, "message": "Parse error"}});
            return with_type(400, "application/json", Body::from(error.to_string()));
        }
        let method = message.get("method").and_then(Value::as_str).unwrap_or_default().to_owned();
        match self.faults.refuse(self.mode(), &method, &message) {
            None => {}
            Some(refusing::Refusal::Response(response)) => return response,
            Some(refusing::Refusal::SessionsEnd(response)) => {
                lock(&self.sessions).clear();
                return response;
            }
            Some(refusing::Refusal::Reset) => {
                switch.throw();
                return text(200, "");
            }
        }
        let (session, new_id) = match self.session(&method, headers) {
            Ok(found) => found,
            Err((status, why)) => return text(status, why),
        };
        let actions = {
            let mut server = session.server();
            server.headers = if self.mode() == Mode::Environment { Some(texts(headers)) } else { None };
            server.handle(&message)
        };
        let Some(id) = message.get("id").filter(|_| !method.is_empty()).cloned() else {
            self.begin(session, actions, None, switch);
            return with_type(202, "application/json", Body::empty());
        };
        let (sender, receiver) = session.open(&id);
        self.begin(session, actions, Some(sender), switch);
        let streams = method == "subscriptions/listen" || (method == "tools/call" && self.mode().sends_more());
        let mut response =
            if self.options.sse || streams { answer_as_stream(receiver) } else { answer_as_json(receiver).await };
        if let Some(new_id) = new_id.and_then(|id| HeaderValue::try_from(id).ok()) {
            response.headers_mut().insert(SESSION_HEADER, new_id);
        }
        response
    }

    /// Takes the steps of a message, while its stream is being read.
    fn begin(
        self: &Arc<Self>,
        session: Arc<Session>,
        actions: Vec<Action>,
        stream: Option<UnboundedSender<Piece>>,
        switch: &ResetSwitch,
    ) {
        let (shared, switch) = (Arc::clone(self), switch.clone());
        self.tasks.spawn(async move {
            if session.take(actions, stream.as_ref(), &shared.log).await.is_break() {
                shared.is_dead.store(true, Ordering::Release);
                switch.throw();
                session.close();
            }
        });
    }

    /// Finds the session of a request, or opens one for `initialize` and returns its new id.
    fn session(&self, method: &str, headers: &HeaderMap) -> Result<(Arc<Session>, Option<String>), Refusal> {
        let mut sessions = lock(&self.sessions);
        let open = || Arc::new(Session::new(self.options.mcp.clone()));
        if self.is_stateless() {
            return Ok((Arc::clone(sessions.entry(String::new()).or_insert_with(open)), None));
        }
        if method == "initialize" {
            let id = format!("session-{:04}", self.opened.fetch_add(1, Ordering::AcqRel) + 1);
            let session = open();
            sessions.insert(id.clone(), Arc::clone(&session));
            return Ok((session, Some(id)));
        }
        match session_id(headers) {
            None => Err((400, "Bad Request: Mcp-Session-Id header is required")),
            Some(id) => sessions.get(id).map(|session| (Arc::clone(session), None)).ok_or((404, "session not found")),
        }
    }

    /// Opens the standing stream, in the modes that have something to send on one.
    fn stand(&self, headers: &HeaderMap) -> Response {
        if let Some(rest) = self.faults.rest(self.mode(), headers) {
            return rest;
        }
        if !self.mode().sends_more() || self.is_stateless() {
            return text(405, "this server has no standing stream");
        }
        match self.session("", headers) {
            Ok((session, _)) => answer_as_stream(session.stand()),
            Err((status, why)) => text(status, why),
        }
    }

    /// Ends a session.
    fn end(&self, headers: &HeaderMap) -> Response {
        let ended = session_id(headers).and_then(|id| lock(&self.sessions).shift_remove(id));
        if let Some(session) = ended {
            session.close();
        }
        text(200, "")
    }
}

fn texts(headers: &HeaderMap) -> IndexMap<String, String> {
    let text = |value: &HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    headers.iter().map(|(name, value)| (name.to_string(), text(value))).collect()
}

fn session_id(headers: &HeaderMap) -> Option<&str> {
    headers.get(SESSION_HEADER).and_then(|value| value.to_str().ok())
}
