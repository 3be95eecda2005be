//! The run that `--skip-existing` looks for.

use std::path::PathBuf;

use mst_cli::{ExitClass, plural};
use mst_config::Plan;
use mst_model::{Phase, RunId, RunRecord, Summary};
use mst_store::{EvalLayout, RunReader, list_runs};
use serde_json::Value;

/// A run of the same config and the same datasets that is whole.
pub(super) struct Existing {
    pub(super) run_id: RunId,
    pub(super) directory: PathBuf,
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
        let whole = number(&summary, "total") > 0 && number(&summary, "incomplete") == 0;
        whole.then(|| Existing { run_id: id.clone(), directory: reader.layout().root().to_owned(), summary })
    })
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
