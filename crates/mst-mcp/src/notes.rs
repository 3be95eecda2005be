//! What a connection shows about its server beside its answers.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use mst_model::ServerLabel;

use crate::text::cut;

/// The most warnings that are kept of one connection.
const MOST_WARNINGS: usize = 50;

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
        let mut inner = self.lock();
        inner.stray_lines += 1;
        // A blank line says nothing; the first line that says something is the one to show.
        if inner.first_stray_line.is_none() && !line.trim_ascii().is_empty() {
            inner.first_stray_line = Some(quoted(line));
        }
    }

    /// Keeps a warning, once.
    pub(crate) fn warn(&self, warning: String) {
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
        if method == "notifications/tools/list_changed" {
            self.list_changed.store(true, Ordering::Release);
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
