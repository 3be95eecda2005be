//! The files of a local run, as a store names them.

use std::path::{Path, PathBuf};

use mst_ext::StoreKey;

use crate::atomic::TEMPORARY;
use crate::error::StoreError;

/// The name of the manifest, which a store has and a local run has not.
pub(super) const MANIFEST: &str = "manifest.json";

/// Returns the path of each file of a run, relative to it with `/` between segments, and where it lies; in the order of the
/// paths.
///
/// # Errors
/// When a folder cannot be listed, or holds what no store can keep: a link, a device, a name that is no key.
pub(super) fn local_files(run: &Path) -> Result<Vec<(String, PathBuf)>, StoreError> {
    let mut files = Vec::new();
    let mut folders = vec![(String::new(), run.to_owned())];
    while let Some((prefix, folder)) = folders.pop() {
        for entry in fs_err::read_dir(&folder)? {
            let entry = entry?;
            let path = entry.path();
            let misplaced = |problem: &'static str| StoreError::Misplaced { path: path.clone(), problem };
            let name = entry.file_name();
            let name = name.to_str().ok_or_else(|| misplaced("has a name that is no text, which no store keeps"))?;
            if name.starts_with(TEMPORARY) || (prefix.is_empty() && name == MANIFEST) {
                continue;
            }
            let key = format!("{prefix}{name}");
            if StoreKey::new(key.as_str()).is_err() {
                return Err(misplaced("has a name that no result store keeps"));
            }
            let kind = entry.file_type()?;
            if kind.is_dir() {
                folders.push((format!("{key}/"), path));
            } else if kind.is_file() {
                files.push((key, path));
            } else {
                return Err(misplaced("is neither a file nor a folder; no result store keeps it"));
            }
        }
    }
    files.sort();
    Ok(files)
}
