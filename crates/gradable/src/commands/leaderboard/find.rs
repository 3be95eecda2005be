//! The reports below a folder.

use std::path::{Path, PathBuf};

use mst_report::{BOARD_FORMAT, LeftOut};
use serde_json::Value;

/// The names of the files that scans leave.
const NAMES: [&str; 2] = ["report.json", "failed.json"];
/// What a site's own data is called. A folder that holds it is a site, whose copies of reports are not read again.
pub(super) const SITE_DATA: &str = "leaderboard.json";

/// What was found below a folder.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// Reports and failures in the order of their paths.
    pub(super) files: Vec<PathBuf>,
    /// Folders that could not be looked into.
    pub(super) left_out: Vec<LeftOut>,
}

/// Looks for reports and failures below a folder, at any depth. Links to folders are not followed, and sites are passed by.
pub(super) fn find(folder: &Path) -> Found {
    let mut found = Found::default();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = match fs_err::read_dir(&folder).and_then(Iterator::collect::<Result<Vec<_>, _>>) {
            Ok(entries) => entries,
            Err(error) => {
                let file = folder.display().to_string();
                found.left_out.push(LeftOut { file, reason: format!("cannot be looked into: {}", error.kind()) });
                continue;
            }
        };
        for entry in entries {
            let path = entry.path();
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                if !is_site(&path) {
                    folders.push(path);
                }
            } else if NAMES.iter().any(|name| entry.file_name() == *name) {
                found.files.push(path);
            }
        }
    }
    found.files.sort();
    found
}

/// Returns whether a folder is a site that this command made.
pub(super) fn is_site(folder: &Path) -> bool {
    site_data(folder).is_some()
}

/// Reads the data of a site that this command made.
pub(super) fn site_data(folder: &Path) -> Option<Value> {
    let bytes = fs_err::read(folder.join(SITE_DATA)).ok()?;
    let data: Value = serde_json::from_slice(&bytes).ok()?;
    (data.get("format")? == BOARD_FORMAT).then_some(data)
}
