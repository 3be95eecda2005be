//! Brings a run from a result store into an eval's directory: whole and as its manifest says, or not at all.

use std::io::Write as _;
use std::path::Path;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use mst_model::{Manifest, RunId};
use tempfile::{Builder, TempDir};

use super::error::StoredRunError;
use super::stored_eval::StoredEval;
use crate::atomic::at;
use crate::error::StoreError;
use crate::layout::{EvalLayout, RunLayout};
use crate::lock::DirectoryLock;
use crate::reader::RunReader;
use crate::sync::{Unsynced, sync_with_folder};

/// How many files are on their way at once.
const AT_ONCE: usize = 8;

/// How the name of a folder begins in which a fetch gathers a run.
const GATHERING: &str = ".tmp-fetch-";

/// A run that was fetched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fetched {
    /// The run.
    pub id: RunId,
    /// Its directory.
    pub run: RunLayout,
    /// How many files it has.
    pub files: usize,
    /// How many bytes they have together.
    pub bytes: u64,
}

impl StoredEval {
    /// Fetches a run by its id into an eval's directory. `stop` says whether to end early.
    ///
    /// Files are gathered in a folder of their own and checked against the manifest; one rename makes them a run.
    ///
    /// # Errors
    /// When the run has no manifest, something of it is not as the manifest says, or it cannot be written here. Nothing is
    /// left then.
    pub fn fetch(
        &self,
        id: &RunId,
        eval: &EvalLayout,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Fetched, StoredRunError> {
        let manifest = self.whole(id)?;
        fs_err::create_dir_all(eval.runs()).map_err(StoreError::from)?;
        sweep_fetches(eval)?;
        let (gathered, _lock) = gather_in(&eval.runs())?;
        self.get_all(id, &manifest, gathered.path(), stop)?;
        self.check_run(id, gathered.path())?;
        let mut unsynced = Unsynced::default();
        for path in manifest.files.keys() {
            unsynced.add(gathered.path().join(path), gathered.path());
        }
        unsynced.take().sync()?;
        let run = eval.run(id);
        match fs_err::rename(gathered.path(), run.root()) {
            Ok(()) => drop(gathered.keep()),
            // Another process fetched it meanwhile.
            Err(_) if run.run_record().is_file() => {}
            Err(error) => return Err(StoreError::from(error).into()),
        }
        sync_with_folder(run.root())?;
        Ok(Fetched { id: id.clone(), run, files: manifest.files.len(), bytes: manifest.size() })
    }

    fn get_all(
        &self,
        id: &RunId,
        manifest: &Manifest,
        folder: &Path,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<(), StoredRunError> {
        let paths: Vec<&String> = manifest.files.keys().collect();
        let (next, failed) = (AtomicUsize::new(0), AtomicBool::new(false));
        let first_failure: Mutex<Option<StoredRunError>> = Mutex::new(None);
        let work = || {
            while !failed.load(Ordering::Relaxed) {
                let Some(path) = paths.get(next.fetch_add(1, Ordering::Relaxed)) else { break };
                let got = if stop() { Err(StoredRunError::Stopped) } else { self.get_one(id, manifest, path, folder) };
                if let Err(error) = got {
                    failed.store(true, Ordering::Relaxed);
                    first_failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..AT_ONCE.min(paths.len()) {
                scope.spawn(work);
            }
        });
        first_failure.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
    }

    fn get_one(&self, id: &RunId, manifest: &Manifest, path: &str, folder: &Path) -> Result<(), StoredRunError> {
        let place = folder.join(path);
        let parent = place.parent().expect("a file lies in a folder");
        fs_err::create_dir_all(parent).map_err(StoreError::from)?;
        let mut file =
            fs_err::OpenOptions::new().write(true).create_new(true).open(&place).map_err(StoreError::from)?;
        self.copy(id, manifest, path, &mut |chunk| Ok(file.write_all(chunk).map_err(StoreError::from)?))
    }

    /// Checks that the files are those of the run that was asked for, and of this version's format.
    fn check_run(&self, id: &RunId, folder: &Path) -> Result<(), StoredRunError> {
        let reader = RunReader::open(RunLayout::new(folder));
        // The folder in which it was gathered means nothing to anyone.
        let place = format!("{}/", folder.display());
        let reader = reader.map_err(|error| self.unusable(id, error.to_string().replace(&place, "")))?;
        if reader.id() == id {
            Ok(())
        } else {
            Err(self.unusable(id, format!("run.json is of the run {}", reader.id())))
        }
    }
}

/// How often a folder is made anew that another fetch took for a leftover before it was locked.
const TRIES: usize = 8;

/// Makes and locks a folder for a run that is being fetched.
fn gather_in(runs: &Path) -> Result<(TempDir, DirectoryLock), StoreError> {
    let mut builder = Builder::new();
    builder.prefix(GATHERING);
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o777));
    let mut tries = 0;
    loop {
        tries += 1;
        let folder = builder.tempdir_in(runs).map_err(|error| at(&error, runs))?;
        match DirectoryLock::try_of(folder.path()) {
            Ok(lock) if folder.path().exists() => return Ok((folder, lock)),
            Err(error) if tries == TRIES => return Err(error),
            _ => {}
        }
    }
}

/// Removes what fetches that were killed left among an eval's runs. Those that run still hold their folder's lock.
///
/// # Errors
/// When the runs cannot be listed or a folder not be removed.
pub fn sweep_fetches(eval: &EvalLayout) -> Result<(), StoreError> {
    let listing = match fs_err::read_dir(eval.runs()) {
        Ok(listing) => listing,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error.into()),
    };
    for entry in listing {
        let entry = entry?;
        let is_gathering = entry.file_name().to_string_lossy().starts_with(GATHERING);
        if is_gathering && entry.file_type()?.is_dir() && DirectoryLock::try_of(&entry.path()).is_ok() {
            match fs_err::remove_dir_all(entry.path()) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error.into()),
                _ => {}
            }
        }
    }
    Ok(())
}
