//! The run that `--skip-existing` looks for.

use mst_cli::{CliError, ExitClass, plural};
use mst_config::Plan;
use mst_model::{Phase, RunId, RunRecord, Summary};
use mst_store::{EvalLayout, RunReader, StoredEval, StoredRunError, list_runs};
use serde_json::Value;

use crate::result_store;

/// A run of the same config and the same datasets that is whole.
pub(super) struct Existing {
    pub(super) run_id: RunId,
    /// Where the run is: its directory, or its place in a result store.
    pub(super) directory: String,
    pub(super) summary: Summary,
}

/// Finds the newest run that another one would only repeat.
///
/// The config's hash does not cover its datasets, so theirs are compared too: an edited case is run again. A run with
/// something missing or incomplete does not count, nor one that flags narrowed or that came from a tape. A run that cannot
/// be read counts for nothing here.
pub(super) fn find(eval: &EvalLayout, plan: &Plan) -> Option<Existing> {
    let runs = list_runs(eval).ok()?;
    runs.iter().rev().find_map(|id| {
        let reader = RunReader::open(eval.run(id)).ok()?;
        if !repeats(reader.record().view(), plan) {
            return None;
        }
        let summary = reader.summary().ok()?.view().clone();
        let directory = reader.layout().root().display().to_string();
        is_whole(&summary).then(|| Existing { run_id: id.clone(), directory, summary })
    })
}

/// Finds the newest run in a result store that another one would only repeat. One that is not all there, or is not what its
/// manifest says, counts for nothing.
pub(super) fn find_stored(stored: &StoredEval, plan: &Plan) -> Result<Option<Existing>, CliError> {
    let failed = |error: StoredRunError| result_store::failed(&error);
    for id in stored.runs().map_err(failed)?.iter().rev() {
        let Some(record) = stored.glance(id).map_err(failed)? else { continue };
        if !repeats(&record, plan) {
            continue;
        }
        let summary = match stored.record(id).and_then(|record| Ok((record, stored.summary(id)?))) {
            Ok((record, Some(summary))) if repeats(&record, plan) && is_whole(&summary) => summary,
            Ok(_) | Err(StoredRunError::NoManifest { .. } | StoredRunError::Unusable { .. }) => continue,
            Err(error) => return Err(failed(error)),
        };
        let directory = format!("{}/runs/{id}", stored.location());
        return Ok(Some(Existing { run_id: id.clone(), directory, summary }));
    }
    Ok(None)
}

fn is_whole(summary: &Summary) -> bool {
    number(summary, "total") > 0 && number(summary, "incomplete") == 0
}

fn repeats(run: &RunRecord, plan: &Plan) -> bool {
    let stored: Vec<_> = run.datasets.iter().map(|dataset| (&dataset.name, &dataset.content_hash)).collect();
    let planned: Vec<_> =
        plan.datasets.iter().map(|dataset| (&dataset.record.name, &dataset.record.content_hash)).collect();
    run.phases.collect == Phase::Complete
        && run.phases.grade == Phase::Complete
        && !run.partial
        && run.replayed.is_none()
        && run.content_hash == plan.content_hash
        && stored == planned
}

fn number(summary: &Summary, key: &str) -> u64 {
    summary.metrics.get(key).and_then(Value::as_u64).unwrap_or(0)
}

impl Existing {
    /// Returns what the run came to, which counts as the eval's result.
    pub(super) fn class(&self) -> ExitClass {
        if number(&self.summary, "failed") > 0 { ExitClass::Failed } else { ExitClass::Success }
    }

    /// Says which run it is and what it came to.
    pub(super) fn words(&self) -> String {
        let (passed, total) = (number(&self.summary, "passed"), number(&self.summary, "total"));
        format!("run {} had {passed} of {} passed", self.run_id, plural(total as usize, "case"))
    }
}
