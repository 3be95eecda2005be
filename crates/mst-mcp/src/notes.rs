//! What a connection shows about its server beside its answers.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use mst_model::{ServerLabel, ServerLogLine, ServerObservation, ServerRequest, ServerRequestOutcome};
use serde::Deserialize as _;
use serde_json::{Value, json};

use crate::text::{cut, one_line};
use crate::window::Window;

/// The most warnings that are kept of one connection.
const MOST_WARNINGS: usize = 50;
/// The most that a tape keeps of what a server says by itself during one exchange.
const MOST_HEARD: usize = 10_000;
/// The most requests, and the most lines of the server's log, that one observation tells of.
const MOST_TOLD: usize = 100;
/// What is counted by its own name; the rest is counted together.
const COUNTED: [&str; 10] = [
    "ping",
    "notifications/cancelled",
    "notifications/elicitation/complete",
    "notifications/message",
    "notifications/progress",
    "notifications/prompts/list_changed",
    "notifications/resources/list_changed",
    "notifications/resources/updated",
    "notifications/subscriptions/acknowledged",
    "notifications/tools/list_changed",
];

/// The notes of one connection, written by its tasks.
#[derive(Debug)]
pub(crate) struct Notes {
    label: ServerLabel,
    list_changes: AtomicU64,
    inner: Mutex<Inner>,
}

#[derive(Clone, Debug, Default)]
struct Inner {
    stray_lines: u64,
    first_stray_line: Option<String>,
    warnings: Vec<String>,
    /// What was heard since it was last taken, where a tape keeps it.
    heard: Option<Vec<Value>>,
    requests: Window<ServerRequest>,
    log: Window<ServerLogLine>,
    unsolicited: BTreeMap<&'static str, u64>,
}

/// A point in the life of a session, from which on it can be asked what the server did.
#[derive(Clone, Debug, Default)]
pub struct Mark {
    requests: usize,
    log: usize,
    unsolicited: BTreeMap<&'static str, u64>,
}

impl Notes {
    pub(crate) fn new(label: &ServerLabel) -> Self {
        Self { label: label.clone(), list_changes: AtomicU64::new(0), inner: Mutex::default() }
    }

    pub(crate) fn label(&self) -> &ServerLabel {
        &self.label
    }

    /// Counts a line that is no message.
    pub(crate) fn stray(&self, line: &[u8]) {
        self.heard(|| json!({ "stray": quoted(line) }));
        let mut inner = self.lock();
        inner.stray_lines += 1;
        // A blank line says nothing; the first line that says something is the one to show.
        if inner.first_stray_line.is_none() && !line.trim_ascii().is_empty() {
            inner.first_stray_line = Some(quoted(line));
        }
    }

    /// Keeps a warning, once.
    pub(crate) fn warn(&self, warning: String) {
        self.heard(|| json!({ "warning": warning }));
        let mut inner = self.lock();
        if inner.warnings.len() < MOST_WARNINGS && !inner.warnings.contains(&warning) {
            inner.warnings.push(warning);
        }
    }

    /// Takes note of a repaired message.
    pub(crate) fn repaired(&self) {
        let label = &self.label;
        self.warn(format!("{label} sent text that is not valid Unicode; U+FFFD stands in its place"));
    }

    /// Takes note of a request by the server.
    pub(crate) fn asked(&self, request: ServerRequest) {
        self.heard(|| json!({ "asked": request }));
        self.asked_in_result(request);
    }

    /// Takes note of a request that stood in a result. A tape has it there, and a replay that reads the result takes note of it
    /// by itself.
    pub(crate) fn asked_in_result(&self, request: ServerRequest) {
        if request.outcome == ServerRequestOutcome::Refused {
            self.warn(format!("{} asked for {}, which was refused", self.label, request.method));
        }
        self.lock().requests.push(request);
    }

