//! A run as the list has it.

use std::cmp::Reverse;
use std::path::PathBuf;

use mst_cli::CliError;
use mst_measure::history::run_status;
use mst_model::{RunId, RunRecord, RunStatus, Summary, Timestamp};
use mst_store::{EvalLayout, RunReader, StoreError, StoredEval, StoredRunError, list_runs};
use serde_json::{Value, json};

use super::evals::Eval;
use crate::result_store;

/// A run.
pub(super) struct Row {
    /// The name of its eval's directory.
    pub(super) eval: String,
    pub(super) id: RunId,
    /// Its directory, when it is here.
    directory: Option<PathBuf>,
    /// Where a result store has it.
    stored: Option<String>,
    /// What it says of itself, or why it cannot be read.
    pub(super) facts: Result<Facts, String>,
}

/// What a run says of itself.
pub(super) struct Facts {
    pub(super) collected_at: Timestamp,
    pub(super) status: RunStatus,
    pub(super) partial: bool,
    pub(super) variants: Vec<String>,
    /// How many complete cases passed, and how many there are; absent for a run that was not graded.
    pub(super) passed: Option<(u64, u64)>,
    graded_from: Option<RunId>,
}

/// Where a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Where {
    Here,
    Store,
    Both,
}

impl Where {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Here => "here",
            Self::Store => "store",
            Self::Both => "both",
        }
    }
}

/// Reads the runs of an eval, here and in its store. A run that is in both is read here.
pub(super) fn of_eval(eval: &Eval) -> Result<Vec<Row>, CliError> {
    let failed = |error: StoredRunError| result_store::failed(&error);
    let mut rows: Vec<Row> = Vec::new();
    if let Some(here) = &eval.here {
        for id in list_runs(here).map_err(|error| failed(error.into()))? {
            let directory = here.run(&id).root().to_owned();
            let facts = read_here(here, &id).map_err(|error| error.to_string());
            rows.push(Row { eval: eval.name.clone(), id, directory: Some(directory), stored: None, facts });
        }
    }
    let Some(stored) = &eval.stored else { return Ok(rows) };
    for id in stored.runs().map_err(failed)? {
        let place = Some(format!("{}/runs/{id}", stored.location()));
        if let Some(row) = rows.iter_mut().find(|row| row.id == id) {
            row.stored = place;
            continue;
        }
        let facts = match read_stored(stored, &id) {
            Err(error @ (StoredRunError::NoManifest { .. } | StoredRunError::Unusable { .. })) => {
                Err(error.to_string())
            }
            done => Ok(done.map_err(failed)?),
        };
        rows.push(Row { eval: eval.name.clone(), id, directory: None, stored: place, facts });
    }
    Ok(rows)
}

/// Sorts runs newest first by when they were collected; one that cannot be read stands where its id says.
pub(super) fn sort(rows: &mut [Row]) {
    /// How much of an id, and of a time as ids write it, says when a run began, to the second.
    const STAMP: usize = 15;
    rows.sort_by_cached_key(|row| {
        let (second, millis) = match &row.facts {
            Ok(facts) => (facts.collected_at.compact(), facts.collected_at.as_millis()),
            Err(_) => (row.id.to_string(), i64::MIN),
        };
        Reverse((second[..STAMP].to_owned(), millis, row.id.collecting(), row.id.grading()))
    });
}

fn read_here(eval: &EvalLayout, id: &RunId) -> Result<Facts, StoreError> {
    let reader = RunReader::open(eval.run(id))?;
    // A run that has only begun has no summary yet.
    let has_summary = reader.layout().summary().is_file();
    let summary = has_summary.then(|| reader.summary()).transpose()?;
    Ok(Facts::of(reader.record().view(), summary.as_ref().map(mst_store::Doc::view)))
}

fn read_stored(stored: &StoredEval, id: &RunId) -> Result<Facts, StoredRunError> {
    let record = stored.record(id)?;
    let summary = stored.summary(id)?;
    Ok(Facts::of(&record, summary.as_ref()))
}

impl Facts {
    fn of(record: &RunRecord, summary: Option<&Summary>) -> Self {
        let number = |key: &str| summary?.metrics.get(key)?.as_u64();
        Self {
            collected_at: record.created_at,
            status: run_status(record, number("incomplete").unwrap_or(0) as usize),
            partial: record.partial,
            variants: record.variants.iter().map(|variant| variant.name.to_string()).collect(),
            passed: number("passed").zip(number("total")),
            graded_from: record.graded_from.clone(),
        }
    }

    /// Returns the share of complete cases that passed.
    pub(super) fn pass_rate(&self) -> Option<f64> {
        self.passed.filter(|(_, total)| *total > 0).map(|(passed, total)| passed as f64 / total as f64)
    }
}

impl Row {
    pub(super) fn is_in(&self) -> Where {
        match (&self.directory, &self.stored) {
            (Some(_), Some(_)) => Where::Both,
            (None, _) => Where::Store,
            (_, None) => Where::Here,
        }
    }

    /// Returns the row as `--json` prints it. What is not known is not there.
    pub(super) fn to_json(&self) -> Value {
        let mut shown = json!({ "runId": self.id, "eval": self.eval, "in": self.is_in().as_str() });
        match &self.facts {
            Err(why) => shown["error"] = json!(why),
            Ok(facts) => {
                shown["collectedAt"] = json!(facts.collected_at);
                shown["status"] = json!(facts.status);
                shown["partial"] = json!(facts.partial);
                shown["variants"] = json!(facts.variants);
                if let Some((passed, total)) = facts.passed {
                    shown["passed"] = json!(passed);
                    shown["total"] = json!(total);
                }
                if let Some(rate) = facts.pass_rate() {
                    shown["passRate"] = json!(rate);
                }
                if let Some(from) = &facts.graded_from {
                    shown["gradedFrom"] = json!(from);
                }
            }
        }
        if let Some(directory) = &self.directory {
            shown["directory"] = json!(directory.display().to_string());
        }
        if let Some(stored) = &self.stored {
            shown["stored"] = json!(stored);
        }
        shown
    }
}
