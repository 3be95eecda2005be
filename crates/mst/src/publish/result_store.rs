//! The result store: the run's files, its manifest, and `latest.json` last.

use mst_cli::{CliError, ExitClass, plural, printable, wait_for};
use mst_store::{StoredRunError, Uploaded};
use tokio_util::sync::CancellationToken;

use super::Ended;
use crate::result_store::{Keeping, failed, update_history};

/// Keeps the run in a result store. One that became the eval's latest becomes the store's.
///
/// # Errors
/// When it cannot be kept. The run stays where it is, and the store's `latest.json` as it was.
pub(super) fn step(ended: &Ended<'_>, keeping: &Keeping) -> Result<(), CliError> {
    let Keeping { stored, upload } = keeping;
    let (run, record) = (ended.run(), &ended.outcome.record);
    let work = |cancel: CancellationToken| async move {
        let uploaded = stored.upload(&run, &record.run_id, *upload, &|| cancel.is_cancelled())?;
        update_history(stored, ended.ui);
        if ended.outcome.is_latest {
            stored.become_latest(record)?;
        }
        Ok(uploaded)
    };
    match wait_for(work).and_then(|done: Result<Uploaded, StoredRunError>| done.map_err(|error| failed(&error))) {
        Ok(uploaded) => {
            let files = plural(uploaded.files, "file");
            ended.ui.status(&printable(&format!("Kept in {}: {files}", stored.location())));
            Ok(())
        }
        Err(error) => {
            let place = ended.outcome.directory.display();
            let message = format!("the run is in {place} and was not kept in {}: {}", stored.location(), error.message);
            // Nothing that was asked for was wrong: the run was made.
            let class = if error.class == ExitClass::Usage { ExitClass::Machine } else { error.class };
            let error = CliError { message, class, ..error };
            Err(error.with_hint(format!("to copy it again: mst runs upload {} --config FILE", record.run_id)))
        }
    }
}
