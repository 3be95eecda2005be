//! What can go wrong with a tape file.

use std::io;
use std::path::PathBuf;

use mst_model::TAPE_FORMAT;

/// A tape that cannot be written or read.
#[derive(Debug, thiserror::Error)]
pub enum TapeError {
    /// The file system refused; the text names the path.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// There is no file.
    #[error("{}: there is no such file", .0.display())]
    Missing(PathBuf),
    /// A tape is never written over a file that is there.
    #[error("{} exists already, and a tape is never written over another file", .0.display())]
    Exists(PathBuf),
    /// The file is something else.
    #[error("{}:1: this is no tape: {detail}", path.display())]
    NotATape {
        /// The file.
        path: PathBuf,
        /// What is wrong with its first line.
        detail: String,
    },
    /// The tape is of another format version.
    #[error("{} is a tape of the format {found}, and this version of mst reads {TAPE_FORMAT}", path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// Its format.
        found: String,
    },
    /// A line is no line of a tape.
    #[error("{}:{line}: {detail}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        detail: String,
    },
}

impl TapeError {
    /// Returns whether the machine failed (disk full, permission), not what was asked for.
    pub fn is_machine_fault(&self) -> bool {
        matches!(self, Self::Io(error) if error.kind() != io::ErrorKind::NotFound)
    }
}
