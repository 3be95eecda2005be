//! What providers refused in a run, for the screen and `run.json`.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use indexmap::IndexMap;
use mst_model::{Provider, ProviderThrottling};

/// What each provider that throttled did so far. Written by those who grant room, read when the run is written.
#[derive(Debug, Default)]
pub(crate) struct Throttling(Mutex<BTreeMap<Provider, ProviderThrottling>>);

impl Throttling {
    /// Starts with what an earlier part of the run saw.
    pub(crate) fn new(earlier: &IndexMap<Provider, ProviderThrottling>) -> Self {
        Self(Mutex::new(earlier.iter().map(|(provider, seen)| (*provider, *seen)).collect()))
    }

    /// Counts a refused call. `concurrency` is how many calls at a time the provider gets from now on.
    pub(crate) fn refused(&self, provider: Provider, concurrency: u32) -> u64 {
        self.note(provider, |seen| {
            seen.lowest_concurrency = match seen.refused {
                0 => concurrency,
                _ => seen.lowest_concurrency.min(concurrency),
            };
            seen.refused += 1;
            seen.refused
        })
    }

    /// Adds the time that a call waited.
    pub(crate) fn waited(&self, provider: Provider, time: Duration) {
        self.note(provider, |seen| seen.waited_ms += time.as_millis() as u64);
    }

    /// Returns what was seen, by provider.
    pub(crate) fn seen(&self) -> IndexMap<Provider, ProviderThrottling> {
        let seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        seen.iter().filter(|(_, seen)| seen.refused > 0).map(|(provider, seen)| (*provider, *seen)).collect()
    }

    fn note<T>(&self, provider: Provider, change: impl FnOnce(&mut ProviderThrottling) -> T) -> T {
        change(self.0.lock().unwrap_or_else(PoisonError::into_inner).entry(provider).or_default())
    }
}
