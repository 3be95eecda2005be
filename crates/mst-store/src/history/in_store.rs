//! The history of an eval in a result store: built from the store's runs, and kept beside its `latest.json`.

use std::collections::HashMap;

use mst_measure::history::{ROW_VERSION, trace};
use mst_model::{HISTORY_FORMAT, History, HistoryRow, RowSource, RunId, SkippedRun, sha256_hex};

use super::file::{parse_rows, write_to};
use super::rows::{build, source};
use super::update::{HistoryUpdate, path_of, why};
use crate::result_store::{StoredEval, StoredRunError};

/// The name of the file in the store.
const HISTORY: &str = "history.json";

impl StoredEval {
    /// Builds the history of the store's runs and replaces the store's `history.json` by it. Rows that it has are kept where
    /// their runs are as they were; of another run no more is read than its row is made of. A run without a manifest is not
    /// there yet.
    ///
    /// A store cannot be locked: the runs are listed again after writing, and the file is written once more when one
    /// appeared.
    ///
    /// # Errors
    /// When the store cannot be read or written. A run that cannot be used is in `skipped` with why.
    pub fn update_history(&self) -> Result<HistoryUpdate, StoredRunError> {
        let (kept, unreadable) = match self.beside_runs(HISTORY)?.map(|bytes| parse_rows(&bytes)) {
            None => (Vec::new(), None),
            Some(Ok(rows)) => (rows, None),
            Some(Err(why)) => (Vec::new(), Some(why)),
        };
        let before = self.runs()?;
        let mut update = self.rows_of(&before, kept)?;
        self.write_history(&update.history)?;
        let after = self.runs()?;
        if after != before {
            let again = self.rows_of(&after, update.history.rows)?;
            self.write_history(&again.history)?;
            update = HistoryUpdate { built: update.built + again.built, ..again };
        }
        Ok(HistoryUpdate { unreadable, ..update })
    }

    fn write_history(&self, history: &History) -> Result<(), StoredRunError> {
        let mut bytes = Vec::new();
        write_to(&mut bytes, history).expect("memory takes bytes");
        self.put_beside_runs(HISTORY, &bytes)
    }

    fn rows_of(&self, runs: &[RunId], kept: Vec<HistoryRow>) -> Result<HistoryUpdate, StoredRunError> {
        let mut kept: HashMap<RunId, HistoryRow> = kept.into_iter().map(|row| (row.run_id.clone(), row)).collect();
        let (mut rows, mut skipped, mut built) = (Vec::with_capacity(runs.len()), Vec::new(), 0);
        for id in runs {
            match self.row(id, kept.remove(id)) {
                Ok(Some((row, new))) => {
                    rows.push(row);
                    built += usize::from(new);
                }
                Ok(None) | Err(StoredRunError::NoManifest { .. }) => {}
                Err(StoredRunError::Unusable { problem, .. }) => {
                    skipped.push(SkippedRun { path: path_of(id), why: problem });
                }
                Err(error) => return Err(error),
            }
        }
        skipped.reverse();
        let history = History { format: HISTORY_FORMAT.to_owned(), rows: trace(rows), skipped };
        Ok(HistoryUpdate { history, built, unreadable: None })
    }

    /// Returns a run's row and whether it was built; `None` when the run is not all there.
    fn row(&self, id: &RunId, kept: Option<HistoryRow>) -> Result<Option<(HistoryRow, bool)>, StoredRunError> {
        if let Some(kept) = kept {
            if !self.is_whole(id)? {
                return Ok(None);
            }
            let hash = |path: &str| self.glance_at(id, path).map(|bytes| bytes.map(|bytes| sha256_hex(&bytes)));
            let (run, summary) = (hash("run.json")?, hash("summary.json")?);
            if run.is_some_and(|run| kept.source == RowSource { run, summary, builder: ROW_VERSION }) {
                return Ok(Some((kept, false)));
            }
        }
        let mirror = self.mirror(id)?;
        let eval = mirror.eval();
        let row = source(&eval.run(id)).and_then(|source| build(eval, id, source));
        row.map(|row| Some((row, true))).map_err(|error| self.unusable(id, why(eval, &error)))
    }
}
