//! What can go wrong between a run and its result store.

use mst_ext::RunStoreError;
use mst_model::RunId;

use crate::error::StoreError;

/// A failure to upload a run, to fetch one, or to read one in a store.
#[derive(Debug, thiserror::Error)]
pub enum StoredRunError {
    /// The store did not do what it was asked.
    #[error("the result store {location}: {source}")]
    Store {
        /// The store.
        location: String,
        /// What it said.
        source: RunStoreError,
    },
    /// The local side failed.
    #[error(transparent)]
    Local(#[from] StoreError),
    /// No run of the eval in the store answers to a name.
    #[error("no run {name:?} in {location}")]
    NoSuchRun {
        /// What was asked for.
        name: String,
        /// Where the eval's runs are.
        location: String,
    },
    /// A short form is that of several runs in the store.
    #[error("{name:?} is short for {} runs in {location}: {}", matches.len(), list(matches))]
    Ambiguous {
        /// What was asked for.
        name: String,
        /// Where the eval's runs are.
        location: String,
        /// The runs it can mean, oldest first.
        matches: Vec<RunId>,
    },
    /// The store has files of the run and no manifest.
    #[error("run {run} in {location} has no manifest: it is being uploaded, or its upload failed")]
    NoManifest {
        /// The run.
        run: RunId,
        /// Where the eval's runs are.
        location: String,
    },
    /// What the store has of a run is not what it should be. Nothing of it was kept.
    #[error("run {run} in {location} cannot be used: {problem}")]
    Unusable {
        /// The run.
        run: RunId,
        /// Where the eval's runs are.
        location: String,
        /// What is wrong, with the file.
        problem: String,
    },
    /// The store has another run under this id.
    #[error("{location} has another run {run}, which is not replaced")]
    Taken {
        /// The run.
        run: RunId,
        /// Where the eval's runs are.
        location: String,
    },
    /// It was stopped on request.
    #[error("stopped before every file was copied")]
    Stopped,
}

impl StoredRunError {
    /// Returns whether a machine or a store failed, not what was asked for.
    pub fn is_machine_fault(&self) -> bool {
        match self {
            Self::Store { .. } => true,
            Self::Local(error) => error.is_machine_fault(),
            _ => false,
        }
    }
}

fn list(runs: &[RunId]) -> String {
    runs.iter().map(RunId::as_str).collect::<Vec<_>>().join(", ")
}
