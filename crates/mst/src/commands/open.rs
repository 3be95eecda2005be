//! `mst open`: a run's report, or an eval's history, in the browser.

use std::path::{Path, PathBuf};

use mst_cli::{CliError, Env, ExitClass, Ui, printable, usage};
use mst_process::{Program, start_to_stay};
use mst_store::{EvalLayout, RunLayout, StoreError, find_run, list_runs, read_latest};

use crate::args::OpenArgs;
use crate::{history_page, report_files};

/// What shows a page, by system.
#[cfg(target_os = "macos")]
const OPENER: &[&str] = &["open"];
#[cfg(windows)]
const OPENER: &[&str] = &["cmd", "/c", "start", ""];
#[cfg(not(any(target_os = "macos", windows)))]
const OPENER: &[&str] = &["xdg-open"];

/// Finds the page, builds it when it must be, and shows it.
pub(crate) fn run(args: &OpenArgs, ui: &Ui, env: &Env) -> ExitClass {
    match page(args, ui) {
        Ok(page) => {
            show(&page, args.print, ui, env);
            ExitClass::Success
        }
        Err(error) => {
            ui.error(&error);
            error.class
        }
    }
}

fn page(args: &OpenArgs, ui: &Ui) -> Result<PathBuf, CliError> {
    let run = find(args)?;
    if args.history {
        let eval = run.eval().ok_or_else(|| {
            usage(format!("{} is in no eval's directory, so it has no history", run.root().display()))
        })?;
        return history_page::build(&eval).map_err(|error| store(&error));
    }
    if report_files::is_current(&run).map_err(|error| store(&error))? {
        return Ok(run.report());
    }
    ui.status("Building the report.");
    report_files::build(&run).map_err(|error| store(&error))
}

/// Shows a page, or says where it is: where nothing can show it the path is all that can be given.
fn show(page: &Path, print: bool, ui: &Ui, env: &Env) {
    let page = std::path::absolute(page).unwrap_or_else(|_| page.to_owned());
    let shown = printable(&page.display().to_string());
    if print {
        ui.text(&shown);
        return;
    }
    let [command, args @ ..] = OPENER else { return ui.text(&shown) };
    let args = args.iter().map(|arg| (*arg).to_owned()).chain([page.display().to_string()]).collect();
    let program = Program { command: (*command).to_owned(), args, env: env.variables().clone(), ..Program::default() };
    match start_to_stay(&program) {
        Ok(()) => ui.status(&format!("Opened {shown}")),
        Err(error) => {
            ui.status(&format!("Nothing here opens pages ({}: {error}). The page is:", *command));
            ui.text(&shown);
        }
    }
}

/// Finds the run that is meant.
fn find(args: &OpenArgs) -> Result<RunLayout, CliError> {
    let Some(name) = &args.path else { return newest(&args.dir) };
    let path = Path::new(name);
    if path.is_dir() {
        if path.join("run.json").is_file() {
            return find_run(&EvalLayout::new(&args.dir), name).or_else(|_| absolute(path));
        }
        let eval = EvalLayout::new(path);
        if let Some(run) = latest(&eval)? {
            return Ok(run);
        }
        // A folder of evals is taken as -d takes it.
        return newest(path);
    }
    let mut found = Vec::new();
    for eval in evals(&args.dir) {
        match find_run(&eval, name) {
            Ok(run) => found.push(run),
            Err(StoreError::NoSuchRun { .. } | StoreError::NotARun(_)) => {}
            Err(error) => return Err(store(&error)),
        }
    }
    match found.len() {
        1 => Ok(found.remove(0)),
        0 => Err(CliError::new(
            ExitClass::Failed,
            format!("no run {name:?}, neither a directory nor in an eval of {}", args.dir.display()),
        )
        .with_hint("say where evals keep their runs: -d DIR")),
        several => Err(usage(format!("{name:?} names runs of {several} evals")).with_hint("give the run's directory")),
    }
}

fn absolute(path: &Path) -> Result<RunLayout, CliError> {
    let path = std::path::absolute(path).map_err(|error| CliError::new(ExitClass::Machine, error.to_string()))?;
    Ok(RunLayout::new(path))
}

/// Returns the evals of a folder: it may be one itself.
fn evals(dir: &Path) -> Vec<EvalLayout> {
    let mut folders: Vec<PathBuf> = match fs_err::read_dir(dir) {
        Ok(entries) => entries.filter_map(|entry| Some(entry.ok()?.path())).filter(|path| path.is_dir()).collect(),
        Err(_) => Vec::new(),
    };
    folders.sort();
    folders.push(dir.to_owned());
    folders.into_iter().map(EvalLayout::new).filter(|eval| eval.runs().is_dir()).collect()
}

/// Returns an eval's latest run, or where none became it (all were partial or stopped) the newest.
fn latest(eval: &EvalLayout) -> Result<Option<RunLayout>, CliError> {
    if let Some(latest) = read_latest(eval).map_err(|error| store(&error))? {
        let run = eval.run(&latest.run_id);
        if run.run_record().is_file() {
            return Ok(Some(run));
        }
    }
    let runs = list_runs(eval).map_err(|error| store(&error))?;
    Ok(runs.iter().rev().map(|id| eval.run(id)).find(|run| run.run_record().is_file()))
}

/// Returns the run that was latest of all evals: of their latest ones, the one that started last.
fn newest(dir: &Path) -> Result<RunLayout, CliError> {
    let mut newest: Option<RunLayout> = None;
    for eval in evals(dir) {
        let Some(run) = latest(&eval)? else { continue };
        if newest.as_ref().is_none_or(|known| known.id() < run.id()) {
            newest = Some(run);
        }
    }
    newest.ok_or_else(|| {
        CliError::new(ExitClass::Failed, format!("there is no run in {}", dir.display()))
            .with_hint("run an eval first: mst run --config FILE; or say where evals keep their runs: -d DIR")
    })
}

fn store(error: &StoreError) -> CliError {
    let class = if error.is_machine_fault() { ExitClass::Machine } else { ExitClass::Usage };
    CliError::new(class, error.to_string())
}
