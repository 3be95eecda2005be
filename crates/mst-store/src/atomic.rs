//! The one way a file is written: a temporary file in the same folder, then a rename.
//!
//! A reader sees the old file or the new one, never a part. An error leaves nothing temporary behind; a killed process may,
//! under a name that [`sweep`] knows.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use tempfile::{Builder, NamedTempFile};

use crate::error::StoreError;

/// How the name of every temporary file begins.
pub(crate) const TEMPORARY: &str = ".tmp-";

/// Replaces a file by these bytes, making its folders when they are missing.
///
/// # Errors
/// When a folder or file cannot be made; the file that was there stays.
pub fn write_atomic(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    write_with(path, |file| Ok(file.write_all(bytes)?))
}

/// Writes bytes to the place that a person names: a file is replaced as by [`write_atomic`], also where a link leads to it,
/// and what is no plain file (`/dev/stdout`, a pipe) is written to and stays what it is.
///
/// # Errors
/// As [`write_atomic`], or it cannot be written to.
pub fn write_out(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    match fs_err::metadata(path) {
        Ok(there) if !there.is_file() => {
            let mut file = fs_err::OpenOptions::new().write(true).open(path)?;
            Ok(file.write_all(bytes)?)
        }
        Ok(_) => write_atomic(&fs_err::canonicalize(path)?, bytes),
        Err(_) => write_atomic(path, bytes),
    }
}

/// Replaces a file below a folder that is there; a folder that was removed is not made again.
///
/// # Errors
/// As [`write_atomic`], or when the folder is gone.
pub fn write_below(root: &Path, path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    let mut file = temporary_below(root, path)?;
    file.write_all(bytes).map_err(|error| at(&error, path))?;
    Ok(persist(file, path)?)
}

/// Opens a temporary file beside a file below a folder that is there.
pub(crate) fn temporary_below(root: &Path, path: &Path) -> Result<NamedTempFile, StoreError> {
    let folder = folder_of(path);
    // Most files are the first of their folder: to try to make it costs less than to look.
    let made = if folder == root { Ok(()) } else { std::fs::create_dir(folder) };
    match made {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            if !root.is_dir() {
                return Err(StoreError::Gone(root.to_owned()));
            }
            fs_err::create_dir_all(folder)?;
        }
        Err(error) => return Err(at(&error, path).into()),
    }
    match builder(0o666).tempfile_in(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound && !root.is_dir() => {
            Err(StoreError::Gone(root.to_owned()))
        }
        done => Ok(done.map_err(|error| at(&error, path))?),
    }
}

/// Replaces a file by what `fill` writes, which may stream.
///
/// # Errors
/// What `fill` fails with, or when a folder or file cannot be made; the file that was there stays.
pub fn write_with(
    path: &Path,
    fill: impl FnOnce(&mut std::fs::File) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let mut file = temporary_beside(path, 0o666)?;
    fill(file.as_file_mut()).map_err(|error| named(error, path))?;
    persist(file, path)?;
    Ok(())
}

/// Makes a file with these bytes that only its owner may read, unless there is one already.
///
/// Returns whether it was made: two processes that try at once agree on one file.
///
/// # Errors
/// When the file cannot be made.
pub(crate) fn create_private(path: &Path, bytes: &[u8]) -> Result<bool, StoreError> {
    let mut file = temporary_beside(path, 0o600)?;
    file.write_all(bytes).map_err(|error| at(&error, path))?;
    file.as_file().sync_all().map_err(|error| at(&error, path))?;
    match file.persist_noclobber(path) {
        Ok(_) => Ok(true),
        Err(failed) if failed.error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(failed) => Err(at(&failed.error, path).into()),
    }
}

/// Returns a value as stored: JSON with two spaces of indentation and a newline at the end.
pub fn to_bytes<T: Serialize + ?Sized>(value: &T) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(1024);
    serde_json::to_writer_pretty(&mut bytes, value).expect("a stored type has a JSON form");
    bytes.push(b'\n');
    bytes
}

/// Removes temporary files that a killed process left in a folder, in its folders too when `deep`.
///
/// Only for a folder that the caller has locked: what is temporary there can then belong to no one else.
///
/// # Errors
/// When a folder cannot be listed or a file not be removed.
pub(crate) fn sweep(folder: &Path, deep: bool) -> Result<(), StoreError> {
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs_err::read_dir(&folder)? {
            let entry = entry?;
            let kind = entry.file_type()?;
            if kind.is_dir() && deep {
                folders.push(entry.path());
            } else if kind.is_file() && entry.file_name().to_string_lossy().starts_with(TEMPORARY) {
                fs_err::remove_file(entry.path())?;
            }
        }
    }
    Ok(())
}

