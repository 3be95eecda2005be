//! One client's session over HTTP: its server, the requests that wait for an answer, and its standing stream.

use std::ops::ControlFlow;
use std::sync::{Mutex, MutexGuard, PoisonError};

use indexmap::IndexMap;
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::action::Action;
use super::log::MessageLog;
use super::server::{McpOptions, McpServer};

/// What goes to a client on one stream.
#[derive(Debug, Clone)]
pub(super) enum Piece {
    /// A message's JSON text.
    Message(String),
    /// Text that is no message.
    Raw(String),
}

/// A session.
#[derive(Debug)]
pub(super) struct Session {
    server: Mutex<McpServer>,
    waiting: Mutex<IndexMap<String, UnboundedSender<Piece>>>,
    standing: Mutex<Option<UnboundedSender<Piece>>>,
}

impl Session {
    pub(super) fn new(options: McpOptions) -> Self {
        Self { server: Mutex::new(McpServer::new(options)), waiting: Mutex::default(), standing: Mutex::default() }
    }

    pub(super) fn server(&self) -> MutexGuard<'_, McpServer> {
        lock(&self.server)
    }

    /// Opens the stream on which a request's answer, and what comes before it, goes out. It ends with the answer.
    pub(super) fn open(&self, id: &Value) -> (UnboundedSender<Piece>, UnboundedReceiver<Piece>) {
        let (sender, receiver) = unbounded_channel();
        lock(&self.waiting).insert(id.to_string(), sender.clone());
        (sender, receiver)
    }

    /// Opens the standing stream; an earlier one ends.
    pub(super) fn stand(&self) -> UnboundedReceiver<Piece> {
        let (sender, receiver) = unbounded_channel();
        *lock(&self.standing) = Some(sender);
        receiver
    }

    /// Sends a message on the stream of the request that is being answered: clients of a server without sessions may ask
    /// under one id at once. An answer outside of a request goes on the stream of its own, which it ends; anything else
    /// on the standing stream. What has no stream is lost.
    fn send(&self, answers: Option<&Value>, text: String, current: Option<&UnboundedSender<Piece>>) {
        let piece = Piece::Message(text);
        let own = answers.and_then(|id| lock(&self.waiting).shift_remove(&id.to_string()));
        let standing = lock(&self.standing).clone();
        if let Some(stream) = current.or(own.as_ref()).or(standing.as_ref()) {
            // The client may have gone; then nobody is there to miss the message.
            stream.send(piece).ok();
        }
    }

    /// Takes the steps of a message in order, those for the stream on `current`; breaks when one ends the server.
    pub(super) async fn take(
        &self,
        actions: Vec<Action>,
        current: Option<&UnboundedSender<Piece>>,
        log: &MessageLog,
    ) -> ControlFlow<()> {
        let note = |what: &str, value: &Value| log.note(what, value).expect("the log can be written");
        for action in actions {
            match action {
                Action::Send(message) => {
                    note("out", &message);
                    let answers = if message.get("method").is_none() { message.get("id") } else { None };
                    let subscription = message.pointer("/params/_meta/io.modelcontextprotocol~1subscriptionId");
                    let subscribed = subscription.and_then(|id| lock(&self.waiting).get(&id.to_string()).cloned());
                    self.send(answers, message.to_string(), subscribed.as_ref().or(current));
                }
                Action::SendText { id, text } => {
                    note("out_text", &json!(text));
                    self.send(Some(&id), text, current);
                }
                Action::Raw(text) => {
                    note("raw", &json!(text));
                    if let Some(stream) = current {
                        stream.send(Piece::Raw(text)).ok();
                    }
                }
                Action::Stderr(line) => note("stderr", &json!(line)),
                Action::Wait(time) => tokio::time::sleep(time).await,
                Action::Exit(status) => {
                    note("exit", &json!(status));
                    return ControlFlow::Break(());
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// Ends all streams.
    pub(super) fn close(&self) {
        lock(&self.waiting).clear();
        *lock(&self.standing) = None;
    }
}

/// Locks; a panic of another holder has been shown already.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
