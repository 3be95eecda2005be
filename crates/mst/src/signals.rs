//! Ctrl-C: once with a moment's grace, twice at once.

#[cfg(unix)]
use std::task::Poll;
use std::time::Duration;

use mst_engine::Stop;
use tokio_util::sync::CancellationToken;

/// How long trials under way may go on after the first signal. Long enough to save what is about to end, and short enough
/// that nobody reaches for a harder kill; what is cut off is not recorded, so that a resume collects it.
pub(crate) const GRACE: Duration = Duration::from_secs(1);

/// Waits for signals until `done` ends. Calls `first` at the first one; a second, or the end of the grace, cuts trials off.
pub(crate) async fn watch(stop: Stop, done: CancellationToken, first: impl Fn() + Send) {
    let mut signals = Signals::new();
    if done.run_until_cancelled(signals.next()).await.is_none() {
        return;
    }
    stop.starting.cancel();
    first();
    let again = async {
        tokio::select! {
            () = signals.next() => {}
            () = tokio::time::sleep(GRACE) => {}
        }
    };
    if done.run_until_cancelled(again).await.is_some() {
        stop.running.cancel();
    }
    // Later signals change nothing, and must not end the program before servers are closed and the run is written.
    done.run_until_cancelled(async {
        loop {
            signals.next().await;
        }
    })
    .await;
}

/// Ctrl-C, and on Unix the other ways of being asked to end: a closed terminal too must not leave servers behind.
pub(crate) struct Signals {
    #[cfg(unix)]
    others: Vec<tokio::signal::unix::Signal>,
}

impl Signals {
    /// Starts to listen.
    pub(crate) fn new() -> Self {
        #[cfg(unix)]
        use tokio::signal::unix::{SignalKind, signal};
        Self {
            #[cfg(unix)]
            others: [SignalKind::terminate(), SignalKind::hangup(), SignalKind::quit()]
                .into_iter()
                .filter_map(|kind| signal(kind).ok())
                .collect(),
        }
    }

    /// Waits for the next one.
    pub(crate) async fn next(&mut self) {
        let interrupt = async {
            if tokio::signal::ctrl_c().await.is_err() {
                std::future::pending::<()>().await;
            }
        };
        #[cfg(unix)]
        {
            let others = std::future::poll_fn(|context| {
                let mut others = self.others.iter_mut();
                if others.any(|signal| signal.poll_recv(context).is_ready()) { Poll::Ready(()) } else { Poll::Pending }
            });
            tokio::select! {
                () = interrupt => {}
                () = others => {}
            }
        }
        #[cfg(not(unix))]
        interrupt.await;
    }
}
