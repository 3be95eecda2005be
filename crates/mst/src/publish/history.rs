//! The eval's history: `history.json` gets the run's row.

use mst_cli::Ui;
use mst_store::{EvalLayout, update_history};

/// Brings an eval's history up to its runs. What fails is told and nothing more: the history can be built at any time.
pub(super) fn step(eval: &EvalLayout, ui: &Ui) {
    match update_history(eval, false) {
        Ok(update) => {
            if let Some(why) = update.unreadable {
                ui.warn(&format!("the history was built again, since it could not be read: {why}"));
            }
        }
        Err(error) => {
            ui.warn(&format!("the history was not updated: {error}"));
            ui.hint("the run stands; `mst history` builds the history again");
        }
    }
}
