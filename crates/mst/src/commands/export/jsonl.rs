//! A JSON object a trial, on a line of its own: the stored trial with its scores joined.

use indexmap::IndexMap;
use mst_model::{GraderName, GraderScore, RunId, TrialRecord};
use mst_store::{RunReader, StoreError};
use serde::Serialize;

use super::sink::Sink;

/// A line.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Line<'a> {
    /// The eval.
    eval_name: &'a str,
    /// The run that graded, where it is not the one that collected (`runId`).
    #[serde(skip_serializing_if = "Option::is_none")]
    graded_in: Option<&'a RunId>,
    #[serde(flatten)]
    trial: &'a TrialRecord,
    /// Whether the trial passed; absent when it is neither passed nor failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pass: Option<bool>,
    scores: &'a IndexMap<GraderName, GraderScore>,
}

pub(super) fn write(reader: &RunReader, sink: &mut Sink<'_>) -> Result<(), StoreError> {
    let eval_name = &reader.record().view().eval_name;
    super::each(reader, sink, |sink, graded| {
        let trial = &graded.trial;
        let graded_in = Some(reader.id()).filter(|id| **id != trial.run_id);
        sink.json(&Line { eval_name, graded_in, trial, pass: graded.pass, scores: &graded.scores })
    })
}
