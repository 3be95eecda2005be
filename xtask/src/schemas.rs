//! The published JSON Schemas under `schema/`, generated from the types.

use std::path::{Path, PathBuf};

/// Writes every schema.
///
/// # Errors
/// A file cannot be written.
pub(crate) fn write() -> Result<(), String> {
    for (path, text) in generated() {
        let folder = path.parent().ok_or_else(|| format!("{} has no folder", path.display()))?;
        fs_err::create_dir_all(folder).map_err(|error| error.to_string())?;
        fs_err::write(&path, text).map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// Compares every schema with its file.
///
/// # Errors
/// The files that differ from the types, by name.
pub(crate) fn check() -> Result<(), String> {
    let stale: Vec<String> = generated()
        .into_iter()
        .filter(|(path, text)| fs_err::read_to_string(path).ok().as_ref() != Some(text))
        .map(|(path, _)| format!("{} is not what the types say", path.display()))
        .collect();
    if stale.is_empty() { Ok(()) } else { Err(format!("{}; run `cargo xtask generate`", stale.join("; "))) }
}

/// Returns every schema's file and its text.
fn generated() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join("schema");
    mst_config::published_schemas()
        .into_iter()
        .map(|published| {
            let text = serde_json::to_string_pretty(&published.schema).expect("a JSON value has a text");
            (root.join(published.path), text + "\n")
        })
        .collect()
}
