//! Threads for patterns, which cannot be stopped once they run.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};
use tokio::time::timeout;

use crate::no_verdict::NoVerdict;

/// A bounded number of threads that run patterns, each under a time limit. One for a run; clones share the bound.
///
/// A backtracking pattern can run for ever, and its thread cannot be stopped. These threads are therefore plain ones and
/// not the runtime's, whose end would wait for them, and their number is bounded, so that a pattern that never ends on
/// a thousand answers does not leave a thousand threads behind. Once each of them is lost to such a pattern, work is
/// refused at once.
#[derive(Clone, Debug)]
pub struct PatternThreads {
    count: usize,
    limit: Duration,
    permits: Arc<Semaphore>,
    /// How many threads went over their time and still run.
    lost: Arc<AtomicUsize>,
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
        Self { count, limit, permits: Arc::new(Semaphore::new(count)), lost: Arc::new(AtomicUsize::new(0)) }
    }

    /// Runs work that may never end on a thread of its own.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, NoVerdict> + Send + 'static,
    ) -> Result<T, NoVerdict> {
        let permit = self.permit().await?;
        let (sender, mut receiver) = oneshot::channel();
        let lost = Arc::clone(&self.lost);
        let thread = std::thread::Builder::new().name("pattern".to_owned()).spawn(move || {
            if sender.send(work()).is_err() {
                lost.fetch_sub(1, Ordering::SeqCst);
            }
            drop(permit);
        });
        if let Err(error) = thread {
            return Err(NoVerdict::Thread(error.to_string()));
        }
        if let Ok(answer) = timeout(self.limit, &mut receiver).await {
            return answer.map_err(|_| NoVerdict::Thread("it ended without an answer".to_owned()))?;
        }
        // Counted before the channel closes, so that the thread's own count can only follow.
        self.lost.fetch_add(1, Ordering::SeqCst);
        receiver.close();
        let Ok(just_in_time) = receiver.try_recv() else { return Err(NoVerdict::TimedOut(self.limit)) };
        self.lost.fetch_sub(1, Ordering::SeqCst);
        just_in_time
    }

    /// Waits for a thread to be free, no longer than all of them may take.
    async fn permit(&self) -> Result<OwnedSemaphorePermit, NoVerdict> {
        if self.permits.available_permits() == 0 && self.lost.load(Ordering::SeqCst) >= self.count {
            return Err(NoVerdict::Busy(self.count));
        }
        match timeout(self.limit, Arc::clone(&self.permits).acquire_owned()).await {
            Ok(Ok(permit)) => Ok(permit),
            Ok(Err(closed)) => Err(NoVerdict::Thread(closed.to_string())),
            Err(_) => Err(NoVerdict::Busy(self.count)),
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
        assert_eq!(threads.run(|| Ok(())).await, Err(NoVerdict::Busy(1)));
        drop(release);
        while threads.lost.load(Ordering::SeqCst) > 0 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        assert_eq!(threads.run(|| Ok(7)).await, Ok(7));
    }

    #[tokio::test]
    async fn work_that_panics_gives_no_verdict() {
        let threads = PatternThreads::new(1, Duration::from_secs(5));
        let answer: Result<(), _> = threads.run(|| panic!("for the test")).await;
        assert!(matches!(answer, Err(NoVerdict::Thread(_))));
    }
}
