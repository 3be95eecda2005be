//! The gates of a run, and the files that flags ask for.

use mst_cli::{CliError, Ui};
use mst_engine::RunOutcome;

use crate::ci::{Ci, Judged};

/// Holds the run against its gates and writes the files. What was judged stands also when a file cannot be written.
pub(super) fn step(ci: &Ci, outcome: &RunOutcome, ui: &Ui) -> (Judged, Option<CliError>) {
    match ci.judge(outcome, ui) {
        Ok(judged) => {
            let failure = ci.write(&judged).err();
            (judged, failure)
        }
        Err(failure) => (Judged::default(), Some(failure)),
    }
}
