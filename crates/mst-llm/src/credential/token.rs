//! A token that is made once for everyone who waits for it, and again when it is old or was refused.

use std::sync::{Mutex, PoisonError};

use mst_model::{Clock, Timestamp};

use crate::failure::Failure;

/// A token and when it is old.
#[derive(Clone)]
struct Fresh {
    value: String,
    until: Timestamp,
}

/// The place of one token.
///
/// The lock is held while a token is made, on purpose: a hundred trials that start together make one token, not a
/// hundred.
#[derive(Default)]
pub(super) struct TokenCell {
    current: tokio::sync::Mutex<Option<Fresh>>,
    seen: Mutex<Vec<String>>,
}

/// A token as it was made.
pub(super) struct Made {
    pub(super) value: String,
    pub(super) lives_ms: u64,
}

impl TokenCell {
    /// Returns the token, made by `make` when there is none that is fresh.
    pub(super) async fn get(
        &self,
        clock: &dyn Clock,
        make: impl Future<Output = Result<Made, Failure>>,
    ) -> Result<String, Failure> {
        let mut current = self.current.lock().await;
        if let Some(fresh) = current.as_ref().filter(|fresh| clock.now() < fresh.until) {
            return Ok(fresh.value.clone());
        }
        let made = make.await?;
        self.remember(&made.value);
        let until = clock.now().as_millis().saturating_add(i64::try_from(made.lives_ms).unwrap_or(i64::MAX));
        // A time past the calendar's end only means that the token is made again.
        *current = Timestamp::from_millis(until).map(|until| Fresh { value: made.value.clone(), until });
        Ok(made.value)
    }

    pub(super) async fn forget(&self) {
        *self.current.lock().await = None;
    }

    /// Returns every token made so far.
    pub(super) fn seen(&self) -> Vec<String> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn remember(&self, token: &str) {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if !seen.iter().any(|known| known == token) {
            seen.push(token.to_owned());
        }
    }
}
