//! One writer a directory: an exclusive lock on the directory's own handle.
//!
//! The lock is the operating system's, so it ends with the process that holds it, and no lock file stays behind.

use std::fs::TryLockError;
use std::path::Path;

use mst_model::RunId;

use crate::atomic::sweep;
use crate::error::StoreError;

/// The right to write a directory; given back when dropped.
#[derive(Debug)]
pub(crate) struct DirectoryLock {
    _handle: fs_err::File,
}

impl DirectoryLock {
    /// Locks a run's directory and removes what a killed writer left half written.
    ///
    /// # Errors
    /// When another process writes the run, or the directory cannot be opened.
    pub(crate) fn run(directory: &Path, id: &RunId) -> Result<Self, StoreError> {
        let handle = fs_err::File::open(directory)?;
        match handle.file().try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(StoreError::Locked(id.clone())),
            Err(TryLockError::Error(error)) => return Err(error.into()),
        }
        sweep(directory, true)?;
        Ok(Self { _handle: handle })
    }

    /// Waits for the lock on an eval's directory, which is held for one write at a time, and sweeps it.
    ///
    /// # Errors
    /// When the directory cannot be opened or locked.
    pub(crate) fn eval(directory: &Path) -> Result<Self, StoreError> {
        let handle = fs_err::File::open(directory)?;
        handle.file().lock()?;
        sweep(directory, false)?;
        Ok(Self { _handle: handle })
    }
}
