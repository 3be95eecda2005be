//! Waits for servers, and stops when asked to.

use tokio_util::sync::CancellationToken;

use crate::error::CliError;
use crate::exit::ExitClass;
use crate::signals::Signals;

/// Runs work that touches servers. The first signal cancels it, so that it ends its servers; the command then says that
/// it was interrupted.
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
        let mut signals = Signals::new();
        let mut work = std::pin::pin!(work(cancel.clone()));
        tokio::select! {
            done = &mut work => Ok(done),
            () = signals.next() => {
                cancel.cancel();
                work.await;
                Err(CliError::new(ExitClass::Interrupted, "interrupted"))
            }
        }
    });
    runtime.shutdown_background();
    done
}
