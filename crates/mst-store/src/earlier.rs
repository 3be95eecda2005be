//! The run before a run: found among an eval's runs, and read as one side of the comparison.

use std::cmp::Reverse;

use indexmap::IndexMap;
use mst_measure::compare::SideCase;
use mst_measure::previous::{CaseEnd, RunSide, is_previous, run_side};
use mst_model::{RunId, RunRecord, VariantName};

use crate::error::StoreError;
use crate::layout::EvalLayout;
use crate::lookup::list_runs;
use crate::reader::RunReader;

/// How much of an id says when its run started, to the second.
const STAMP: usize = 16;

/// Where a run's previous run is looked for once the run has ended. It is best effort: whatever goes wrong is a warning.
pub trait PreviousRuns: Send + Sync {
    /// Finds the newest comparable run that collected before `run`.
    fn find(&self, run: &RunRecord) -> FoundPrevious;
}

/// What a search for the previous run came to.
#[derive(Clone, Debug, Default)]
pub struct FoundPrevious {
    /// The run, when there is one.
    pub side: Option<RunSide>,
    /// Runs that could not be read and were passed over, each with why.
    pub warnings: Vec<String>,
}

/// The runs of an eval's own directory.
impl PreviousRuns for EvalLayout {
    fn find(&self, run: &RunRecord) -> FoundPrevious {
        let mut found = FoundPrevious::default();
        let ids = match list_runs(self) {
            Ok(ids) => ids,
            Err(error) => {
                found.warnings.push(format!("the previous runs cannot be listed: {error}"));
                return found;
            }
        };
        let own = &run.run_id.as_str()[..STAMP];
        let mut earlier: Vec<RunId> = ids.into_iter().filter(|id| id.as_str()[..STAMP] <= *own).collect();
        earlier.sort_by(|one, other| other.cmp(one));
        // Only the runs' records say which of one second came first.
        for second in earlier.chunk_by(|one, other| one.as_str()[..STAMP] == other.as_str()[..STAMP]) {
            let mut readers: Vec<RunReader> = Vec::new();
            for id in second {
                match RunReader::open(self.run(id)) {
                    Ok(reader) => readers.push(reader),
                    // One that has only begun.
                    Err(StoreError::NotARun(_)) => {}
                    Err(error) => found.warnings.push(passed_over(id, &error)),
                }
            }
            readers.retain(|reader| reader.record().view().created_at < run.created_at);
            readers.sort_by_cached_key(|reader| {
                Reverse((reader.record().view().created_at, reader.id().collecting(), reader.id().grading()))
            });
            for reader in readers {
                if !is_previous(run, reader.record().view(), stopped_early(&reader)) {
                    continue;
                }
                match read_side(&reader) {
                    Ok(side) => {
                        found.side = Some(side);
                        return found;
                    }
                    Err(error) => found.warnings.push(passed_over(reader.id(), &error)),
                }
            }
        }
        found
    }
}

fn passed_over(id: &RunId, error: &StoreError) -> String {
    format!("run {id} is passed over as the previous run: {error}")
}

/// Returns whether a stopping rule ended a run before its plan did.
fn stopped_early(reader: &RunReader) -> bool {
    reader.record().raw().pointer("/selection/stoppedWhen").is_some_and(|when| !when.is_null())
}

/// Reads a run as one side of the comparison with a later one: its `summary.json` and, a case at a time, `results.json`.
///
/// # Errors
/// When either cannot be read.
pub fn read_side(reader: &RunReader) -> Result<RunSide, StoreError> {
    let summary = reader.summary()?.into_view();
    let mut cases: IndexMap<VariantName, IndexMap<_, CaseEnd>> = IndexMap::new();
    reader.each_outcome(|case| {
        let end = CaseEnd {
            pass: case.verdict(),
            passes: case.passes(),
            is_regression: case.tags.as_deref().is_some_and(SideCase::is_guard),
        };
        cases.entry(case.variant.clone()).or_default().insert(case.id, end);
    })?;
    Ok(run_side(reader.record().view(), &summary, cases))
}
