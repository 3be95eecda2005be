//! What a connection shows about its server beside its answers.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use mst_model::ServerLabel;
use serde_json::{Value, json};

use crate::text::cut;

/// The most warnings that are kept of one connection.
const MOST_WARNINGS: usize = 50;
/// The most that a tape keeps of what a server says by itself during one exchange.
const MOST_HEARD: usize = 10_000;

/// The notes of one connection, written by its tasks.
#[derive(Debug)]
pub(crate) struct Notes {
    label: ServerLabel,
    list_changed: AtomicBool,
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    stray_lines: u64,
    first_stray_line: Option<String>,
    warnings: Vec<String>,
    /// What was heard since it was last taken, where a tape keeps it.
    heard: Option<Vec<Value>>,
}

impl Notes {
    pub(crate) fn new(label: &ServerLabel) -> Self {
        Self { label: label.clone(), list_changed: AtomicBool::new(false), inner: Mutex::default() }
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
    pub(crate) fn asked(&self, method: &str) {
        if method != "ping" {
            self.warn(format!("{} asked for {}, which was refused", self.label, cut(method, 100)));
        }
    }

    /// Takes note of a notification.
    pub(crate) fn notified(&self, method: &str) {
        self.heard(|| json!({ "notification": method }));
        if method == "notifications/tools/list_changed" {
            self.list_changed.store(true, Ordering::Release);
        }
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
        } else if let Some(method) = text("notification") {
            self.notified(method);
        }
    }

    fn heard(&self, what: impl FnOnce() -> Value) {
        let mut inner = self.lock();
        if let Some(heard) = inner.heard.as_mut().filter(|heard| heard.len() < MOST_HEARD) {
            heard.push(what());
        }
    }

    pub(crate) fn list_changed(&self) -> bool {
        self.list_changed.load(Ordering::Acquire)
    }

    pub(crate) fn listed_again(&self) {
        self.list_changed.store(false, Ordering::Release);
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
