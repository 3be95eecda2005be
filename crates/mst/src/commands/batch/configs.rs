//! Which files a batch runs.

use std::path::{Path, PathBuf};

use mst_cli::{CliError, ExitClass, Ui};
use serde_json::Value;

/// Returns the eval configs: those that were listed, else those of a folder in the order of their names.
pub(super) fn find(listed: &[PathBuf], folder: Option<&Path>, ui: &Ui) -> Result<Vec<PathBuf>, CliError> {
    match (listed, folder) {
        ([], None) => Err(CliError::new(
            ExitClass::Usage,
            "name the eval configs with --configs, or their folder with --config-dir",
        )),
        ([], Some(folder)) => of_folder(folder, ui),
        (listed, folder) => {
            if let Some(folder) = folder {
                ui.status(&format!("--configs goes before --config-dir: {} is not read", folder.display()));
            }
            Ok(listed.to_vec())
        }
    }
}

/// Returns the `*.json` files of a folder, but for what is plainly no eval config: hidden files, `mst.config.json`, and
/// datasets. Anything else that is no eval config stays, so that its mistake is told and not passed over.
fn of_folder(folder: &Path, ui: &Ui) -> Result<Vec<PathBuf>, CliError> {
    let unreadable = |error: std::io::Error| CliError::new(ExitClass::Usage, format!("--config-dir: {error}"));
    let mut paths = Vec::new();
    for entry in fs_err::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.extension().is_some_and(|extension| extension == "json") && path.is_file() {
            paths.push(path);
        }
    }
    paths.sort();
    paths.retain(|path| match other_purpose(path) {
        None => true,
        Some(purpose) => {
            ui.status(&format!("{}: left out, {purpose}", path.display()));
            false
        }
    });
    if paths.is_empty() {
        let message = format!("--config-dir: {} holds no eval config (*.json)", folder.display());
        return Err(CliError::new(ExitClass::Usage, message));
    }
    Ok(paths)
}

/// Says what a file plainly is that is no eval config.
fn other_purpose(path: &Path) -> Option<&'static str> {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    if name.starts_with('.') {
        return Some("a hidden file");
    }
    if name == "mst.config.json" {
        return Some("a settings file");
    }
    // What cannot be read here is told when it is loaded.
    let document = mst_config::read_document(path).ok()?;
    let has = |key: &str| document.root().get(key).is_some();
    let is_dataset = document.root().get("cases").is_some_and(Value::is_array)
        && !has("datasets")
        && !has("servers")
        && !has("client");
    is_dataset.then_some("a dataset")
}
