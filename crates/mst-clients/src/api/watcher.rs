//! What a trial's model calls wait for, told to the run.

use std::time::Duration;

use async_trait::async_trait;
use mst_ext::{ClientSignal, RunSignals};
use mst_llm::CallWatcher;
use mst_model::Provider;

/// Passes on what a model's calls wait for.
pub(super) struct Watcher {
    /// Who answers.
    pub(super) provider: Provider,
    /// The way to the run.
    pub(super) signals: RunSignals,
}

#[async_trait]
impl CallWatcher for Watcher {
    fn refused(&self, closed_for: Duration, concurrency: u32) {
        let (provider, retry_after, concurrency) = (self.provider, closed_for, Some(concurrency));
        self.signals.tell(ClientSignal::RateLimited { provider, retry_after, concurrency });
    }

    fn eased(&self, concurrency: Option<u32>) {
        self.signals.tell(ClientSignal::Eased { provider: self.provider, concurrency });
    }

    fn waits(&self) {
        self.signals.tell(ClientSignal::Waits { provider: self.provider });
    }

    async fn goes_on(&self) {
        self.signals.resume().await;
    }
}
