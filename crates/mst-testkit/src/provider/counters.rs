//! What the fake provider counts about itself.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

/// The counters at one moment, as `GET /__stats` gives them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Stats {
    /// Requests to a model.
    pub requests: usize,
    /// Requests that are being answered now.
    pub in_flight: usize,
    /// The most requests that were being answered at once.
    pub most_in_flight: usize,
    /// Requests to a model by wire form.
    pub by_form: IndexMap<String, usize>,
    /// Requests that ended in a scripted fault or HTTP error.
    pub faults: usize,
    /// Requests that no rule matched.
    pub unmatched: usize,
    /// Requests that a rule had no reply left for.
    pub exhausted: usize,
    /// Token counts and token grants served.
    pub other: usize,
    /// Bytes of request bodies.
    pub bytes_in: usize,
    /// Microseconds since the start.
    pub uptime_us: u64,
    /// Microseconds from the start to the first request to a model; absent before it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_us: Option<u64>,
    /// Microseconds from the start to the end of the last answer to such a request; absent before it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_us: Option<u64>,
    /// Microseconds spent in handlers, configured latency left out.
    pub busy_us: u64,
    /// Microseconds that the server's thread was on a processor, network included; absent where the system does not say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_us: Option<u64>,
    /// Own busy time over wall time: from `cpu_us` where known, else from `busy_us`.
    pub busy_ratio: f64,
}

impl Stats {
    /// Counts a request to a model that begins.
    pub(crate) fn begin(&mut self, uptime_us: u64) {
        self.in_flight += 1;
        self.most_in_flight = self.most_in_flight.max(self.in_flight);
        self.first_us.get_or_insert(uptime_us);
    }

    /// Counts a request to a model that ends.
    pub(crate) fn end(&mut self, uptime_us: u64) {
        self.in_flight -= 1;
        self.last_us = Some(uptime_us);
    }

    /// Counts a request that asks a model.
    pub(crate) fn count_model(&mut self, form: &str, bytes: usize) {
        self.requests += 1;
        self.bytes_in += bytes;
        *self.by_form.entry(form.to_owned()).or_default() += 1;
    }

    /// Fills in the derived figures.
    pub(crate) fn at(mut self, uptime_us: u64, cpu_us: Option<u64>) -> Self {
        self.uptime_us = uptime_us;
        self.cpu_us = cpu_us;
        self.busy_ratio = cpu_us.unwrap_or(self.busy_us) as f64 / uptime_us.max(1) as f64;
        self
    }
}
