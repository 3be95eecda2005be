//! Waits for servers, and stops when asked to.

use std::time::Duration;

use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::error::CliError;
use crate::exit::ExitClass;
use crate::signals::Signals;

/// How long work has to end its servers once it is cancelled.
const GRACE: Duration = Duration::from_secs(5);

/// Runs work that touches servers. The first signal cancels it, so that it ends its servers; the command then says that
/// it was interrupted. A second one ends the program at once.
///
/// # Errors
/// When it was interrupted, or the system gave no threads.
pub fn wait_for<T, W, F>(work: W) -> Result<T, CliError>
where
    W: FnOnce(CancellationToken) -> F,
    F: Future<Output = T>,
{
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.map_err(|error| CliError::new(ExitClass::Machine, format!("no runtime: {error}")))?;
    let done = runtime.block_on(async {
        let cancel = CancellationToken::new();
        // On a thread of its own: the work may compute for long without waiting for anything.
        let mut heard = JoinSet::new();
        heard.spawn(hear(Signals::new(), cancel.clone()));
        let done = work(cancel.clone()).await;
        heard.abort_all();
        if cancel.is_cancelled() { Err(CliError::new(ExitClass::Interrupted, "interrupted")) } else { Ok(done) }
    });
    runtime.shutdown_background();
    done
}

/// Cancels at the first signal. Work that does not end then, or a second signal, ends the program: the guardian ends what it
/// had started.
#[expect(clippy::exit, reason = "work that computes cannot be told to end")]
async fn hear(mut signals: Signals, cancel: CancellationToken) {
    signals.next().await;
    cancel.cancel();
    tokio::select! {
        () = signals.next() => {}
        () = tokio::time::sleep(GRACE) => {}
    }
    std::process::exit(i32::from(ExitClass::Interrupted.code()));
}
