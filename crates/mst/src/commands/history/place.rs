//! Which eval is meant.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use mst_cli::{CliError, SystemClock, usage};
use mst_model::Clock;
use mst_store::EvalLayout;

use crate::args::HistoryArgs;
use crate::commands::target::load_eval;

/// Where evals leave their runs.
const RESULTS: &str = ".mcp-test-results";

/// Finds the eval's directory by what was typed, or the only one that there is.
pub(super) fn find(args: &HistoryArgs) -> Result<EvalLayout, CliError> {
    if let Some(config) = &args.config {
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        return checked(&load_eval(config, Path::new("."), &clock)?.output_dir);
    }
    match args.dir.as_ref().or(args.output_dir.as_ref()) {
        Some(dir) => checked(dir),
        None => only(),
    }
}

/// Refuses a directory that is no eval's.
fn checked(dir: &Path) -> Result<EvalLayout, CliError> {
    let eval = EvalLayout::new(dir);
    if eval.runs().is_dir() {
        return Ok(eval);
    }
    let error = usage(format!("{} has no runs", dir.display()));
    Err(if dir.join("run.json").is_file() {
        error.with_hint("it is a run; the history is that of the eval's directory, two folders above")
    } else {
        error.with_hint("name an eval's directory, the one that holds runs/, or give --config FILE")
    })
}

/// Finds the only eval under the usual directory.
fn only() -> Result<EvalLayout, CliError> {
    let mut evals: Vec<PathBuf> = match fs_err::read_dir(RESULTS) {
        Ok(entries) => entries.filter_map(|entry| Some(entry.ok()?.path())).collect(),
        Err(_) => Vec::new(),
    };
    evals.retain(|eval| EvalLayout::new(eval).runs().is_dir());
    evals.sort();
    let hint = "say which eval is meant: mst history DIR, or --config FILE";
    match evals.as_slice() {
        [eval] => Ok(EvalLayout::new(eval)),
        [] => Err(usage(format!("no eval has runs under {RESULTS}")).with_hint(hint)),
        several => {
            let names: Vec<String> = several.iter().map(|eval| eval.display().to_string()).collect();
            Err(usage(format!("{} evals have runs: {}", several.len(), names.join(", "))).with_hint(hint))
        }
    }
}
