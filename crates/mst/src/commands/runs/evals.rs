//! The evals whose runs are listed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mst_cli::{CliError, SystemClock, usage};
use mst_model::Clock;
use mst_store::{EvalLayout, RunReader, StoredEval, list_runs, stored_evals};

use crate::args::RunsListArgs;
use crate::commands::stored_run::RESULTS;
use crate::commands::target::load_eval;
use crate::result_store;

/// An eval: its directory, its place in a result store, or both.
pub(super) struct Eval {
    /// The name of its directory.
    pub(super) name: String,
    pub(super) here: Option<EvalLayout>,
    pub(super) stored: Option<StoredEval>,
}

/// Finds the evals that the flags mean.
pub(super) fn find(args: &RunsListArgs) -> Result<Vec<Eval>, CliError> {
    let flag = args.results.results.as_deref();
    if let Some(config) = &args.config {
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        let loaded = load_eval(config, Path::new("."), &clock)?;
        let stored = result_store::of_eval(flag, &loaded)?;
        let here = EvalLayout::new(&loaded.output_dir);
        return Ok(vec![Eval { name: name_of(&loaded.output_dir), here: Some(here), stored }]);
    }
    let store = flag.map(result_store::of_flag).transpose()?;
    let failed = |error| result_store::failed(&error);
    if let Some(dir) = &args.output_dir {
        let here = EvalLayout::new(dir);
        if !here.runs().is_dir() && store.is_none() {
            return Err(usage(format!("{} has no runs", dir.display()))
                .with_hint("name an eval's directory, the one that holds runs/, or give --config FILE"));
        }
        let name = eval_name(&here).unwrap_or_else(|| name_of(dir));
        let stored = store.map(|store| StoredEval::new(store, &name)).transpose().map_err(failed)?;
        return Ok(vec![Eval { name, here: Some(here), stored }]);
    }
    let mut evals: BTreeMap<String, Eval> = BTreeMap::new();
    for dir in directories(args.dir.as_deref())? {
        let name = name_of(&dir);
        evals.insert(name.clone(), Eval { name, here: Some(EvalLayout::new(dir)), stored: None });
    }
    for stored in store.map_or(Ok(Vec::new()), |store| stored_evals(&store)).map_err(failed)? {
        let name = stored.directory().to_owned();
        let absent = Eval { name: name.clone(), here: None, stored: None };
        evals.entry(name).or_insert(absent).stored = Some(stored);
    }
    Ok(evals.into_values().collect())
}

/// Returns the folders that hold runs, of a folder that somebody named or of the usual one, which need not be there.
fn directories(named: Option<&Path>) -> Result<Vec<PathBuf>, CliError> {
    let folder = named.unwrap_or(Path::new(RESULTS));
    let entries = match fs_err::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if named.is_none() && error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(usage(error.to_string())),
    };
    let mut folders: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    folders.retain(|folder| EvalLayout::new(folder).runs().is_dir());
    if folders.is_empty() && EvalLayout::new(folder).runs().is_dir() {
        let hint = format!("it is an eval's own directory: --output-dir {}", folder.display());
        return Err(usage(format!("{} holds no evals' directories", folder.display())).with_hint(hint));
    }
    folders.sort();
    Ok(folders)
}

/// Returns the name of the eval whose runs a directory holds, as its newest readable run says.
fn eval_name(eval: &EvalLayout) -> Option<String> {
    let runs = list_runs(eval).ok()?;
    let mut readers = runs.iter().rev().filter_map(|id| RunReader::open(eval.run(id)).ok());
    readers.next().map(|reader| reader.record().view().eval_name.clone())
}

fn name_of(dir: &Path) -> String {
    dir.file_name().map_or_else(|| dir.display().to_string(), |name| name.to_string_lossy().into_owned())
}
