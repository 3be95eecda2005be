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
    /// Locks a run's directory and removes what a killed writer left half written in the folder itself.
    ///
    /// # Errors
    /// When another process writes the run, or the directory cannot be opened.
    pub(crate) fn run(directory: &Path, id: &RunId) -> Result<Self, StoreError> {
        let handle = fs_err::File::open(directory)?;
        match handle.file().try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(StoreError::Locked { run: id.clone(), holder: holder(&handle) });
            }
            Err(TryLockError::Error(error)) => return Err(error.into()),
        }
        sweep(directory, false)?;
        Ok(Self { _handle: handle })
    }

    /// Locks a directory that nobody else holds.
    ///
    /// # Errors
    /// When someone does, or the directory cannot be opened.
    pub(crate) fn try_of(directory: &Path) -> Result<Self, StoreError> {
        let handle = fs_err::File::open(directory)?;
        match handle.file().try_lock() {
            Ok(()) => Ok(Self { _handle: handle }),
            Err(TryLockError::WouldBlock) => Err(std::io::Error::from(std::io::ErrorKind::WouldBlock).into()),
            Err(TryLockError::Error(error)) => Err(error.into()),
        }
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

/// Returns the process that holds a directory's lock, where the system lists locks.
#[cfg(target_os = "linux")]
fn holder(handle: &fs_err::File) -> Option<u32> {
    use std::os::unix::fs::MetadataExt as _;
    let inode = handle.metadata().ok()?.ino();
    let locks = fs_err::read_to_string("/proc/locks").ok()?;
    // 1: FLOCK  ADVISORY  WRITE 1234 fe:00:5678 0 EOF
    let line = locks.lines().find(|line| {
        let mut fields = line.split_whitespace().skip(1);
        fields.next() == Some("FLOCK")
            && fields.nth(3).and_then(|file| file.rsplit(':').next()?.parse::<u64>().ok()) == Some(inode)
    })?;
    // 0 stands for a process that is not of this container.
    line.split_whitespace().nth(4)?.parse().ok().filter(|pid| *pid > 0)
}

#[cfg(not(target_os = "linux"))]
fn holder(_: &fs_err::File) -> Option<u32> {
    None
}
