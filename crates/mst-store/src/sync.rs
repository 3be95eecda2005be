//! Durability: what was written is synced to the disk together, once a second, and before `latest.json`.
//!
//! Syncing after every file would cost more than saving it. A rename alone survives a killed process; a sync survives a
//! power cut, so at most the last second is lost.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use mst_model::Timestamp;

use crate::atomic::folder_of;
use crate::error::StoreError;

/// How long written files may wait to be synced, in milliseconds.
const SYNC_EVERY_MS: i64 = 1000;

/// From this many files on, one sync of the file system is cheaper than one a file. Elsewhere every file is synced.
const MANY: usize = if cfg!(target_os = "linux") { 16 } else { usize::MAX };

/// Files and folders that were written and not yet synced.
///
/// From [`MANY`] files on no further ones are noted: the whole file system is synced then, and to note each file of a run
/// costs as much as a call to the system.
#[derive(Debug, Default)]
pub(crate) struct Unsynced {
    files: HashSet<PathBuf>,
    folders: HashSet<PathBuf>,
    since: Option<Timestamp>,
}

impl Unsynced {
    /// Notes a file that was written under a root, and its folders up to the root.
    pub(crate) fn add(&mut self, file: PathBuf, root: &Path) {
        if self.files.len() >= MANY {
            return;
        }
        for folder in file.ancestors().skip(1) {
            let known = !self.folders.insert(folder.to_owned());
            if known || folder == root {
                break;
            }
        }
        self.files.insert(file);
    }

    /// Returns what is to be synced when a second has passed since the first call that saw something to sync.
    pub(crate) fn due(&mut self, now: Timestamp) -> Option<SyncBatch> {
        if self.files.is_empty() {
            self.since = None;
            return None;
        }
        let since = *self.since.get_or_insert(now);
        // A clock that was set back says nothing of how long it has been: the wait may be over.
        let waited = now.as_millis() - since.as_millis();
        (!(0..SYNC_EVERY_MS).contains(&waited)).then(|| self.take())
    }

    /// Returns all that is to be synced.
    pub(crate) fn take(&mut self) -> SyncBatch {
        self.since = None;
        let mut folders: Vec<PathBuf> = self.folders.drain().collect();
        // A folder comes before what it holds.
        folders.sort_unstable();
        SyncBatch { files: self.files.drain().collect(), folders }
    }
}

/// Files and folders to sync: plain data, so that the waiting can be done on another thread than the writing.
#[derive(Debug)]
pub struct SyncBatch {
    files: Vec<PathBuf>,
    folders: Vec<PathBuf>,
}

impl SyncBatch {
    /// Waits until everything is on the disk: files first, then the folders that name them.
    ///
    /// A file that was replaced since is synced as it is now; one that was removed is left out.
    ///
    /// # Errors
    /// When the disk reports an error.
    pub fn sync(self) -> Result<(), StoreError> {
        #[cfg(target_os = "linux")]
        if self.files.len() >= MANY
            && let Some(first) = self.folders.first()
        {
            let handle = fs_err::File::open(first)?;
            rustix::fs::syncfs(handle.file()).map_err(|error| crate::atomic::at(&error.into(), first))?;
            return Ok(());
        }
        self.files.iter().chain(self.folders.iter().rev()).try_for_each(|path| sync_one(path))
    }
}

/// Syncs one file or folder.
pub(crate) fn sync_one(path: &Path) -> Result<(), StoreError> {
    match fs_err::File::open(path) {
        Ok(handle) => Ok(handle.sync_all()?),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Syncs one file and the folder that names it.
pub(crate) fn sync_with_folder(path: &Path) -> Result<(), StoreError> {
    sync_one(path)?;
    sync_one(folder_of(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_millis(millis).expect("in range")
    }

    #[test]
    fn a_batch_is_due_a_second_after_its_first_file_was_seen() {
        let mut unsynced = Unsynced::default();
        assert!(unsynced.due(at(0)).is_none());
        unsynced.add("root/a/b/0.json".into(), Path::new("root"));
        assert!(unsynced.due(at(10)).is_none());
        unsynced.add("root/a/c/0.json".into(), Path::new("root"));
        assert!(unsynced.due(at(1009)).is_none());
        let batch = unsynced.due(at(1010)).expect("due");
        let folders: Vec<_> = batch.folders.iter().map(|path| path.to_string_lossy().into_owned()).collect();
        assert_eq!(folders, ["root", "root/a", "root/a/b", "root/a/c"]);
        assert_eq!(batch.files.len(), 2);
        assert!(unsynced.due(at(5000)).is_none(), "nothing is left");

        unsynced.add("root/a/b/0.json".into(), Path::new("root"));
        assert!(unsynced.due(at(9_000_000)).is_none());
        assert!(unsynced.due(at(5_000)).is_some(), "a clock that was set back does not put it off");
    }

    #[test]
    fn of_many_files_enough_are_noted_to_sync_them_all_at_once() {
        let mut unsynced = Unsynced::default();
        for n in 0..10 * 16 {
            unsynced.add(format!("root/a/{n}/0.json").into(), Path::new("root"));
        }
        let batch = unsynced.take();
        assert_eq!(batch.folders[0], Path::new("root"), "the file system of the run is what is synced");
        assert!(batch.files.len() >= 16, "{}", batch.files.len());
    }

    #[test]
    fn what_is_gone_is_left_out_and_what_is_there_is_synced() {
        let dir = tempfile::tempdir().expect("a folder");
        let mut unsynced = Unsynced::default();
        for n in 0..70 {
            let path = dir.path().join(format!("{n}.json"));
            crate::write_atomic(&path, b"{}").expect("written");
            unsynced.add(path, dir.path());
        }
        unsynced.take().sync().expect("many at once");
        unsynced.add(dir.path().join("gone.json"), dir.path());
        unsynced.take().sync().expect("one by one");
    }
}
