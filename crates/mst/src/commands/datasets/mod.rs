//! `mst datasets`: which datasets there are, what one holds, and one as a canonical file.

mod found;
mod list;
mod pull;
mod show;

use mst_cli::{CliError, ExitClass, Ui};

use self::found::Found;
use crate::args::{DatasetsArgs, DatasetsCommand, DatasetsFlags, SnapshotFlags};
use crate::{failure, not_yet, variables};

/// Prints the list, or one dataset.
pub(crate) fn run(args: &DatasetsArgs, ui: &Ui) -> ExitClass {
    let (json, done) = match &args.command {
        None => (args.json, check(&args.flags).and_then(|()| list::print(&args.flags, args.json, ui))),
        Some(DatasetsCommand::List { flags, json }) => {
            (*json, check(flags).and_then(|()| list::print(flags, *json, ui)))
        }
        Some(DatasetsCommand::Show { dataset, flags, snapshot, json }) => {
            let found = check(flags).and_then(|()| find(dataset, flags, snapshot));
            (*json, found.map(|found| show::print(&found, *json, ui)))
        }
        Some(DatasetsCommand::Pull { dataset, flags, snapshot, out, force }) => {
            let found = check(flags).and_then(|()| find(dataset, flags, snapshot));
            (false, found.and_then(|found| pull::write(&found, out.as_deref(), *force, ui)))
        }
    };
    match done {
        Ok(class) => class,
        Err(error) => failure::told(&error, json, ui),
    }
}

fn check(flags: &DatasetsFlags) -> Result<(), CliError> {
    if flags.plugins.is_some() {
        return Err(not_yet::flag("plugins"));
    }
    variables::check_root_dir(&flags.root_dir)
}

fn find(name: &str, flags: &DatasetsFlags, snapshot: &SnapshotFlags) -> Result<Found, CliError> {
    let found = Found::find(name, flags)?;
    let flag = snapshot.snapshot.as_ref().map(|_| "--snapshot").or(snapshot.source.as_ref().map(|_| "--source"));
    match flag {
        None => Ok(found),
        Some(flag) => {
            let source = found.loaded.source.type_name();
            let message = format!("{flag}: {name} is of the source {source:?}, which keeps no snapshots");
            Err(CliError::new(ExitClass::Usage, message))
        }
    }
}
