//! `journal.jsonl`: one line a saved trial with its ending, so that progress and resume need not read every transcript.
//!
//! It is a hint. The files decide: a torn or missing journal is made again from them.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::Write as _;
use std::num::NonZero;
use std::path::PathBuf;

use mst_model::{CaseId, Ending, VariantName};
use serde::{Deserialize, Serialize};

use crate::atomic::{at, write_atomic};
use crate::error::StoreError;
use crate::layout::TrialKey;

/// From this many bytes on, a journal is read on all processors.
const LONG: usize = 1 << 20;

/// One line of the journal, as it is written.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct WrittenLine<'a> {
    variant: &'a VariantName,
    case_id: &'a CaseId,
    trial: u32,
    ending: &'a Ending,
}

/// One line of the journal, as it is read.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct JournalLine<'a> {
    #[serde(borrow)]
    pub(crate) variant: Cow<'a, str>,
    #[serde(borrow)]
    pub(crate) case_id: Cow<'a, str>,
    pub(crate) trial: u32,
    pub(crate) ending: Ending,
    /// The line itself, without its end.
    #[serde(skip)]
    pub(crate) text: &'a [u8],
}

/// What a journal says, line by line as it was written: of several lines of a trial the last one counts.
#[derive(Debug, Default)]
pub(crate) struct JournalLines<'a> {
    pub(crate) lines: Vec<JournalLine<'a>>,
    /// Whether every line could be read to its end.
    pub(crate) is_whole: bool,
}

impl<'a> JournalLines<'a> {
    /// Reads a journal's lines and leaves out those that are none.
    pub(crate) fn parse(bytes: &'a [u8]) -> Self {
        let threads = if bytes.len() < LONG { 1 } else { std::thread::available_parallelism().map_or(1, NonZero::get) };
        let parts: Vec<Self> = std::thread::scope(|scope| {
            let running: Vec<_> =
                parts(bytes, threads).into_iter().map(|part| scope.spawn(move || Self::parse_part(part))).collect();
            running.into_iter().map(|thread| thread.join().expect("reading lines does not panic")).collect()
        });
        let is_whole = (bytes.is_empty() || bytes.ends_with(b"\n")) && parts.iter().all(|part| part.is_whole);
        Self { lines: parts.into_iter().flat_map(|part| part.lines).collect(), is_whole }
    }

    fn parse_part(bytes: &'a [u8]) -> Self {
        let mut read = Self { lines: Vec::new(), is_whole: true };
        for text in bytes.split(|byte| *byte == b'\n').filter(|text| !text.is_empty()) {
            match serde_json::from_slice::<JournalLine<'a>>(text) {
                Ok(line) => read.lines.push(JournalLine { text, ..line }),
                Err(_) => read.is_whole = false,
            }
        }
        read
    }
}

/// Cuts a journal into so many parts, each of whole lines.
fn parts(bytes: &[u8], count: usize) -> Vec<&[u8]> {
    let share = bytes.len().div_ceil(count.max(1)).max(1);
    let mut rest = bytes;
    let mut parts = Vec::new();
    while !rest.is_empty() {
        let from = share.min(rest.len()) - 1;
        let end = rest[from..].iter().position(|byte| *byte == b'\n').map_or(rest.len(), |at| from + at + 1);
        let (part, after) = rest.split_at(end);
        parts.push(part);
        rest = after;
    }
    parts
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
        Ok(file.write_all(&line(key, ending)).map_err(|error| at(&error, &self.path))?)
    }

    /// Replaces the journal by these lines, which lack their ends.
    pub(crate) fn rebuild<L: AsRef<[u8]>>(&mut self, lines: impl Iterator<Item = L>) -> Result<(), StoreError> {
        self.file = None;
        let mut bytes = Vec::new();
        for line in lines {
            bytes.extend_from_slice(line.as_ref().trim_ascii_end());
            bytes.push(b'\n');
        }
        write_atomic(&self.path, &bytes)
    }

    /// Leaves one line a trial, the last one, where some were collected twice: a retry adds a line of its own.
    ///
    /// # Errors
    /// When the file cannot be read or written.
    pub(crate) fn compact(&mut self) -> Result<(), StoreError> {
        let bytes = self.read()?.unwrap_or_default();
        let JournalLines { lines, is_whole } = JournalLines::parse(&bytes);
        let mut last = HashMap::with_capacity(lines.len());
        for (number, line) in lines.iter().enumerate() {
            last.insert((line.variant.as_ref(), line.case_id.as_ref(), line.trial), number);
        }
        if is_whole && last.len() == lines.len() {
            return Ok(());
        }
        let is_last = |line: &JournalLine<'_>, number| {
            last.get(&(line.variant.as_ref(), line.case_id.as_ref(), line.trial)) == Some(&number)
        };
        let kept = lines.iter().enumerate().filter(|(number, line)| is_last(line, *number));
        self.rebuild(kept.map(|(_, line)| line.text))
    }

    /// Returns the journal's bytes; `None` when there is none.
    ///
    /// # Errors
    /// When the file is there and cannot be read.
    pub(crate) fn read(&self) -> Result<Option<Vec<u8>>, StoreError> {
        match fs_err::read(&self.path) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

/// Returns a trial's line with its end.
pub(crate) fn line(key: &TrialKey, ending: &Ending) -> Vec<u8> {
    let line = WrittenLine { variant: &key.variant, case_id: &key.case_id, trial: key.trial, ending };
    let mut text = serde_json::to_vec(&line).expect("a line has a JSON form");
    text.push(b'\n');
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
        let bytes = journal.read().expect("read").expect("there");
        let read = JournalLines::parse(&bytes);
        assert!(read.is_whole);
        assert_eq!(read.lines.iter().map(|line| line.case_id.as_ref()).collect::<Vec<_>>(), ["a", "b\n"]);
        for cut in 0..bytes.len() {
            let read = JournalLines::parse(&bytes[..cut]);
            assert!(read.lines.len() <= 2);
            assert_eq!(read.is_whole, cut == 0 || bytes[cut - 1] == b'\n', "cut at {cut}");
        }
        fs_err::write(&journal.path, &bytes[..bytes.len() - 5]).expect("written");
        journal.compact().expect("written");
        let first = bytes.iter().position(|byte| *byte == b'\n').expect("a line") + 1;
        assert_eq!(journal.read().expect("read").expect("there"), bytes[..first]);
    }

    #[test]
    fn parts_are_whole_lines_and_all_of_them() {
        let text = b"one\n\ntwo two two\nthree\nfour without an end";
        for count in 1..60 {
            let parts = parts(text, count);
            assert_eq!(parts.concat(), text, "{count}");
            assert!(parts.len() <= count.max(1), "{count}");
            let (_, before) = parts.split_last().expect("a part");
            assert!(before.iter().all(|part| part.ends_with(b"\n")), "{count}");
        }
        assert!(parts(b"", 2).is_empty());
    }
}
