//! `mst runs`: which runs there are, here and in a result store, and copying one there.

mod evals;
mod row;
mod screen;
mod upload;

use mst_cli::{CliError, ExitClass, Ui};

use self::row::Row;
use crate::args::{RunsArgs, RunsCommand, RunsListArgs};
use crate::failure;

/// Lists runs, or copies one.
pub(crate) fn run(args: &RunsArgs, ui: &Ui) -> ExitClass {
    let (json, done) = match &args.command {
        RunsCommand::List(args) => (args.json, list(args, ui)),
        RunsCommand::Upload(args) => (false, upload::run(args, ui)),
    };
    match done {
        Ok(()) => ExitClass::Success,
        Err(error) => failure::told(&error, json, ui),
    }
}

fn list(args: &RunsListArgs, ui: &Ui) -> Result<(), CliError> {
    let mut rows: Vec<Row> = Vec::new();
    for eval in evals::find(args)? {
        rows.extend(row::of_eval(&eval)?);
    }
    row::sort(&mut rows);
    if args.json {
        ui.data(&rows.iter().map(Row::to_json).collect::<Vec<_>>());
    } else {
        screen::print(&rows, ui);
    }
    Ok(())
}
