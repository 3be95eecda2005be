//! An eval in a result store: its runs, found and read. What lies where is as in an eval's own directory.

use std::cmp::Ordering;
use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;

use mst_ext::{Depth, RunStore, RunStoreError, StoreKey};
use mst_model::{LatestRecord, Manifest, RunId, RunRecord, Summary, eval_directory};

use super::digest::Noting;
use super::error::StoredRunError;
use super::local_files::MANIFEST;
use super::manifest::read_manifest;
use crate::doc::Doc;
use crate::lookup::{is_short_form, last_regrade};

/// An eval in a result store.
#[derive(Clone)]
pub struct StoredEval {
    pub(super) store: Arc<dyn RunStore>,
    root: StoreKey,
}

impl StoredEval {
    /// Names the eval; nothing is read.
    ///
    /// # Errors
    /// When no store could keep a directory of the eval's name.
    pub fn new(store: Arc<dyn RunStore>, eval: &str) -> Result<Self, StoredRunError> {
        let root = StoreKey::new(eval_directory(eval));
        let root = root.map_err(|error| located(&*store, RunStoreError::new(error.to_string())))?;
        Ok(Self { store, root })
    }

    /// Returns the name of the eval's directory in the store.
    pub fn directory(&self) -> &str {
        self.root.as_str()
    }

    /// Returns the store's own name for where it is, which `--results` takes.
    pub fn store_location(&self) -> &str {
        self.store.location()
    }

    /// Returns where the eval's runs are, for messages.
    pub fn location(&self) -> String {
        format!("{}/{}", self.store.location().trim_end_matches('/'), self.root)
    }

    /// Finds out whether the store could keep a run, and keeps nothing.
    ///
    /// # Errors
    /// When it could not.
    pub fn check(&self) -> Result<(), StoredRunError> {
        self.store.check().map_err(|error| self.fault(error))
    }

    /// Returns the ids of the runs that have files in the store, oldest first, whether or not they are all there.
    ///
    /// # Errors
    /// When the store cannot be listed.
    pub fn runs(&self) -> Result<Vec<RunId>, StoredRunError> {
        let runs = self.key("runs")?;
        let listed = self.store.list(Some(&runs), Depth::One).map_err(|error| self.fault(error))?;
        let name = |key: &String| {
            let below = key.strip_prefix(runs.as_str())?.strip_prefix('/')?.strip_suffix('/')?;
            below.parse::<RunId>().ok()
        };
        let mut ids: Vec<RunId> = listed.iter().filter_map(name).collect();
        ids.sort();
        ids.dedup();
        Ok(ids)
    }

    /// Finds a run by its id or short form.
    ///
    /// # Errors
    /// When none answers to the name or several do, or the store cannot be listed.
    pub fn find(&self, name: &str) -> Result<RunId, StoredRunError> {
        let absent = || StoredRunError::NoSuchRun { name: name.to_owned(), location: self.location() };
        let is_id = name.parse::<RunId>().is_ok();
        if !is_id && !is_short_form(name) {
            return Err(absent());
        }
        let mut matches = self.runs()?;
        matches.retain(|id| if is_id { id.as_str() == name } else { id.short() == name });
        match matches.len() {
            0 => Err(absent()),
            1 => Ok(matches.remove(0)),
            _ => Err(StoredRunError::Ambiguous { name: name.to_owned(), location: self.location(), matches }),
        }
    }

    /// Returns the highest number of a regrade of a run that the store has files of; 1 when it has none.
    ///
    /// # Errors
    /// When the store cannot be listed.
    pub fn last_regrade(&self, run: &RunId) -> Result<u32, StoredRunError> {
        Ok(last_regrade(&self.runs()?, run))
    }

    /// Reads a run's manifest; `None` when it has none.
    ///
    /// # Errors
    /// When the store cannot be read, or the manifest is none that this version can use.
    pub fn manifest(&self, run: &RunId) -> Result<Option<Manifest>, StoredRunError> {
        let body = self.store.get(&self.run_key(run, MANIFEST)?).map_err(|error| self.fault(error))?;
        let Some(mut body) = body else { return Ok(None) };
        read_manifest(&mut *body).map_err(|problem| self.unusable(run, problem))
    }

