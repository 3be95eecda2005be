//! A run's row, from its three files, one run at a time.

use std::io::ErrorKind;

use mst_measure::history::{ROW_VERSION, RowBuilder};
use mst_model::{HistoryRow, Phase, RowSource, RunId, Summary, sha256_hex};

use super::facts::case_facts;
use crate::doc::Doc;
use crate::error::StoreError;
use crate::layout::{EvalLayout, RunLayout};
use crate::read::read;
use crate::reader::RunReader;

/// Returns what a run's row would be built from today.
///
/// # Errors
/// When `run.json` cannot be read.
pub(super) fn source(run: &RunLayout) -> Result<RowSource, StoreError> {
    let record = match read(&run.run_record()) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Err(StoreError::NotARun(run.root().to_owned())),
        done => done?,
    };
    let summary = match read(&run.summary()) {
        Ok(bytes) => Some(sha256_hex(&bytes)),
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => return Err(error.into()),
    };
    Ok(RowSource { run: sha256_hex(&record), summary, builder: ROW_VERSION })
}

/// Builds a run's row from `run.json`, `summary.json` and `results.json`.
///
/// # Errors
/// When one of them cannot be read by this version. One that is not there yet leaves a run without rates.
pub(super) fn build(eval: &EvalLayout, id: &RunId, source: RowSource) -> Result<HistoryRow, StoreError> {
    let reader = RunReader::open(eval.run(id))?;
    let summary: Option<Doc<Summary>> = source.summary.is_some().then(|| reader.summary()).transpose()?;
    let record = reader.record().view();
    let mut builder = RowBuilder::new(record, summary.as_ref().map(Doc::view));
    match reader.each_outcome(|case| builder.add(&case_facts(&case))) {
        Err(StoreError::Io(error)) if error.kind() == ErrorKind::NotFound && !has_ended(record.phases.collect) => {}
        done => done?,
    }
    Ok(builder.finish(source))
}

/// Returns whether a run has its results, or can no longer come to have them.
fn has_ended(collect: Phase) -> bool {
    collect == Phase::Complete
}
