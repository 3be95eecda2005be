//! Unpacks a bundle: bounded in size and number, and never outside of its folder.

use std::io::{BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};

use mst_cli::{CliError, ExitClass, usage};

/// The most files of a bundle.
const MOST_FILES: usize = 100_000;
/// The most bytes that a bundle unpacks to.
const MOST_BYTES: u64 = 1 << 30;

/// A bundle's folder. Dropping it removes the folder again, unless it was kept.
#[derive(Debug)]
pub(crate) struct Unpacked {
    folder: PathBuf,
    keep: bool,
}

impl Unpacked {
    /// Unpacks a bundle into a folder that is not there yet.
    pub(crate) fn of(bundle: &Path, folder: &Path, force: bool) -> Result<Self, CliError> {
        if folder.exists() {
            if !force {
                return Err(usage(format!("{} is there already", folder.display())).with_hint("--force replaces it"));
            }
            fs_err::remove_dir_all(folder).map_err(|error| machine(&error))?;
        }
        fs_err::create_dir_all(folder).map_err(|error| machine(&error))?;
        let unpacked = Self { folder: folder.to_owned(), keep: false };
        unpacked.fill(bundle)?;
        Ok(unpacked)
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Leaves the folder where it is.
    pub(crate) fn keep(mut self) {
        self.keep = true;
    }

    fn fill(&self, bundle: &Path) -> Result<(), CliError> {
        let refused = |what: &str| usage(format!("{}: {what}", bundle.display()));
        let file = fs_err::File::open(bundle).map_err(|error| machine(&error))?;
        let mut archive = zip::ZipArchive::new(BufReader::new(file)).map_err(|error| refused(&error.to_string()))?;
        if archive.len() > MOST_FILES {
            return Err(refused(&format!("it holds more than {MOST_FILES} files")));
        }
        let mut left = MOST_BYTES;
        for at in 0..archive.len() {
            let mut entry = archive.by_index(at).map_err(|error| refused(&error.to_string()))?;
            let name = String::from_utf8_lossy(entry.name_raw()).into_owned();
            let Some(inside) = entry.enclosed_name() else {
                return Err(refused(&format!("it holds a file outside of itself: {name:?}")));
            };
            let path = self.folder.join(inside);
            if entry.is_dir() {
                fs_err::create_dir_all(&path).map_err(|error| machine(&error))?;
                continue;
            }
            if entry.is_symlink() {
                return Err(refused(&format!("it holds a link, {name:?}, which could lead outside of it")));
            }
            if let Some(parent) = path.parent() {
                fs_err::create_dir_all(parent).map_err(|error| machine(&error))?;
            }
            // What an archive says of a file's size may be a lie, so that what comes out is counted.
            let mut out = fs_err::File::create(&path).map_err(|error| machine(&error))?;
            let written = std::io::copy(&mut (&mut entry).take(left + 1), &mut out);
            let written = written.map_err(|error| refused(&format!("{name:?}: {error}")))?;
            left = left
                .checked_sub(written)
                .ok_or_else(|| refused(&format!("it unpacks to more than {} MB", MOST_BYTES >> 20)))?;
            out.flush().map_err(|error| machine(&error))?;
            set_mode(&path, entry.unix_mode()).map_err(|error| machine(&error))?;
        }
        Ok(())
    }
}

impl Drop for Unpacked {
    fn drop(&mut self) {
        if !self.keep {
            // What is left over is in a folder of its own, named in the error that led here.
            fs_err::remove_dir_all(&self.folder).ok();
        }
    }
}

/// Gives a file the right to be run, when the archive says so; nothing else of its mode counts.
#[cfg(unix)]
fn set_mode(path: &Path, mode: Option<u32>) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    let runs = mode.is_some_and(|mode| mode & 0o111 != 0);
    if runs { fs_err::set_permissions(path, std::fs::Permissions::from_mode(0o755)) } else { Ok(()) }
}

#[cfg(not(unix))]
fn set_mode(_: &Path, _: Option<u32>) -> std::io::Result<()> {
    Ok(())
}

fn machine(error: &std::io::Error) -> CliError {
    CliError::new(ExitClass::Machine, error.to_string())
}
