//! Every generated file: written, or compared with what is there.

use std::path::{Path, PathBuf};

use crate::{docs, reference, schemas};

/// Writes every generated file.
///
/// # Errors
/// The program cannot be built, or a file cannot be written.
pub(crate) fn write() -> Result<(), String> {
    for (path, text) in files()? {
        let folder = path.parent().ok_or_else(|| format!("{} has no folder", path.display()))?;
        fs_err::create_dir_all(folder).map_err(|error| error.to_string())?;
        fs_err::write(&path, text).map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// Compares every generated file with what the code says, and looks for pages that are not in the book and links that lead
/// nowhere.
///
/// # Errors
/// What is wrong, by name.
pub(crate) fn check() -> Result<(), String> {
    let stale: Vec<String> = files()?
        .into_iter()
        .filter(|(path, text)| fs_err::read_to_string(path).ok().as_ref() != Some(text))
        .map(|(path, _)| format!("{} is not what the code says", path.display()))
        .collect();
    if !stale.is_empty() {
        return Err(format!("{}; run `cargo xtask generate`", stale.join("; ")));
    }
    let pages = docs::problems(&root()?.join("docs"))?;
    if pages.is_empty() { Ok(()) } else { Err(pages.join("\n")) }
}

fn root() -> Result<&'static Path, String> {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().ok_or_else(|| "xtask has no folder above it".to_owned())
}

fn files() -> Result<Vec<(PathBuf, String)>, String> {
    let root = root()?;
    let mut files = schemas::generated(root);
    files.push((root.join("docs").join("cli.md"), reference::page(root)?));
    Ok(files)
}
