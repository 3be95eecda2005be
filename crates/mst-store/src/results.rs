//! `results.json`, written as its cases come: a run of any size needs memory for one case.

use std::io::{self, BufWriter, Write as _};
use std::path::PathBuf;

use mst_model::{CaseResult, RUN_FORMAT, RunId, redact_case};
use tempfile::NamedTempFile;

use crate::atomic::{at, folder_of, persist, temporary_below};
use crate::error::StoreError;

/// How deep a case stands in the document.
const INDENT: &[u8] = b"    ";

/// A `results.json` that is being written. Until it is saved, the file that was there stays; dropped, it leaves nothing.
#[derive(Debug)]
pub struct ResultsFile {
    path: PathBuf,
    file: BufWriter<NamedTempFile>,
    redact: bool,
    is_empty: bool,
    /// One case as JSON, kept for its memory.
    case: Vec<u8>,
}

impl ResultsFile {
    /// Begins a file. With `redact`, answers and tool outputs are left out of every case.
    pub(crate) fn begin(path: PathBuf, run_id: &RunId, redact: bool) -> Result<Self, StoreError> {
        let file = BufWriter::with_capacity(1 << 16, temporary_below(folder_of(&path), &path)?);
        let mut begun = Self { path, file, redact, is_empty: true, case: Vec::new() };
        let head = format!(
            "{{\n  \"format\": \"{RUN_FORMAT}\",\n  \"kind\": \"results\",\n  \"runId\": \"{run_id}\",\n  \"cases\": ["
        );
        begun.write(head.as_bytes())?;
        Ok(begun)
    }

    /// Adds a case. Cases come in the plan's order.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn add(&mut self, mut case: CaseResult) -> Result<(), StoreError> {
        if self.redact {
            redact_case(&mut case);
        }
        let mut text = std::mem::take(&mut self.case);
        text.clear();
        serde_json::to_writer_pretty(&mut text, &case).expect("a stored type has a JSON form");
        let before: &[u8] = if self.is_empty { b"" } else { b"," };
        self.is_empty = false;
        self.write(before)?;
        // A line break inside a JSON text is never part of a string.
        for line in text.split(|byte| *byte == b'\n') {
            self.write(b"\n")?;
            self.write(INDENT)?;
            self.write(line)?;
        }
        self.case = text;
        Ok(())
    }

    /// Puts a file with the cases so far in its place; this one goes on.
    pub(crate) fn save_so_far(&mut self) -> Result<PathBuf, StoreError> {
        self.file.flush().map_err(|error| at(&error, &self.path))?;
        let mut copy = temporary_below(folder_of(&self.path), &self.path)?;
        let mut written = fs_err::File::open(self.file.get_ref().path())?;
        io::copy(&mut written, &mut copy).map_err(|error| at(&error, &self.path))?;
        copy.write_all(self.end()).map_err(|error| at(&error, &self.path))?;
        persist(copy, &self.path)?;
        Ok(self.path.clone())
    }

    /// Ends the file and puts it in its place.
    pub(crate) fn save(mut self) -> Result<PathBuf, StoreError> {
        let end = self.end();
        self.write(end)?;
        let Self { path, file, .. } = self;
        let file = file.into_inner().map_err(|error| at(error.error(), &path))?;
        persist(file, &path)?;
        Ok(path)
    }

    fn end(&self) -> &'static [u8] {
        if self.is_empty { b"]\n}\n" } else { b"\n  ]\n}\n" }
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), StoreError> {
        self.file.write_all(bytes).map_err(|error| at(&error, &self.path).into())
    }
}
