//! When a failed call is repeated, and after what wait.

use std::time::Duration;

use std::sync::atomic::{AtomicU32, Ordering};

use crate::failure::Failure;

/// How often a failed call is repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetryPolicy {
    /// How often the provider is asked at most, the first time included.
    pub attempts: u32,
    /// The wait before the first repetition when the provider asks for none; it doubles with each.
    pub base_delay: Duration,
    /// The longest wait. A provider that asks for a longer one is not asked again: coming back earlier than it said
    /// would only be refused again.
    pub max_wait: Duration,
}

impl Default for RetryPolicy {
    /// Four attempts, half a second doubling, a minute at most.
    fn default() -> Self {
        Self { attempts: 4, base_delay: Duration::from_millis(500), max_wait: Duration::from_mins(1) }
    }
}

/// How many refusals of a throttling provider do not count as attempts, because it answered others meanwhile: it is then
/// not down, but wants fewer calls at a time.
pub(crate) const EXCUSED: u32 = 12;

impl RetryPolicy {
    /// Asks once.
    pub fn never() -> Self {
        Self { attempts: 1, ..Self::default() }
    }

    /// Returns the wait before the next attempt, or `None` when there is none; `attempt` counts from 1.
    pub(crate) fn wait(&self, failure: &Failure, attempt: u32) -> Option<Duration> {
        if attempt >= self.attempts || !failure.is_retryable() {
            return None;
        }
        match failure.retry_after() {
            Some(asked) if asked > self.max_wait => None,
            Some(asked) => Some(asked.max(Duration::from_millis(1))),
            None => Some(self.backoff(attempt)),
        }
    }

    /// Returns the wait after an attempt when the provider asks for none; `attempt` counts from 1.
    pub(crate) fn backoff(&self, attempt: u32) -> Duration {
        self.base_delay.saturating_mul(1 << attempt.saturating_sub(1).min(16)).min(self.max_wait)
    }
}

/// Spreads the waits of callers that failed together, so that they do not come back together.
///
/// The n-th wait is lengthened by frac(n · φ) of a quarter, φ the golden ratio's fraction: as even as random numbers, and
/// the same in every run.
#[derive(Debug, Default)]
pub(crate) struct Spread(AtomicU32);

impl Spread {
    /// Returns a wait that is up to a quarter longer.
    pub(crate) fn lengthen(&self, wait: Duration) -> Duration {
        let turn = self.0.fetch_add(1, Ordering::Relaxed);
        let share = (f64::from(turn) * 0.618_033_988_749_895).fract();
        wait + wait.mul_f64(share / 4.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_that_begin_together_end_apart() {
        let spread = Spread::default();
        let waits: Vec<u128> = (0..4).map(|_| spread.lengthen(Duration::from_secs(1)).as_millis()).collect();
        assert_eq!(waits, [1000, 1154, 1059, 1213]);
    }

    #[test]
    fn waits_follow_what_the_provider_asks_for() {
        let policy = RetryPolicy::default();
        let limited = |seconds: Option<u64>| Failure::RateLimited {
            retry_after: seconds.map(Duration::from_secs),
            exhausted: false,
        };
        let down = Failure::Unavailable { status: 503, retry_after: None };
        for (failure, attempt, want) in [
            (limited(Some(1)), 1, Some(1000)),
            (limited(Some(1)), 4, None),
            (limited(Some(61)), 1, None),
            (limited(None), 1, Some(500)),
            (limited(None), 3, Some(2000)),
            (down, 2, Some(1000)),
            (Failure::Network { detail: "reset".into() }, 1, Some(500)),
            (Failure::RateLimited { retry_after: None, exhausted: true }, 1, None),
            (Failure::ContextOverflow, 1, None),
            (Failure::Unreadable { detail: "no JSON".into() }, 1, None),
        ] {
            assert_eq!(policy.wait(&failure, attempt).map(|wait| wait.as_millis()), want, "{failure:?} {attempt}");
        }
    }
}
