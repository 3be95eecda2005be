//! The run before a run, among those in a result store.

use std::cmp::Reverse;

use mst_measure::previous::is_previous;
use mst_model::{RunId, RunRecord};

use super::error::StoredRunError;
use super::stored_eval::StoredEval;
use crate::earlier::{FoundPrevious, PreviousRuns};

/// The runs of an eval in a result store, those of other machines too.
impl PreviousRuns for StoredEval {
    fn find(&self, run: &RunRecord) -> FoundPrevious {
        let mut found = FoundPrevious::default();
        let mut ids = match self.runs() {
            Ok(ids) => ids,
            Err(error) => {
                found.warnings.push(format!("the previous runs cannot be listed: {error}"));
                return found;
            }
        };
        ids.sort_by_key(|id| Reverse((id.collecting(), id.grading())));
        for id in ids {
            // A look is cheap, and most runs are not the one.
            match self.glance(&id) {
                Ok(Some(record)) if record.created_at < run.created_at && is_previous(run, &record, false) => {}
                Ok(_) => continue,
                Err(error) => {
                    found.warnings.push(passed_over(&id, &error));
                    continue;
                }
            }
            let mirror = match self.mirror(&id) {
                Ok(mirror) => mirror,
                // One that is not all there yet.
                Err(StoredRunError::NoManifest { .. }) => continue,
                Err(error) => {
                    found.warnings.push(passed_over(&id, &error));
                    continue;
                }
            };
            let one = mirror.eval().find(run);
            // The folder of the copy means nothing to anyone.
            let place = format!("{}/", mirror.eval().root().display());
            found.warnings.extend(one.warnings.iter().map(|warning| warning.replace(&place, "")));
            if one.side.is_some() {
                found.side = one.side;
                return found;
            }
        }
        found
    }
}

fn passed_over(id: &RunId, error: &StoredRunError) -> String {
    format!("run {id} is passed over as the previous run: {error}")
}
