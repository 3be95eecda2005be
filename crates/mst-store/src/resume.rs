//! What a run that goes on has already: which trials are saved and how they ended.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use mst_model::Ending;

use crate::error::StoreError;
use crate::journal::Journal;
use crate::layout::TrialKey;
use crate::reader::RunReader;

/// The saved trials of a run that is resumed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SavedTrials {
    /// Every saved trial with its ending.
    pub endings: BTreeMap<TrialKey, Ending>,
    /// Files that a power cut left empty: their trials count as missing and are collected again.
    pub empty: Vec<PathBuf>,
}

impl SavedTrials {
    /// Returns whether a trial need not be collected again: it is saved, and a retry could not help it.
    pub fn is_settled(&self, key: &TrialKey) -> bool {
        self.endings.get(key).is_some_and(|ending| !ending.is_retryable())
    }
}

/// Finds a run's saved trials, and makes its journal agree with them.
///
/// The journal is believed for a trial that ran and whose file is there. Everything else is read from its file: a trial
/// that was renamed into place and not yet noted is as saved as any other.
///
/// # Errors
/// When a transcript that the journal does not vouch for is torn, of another run, or not readable by this version.
pub(crate) fn saved_trials(reader: &RunReader, journal: &mut Journal) -> Result<SavedTrials, StoreError> {
    let (noted, mut whole) = journal.read()?;
    let by_path: HashMap<PathBuf, (&TrialKey, &Ending)> =
        noted.iter().map(|(key, ending)| (reader.layout().trial(key), (key, ending))).collect();
    let mut saved = SavedTrials::default();
    for path in reader.trial_paths()? {
        if holds_nothing(&path)? {
            saved.empty.push(path);
            continue;
        }
        match by_path.get(&path) {
            Some((key, ending)) if **ending == Ending::Trial => {
                saved.endings.insert((*key).clone(), (*ending).clone());
            }
            _ => {
                let trial = reader.trial_at(&path)?.into_view();
                saved.endings.insert(TrialKey::of_trial(&trial), trial.ending);
            }
        }
    }
    whole &= saved.endings == noted;
    if !whole {
        journal.rebuild(&saved.endings)?;
    }
    Ok(saved)
}

/// Returns whether a file has no content: no bytes, or zeros alone, as some file systems leave after a power cut.
fn holds_nothing(path: &Path) -> Result<bool, StoreError> {
    let mut file = fs_err::File::open(path)?;
    let mut first = [0];
    let read = std::io::Read::read(&mut file, &mut first)?;
    Ok(read == 0 || first == [0])
}
