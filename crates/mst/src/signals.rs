//! Ctrl-C: once politely, twice firmly.

use mst_engine::Stop;
use tokio_util::sync::CancellationToken;

/// Waits for signals until `done` ends. Calls `first` at the first one; a second cuts trials off.
pub(crate) async fn watch(stop: Stop, done: CancellationToken, first: impl Fn() + Send) {
    let mut signals = Signals::new();
    let mut count = 0;
    while let Some(()) = done.run_until_cancelled(signals.next()).await {
        count += 1;
        if count == 1 {
            stop.starting.cancel();
            first();
        } else {
            stop.running.cancel();
        }
    }
}

/// Ctrl-C, and where there is one the system's request to end.
struct Signals {
    #[cfg(unix)]
    terminate: Option<tokio::signal::unix::Signal>,
}

impl Signals {
    fn new() -> Self {
        Self {
            #[cfg(unix)]
            terminate: tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()).ok(),
        }
    }

    async fn next(&mut self) {
        let interrupt = async {
            if tokio::signal::ctrl_c().await.is_err() {
                std::future::pending::<()>().await;
            }
        };
        #[cfg(unix)]
        if let Some(terminate) = &mut self.terminate {
            tokio::select! {
                () = interrupt => {}
                _ = terminate.recv() => {}
            }
            return;
        }
        interrupt.await;
    }
}
