//! Copies a run into a result store: its files, then its manifest, and `latest.json` last.
//!
//! Whoever finds a manifest finds every file that it lists: the manifest of an earlier upload is taken away before a file is
//! touched, and the new one comes when every file is there. A crash in between leaves a run without a manifest, which nobody
//! fetches, and `latest.json` where it was.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read as _;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use mst_ext::Depth;
use mst_model::{Manifest, ManifestFile, RunId, RunRecord};

use super::digest::Noting;
use super::error::StoredRunError;
use super::local_files::{MANIFEST, local_files};
use super::stored_eval::StoredEval;
use crate::atomic::to_bytes;
use crate::latest::latest_record;
use crate::layout::RunLayout;
use crate::read::read;

/// How many files are on their way at once: most are small, and a store that is far away takes its time for each.
const AT_ONCE: usize = 8;

/// What an upload is to the run that the store may have already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UploadAs {
    /// The run is new: one of this id in the store is another's.
    New,
    /// The run went on, and is uploaded again.
    Again,
}

/// What was uploaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Uploaded {
    /// How many files.
    pub files: usize,
    /// How many bytes they have together.
    pub bytes: u64,
}

impl StoredEval {
    /// Uploads a run with its manifest. `stop` says whether to end early.
    ///
    /// # Errors
    /// When a file cannot be read or kept, the store has another run of this id, or the upload was stopped. The store then
    /// has no manifest of the run, unless it has another's; its `latest.json` is as it was.
    pub fn upload(
        &self,
        run: &RunLayout,
        id: &RunId,
        upload: UploadAs,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Uploaded, StoredRunError> {
        let mut local = local_files(run.root())?;
        if upload == UploadAs::New {
            self.refuse_another(run, id)?;
        }
        self.withdraw(id)?;
        // The run's own file goes first: whoever comes later sees that the id is taken.
        if let Some(at) = local.iter().position(|(path, _)| path == "run.json") {
            local.swap(0, at);
        }
        let files = self.put_all(id, &local, stop)?;
        let manifest = Manifest::new(files);
        self.remove_others(id, &manifest)?;
        self.store.flush().map_err(|error| self.fault(error))?;
        let key = self.run_key(id, MANIFEST)?;
        self.store.put(&key, &mut to_bytes(&manifest).as_slice()).map_err(|error| self.fault(error))?;
        self.store.flush().map_err(|error| self.fault(error))?;
        Ok(Uploaded { files: manifest.files.len(), bytes: manifest.size() })
    }

    /// Makes an uploaded run, which is the local latest, the store's latest too. A regrade does not take the place of a run
    /// that was collected after the one that it grades.
    ///
    /// # Errors
    /// When the store's file cannot be read or replaced.
    pub fn become_latest(&self, run: &RunRecord) -> Result<(), StoredRunError> {
        if run.run_id.is_regrade()
            && let Some(current) = self.latest()?
            && current.run_id.collecting() > run.run_id.collecting()
        {
            return Ok(());
        }
        self.put_beside_runs("latest.json", &to_bytes(&latest_record(run)))
    }

    /// Replaces a file beside the runs, such as `history.json`.
    ///
    /// # Errors
    /// When the store's file cannot be replaced.
    pub fn put_beside_runs(&self, name: &str, bytes: &[u8]) -> Result<(), StoredRunError> {
        let key = self.key(name)?;
        self.store.put(&key, &mut &*bytes).map_err(|error| self.fault(error))?;
        self.store.flush().map_err(|error| self.fault(error))
    }

    /// Refuses an id that the store has files of from another run.
    fn refuse_another(&self, run: &RunLayout, id: &RunId) -> Result<(), StoredRunError> {
        let there = self.store.get(&self.run_key(id, "run.json")?).map_err(|error| self.fault(error))?;
        let Some(there) = there else { return Ok(()) };
        let own = read(&run.run_record()).map_err(crate::error::StoreError::from)?;
        let mut found = Vec::new();
        // What is longer than the run's own is another.
        let longest = own.len() as u64 + 1;
        let read = there.take(longest).read_to_end(&mut found);
        read.map_err(|error| self.fault(mst_ext::RunStoreError::new(error.to_string())))?;
        // Nothing is what a store that cannot remove keeps of a file.
        if found == own || found.is_empty() {
            Ok(())
        } else {
            Err(StoredRunError::Taken { run: id.clone(), location: self.location() })
        }
    }

    /// Takes an earlier manifest away.
    fn withdraw(&self, id: &RunId) -> Result<(), StoredRunError> {
        let key = self.run_key(id, MANIFEST)?;
        if self.store.get(&key).map_err(|error| self.fault(error))?.is_some() {
            self.store.remove(&key).map_err(|error| self.fault(error))?;
            self.store.flush().map_err(|error| self.fault(error))?;
        }
        Ok(())
    }

    /// Puts every file, several at once, and says what was read of each.
    fn put_all(
        &self,
        id: &RunId,
        local: &[(String, PathBuf)],
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<BTreeMap<String, ManifestFile>, StoredRunError> {
        let (next, failed) = (AtomicUsize::new(0), AtomicBool::new(false));
        let first_failure: Mutex<Option<StoredRunError>> = Mutex::new(None);
        let work = || {
            let mut put = Vec::new();
            while !failed.load(Ordering::Relaxed) {
                let Some((path, file)) = local.get(next.fetch_add(1, Ordering::Relaxed)) else { break };
                match if stop() { Err(StoredRunError::Stopped) } else { self.put_one(id, path, file) } {
                    Ok(noted) => put.push((path.clone(), noted)),
                    Err(error) => {
                        failed.store(true, Ordering::Relaxed);
                        first_failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                    }
                }
            }
            put
        };
        let files = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..AT_ONCE.min(local.len())).map(|_| scope.spawn(work)).collect();
            let done = threads.into_iter().map(|thread| thread.join().expect("copying files does not panic"));
            done.flatten().collect()
        });
        match first_failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
            None => Ok(files),
            Some(error) => Err(error),
        }
    }

    fn put_one(&self, id: &RunId, path: &str, file: &PathBuf) -> Result<ManifestFile, StoredRunError> {
        let opened = fs_err::File::open(file).map_err(crate::error::StoreError::from)?;
        let mut body = Noting::new(opened);
        let put = self.store.put(&self.run_key(id, path)?, &mut body);
        match (body.failure.take(), put) {
            (Some(error), _) => Err(StoredRunError::Local(error.into())),
            (None, Err(error)) => Err(self.fault(error)),
            (None, Ok(())) => Ok(body.noted()),
        }
    }

    /// Removes files that an earlier upload left and the run no longer has, so that a reader of folders meets none of them.
    fn remove_others(&self, id: &RunId, manifest: &Manifest) -> Result<(), StoredRunError> {
        let run = self.key(&format!("runs/{id}"))?;
        let prefix = format!("{run}/");
        let listed = self.store.list(Some(&run), Depth::All).map_err(|error| self.fault(error))?;
        let others: BTreeSet<&str> = listed.iter().filter_map(|key| key.strip_prefix(&prefix)).collect();
        for path in others.into_iter().filter(|path| !manifest.files.contains_key(*path) && *path != MANIFEST) {
            self.store.remove(&self.run_key(id, path)?).map_err(|error| self.fault(error))?;
        }
        Ok(())
    }
}
