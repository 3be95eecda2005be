//! Finds the run that a person means: by directory, by id, or by the id's short form.

use std::path::Path;

use mst_model::RunId;

use crate::error::StoreError;
use crate::layout::{EvalLayout, RunLayout};

/// Returns an eval's runs, oldest first: the directories under `runs` that are named after a run id.
///
/// # Errors
/// When the folder is there and cannot be listed.
pub fn list_runs(eval: &EvalLayout) -> Result<Vec<RunId>, StoreError> {
    let listing = match fs_err::read_dir(eval.runs()) {
        Ok(listing) => listing,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error.into()),
    };
    let mut runs = Vec::new();
    for entry in listing {
        let entry = entry?;
        if let Some(id) = entry.file_name().to_str().and_then(|name| name.parse::<RunId>().ok())
            && entry.file_type()?.is_dir()
        {
            runs.push(id);
        }
    }
    runs.sort();
    Ok(runs)
}

/// Finds a run by what a person wrote: a run's directory, a full id, or a short form with any `.g<n>`.
///
/// A text that has the form of an id is one, whatever files there are; anything else is a path.
///
/// # Errors
/// When nothing answers to the name, or several runs do.
pub fn find_run(eval: &EvalLayout, name: &str) -> Result<RunLayout, StoreError> {
    let absent = || StoreError::NoSuchRun { name: name.to_owned(), runs: eval.runs() };
    if let Ok(id) = name.parse::<RunId>() {
        let run = eval.run(&id);
        return if run.run_record().is_file() { Ok(run) } else { Err(absent()) };
    }
    if is_short_form(name) {
        let mut matches: Vec<RunId> = list_runs(eval)?.into_iter().filter(|id| id.short() == name).collect();
        return match matches.len() {
            0 => Err(absent()),
            1 => Ok(eval.run(&matches.remove(0))),
            _ => Err(StoreError::Ambiguous { name: name.to_owned(), matches }),
        };
    }
    let path = Path::new(name);
    if !name.is_empty() && path.join("run.json").is_file() {
        return Ok(RunLayout::new(std::path::absolute(path)?));
    }
    if path.is_dir() && !name.is_empty() { Err(StoreError::NotARun(path.to_owned())) } else { Err(absent()) }
}

/// Returns the highest number of a regrade of a run among runs, which may be one itself; 1 when none is.
pub fn last_regrade(runs: &[RunId], run: &RunId) -> u32 {
    let collecting = run.collecting();
    let gradings = runs.iter().filter(|id| id.collecting() == collecting).map(RunId::grading);
    gradings.max().map_or(1, |number| u32::try_from(number).unwrap_or(u32::MAX))
}

/// Returns whether a text has the form `xxxxxx` or `xxxxxx.g<n>`.
pub(crate) fn is_short_form(text: &str) -> bool {
    let (hex, regrade) = text.split_once('.').map_or((text, None), |(hex, rest)| (hex, Some(rest)));
    hex.len() == 6
        && hex.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
        && regrade.is_none_or(|rest| rest.strip_prefix('g').is_some_and(|n| n.parse::<u32>().is_ok()))
}
