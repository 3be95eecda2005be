//! What a regrade has of the run that it grades: a copy of its transcripts and labels, never of what lies elsewhere.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use mst_config::Plan;
use mst_store::{RunLayout, RunReader, StoreError, TrialKey, write_atomic};

use crate::processors::on_all_processors;
use crate::resume::places;

/// Returns the files to carry over, relative to the run: every trial, which the plan must have, and every label.
pub(crate) fn sources(reader: &RunReader, plan: &Plan) -> Result<Result<Vec<PathBuf>, String>, StoreError> {
    let root = reader.layout().root();
    let keys = places(plan).map(|place| place.key(plan));
    let planned: HashMap<PathBuf, TrialKey> = keys.map(|key| (reader.layout().trial(&key), key)).collect();
    let mut found = Vec::new();
    let linked = |found: &[PathBuf]| found.iter().find(|path| !is_plain(root, path)).cloned();
    let is_linked = |path: &Path| format!("{} is reached through a link, or is no file", path.display());
    // Listing trials passes links over, and what it passes over would be missing without a word.
    let mut all = Vec::new();
    below(&reader.layout().transcripts(), root, &mut all)?;
    if let Some(link) = linked(&all) {
        return Ok(Err(is_linked(&link)));
    }
    let trials = reader.trial_paths()?;
    let looked = on_all_processors(&trials, |path| -> Result<Result<PathBuf, String>, StoreError> {
        let relative = path.strip_prefix(root).unwrap_or(path).to_owned();
        let Some(key) = planned.get(path) else {
            return Ok(Err(format!("{} is of no variant, case or trial that the eval has now", relative.display())));
        };
        if reader.trial_view(key)?.artifacts.is_some() {
            return Ok(Err(format!("{} has artifacts, which this version cannot carry over", relative.display())));
        }
        Ok(Ok(relative))
    });
    for path in looked {
        match path? {
            Ok(relative) => found.push(relative),
            Err(reason) => return Ok(Err(reason)),
        }
    }
    if found.is_empty() {
        return Ok(Err("it has no trial".to_owned()));
    }
    let labels = root.join("labels");
    if labels.is_symlink() {
        return Ok(Err("labels is a link".to_owned()));
    }
    let mut all = Vec::new();
    below(&labels, root, &mut all)?;
    if let Some(link) = linked(&all) {
        return Ok(Err(is_linked(&link)));
    }
    found.extend(all);
    Ok(Ok(found))
}

/// Adds the files below a folder; nothing when it is absent. Links are added as they are, to be refused.
fn below(folder: &Path, root: &Path, found: &mut Vec<PathBuf>) -> Result<(), StoreError> {
    let entries = match fs_err::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error.into()),
    };
    for entry in entries {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            below(&entry.path(), root, found)?;
        } else {
            found.push(entry.path().strip_prefix(root).map_or_else(|_| entry.path(), Path::to_owned));
        }
    }
    Ok(())
}

/// Returns whether a path leads to a file of the run itself: no step of it is a link.
fn is_plain(root: &Path, relative: &Path) -> bool {
    let mut steps = relative.ancestors().filter(|step| !step.as_os_str().is_empty());
    let kind = |step: &Path| fs_err::symlink_metadata(root.join(step)).map(|data| data.file_type());
    let is_file = steps.next().is_some_and(|file| kind(file).is_ok_and(|kind| kind.is_file()));
    is_file && steps.all(|step| kind(step).is_ok_and(|kind| kind.is_dir()))
}

/// Copies files that [`sources`] returned; what is there already is written again.
pub(crate) fn copy(paths: &[PathBuf], from: &RunLayout, to: &RunLayout) -> Result<(), StoreError> {
    let copied =
        on_all_processors(paths, |path| write_atomic(&to.root().join(path), &fs_err::read(from.root().join(path))?));
    copied.into_iter().collect()
}
