//! What a session tells the run while a trial goes on: that a provider throttles, and that the trial waits for it.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use mst_model::Provider;

/// Something that the run should know of while a trial goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClientSignal {
    /// A provider refused a call for now: no further trial of its model should start before `retry_after` has passed.
    RateLimited {
        /// The provider.
        provider: Provider,
        /// How long it asks to be left alone, or how long the client leaves it alone by itself.
        retry_after: Duration,
        /// How many calls at a time the client sends it from now on, where the client knows.
        concurrency: Option<u32>,
    },
    /// A provider that throttled keeps up again.
    Eased {
        /// The provider.
        provider: Provider,
        /// How many calls at a time the client sends it from now on; no limit of its own when absent.
        concurrency: Option<u32>,
    },
    /// The trial waits for a provider. Until it resumes, its place in the run's concurrency may go to another trial.
    Waits {
        /// The provider.
        provider: Provider,
    },
}

/// Someone who hears what sessions have to tell. One for each session, which runs one trial at a time.
#[async_trait]
pub trait Listener: Send + Sync {
    /// Takes a signal. Never waits.
    fn tell(&self, signal: ClientSignal);

    /// Waits, after [`ClientSignal::Waits`], until the trial has its place again.
    async fn resume(&self);
}

/// A session's way to the run. The default leads nowhere, for a client that runs outside one.
#[derive(Clone, Default)]
pub struct RunSignals(Option<Arc<dyn Listener>>);

impl RunSignals {
    /// Makes the way to a listener.
    pub fn new(listener: Arc<dyn Listener>) -> Self {
        Self(Some(listener))
    }

    /// Tells the run something. Never waits.
    pub fn tell(&self, signal: ClientSignal) {
        if let Some(listener) = &self.0 {
            listener.tell(signal);
        }
    }

    /// Waits, after [`ClientSignal::Waits`], until the trial has its place again.
    pub async fn resume(&self) {
        if let Some(listener) = &self.0 {
            listener.resume().await;
        }
    }
}

impl fmt::Debug for RunSignals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("RunSignals").field(&self.0.is_some()).finish()
    }
}
