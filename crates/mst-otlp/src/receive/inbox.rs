//! What one trial's client reports: taken while the trial runs, within limits.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use mst_model::{HostItem, HostTelemetry};

use super::server::Doors;

/// What a trial's client may report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most bytes of one request, after decompression.
    pub request_bytes: usize,
    /// The most bytes of all requests together, after decompression.
    pub bytes: usize,
    /// The most spans, log records and metric points together.
    pub items: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { request_bytes: 4 << 20, bytes: 16 << 20, items: 20_000 }
    }
}

/// A trial's place at the receiver. What comes after it is closed or dropped is refused.
#[derive(Debug)]
pub struct Inbox {
    pub(super) doors: Arc<Doors>,
    pub(super) token: String,
    pub(super) root: String,
    pub(super) received: Arc<Mutex<Received>>,
}

impl Inbox {
    /// Returns the root that the client's exporter posts below.
    pub fn endpoint(&self) -> &str {
        &self.root
    }

    /// Returns the variables that send what a program reports here and nowhere else. They also empty those of the
    /// environment that would send it elsewhere or carry credentials there.
    pub fn variables(&self) -> BTreeMap<String, String> {
        let mut variables = BTreeMap::new();
        let mut set = |name: &str, value: &str| variables.insert(name.to_owned(), value.to_owned());
        set("OTEL_EXPORTER_OTLP_ENDPOINT", &self.root);
        set("OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf");
        set("OTEL_EXPORTER_OTLP_HEADERS", "");
        for (signal, path) in [("TRACES", "traces"), ("LOGS", "logs"), ("METRICS", "metrics")] {
            set(&format!("OTEL_{signal}_EXPORTER"), "otlp");
            set(&format!("OTEL_EXPORTER_OTLP_{signal}_ENDPOINT"), &format!("{}/v1/{path}", self.root));
            set(&format!("OTEL_EXPORTER_OTLP_{signal}_PROTOCOL"), "http/protobuf");
            set(&format!("OTEL_EXPORTER_OTLP_{signal}_HEADERS"), "");
        }
        set("OTEL_SDK_DISABLED", "");
        variables
    }

    /// Closes the inbox and returns what came; `None` when nothing did.
    pub fn close(self) -> Option<HostTelemetry> {
        self.doors.shut(&self.token);
        let received = std::mem::take(&mut *self.received.lock().unwrap_or_else(PoisonError::into_inner));
        Some(received.telemetry).filter(|telemetry| !telemetry.is_empty())
    }
}

impl Drop for Inbox {
    fn drop(&mut self) {
        self.doors.shut(&self.token);
    }
}

/// What has come so far.
#[derive(Debug, Default)]
pub(super) struct Received {
    telemetry: HostTelemetry,
    bytes: usize,
    items: usize,
}

/// The kinds of what can be reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Signal {
    Traces,
    Logs,
    Metrics,
}

impl Received {
    /// Takes the items of a request of so many bytes, each with its weight, as far as there is room. Returns the weight of
    /// what was refused.
    pub(super) fn take(&mut self, signal: Signal, items: Vec<(HostItem, usize)>, bytes: usize, limits: Limits) -> u64 {
        let fits = self.bytes.saturating_add(bytes) <= limits.bytes;
        if fits {
            self.bytes += bytes;
        }
        let list = match signal {
            Signal::Traces => &mut self.telemetry.spans,
            Signal::Logs => &mut self.telemetry.logs,
            Signal::Metrics => &mut self.telemetry.metrics,
        };
        let mut refused = 0;
        for (item, weight) in items {
            if fits && self.items.saturating_add(weight) <= limits.items {
                self.items += weight;
                list.push(item);
            } else {
                refused += weight as u64;
            }
        }
        self.telemetry.refused += refused;
        refused
    }
}
