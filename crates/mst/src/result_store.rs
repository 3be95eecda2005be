//! The result store of an eval: opened before anything is spent, asked for runs that are not here.

use std::sync::Arc;

use mst_cli::{CliError, ExitClass, Ui, plural, printable, wait_for};
use mst_config::{Loaded, ResultStoreSetting, result_store_flag};
use mst_ext::RunStore;
use mst_store::{EvalLayout, StoreError, StoredEval, StoredRunError, UploadAs, find_run, list_runs};
use serde_json::{Value, json};

use crate::{builtins, error};

/// The result store in which a run is kept when it has ended, and what the upload is to one of its id there.
#[derive(Clone, Debug)]
pub(crate) struct Keeping {
    pub(crate) stored: StoredEval,
    pub(crate) upload: UploadAs,
}

impl Keeping {
    /// Says what is to be kept: a run that was resumed takes the place of what the store has of it.
    pub(crate) fn of(stored: Option<StoredEval>, resumed: bool) -> Option<Self> {
        let upload = if resumed { UploadAs::Again } else { UploadAs::New };
        stored.map(|stored| Self { stored, upload })
    }
}

/// Returns the store that a flag names, else the one of the config. Nothing is read or written yet.
///
/// # Errors
/// When the flag names none that this version has.
pub(crate) fn named(flag: Option<&str>, loaded: &Loaded) -> Result<Option<Arc<dyn RunStore>>, CliError> {
    match (flag, &loaded.result_store) {
        (Some(text), _) => of_flag(text).map(Some),
        (None, Some(setting)) => made(setting).map(Some),
        (None, None) => Ok(None),
    }
}

/// Returns the store that a flag names.
///
/// # Errors
/// When it names none that this version has.
pub(crate) fn of_flag(text: &str) -> Result<Arc<dyn RunStore>, CliError> {
    made(&result_store_flag(text, &builtins::result_stores().catalog()).map_err(error::diagnostics)?)
}

fn made(setting: &ResultStoreSetting) -> Result<Arc<dyn RunStore>, CliError> {
    let registry = builtins::result_stores();
    let kind = registry.result_store(&setting.kind).expect("the setting was bound to a kind that is there");
    let made = kind.create(&setting.options, &setting.base);
    let made =
        made.map_err(|why| CliError::new(ExitClass::Usage, format!("the result store {:?}: {why}", setting.kind)))?;
    Ok(made)
}

/// Returns an eval in the store that a flag or its config names.
///
/// # Errors
/// When the flag names none that this version has, or no store keeps a directory of the eval's name.
pub(crate) fn of_eval(flag: Option<&str>, loaded: &Loaded) -> Result<Option<StoredEval>, CliError> {
    let Some(store) = named(flag, loaded)? else { return Ok(None) };
    StoredEval::new(store, &loaded.plan.name).map(Some).map_err(|error| failed(&error))
}

/// Returns what `--dry-run` prints, with where runs would be kept.
pub(crate) fn planned(mut dry_run: Value, stored: Option<&StoredEval>) -> Value {
    if let Some(stored) = stored {
        dry_run["results"] = json!({ "store": stored.store_location() });
    }
    dry_run
}

/// Finds out before anything is spent whether runs could be kept in a store.
///
/// # Errors
/// When they could not.
pub(crate) fn check(stored: Option<&StoredEval>) -> Result<(), CliError> {
    stored.map_or(Ok(()), |stored| stored.check().map_err(|error| failed(&error)))
}

/// Fetches a run from the store when it is not in the eval's directory.
///
/// What is no id and no short form is a directory's path, which no store has.
///
/// # Errors
/// When the store has it and it cannot be fetched, or the store has none either.
pub(crate) fn bring(stored: Option<&StoredEval>, eval: &EvalLayout, name: &str, ui: &Ui) -> Result<(), CliError> {
    let Some(stored) = stored else { return Ok(()) };
    match find_run(eval, name) {
        Err(StoreError::NoSuchRun { .. }) => {}
        // It is here, or what is wrong is told by who asks for it.
        _ => return Ok(()),
    }
    let id = match stored.find(name) {
        Ok(id) => id,
        Err(StoredRunError::NoSuchRun { location, .. }) => {
            let message = format!("no run {name:?}, neither in {} nor in {location}", eval.runs().display());
            return Err(CliError::new(ExitClass::Usage, message));
        }
        Err(error) => return Err(failed(&error)),
    };
    // Another directory of the same eval may have it under its full id.
    if find_run(eval, id.as_str()).is_ok() {
        return Ok(());
    }
    let fetched = wait_for(|cancel| async { stored.fetch(&id, eval, &move || cancel.is_cancelled()) })?;
    let fetched = fetched.map_err(|error| failed(&error))?;
    ui.status(&printable(&format!("Fetched run {id} from {}: {}", stored.location(), plural(fetched.files, "file"))));
    Ok(())
}

/// Returns the highest number of a regrade of a run that the store has or the eval's directory; 1 when there is none.
///
/// # Errors
/// When either cannot be listed.
pub(crate) fn last_regrade(stored: Option<&StoredEval>, eval: &EvalLayout, name: &str) -> Result<u32, CliError> {
    let Some(id) = find_run(eval, name).ok().and_then(|run| run.id()) else { return Ok(1) };
    let here = list_runs(eval).map_err(|error| failed(&error.into()))?;
    let there = stored.map_or(Ok(1), |stored| stored.last_regrade(&id)).map_err(|error| failed(&error))?;
    Ok(mst_store::last_regrade(&here, &id).max(there))
}

/// Brings a store's history up to its runs. What fails is told and nothing more: the next run's copy brings it up again.
pub(crate) fn update_history(stored: &StoredEval, ui: &Ui) {
    match stored.update_history() {
        Ok(update) => {
            if let Some(why) = update.unreadable {
                ui.warn(&format!(
                    "the history in {} was built again, since it could not be read: {why}",
                    stored.location()
                ));
            }
        }
        Err(error) => ui.warn(&format!("the history in {} was not updated: {error}", stored.location())),
    }
}

/// Translates what went wrong between a run and its store.
pub(crate) fn failed(error: &StoredRunError) -> CliError {
    let class = match error {
        StoredRunError::Stopped => ExitClass::Interrupted,
        error if error.is_machine_fault() => ExitClass::Machine,
        _ => ExitClass::Usage,
    };
    let told = CliError::new(class, error.to_string());
    match error {
        StoredRunError::NoManifest { .. } => {
            told.with_hint("wait until it is there, or upload it again from where it was run")
        }
        StoredRunError::Ambiguous { .. } => told.with_hint("name the run by its full id"),
        _ => told,
    }
}
