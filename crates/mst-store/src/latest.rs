//! `latest.json`: the full, graded run collected last, with nothing missing.

use mst_model::{LatestRecord, RUN_FORMAT, RunRecord};

use crate::atomic::{to_bytes, write_atomic};
use crate::error::StoreError;
use crate::layout::EvalLayout;
use crate::lock::DirectoryLock;
use crate::reader::read_latest;
use crate::sync::sync_with_folder;

/// Returns what `latest.json` says of a run.
pub(crate) fn latest_record(run: &RunRecord) -> LatestRecord {
    LatestRecord {
        format: RUN_FORMAT.to_owned(),
        kind: "latest".to_owned(),
        run_id: run.run_id.clone(),
        created_at: run.created_at,
        path: format!("runs/{}", run.run_id),
    }
}

/// Makes a run the eval's latest, and returns whether it is. Of several, the one that was collected last is: whoever comes
/// later writes later, whatever the clock says; but a regrade of an older collection leaves a newer one in its place.
///
/// # Errors
/// When the file cannot be written.
pub(crate) fn become_latest(eval: &EvalLayout, run: &RunRecord) -> Result<bool, StoreError> {
    let _lock = DirectoryLock::eval(eval.root())?;
    if run.graded_from.is_some() {
        // One that cannot be read is replaced: it names nothing.
        let current = read_latest(eval).ok().flatten();
        if current.is_some_and(|latest| latest.created_at > run.created_at && eval.run(&latest.run_id).root().is_dir())
        {
            return Ok(false);
        }
    }
    write_atomic(&eval.latest(), &to_bytes(&latest_record(run)))?;
    sync_with_folder(&eval.latest())?;
    Ok(true)
}
