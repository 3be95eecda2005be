//! `latest.json`: the newest full, graded run with nothing missing.

use mst_model::{LatestRecord, RUN_FORMAT, RunRecord};

use crate::atomic::{to_bytes, write_atomic};
use crate::error::StoreError;
use crate::layout::EvalLayout;
use crate::lock::DirectoryLock;
use crate::reader::read_latest;
use crate::sync::sync_with_folder;

/// Makes a run the eval's latest, unless a newer one that is still there already is. Returns whether it did.
///
/// # Errors
/// When the file cannot be written.
pub(crate) fn become_latest(eval: &EvalLayout, run: &RunRecord) -> Result<bool, StoreError> {
    let _lock = DirectoryLock::eval(eval.root())?;
    // A pointer that cannot be read points nowhere, and is replaced.
    if let Ok(Some(present)) = read_latest(eval)
        && present.created_at > run.created_at
        && eval.run(&present.run_id).run_record().is_file()
    {
        return Ok(false);
    }
    let latest = LatestRecord {
        format: RUN_FORMAT.to_owned(),
        kind: "latest".to_owned(),
        run_id: run.run_id.clone(),
        created_at: run.created_at,
        path: format!("runs/{}", run.run_id),
    };
    write_atomic(&eval.latest(), &to_bytes(&latest))?;
    sync_with_folder(&eval.latest())?;
    Ok(true)
}
