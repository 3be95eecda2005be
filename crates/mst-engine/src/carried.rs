//! What a regrade has of the run that it grades: a copy of its transcripts and labels, never of what lies elsewhere.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use mst_config::Plan;
use mst_store::{RunLayout, RunReader, StoreError, TrialKey, trial_number, write_below};

use crate::processors::on_all_processors;
use crate::resume::places;

/// How many steps lead to a trial: `transcripts/<variant>/<case>/<trial>.json`.
const STEPS: usize = 4;

/// Returns the files to carry over, relative to the run: every trial, which the plan must have, and every label.
pub(crate) fn sources(reader: &RunReader, plan: &Plan) -> Result<Result<Vec<PathBuf>, String>, StoreError> {
    let root = reader.layout().root();
    let keys = places(plan).map(|place| place.key(plan));
    let planned: HashMap<PathBuf, TrialKey> = keys.map(|key| (reader.layout().trial(&key), key)).collect();
    let is_linked = |path: &Path| format!("{} is reached through a link, or is no file", path.display());
    let mut found = match plain_files(root, "transcripts")? {
        Ok(files) => files,
        Err(link) => return Ok(Err(is_linked(&link))),
    };
    found.retain(|path| path.components().count() == STEPS && trial_number(path).is_some());
    let refused = on_all_processors(&found, |path| -> Result<Option<String>, StoreError> {
        let Some(key) = planned.get(&root.join(path)) else {
            return Ok(Some(format!("{} is of no variant, case or trial that the eval has now", path.display())));
        };
        let has_artifacts = reader.trial_view(key)?.artifacts.is_some();
        Ok(has_artifacts.then(|| format!("{} has artifacts, which this version cannot carry over", path.display())))
    });
    for reason in refused {
        if let Some(reason) = reason? {
            return Ok(Err(reason));
        }
    }
    if found.is_empty() {
        return Ok(Err("it has no trial".to_owned()));
    }
    match plain_files(root, "labels")? {
        Ok(labels) => found.extend(labels),
        Err(link) => return Ok(Err(is_linked(&link))),
    }
    Ok(Ok(found))
}

/// Returns the files below a folder of the run, in the order of their paths; none when it is absent. A link among them, or
/// on the way to them, is returned in their place: listing trials passes links over, and what it passes over would be
/// missing without a word.
fn plain_files(root: &Path, folder: &str) -> Result<Result<Vec<PathBuf>, PathBuf>, StoreError> {
    let mut files = Vec::new();
    let mut folders = vec![PathBuf::from(folder)];
    if root.join(folder).is_symlink() {
        return Ok(Err(folder.into()));
    }
    while let Some(folder) = folders.pop() {
        let entries = match fs_err::read_dir(root.join(&folder)) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
            Err(error) => return Err(error.into()),
        };
        for entry in entries {
            let entry = entry?;
            let (kind, path) = (entry.file_type()?, folder.join(entry.file_name()));
            match (kind.is_dir(), kind.is_file()) {
                (true, _) => folders.push(path),
                (_, true) => files.push(path),
                _ => return Ok(Err(path)),
            }
        }
    }
    files.sort();
    Ok(Ok(files))
}

/// Copies files that [`sources`] returned; what is there already is written again.
pub(crate) fn copy(paths: &[PathBuf], from: &RunLayout, to: &RunLayout) -> Result<(), StoreError> {
    let copied = on_all_processors(paths, |path| {
        write_below(to.root(), &to.root().join(path), &fs_err::read(from.root().join(path))?)
    });
    copied.into_iter().collect()
}
