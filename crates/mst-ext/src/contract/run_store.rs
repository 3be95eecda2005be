//! The result store: it keeps runs besides the local directory. It only moves bytes; what lies where is the run format's.

use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::store_key::StoreKey;

/// A kind of result store, which makes stores from options.
pub trait ResultStore: Send + Sync {
    /// Returns what the kind is, as plain data.
    fn definition(&self) -> ResultStoreDefinition;

    /// Makes a store. Options are checked against the schema before; `base` is what relative paths in them start from.
    /// Nothing is written yet.
    ///
    /// # Errors
    /// Why there can be no such store.
    fn create(&self, options: &Map<String, Value>, base: &Path) -> Result<Arc<dyn RunStore>, String>;
}

/// What a kind of result store is.
#[derive(Clone, Debug, PartialEq)]
pub struct ResultStoreDefinition {
    /// Its name as configs write it.
    pub name: String,
    /// Where it keeps runs, in one line.
    pub description: String,
    /// JSON Schema (draft 2020-12) of its options; unknown keys are refused by it.
    pub options: Value,
}

/// A place that keeps bytes under keys.
///
/// Calls may come from several threads at once, and may wait: they are made where waiting holds nobody up. What one call put,
/// every later call sees.
pub trait RunStore: Send + Sync {
    /// Returns where the store is, for messages; without credentials.
    fn location(&self) -> &str;

    /// Finds out whether the store could keep something, and keeps nothing. Called before a run is paid for.
    ///
    /// # Errors
    /// Why it could not.
    fn check(&self) -> Result<(), RunStoreError> {
        Ok(())
    }

    /// Keeps bytes under a key, in place of what was there. Whoever reads at the same time gets the old bytes or the new
    /// ones, never a part; when it fails, the old ones stay.
    ///
    /// # Errors
    /// When the bytes cannot be read or kept.
    fn put(&self, key: &StoreKey, body: &mut dyn Read) -> Result<(), RunStoreError>;

    /// Returns the bytes under a key; `None` when there are none.
    ///
    /// # Errors
    /// When it cannot be told, or the bytes cannot be read.
    fn get(&self, key: &StoreKey) -> Result<Option<Box<dyn Read + Send>>, RunStoreError>;

    /// Returns every key below a key, or every one when `below` is `None`, in any order. With [`Depth::One`] what lies deeper
    /// is told by its first part alone, with a `/` at the end.
    ///
    /// # Errors
    /// When the keys cannot be listed. That there are none is no error.
    fn list(&self, below: Option<&StoreKey>, depth: Depth) -> Result<Vec<String>, RunStoreError>;

    /// Takes away what is under a key; nothing when there is nothing. A store that cannot do so keeps no bytes there, which
    /// every reader of a run takes for no file.
    ///
    /// # Errors
    /// When it stays.
    fn remove(&self, key: &StoreKey) -> Result<(), RunStoreError> {
        self.put(key, &mut std::io::empty())
    }

    /// Returns once everything that was put outlasts a power cut. A store whose `put` sees to that does nothing here.
    ///
    /// # Errors
    /// When it cannot be made sure.
    fn flush(&self) -> Result<(), RunStoreError> {
        Ok(())
    }
}

/// How far a listing goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// Every key, however deep.
    All,
    /// One level.
    One,
}

/// A store that did not do what it was asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct RunStoreError {
    /// What went wrong and on what, in one line.
    pub reason: String,
}

impl RunStoreError {
    /// Says what went wrong.
    pub fn new(reason: impl Into<String>) -> Self {
        Self { reason: reason.into() }
    }
}
