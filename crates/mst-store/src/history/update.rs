//! Building the history and putting it in its place.

use std::collections::HashMap;

use mst_measure::history::trace;
use mst_model::{HISTORY_FORMAT, History, HistoryRow, RunId, SkippedRun};

use super::file::{read_rows, write};
use super::rows::{build, source};
use crate::error::StoreError;
use crate::layout::EvalLayout;
use crate::lookup::list_runs;

/// A history and how it came to be.
#[derive(Clone, Debug)]
pub struct HistoryUpdate {
    /// The history.
    pub history: History,
    /// How many rows were built; the others were kept.
    pub built: usize,
    /// Why the file that was there could not be read, when it could not.
    pub unreadable: Option<String>,
}

/// Builds an eval's history from its runs. The rows that `history.json` has are kept where their runs are as they were,
/// unless `rebuild` asks for every row anew.
///
/// # Errors
/// When the runs cannot be listed. A run that cannot be read is in `skipped` with why.
pub fn build_history(eval: &EvalLayout, rebuild: bool) -> Result<HistoryUpdate, StoreError> {
    let (kept, unreadable) = match read_rows(eval) {
        Some(Ok(rows)) if !rebuild => (rows, None),
        Some(Err(why)) => (Vec::new(), Some(why)),
        _ => (Vec::new(), None),
    };
    let kept = kept.into_iter().map(|row| (row.run_id.clone(), row)).collect();
    Ok(HistoryUpdate { unreadable, ..from_runs(eval, &list_runs(eval)?, kept) })
}

/// Builds an eval's history as [`build_history`] does and replaces `history.json` by it.
///
/// An eval without a run gets no file. Two runs can end at once: the runs are listed again after writing, and the file is written once more when one appeared.
///
/// # Errors
/// When the runs cannot be listed, or the file cannot be written; the one that was there then stays.
pub fn update_history(eval: &EvalLayout, rebuild: bool) -> Result<HistoryUpdate, StoreError> {
    let mut update = build_history(eval, rebuild)?;
    let before = list_runs(eval)?;
    if before.is_empty() && !eval.history().is_file() {
        return Ok(update);
    }
    write(eval, &update.history)?;
    let after = list_runs(eval)?;
    let known = |id: &RunId| update.history.rows.iter().any(|row| row.run_id == *id) || is_skipped(&update.history, id);
    if after != before || !after.iter().all(known) {
        let kept = update.history.rows.iter().map(|row| (row.run_id.clone(), row.clone())).collect();
        let again = from_runs(eval, &after, kept);
        write(eval, &again.history)?;
        update = HistoryUpdate { built: update.built + again.built, unreadable: update.unreadable, ..again };
    }
    Ok(update)
}

fn is_skipped(history: &History, id: &RunId) -> bool {
    history.skipped.iter().any(|skipped| skipped.path == path_of(id))
}

fn path_of(id: &RunId) -> String {
    format!("runs/{id}")
}

fn from_runs(eval: &EvalLayout, runs: &[RunId], mut kept: HashMap<RunId, HistoryRow>) -> HistoryUpdate {
    let (mut rows, mut skipped, mut built) = (Vec::with_capacity(runs.len()), Vec::new(), 0);
    for id in runs {
        let row = source(&eval.run(id)).and_then(|source| match kept.remove(id) {
            Some(row) if row.source == source => Ok((row, 0)),
            _ => build(eval, id, source).map(|row| (row, 1)),
        });
        match row {
            Ok((row, new)) => {
                rows.push(row);
                built += new;
            }
            Err(error) => skipped.push(SkippedRun { path: path_of(id), why: why(eval, &error) }),
        }
    }
    skipped.reverse();
    let history = History { format: HISTORY_FORMAT.to_owned(), rows: trace(rows), skipped };
    HistoryUpdate { history, built, unreadable: None }
}

/// Says why a run has no row, by paths that mean something in every copy of the eval's directory.
fn why(eval: &EvalLayout, error: &StoreError) -> String {
    let root = eval.root().display().to_string();
    error.to_string().replace(&format!("{root}/"), "")
}