/// Opens a temporary file in a file's folder. `mode` is what the umask is taken from.
fn temporary_beside(path: &Path, mode: u32) -> io::Result<NamedTempFile> {
    let folder = folder_of(path);
    let builder = builder(mode);
    // Most files are the first of their folder, and to try without it costs more than to make one that is there. Whatever
    // else is wrong shows when the file is made.
    std::fs::create_dir(folder).ok();
    match builder.tempfile_in(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            fs_err::create_dir_all(folder)?;
            builder.tempfile_in(folder)
        }
        done => done,
    }
    .map_err(|error| at(&error, path))
}

fn builder(mode: u32) -> Builder<'static, 'static> {
    let mut builder = Builder::new();
    builder.prefix(TEMPORARY);
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(mode));
    #[cfg(not(unix))]
    let _: u32 = mode;
    builder
}

/// Puts a temporary file in its place.
pub(crate) fn persist(file: NamedTempFile, path: &Path) -> io::Result<()> {
    file.persist(path).map(drop).map_err(|failed| at(&failed.error, path))
}

pub(crate) fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Names the file in an error of the file system, whose own text says only what happened.
pub(crate) fn at(error: &io::Error, path: &Path) -> io::Error {
    // Some errors name a path already, that of the temporary file; only what they are about is told.
    let inner = error.get_ref().and_then(|inner| inner.source()).map(ToString::to_string);
    let reason = inner.unwrap_or_else(|| error.to_string());
    io::Error::new(error.kind(), format!("failed to write `{}`: {reason}", path.display()))
}

fn named(error: StoreError, path: &Path) -> StoreError {
    match error {
        StoreError::Io(error) => StoreError::Io(at(&error, path)),
        other => other,
    }
}

/// Checks that files can be made in a directory, or where it would be made, and leaves nothing behind.
///
/// A run that could not be saved then fails before its first model call.
///
/// # Errors
/// When the nearest folder that exists takes no file.
pub fn check_writable(directory: &Path) -> Result<(), StoreError> {
    let absolute: PathBuf = std::path::absolute(directory)?;
    let folder = absolute.ancestors().find(|folder| folder.exists()).unwrap_or(Path::new("/"));
    Builder::new().prefix(TEMPORARY).tempfile_in(folder).map_err(|error| at(&error, &absolute))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<_> = fs_err::read_dir(folder)
            .expect("a folder")
            .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn folders_are_made_and_a_file_is_replaced_whole() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("a/b/c.json");
        write_atomic(&path, b"one").expect("written");
        write_atomic(&path, b"two").expect("written");
        assert_eq!(fs_err::read_to_string(&path).expect("there"), "two");
        assert_eq!(names(path.parent().expect("a folder")), ["c.json"]);
    }

    #[test]
    fn a_failed_write_leaves_the_old_file_and_nothing_temporary() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("c.json");
        write_atomic(&path, b"one").expect("written");
        let failed = write_with(&path, |file| {
            file.write_all(b"half")?;
            Err(io::Error::other("disk full").into())
        });
        assert!(failed.expect_err("refused").to_string().contains("c.json"));
        assert_eq!(fs_err::read_to_string(&path).expect("there"), "one");
        assert_eq!(names(dir.path()), ["c.json"]);
    }

    #[test]
    fn a_folder_in_the_way_is_named() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("file");
        write_atomic(&path, b"x").expect("written");
        let error = write_atomic(&path.join("below.json"), b"x").expect_err("a file is no folder");
        assert!(error.to_string().contains("below.json"), "{error}");
        assert!(error.is_machine_fault());
    }

    #[test]
    fn stale_temporary_files_are_swept_at_every_depth() {
        let dir = tempfile::tempdir().expect("a folder");
        write_atomic(&dir.path().join("a/b/keep.json"), b"x").expect("written");
        fs_err::write(dir.path().join("a/b/.tmp-abc"), "half").expect("written");
        fs_err::write(dir.path().join(".tmp-def"), "half").expect("written");
        sweep(dir.path(), true).expect("swept");
        assert_eq!(names(dir.path()), ["a"]);
        assert_eq!(names(&dir.path().join("a/b")), ["keep.json"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_private_file_is_made_once_and_for_its_owner() {
        use std::os::unix::fs::PermissionsExt as _;
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("new/key");
        assert!(create_private(&path, b"one").expect("made"));
        assert!(!create_private(&path, b"two").expect("kept"));
        assert_eq!(fs_err::read_to_string(&path).expect("there"), "one");
        let mode = fs_err::metadata(&path).expect("there").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert_eq!(names(path.parent().expect("a folder")), ["key"]);
    }
}
