//! `mst history`: an eval's runs, newest first, brought up to what is there.

mod place;
mod screen;

use mst_cli::{CliError, ExitClass, Ui};
use mst_store::{HistoryUpdate, build_history, update_history};

use crate::args::HistoryArgs;
use crate::failure;

/// Prints the history and writes it down.
pub(crate) fn run(args: &HistoryArgs, ui: &Ui) -> ExitClass {
    match stages(args, ui) {
        Ok(()) => ExitClass::Success,
        Err(error) => failure::told(&error, args.json, ui),
    }
}

fn stages(args: &HistoryArgs, ui: &Ui) -> Result<(), CliError> {
    let eval = place::find(args)?;
    let update = match update_history(&eval, args.rebuild) {
        Ok(update) => update,
        // A directory that cannot be written is read all the same.
        Err(failed) => {
            let built = build_history(&eval, args.rebuild);
            let built = built.map_err(|error| CliError::new(ExitClass::Machine, error.to_string()))?;
            ui.warn(&format!("the history is shown and not written: {failed}"));
            built
        }
    };
    let HistoryUpdate { history, built: _, unreadable } = update;
    if let Some(why) = unreadable {
        ui.warn(&format!("the history was built again, since it could not be read: {why}"));
    }
    if args.json {
        ui.data(&history);
    } else {
        screen::print(&history, ui);
    }
    Ok(())
}
