//! The files that are written: checked before a run, replaced whole after it.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use mst_cli::{CliError, Env, ExitClass, usage};
use mst_store::{check_writable, write_out};

use super::shown;
use crate::args::CiFlags;

/// Refuses what could not be written, or would be written twice.
pub(super) fn check(flags: &CiFlags) -> Result<(), CliError> {
    let mut seen: Vec<(&str, PathBuf)> = Vec::new();
    for (flag, path) in flags.files() {
        check_one(flag, path)?;
        let place = std::path::absolute(path).unwrap_or_else(|_| path.clone());
        if let Some((other, _)) = seen.iter().find(|(_, known)| *known == place) {
            return Err(usage(format!("{other} and {flag} name one file, {}", shown(path))));
        }
        seen.push((flag, place));
    }
    Ok(())
}

/// Refuses a place that cannot be written to.
pub(super) fn check_one(flag: &str, path: &Path) -> Result<(), CliError> {
    if path.as_os_str() == "-" {
        return Err(usage(format!("{flag} takes a file; \"-\" is none, since stdout holds the command's own result")));
    }
    if path.is_dir() {
        return Err(usage(format!("{flag} {}: it is a directory", shown(path)))
            .with_hint(format!("name a file in it: {flag} {}", shown(&path.join("FILE")))));
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !folder.is_dir() {
        return Err(usage(format!("{flag} {}: there is no folder {}", shown(path), shown(folder))));
    }
    let refused = |error: String| usage(format!("{flag} {}: it cannot be written: {error}", shown(path)));
    if path.exists() {
        let opened = fs_err::OpenOptions::new().append(true).open(path);
        opened.map_err(|error| refused(error.to_string()))?;
    } else {
        check_writable(folder).map_err(|error| refused(error.to_string()))?;
    }
    Ok(())
}

/// Returns the step summary of the GitHub job, when it is the file that Markdown goes to.
pub(super) fn step_summary(flags: &CiFlags, env: &Env) -> Option<PathBuf> {
    let (named, summary) = (flags.markdown.as_ref()?, PathBuf::from(env.get("GITHUB_STEP_SUMMARY")?));
    let whole = |path: &Path| fs_err::canonicalize(path).or_else(|_| std::path::absolute(path)).ok();
    (whole(named)? == whole(&summary)?).then_some(summary)
}

/// Writes a file.
pub(super) fn write(path: &Path, text: &str) -> Result<(), CliError> {
    write_out(path, text.as_bytes()).map_err(|error| CliError::new(ExitClass::Machine, error.to_string()))
}

/// Adds to a file that other steps add to.
pub(super) fn append(path: &Path, text: &str) -> Result<(), CliError> {
    let add = || {
        let mut file = fs_err::OpenOptions::new().create(true).append(true).open(path)?;
        file.write_all(text.as_bytes())
    };
    add().map_err(|error: std::io::Error| CliError::new(ExitClass::Machine, error.to_string()))
}
