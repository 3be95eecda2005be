//! Threads for patterns, which cannot be stopped once they run.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Semaphore, oneshot};
use tokio::time::timeout;

use crate::no_verdict::NoVerdict;

/// A bounded number of threads that run patterns, each under a time limit. One for a run; clones share the bound.
///
/// A backtracking pattern can run for ever, and its thread cannot be stopped. These threads are therefore plain ones and
/// not the runtime's, whose end would wait for them, and their number is bounded, so that a pattern that never ends on
/// a thousand answers does not leave a thousand threads behind.
#[derive(Clone, Debug)]
pub struct PatternThreads {
    permits: Arc<Semaphore>,
    limit: Duration,
}

impl Default for PatternThreads {
    /// Makes four threads with five seconds each.
    fn default() -> Self {
        Self::new(4, Duration::from_secs(5))
    }
}

impl PatternThreads {
    /// Makes a bound of `count` threads at once, each with `limit` to come to an end.
    pub fn new(count: usize, limit: Duration) -> Self {
        Self { permits: Arc::new(Semaphore::new(count)), limit }
    }

    /// Runs work that may never end on a thread of its own.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, NoVerdict> + Send + 'static,
    ) -> Result<T, NoVerdict> {
        let permit = match timeout(self.limit, Arc::clone(&self.permits).acquire_owned()).await {
            Ok(Ok(permit)) => permit,
            Ok(Err(closed)) => return Err(NoVerdict::Thread(closed.to_string())),
            Err(_) => return Err(NoVerdict::Busy(self.limit)),
        };
        let (sender, receiver) = oneshot::channel();
        let thread = std::thread::Builder::new().name("pattern".to_owned()).spawn(move || {
            // Nobody waits for an answer that comes too late. The permit is held until the thread really ends.
            let _late = sender.send(work()).err();
            drop(permit);
        });
        if let Err(error) = thread {
            return Err(NoVerdict::Thread(error.to_string()));
        }
        match timeout(self.limit, receiver).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(_)) => Err(NoVerdict::Thread("it ended without an answer".to_owned())),
            Err(_) => Err(NoVerdict::TimedOut(self.limit)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn work_that_never_ends_is_left_behind_and_counted() {
        let threads = PatternThreads::new(1, Duration::from_millis(50));
        let (release, held) = std::sync::mpsc::channel::<()>();
        let stuck = threads.run(move || {
            let _ended = held.recv();
            Ok(())
        });
        assert_eq!(stuck.await, Err(NoVerdict::TimedOut(Duration::from_millis(50))));
        assert_eq!(threads.run(|| Ok(())).await, Err(NoVerdict::Busy(Duration::from_millis(50))));
        drop(release);
        tokio::time::sleep(Duration::from_millis(50)).await;
        assert_eq!(threads.run(|| Ok(7)).await, Ok(7));
    }

    #[tokio::test]
    async fn work_that_panics_gives_no_verdict() {
        let threads = PatternThreads::new(1, Duration::from_secs(5));
        let answer: Result<(), _> = threads.run(|| panic!("for the test")).await;
        assert!(matches!(answer, Err(NoVerdict::Thread(_))));
    }
}
