//! How a command ends that did not do what was asked.

use mst_cli::{CliError, ExitClass, Ui};

/// Prints an error, as JSON too where JSON was asked for, and returns its class.
pub(crate) fn told(error: &CliError, json: bool, ui: &Ui) -> ExitClass {
    if json {
        ui.data(&error.to_json());
    }
    ui.error(error);
    error.class
}