    /// Takes note of a notification, or of a ping.
    pub(crate) fn notified(&self, method: &str, params: &Value) {
        self.heard(|| match method {
            "notifications/message" => json!({ "notification": method, "params": params }),
            _ => json!({ "notification": method }),
        });
        if method == "notifications/tools/list_changed" {
            self.tools_changed();
        }
        let counted = COUNTED.iter().find(|known| **known == method).unwrap_or(&"other");
        let mut inner = self.lock();
        *inner.unsolicited.entry(counted).or_default() += 1;
        if method == "notifications/message" {
            let text = match params.get("data") {
                Some(Value::String(text)) => one_line(text, 500),
                Some(data) => cut(&data.to_string(), 500),
                None => String::new(),
            };
            let level = params.get("level").and_then(Value::as_str).unwrap_or_default();
            inner.log.push(ServerLogLine { level: cut(level, 20), text });
        }
    }

    /// Returns notes of their own that begin with what is noted so far.
    pub(crate) fn copied(&self) -> Self {
        let list_changes = AtomicU64::new(self.list_changes());
        Self { label: self.label.clone(), list_changes, inner: Mutex::new(self.lock().clone()) }
    }

    /// Keeps what is heard from now on, for a tape.
    pub(crate) fn keep_heard(&self) {
        self.lock().heard.get_or_insert_default();
    }

    /// Takes what was heard.
    pub(crate) fn take_heard(&self) -> Vec<Value> {
        self.lock().heard.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Takes note of something that was heard when a tape was recorded.
    pub(crate) fn hear_again(&self, heard: &Value) {
        let text = |key| heard.get(key).and_then(Value::as_str);
        if let Some(line) = text("stray") {
            self.stray(line.as_bytes());
        } else if let Some(warning) = text("warning") {
            self.warn(warning.to_owned());
        } else if let Some(Ok(request)) = heard.get("asked").map(ServerRequest::deserialize) {
            self.asked(request);
        } else if let Some(method) = text("notification") {
            self.notified(method, heard.get("params").unwrap_or(&Value::Null));
        }
    }

    fn heard(&self, what: impl FnOnce() -> Value) {
        let mut inner = self.lock();
        if let Some(heard) = inner.heard.as_mut().filter(|heard| heard.len() < MOST_HEARD) {
            heard.push(what());
        }
    }

    /// Takes note that the tools may not be what was listed.
    pub(crate) fn tools_changed(&self) {
        self.list_changes.fetch_add(1, Ordering::AcqRel);
    }

    /// Returns how often the tools changed.
    pub(crate) fn list_changes(&self) -> u64 {
        self.list_changes.load(Ordering::Acquire)
    }

    /// Returns the present point.
    pub(crate) fn mark(&self) -> Mark {
        let inner = self.lock();
        Mark { requests: inner.requests.end(), log: inner.log.end(), unsolicited: inner.unsolicited.clone() }
    }

    /// Adds to an observation what the server asked, logged and sent by itself since a point.
    pub(crate) fn tell_since(&self, mark: &Mark, observation: &mut ServerObservation) {
        let inner = self.lock();
        observation.requests = inner.requests.since(mark.requests, MOST_TOLD);
        observation.log = inner.log.since(mark.log, MOST_TOLD);
        let since = inner.unsolicited.iter().map(|(method, count)| {
            let before = mark.unsolicited.get(method).copied().unwrap_or_default();
            ((*method).to_owned(), count - before)
        });
        observation.unsolicited = since.filter(|(_, count)| *count > 0).collect();
    }

    /// Returns how many stray lines there were, and the first that was not blank.
    pub(crate) fn stray_lines(&self) -> (u64, Option<String>) {
        let inner = self.lock();
        (inner.stray_lines, inner.first_stray_line.clone())
    }

    pub(crate) fn warnings(&self) -> Vec<String> {
        self.lock().warnings.clone()
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns a line of a server as text, cut to 200 characters.
pub(crate) fn quoted(line: &[u8]) -> String {
    let start = &line[..line.len().min(1_000)];
    cut(String::from_utf8_lossy(start).trim(), 200)
}
