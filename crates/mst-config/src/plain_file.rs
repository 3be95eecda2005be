//! A file that is read whole: a plain one, of bounded size.
//!
//! A path that a user gives may lead to a pipe, which blocks until somebody writes, or to a device, which may never end.

use std::io::{self, Read as _};
use std::path::Path;

use thiserror::Error;

/// The largest eval config or settings file that is read, in bytes.
pub(crate) const LONGEST_CONFIG: u64 = 64 << 20;
/// The largest dataset file that is read, in bytes.
pub(crate) const LONGEST_DATASET: u64 = 2 << 30;
/// The largest secrets file that is read, in bytes.
pub(crate) const LONGEST_SECRETS: u64 = 1 << 20;

/// Why a file was not read. The text does not name it.
#[derive(Debug, Error)]
pub enum PlainFileError {
    /// There is none.
    #[error("there is no such file")]
    Absent,
    /// It is a directory.
    #[error("it is a directory")]
    Directory,
    /// It is a pipe, a device or a socket.
    #[error("it is no plain file, but a pipe, a device or the like")]
    NotPlain,
    /// It is larger than any such file.
    #[error("it is larger than {} MB", most >> 20)]
    TooLarge {
        /// The most bytes that are read.
        most: u64,
    },
    /// The file system refused.
    #[error("{}", reason(.0))]
    Io(#[source] io::Error),
}

/// Returns the bytes of a plain file of at most `most` bytes; a link is followed.
///
/// # Errors
/// The file is none of that, or cannot be read.
pub fn read_plain_file(path: &Path, most: u64) -> Result<Vec<u8>, PlainFileError> {
    let mut bytes = Vec::new();
    open(path)?.take(most + 1).read_to_end(&mut bytes).map_err(of_io)?;
    if bytes.len() as u64 > most { Err(PlainFileError::TooLarge { most }) } else { Ok(bytes) }
}

/// Refuses what is no plain file or cannot be opened.
pub(crate) fn check_readable(path: &Path) -> Result<(), PlainFileError> {
    open(path).map(drop)
}

fn open(path: &Path) -> Result<fs_err::File, PlainFileError> {
    // Looked at before it is opened: opening a pipe waits for its other end.
    let found = fs_err::metadata(path).map_err(of_io)?;
    match (found.is_file(), found.is_dir()) {
        (true, _) => fs_err::File::open(path).map_err(of_io),
        (false, true) => Err(PlainFileError::Directory),
        (false, false) => Err(PlainFileError::NotPlain),
    }
}

fn of_io(error: io::Error) -> PlainFileError {
    match error.kind() {
        io::ErrorKind::NotFound => PlainFileError::Absent,
        io::ErrorKind::IsADirectory => PlainFileError::Directory,
        _ => PlainFileError::Io(error),
    }
}

/// Returns what the system says, without the path that stands before it already.
fn reason(error: &io::Error) -> String {
    error.kind().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_files_of_bounded_size_are_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("file");
        fs_err::write(&path, b"12345678").expect("a file");
        assert_eq!(read_plain_file(&path, 8).expect("read"), b"12345678");
        let told = |path: &Path, most| read_plain_file(path, most).expect_err("refused").to_string();
        assert_eq!(told(&path, 7), "it is larger than 0 MB");
        assert_eq!(told(folder.path(), 8), "it is a directory");
        assert_eq!(told(&folder.path().join("absent"), 8), "there is no such file");
        #[cfg(unix)]
        assert_eq!(told(Path::new("/dev/zero"), 8), "it is no plain file, but a pipe, a device or the like");
    }
}
