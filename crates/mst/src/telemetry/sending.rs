//! Sends a stored run's trace, batch by batch, and counts what arrived.

use std::time::Duration;

use mst_otlp::{Accepted, Batches, RunTrace, SendError, Span, TraceSender};
use mst_store::{RunReader, StoreError};
use tokio::time::Instant;

use super::trials::StoredTrials;

/// What became of a run's spans.
#[derive(Debug, Default)]
pub(crate) struct Sent {
    /// The trace's id, in hex.
    pub(crate) trace: String,
    /// Spans that the collector took.
    pub(crate) taken: u64,
    /// Spans that it rejected.
    pub(crate) rejected: u64,
    /// What it said of those, its own words.
    pub(crate) words: Option<String>,
    /// Why the sending stopped before its end.
    pub(crate) stopped: Option<SendError>,
    /// How many trials were read before that.
    pub(crate) trials: usize,
    /// How many trials the run has.
    pub(crate) all_trials: usize,
}

impl Sent {
    /// Sends a batch. Returns whether to go on.
    async fn send(&mut self, sender: &TraceSender, spans: Vec<Span>, end: Instant) -> bool {
        let count = spans.len() as u64;
        match sender.send(spans, end).await {
            Ok(Accepted { rejected, message }) => {
                let rejected = rejected.min(count);
                self.rejected += rejected;
                self.taken += count - rejected;
                self.words = self.words.take().or(message);
                true
            }
            Err(error) => {
                self.stopped = Some(error);
                false
            }
        }
    }
}

/// Sends a run's trace. Each request has the settings' timeout; all of them together have `limit`, when there is one.
///
/// What the collector does not take is no error: it is counted. The first batch that does not arrive is the last one that
/// is tried, since a collector that is down or refuses would make every further one wait.
///
/// # Errors
/// When a stored file cannot be read.
pub(crate) async fn send_run(
    reader: &RunReader,
    sender: &TraceSender,
    limit: Option<Duration>,
) -> Result<Sent, StoreError> {
    const NO_LIMIT: Duration = Duration::from_hours(24 * 365);
    let end = Instant::now() + limit.unwrap_or(NO_LIMIT);
    let trials = StoredTrials::of(reader)?;
    let mut trace = RunTrace::new(reader.record().view());
    let mut sent = Sent { trace: trace.id(), all_trials: trials.len(), ..Sent::default() };
    let mut batches = Batches::default();
    for graded in trials {
        let graded = graded?;
        if Instant::now() >= end {
            sent.stopped = Some(SendError::Timeout);
            return Ok(sent);
        }
        for batch in batches.add(trace.trial(&graded)) {
            if !sent.send(sender, batch, end).await {
                return Ok(sent);
            }
        }
        sent.trials += 1;
    }
    let full = batches.add(trace.finish());
    for batch in full.into_iter().chain(batches.rest()) {
        if !sent.send(sender, batch, end).await {
            break;
        }
    }
    Ok(sent)
}
