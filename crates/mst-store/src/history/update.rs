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
    update_beside(eval, rebuild, || {})
}

/// Updates the history; `written` is what another process may do between the writing and the second look.
fn update_beside(eval: &EvalLayout, rebuild: bool, written: impl FnOnce()) -> Result<HistoryUpdate, StoreError> {
    let mut update = build_history(eval, rebuild)?;
    let before = list_runs(eval)?;
    if before.is_empty() && !eval.history().is_file() {
        return Ok(update);
    }
    write(eval, &update.history)?;
    written();
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

pub(super) fn path_of(id: &RunId) -> String {
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
pub(super) fn why(eval: &EvalLayout, error: &StoreError) -> String {
    let root = eval.root().display().to_string();
    error.to_string().replace(&format!("{root}/"), "")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    const SMALL: &str = "20261007T182504Z-7f3c2a";

    /// Copies the run of the fixtures under another id, with another record.
    fn add_run(eval: &EvalLayout, id: &str, change: impl FnOnce(&mut Value)) {
        let golden = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/runs/v1/small/runs/");
        let from = std::path::Path::new(golden).join(SMALL);
        let to = eval.runs().join(id);
        fs_err::create_dir_all(&to).expect("made");
        for name in ["run.json", "summary.json", "results.json"] {
            let text = fs_err::read_to_string(from.join(name)).expect("a golden file").replace(SMALL, id);
            fs_err::write(to.join(name), text).expect("written");
        }
        edit(eval, id, change);
    }

    /// Changes a run's record.
    fn edit(eval: &EvalLayout, id: &str, change: impl FnOnce(&mut Value)) {
        let path = eval.runs().join(id).join("run.json");
        let mut record: Value = serde_json::from_slice(&fs_err::read(&path).expect("a record")).expect("JSON");
        change(&mut record);
        fs_err::write(&path, record.to_string()).expect("written");
    }

    fn eval() -> (tempfile::TempDir, EvalLayout) {
        let dir = tempfile::tempdir().expect("a folder");
        let eval = EvalLayout::new(dir.path().join("out"));
        add_run(&eval, SMALL, |_| {});
        (dir, eval)
    }

    fn built(eval: &EvalLayout, rebuild: bool) -> usize {
        update_history(eval, rebuild).expect("updated").built
    }

    #[test]
    fn a_row_is_kept_until_its_run_or_the_builder_changes() {
        let (_dir, eval) = eval();
        add_run(&eval, "20261008T182504Z-7f3c2b", |_| {});
        assert_eq!((built(&eval, false), built(&eval, false), built(&eval, true)), (2, 0, 2));
        let before = fs_err::read(eval.history()).expect("a history");
        assert_eq!(built(&eval, true), 2);
        assert_eq!(fs_err::read(eval.history()).expect("a history"), before, "the same runs come to the same bytes");
        edit(&eval, SMALL, |record| record["later"] = json!(1));
        assert_eq!(built(&eval, false), 1, "its run.json changed");
        let older =
            fs_err::read_to_string(eval.history()).expect("a history").replacen("\"builder\":1", "\"builder\":0", 1);
        fs_err::write(eval.history(), older).expect("written");
        assert_eq!(built(&eval, false), 1, "an older builder made it");
        let summary = eval.runs().join(SMALL).join("summary.json");
        let text = fs_err::read_to_string(&summary).expect("a summary").replace("0.75", "0.5");
        fs_err::write(&summary, text).expect("written");
        assert_eq!(built(&eval, false), 1, "its summary changed");
    }

    #[test]
    fn a_run_that_appears_while_the_history_is_written_is_in_it() {
        let (_dir, eval) = eval();
        let update =
            update_beside(&eval, false, || add_run(&eval, "20261008T182504Z-7f3c2b", |_| {})).expect("updated");
        assert_eq!((update.built, update.history.rows.len()), (2, 2));
        assert_eq!(built(&eval, false), 0, "both are written");
    }

    #[test]
    fn what_cannot_be_read_is_skipped_with_why_and_costs_no_other_run_its_row() {
        let (_dir, eval) = eval();
        add_run(&eval, "20261008T182504Z-000001", |record| record["format"] = json!("mst.run/v7"));
        add_run(&eval, "20261008T182504Z-000002", |record| record["phases"]["grade"] = json!("paused"));
        add_run(&eval, "20261008T182504Z-000003", |_| {});
        fs_err::write(eval.runs().join("20261008T182504Z-000003/results.json"), "{").expect("written");
        fs_err::create_dir(eval.runs().join("20261008T182504Z-000004")).expect("made");
        let history = update_history(&eval, false).expect("updated").history;
        assert_eq!(history.rows.len(), 1);
        let skipped = history.skipped.iter().map(|run| format!("{}: {}", run.path, run.why)).collect::<Vec<_>>();
        insta::assert_snapshot!(skipped.join("\n"), @r#"
        runs/20261008T182504Z-000004: runs/20261008T182504Z-000004 is not a run directory: it has no run.json
        runs/20261008T182504Z-000003: runs/20261008T182504Z-000003/results.json: EOF while parsing an object at line 1 column 1
        runs/20261008T182504Z-000002: runs/20261008T182504Z-000002/run.json: /phases/grade is "paused", which this version of mst does not know: upgrade mst
        runs/20261008T182504Z-000001: runs/20261008T182504Z-000001/run.json: format "mst.run/v7", written by mst 0.1.0; this mst reads "mst.run/v1": use mst 0.1.0 or later
        "#);
    }

    #[test]
    fn fields_that_a_run_s_mst_did_not_record_are_left_out() {
        let (_dir, eval) = eval();
        edit(&eval, SMALL, |record| {
            record["judges"] = json!([{ "type": "rubric", "level": "config" }]);
        });
        let row = build_history(&eval, false).expect("built").history.rows.remove(0);
        let row = serde_json::to_value(row).expect("JSON");
        assert!(row.get("plugins").is_none() && row["variants"]["default"].get("apps").is_none(), "{row}");
        assert_eq!(row["judges"][0]["type"], "rubric");
    }

    #[test]
    fn an_eval_without_runs_gets_no_file() {
        let dir = tempfile::tempdir().expect("a folder");
        let eval = EvalLayout::new(dir.path().join("out"));
        assert_eq!(update_history(&eval, false).expect("updated").history.rows, []);
        assert!(!eval.root().exists());
    }
}
