//! Finds the stored run that a command is about.

use std::path::{Path, PathBuf};

use mst_cli::{CliError, ExitClass};
use mst_store::{EvalLayout, RunLayout, StoreError, find_run};

/// Where evals leave their runs.
pub(super) const RESULTS: &str = ".mcp-test-results";

/// Finds a run in the eval's directory, or in the one eval below [`RESULTS`] that has it.
pub(super) fn find_stored(name: &str, eval_dir: Option<&Path>) -> Result<RunLayout, CliError> {
    if let Some(dir) = eval_dir {
        return find_run(&EvalLayout::new(dir), name).map_err(|error| store_error(&error));
    }
    let mut evals: Vec<PathBuf> = match fs_err::read_dir(RESULTS) {
        Ok(entries) => entries.filter_map(|entry| Some(entry.ok()?.path())).filter(|path| path.is_dir()).collect(),
        Err(_) => Vec::new(),
    };
    evals.sort();
    let mut failure = None;
    let mut found: Vec<RunLayout> = Vec::new();
    for eval in evals {
        match find_run(&EvalLayout::new(eval), name) {
            Ok(layout) => found.push(layout),
            Err(StoreError::NoSuchRun { .. }) => {}
            Err(error) => failure = Some(store_error(&error)),
        }
    }
    // A directory is found from every eval.
    found.dedup_by(|one, other| one.root() == other.root());
    match (found.len(), failure) {
        (1, _) => Ok(found.remove(0)),
        (0, Some(failure)) => Err(failure),
        (0, None) => find_run(&EvalLayout::new(RESULTS), name).map_err(|_| {
            CliError::new(ExitClass::Usage, format!("no run {name:?}, neither a directory nor in an eval of {RESULTS}"))
                .with_hint("say where the eval's runs are: --output-dir DIR or --config FILE")
        }),
        (several, _) => Err(CliError::new(ExitClass::Usage, format!("{name:?} names runs of {several} evals"))
            .with_hint("say which eval is meant: --output-dir DIR or --config FILE")),
    }
}

/// Translates why a run cannot be read.
pub(super) fn store_error(error: &StoreError) -> CliError {
    let class = if error.is_machine_fault() { ExitClass::Machine } else { ExitClass::Usage };
    let made = CliError::new(class, error.to_string());
    match error {
        StoreError::Shape { .. } => {
            made.with_hint("the file is damaged: grade the run again (mst grade RUN --config FILE) or restore it")
        }
        _ => made,
    }
}
