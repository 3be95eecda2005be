//! Ctrl-C: once with a moment's grace, twice at once.

use std::time::Duration;

use mst_cli::Signals;
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
