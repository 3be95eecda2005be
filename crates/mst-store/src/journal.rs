//! `journal.jsonl`: one line a saved trial with its ending, so that progress and resume need not read every transcript.
//!
//! It is a hint. The files decide: a torn or missing journal is made again from them.

use std::collections::{BTreeMap, HashMap};
use std::io::Write as _;
use std::path::PathBuf;

use mst_model::{CaseId, Ending, VariantName};
use serde::{Deserialize, Serialize};

use crate::atomic::{at, write_atomic};
use crate::error::StoreError;
use crate::layout::TrialKey;

/// One line of the journal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct JournalLine {
    variant: VariantName,
    case_id: CaseId,
    trial: u32,
    ending: Ending,
}

/// The journal of a run that is being written.
#[derive(Debug)]
pub(crate) struct Journal {
    path: PathBuf,
    file: Option<std::fs::File>,
}

impl Journal {
    pub(crate) fn new(path: PathBuf) -> Self {
        Self { path, file: None }
    }

    /// Adds a line. It is written in one piece, so that a kill tears at most the last line.
    pub(crate) fn append(&mut self, key: &TrialKey, ending: &Ending) -> Result<(), StoreError> {
        if self.file.is_none() {
            let file = fs_err::OpenOptions::new().create(true).append(true).open(&self.path)?;
            self.file = Some(file.into_parts().0);
        }
        let file = self.file.as_mut().expect("it was opened above");
        Ok(file.write_all(line(key, ending).as_bytes()).map_err(|error| at(&error, &self.path))?)
    }

    /// Replaces the journal by one line for each of these trials.
    pub(crate) fn rebuild(&mut self, trials: &BTreeMap<TrialKey, Ending>) -> Result<(), StoreError> {
        self.file = None;
        let lines: String = trials.iter().map(|(key, ending)| line(key, ending)).collect();
        write_atomic(&self.path, lines.as_bytes())
    }

    /// Leaves one line a trial, the last one, where some were collected twice: a retry adds a line of its own.
    ///
    /// # Errors
    /// When the file cannot be read or written.
    pub(crate) fn compact(&mut self) -> Result<(), StoreError> {
        let (trials, whole) = self.read()?;
        if whole { Ok(()) } else { self.rebuild(&trials.into_iter().collect()) }
    }

    /// Reads what the journal says, the last line of a trial winning; whether it is whole is the second part.
    ///
    /// # Errors
    /// When the file is there and cannot be read.
    pub(crate) fn read(&self) -> Result<(HashMap<TrialKey, Ending>, bool), StoreError> {
        let bytes = match fs_err::read(&self.path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok((HashMap::new(), false)),
            Err(error) => return Err(error.into()),
        };
        let mut trials = HashMap::new();
        let mut whole = bytes.is_empty() || bytes.ends_with(b"\n");
        for text in bytes.split(|byte| *byte == b'\n').filter(|text| !text.is_empty()) {
            match serde_json::from_slice::<JournalLine>(text) {
                Ok(line) => {
                    let key = TrialKey { variant: line.variant, case_id: line.case_id, trial: line.trial };
                    whole &= trials.insert(key, line.ending).is_none();
                }
                Err(_) => whole = false,
            }
        }
        Ok((trials, whole))
    }
}

fn line(key: &TrialKey, ending: &Ending) -> String {
    let line = JournalLine {
        variant: key.variant.clone(),
        case_id: key.case_id.clone(),
        trial: key.trial,
        ending: ending.clone(),
    };
    let mut text = serde_json::to_string(&line).expect("a line has a JSON form");
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_torn_line_is_left_out_and_told() {
        let dir = tempfile::tempdir().expect("a folder");
        let mut journal = Journal::new(dir.path().join("journal.jsonl"));
        let (one, two) = (TrialKey::new("v", "a", 0), TrialKey::new("v", "b\n", 1));
        journal.append(&one, &Ending::Trial).expect("written");
        journal.append(&two, &Ending::retryable(mst_model::Broke::Provider, "busy")).expect("written");
        let (trials, whole) = journal.read().expect("read");
        assert!(whole && trials.len() == 2);

        let bytes = fs_err::read(&journal.path).expect("there");
        for cut in 0..bytes.len() {
            fs_err::write(&journal.path, &bytes[..cut]).expect("written");
            let (trials, whole) = journal.read().expect("a torn journal is no error");
            assert!(trials.len() <= 2);
            assert_eq!(whole, cut == 0 || bytes[cut - 1] == b'\n', "cut at {cut}");
        }
        let (trials, _) = journal.read().expect("read");
        journal.rebuild(&trials.into_iter().collect()).expect("rebuilt");
        assert!(journal.read().expect("read").1);
    }
}
