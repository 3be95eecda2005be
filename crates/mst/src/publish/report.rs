//! The run's report and the eval's history as pages.

use std::path::PathBuf;

use mst_cli::Ui;
use mst_store::RunLayout;

use crate::{history_page, report_files};

/// Builds a run's report and returns its page, and then the page of the history that links to it. What fails is told and
/// nothing more: `mst open` builds both at any time.
pub(super) fn step(run: &RunLayout, ui: &Ui) -> Option<PathBuf> {
    match report_files::build(run) {
        Ok(page) => {
            if let Some(Err(error)) = run.eval().as_ref().map(history_page::build) {
                ui.warn(&format!("the history page was not built: {error}"));
            }
            Some(page)
        }
        Err(error) => {
            ui.warn(&format!("the report was not built: {error}"));
            ui.hint("the run stands; `mst open` builds its report again");
            None
        }
    }
}