    /// Reads one of a run's files and checks it against the manifest; `None` when the manifest does not list it.
    ///
    /// # Errors
    /// When the store cannot be read, or the file is not there or another than the manifest says.
    pub fn file(&self, run: &RunId, manifest: &Manifest, path: &str) -> Result<Option<Vec<u8>>, StoredRunError> {
        if !manifest.files.contains_key(path) {
            return Ok(None);
        }
        let mut bytes = Vec::new();
        self.copy(run, manifest, path, &mut |chunk| {
            bytes.extend_from_slice(chunk);
            Ok(())
        })?;
        Ok(Some(bytes))
    }

    /// Looks at a run's `run.json` without checking it against the manifest: enough to see whether a run is worth more than
    /// a look. `None` when it is not there or cannot be read.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn glance(&self, run: &RunId) -> Result<Option<RunRecord>, StoredRunError> {
        let bytes = self.glance_at(run, "run.json")?.unwrap_or_default();
        let doc = Doc::<RunRecord>::parse(&bytes, Path::new("run.json"), "run").ok();
        Ok(doc.map(Doc::into_view).filter(|record| record.run_id == *run))
    }

    /// Returns the bytes of a run's file as they are; `None` when there are none.
    pub(crate) fn glance_at(&self, run: &RunId, path: &str) -> Result<Option<Vec<u8>>, StoredRunError> {
        self.bytes_at(&self.run_key(run, path)?)
    }

    /// Returns the bytes of a file beside the runs; `None` when there are none.
    pub(crate) fn beside_runs(&self, name: &str) -> Result<Option<Vec<u8>>, StoredRunError> {
        self.bytes_at(&self.key(name)?)
    }

    /// Returns whether a run has a manifest, whatever it says.
    pub(crate) fn is_whole(&self, run: &RunId) -> Result<bool, StoredRunError> {
        let body = self.store.get(&self.run_key(run, MANIFEST)?).map_err(|error| self.fault(error))?;
        let read = body.map(|mut body| body.read(&mut [0])).transpose();
        Ok(read.map_err(|error| self.fault(RunStoreError::new(error.to_string())))?.is_some_and(|count| count > 0))
    }

    fn bytes_at(&self, key: &StoreKey) -> Result<Option<Vec<u8>>, StoredRunError> {
        let Some(body) = self.store.get(key).map_err(|error| self.fault(error))? else { return Ok(None) };
        let mut bytes = Vec::new();
        let read = body.take(LONGEST_RECORD).read_to_end(&mut bytes);
        read.map_err(|error| self.fault(RunStoreError::new(error.to_string())))?;
        Ok(Some(bytes).filter(|bytes| !bytes.is_empty()))
    }

    /// Reads a run's `summary.json`; `None` when the run has none.
    ///
    /// # Errors
    /// As [`StoredEval::record`].
    pub fn summary(&self, run: &RunId) -> Result<Option<Summary>, StoredRunError> {
        let manifest = self.whole(run)?;
        let Some(bytes) = self.file(run, &manifest, "summary.json")? else { return Ok(None) };
        let doc = Doc::<Summary>::parse(&bytes, Path::new("summary.json"), "summary");
        doc.map(|doc| Some(doc.into_view())).map_err(|error| self.unusable(run, error.to_string()))
    }

    /// Reads a run's `run.json`.
    ///
    /// # Errors
    /// When the run has no manifest, or what the store has of it is not what the manifest says or no run of this version.
    pub fn record(&self, run: &RunId) -> Result<RunRecord, StoredRunError> {
        let manifest = self.whole(run)?;
        let bytes = self.file(run, &manifest, "run.json")?.unwrap_or_default();
        let doc = Doc::<RunRecord>::parse(&bytes, Path::new("run.json"), "run")
            .map_err(|error| self.unusable(run, error.to_string()))?;
        if doc.view().run_id == *run {
            Ok(doc.into_view())
        } else {
            Err(self.unusable(run, format!("run.json is of the run {}", doc.view().run_id)))
        }
    }

    /// Reads the store's `latest.json`; `None` when there is none, or none that this version can read.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn latest(&self) -> Result<Option<LatestRecord>, StoredRunError> {
        /// No `latest.json` is longer.
        const LONGEST: u64 = 64 * 1024;
        let body = self.store.get(&self.key("latest.json")?).map_err(|error| self.fault(error))?;
        let Some(body) = body else { return Ok(None) };
        let mut bytes = Vec::new();
        let read = body.take(LONGEST).read_to_end(&mut bytes);
        read.map_err(|error| self.fault(RunStoreError::new(error.to_string())))?;
        Ok(Doc::<LatestRecord>::parse(&bytes, Path::new("latest.json"), "latest").ok().map(Doc::into_view))
    }

    /// Returns the manifest of a run that is to be used.
    pub(crate) fn whole(&self, run: &RunId) -> Result<Manifest, StoredRunError> {
        let none = || StoredRunError::NoManifest { run: run.clone(), location: self.location() };
        self.manifest(run)?.ok_or_else(none)
    }

    /// Hands out a file's bytes piece by piece, and says at the end whether they were those of the manifest. No more of
    /// them is read than the manifest says.
    pub(super) fn copy(
        &self,
        run: &RunId,
        manifest: &Manifest,
        path: &str,
        take: &mut dyn FnMut(&[u8]) -> Result<(), StoredRunError>,
    ) -> Result<(), StoredRunError> {
        let wanted = &manifest.files[path];
        let body = self.store.get(&self.run_key(run, path)?).map_err(|error| self.fault(error))?;
        let body = body.ok_or_else(|| self.unusable(run, format!("{path} is not there")))?;
        let mut body = Noting::new(body.take(wanted.size.saturating_add(1)));
        let mut buffer = vec![0; CHUNK.min(usize::try_from(wanted.size).unwrap_or(CHUNK).saturating_add(1))];
        loop {
            match body.read(&mut buffer) {
                Ok(0) => break,
                Ok(count) => take(&buffer[..count])?,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(self.unusable(run, format!("{path} cannot be read: {error}"))),
            }
        }
        let found = body.noted();
        if found == *wanted {
            return Ok(());
        }
        let problem = match found.size.cmp(&wanted.size) {
            Ordering::Greater => format!("{path} has more than the {} bytes of its manifest", wanted.size),
            Ordering::Less => format!("{path} has {} of the {} bytes of its manifest", found.size, wanted.size),
            Ordering::Equal => format!("{path} has other bytes than its manifest says"),
        };
        Err(self.unusable(run, problem))
    }

    /// Returns the key of something of the eval's.
    pub(super) fn key(&self, below: &str) -> Result<StoreKey, StoredRunError> {
        self.root.join(below).map_err(|error| self.fault(RunStoreError::new(error.to_string())))
    }

    /// Returns the key of a run's file.
    pub(super) fn run_key(&self, run: &RunId, path: &str) -> Result<StoreKey, StoredRunError> {
        self.key(&format!("runs/{run}/{path}"))
    }

    pub(super) fn fault(&self, source: RunStoreError) -> StoredRunError {
        located(&*self.store, source)
    }

    pub(crate) fn unusable(&self, run: &RunId, problem: String) -> StoredRunError {
        StoredRunError::Unusable { run: run.clone(), location: self.location(), problem }
    }
}

/// The longest file that is looked at without a manifest, in bytes.
const LONGEST_RECORD: u64 = 256 * 1024 * 1024;

/// How many bytes are read at once.
const CHUNK: usize = 256 * 1024;

/// Returns the evals that a store has files of, in the order of their directories' names.
///
/// # Errors
/// When the store cannot be listed.
pub fn stored_evals(store: &Arc<dyn RunStore>) -> Result<Vec<StoredEval>, StoredRunError> {
    let listed = store.list(None, Depth::One).map_err(|error| located(&**store, error))?;
    let mut names: Vec<&str> = listed.iter().filter_map(|key| key.strip_suffix('/')).collect();
    names.sort_unstable();
    names.into_iter().map(|name| StoredEval::new(Arc::clone(store), name)).collect()
}

fn located(store: &dyn RunStore, source: RunStoreError) -> StoredRunError {
    StoredRunError::Store { location: store.location().to_owned(), source }
}

impl std::fmt::Debug for StoredEval {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("StoredEval").field(&self.location()).finish()
    }
}
