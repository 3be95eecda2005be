//! A dataset as one canonical file.

use std::path::Path;

use mst_cli::{CliError, ExitClass, Ui, plural};
use mst_store::{to_bytes, write_out};

use super::found::Found;

/// Writes a dataset to a file, or to stdout. A file of other content stays unless `force` says otherwise.
pub(super) fn write(found: &Found, out: Option<&Path>, force: bool, ui: &Ui) -> Result<ExitClass, CliError> {
    let dataset = &found.loaded.dataset;
    let cases = plural(dataset.cases.len(), "case");
    let summary = format!("{}: {cases}, hash {}", found.name, found.loaded.content_hash);
    let Some(path) = out else {
        ui.data(dataset);
        ui.status(&summary);
        return Ok(ExitClass::Success);
    };
    if let Some(problem) = unfit(path) {
        return Err(CliError::new(ExitClass::Usage, format!("--out: {} {problem}", path.display())));
    }
    let bytes = to_bytes(dataset);
    if path.exists() && !force && fs_err::read(path).ok().as_deref() != Some(&bytes[..]) {
        let message = format!("--out: {} is there already, with other content", path.display());
        return Err(CliError::new(ExitClass::Usage, message).with_hint("--force replaces it"));
    }
    write_out(path, &bytes)
        .map_err(|error| CliError::new(ExitClass::Machine, format!("{}: {error}", path.display())))?;
    ui.status(&format!("{summary}, written to {}", path.display()));
    Ok(ExitClass::Success)
}

/// Returns why a path cannot be written to: only a file is replaced, no device, link or folder, and no folder is made.
fn unfit(path: &Path) -> Option<&'static str> {
    match path.symlink_metadata() {
        Ok(found) if !found.is_file() => Some("is no plain file"),
        Err(_) if path.parent().is_some_and(|folder| !folder.as_os_str().is_empty() && !folder.is_dir()) => {
            Some("is in a folder that is not there")
        }
        _ => None,
    }
}
