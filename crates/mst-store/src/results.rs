//! `results.json`, written as its cases come: a run of any size needs memory for one case.

use std::cell::RefCell;
use std::io::{BufWriter, Write as _};
use std::path::Path;

use mst_model::{CaseResult, RUN_FORMAT, RunId, redact_case};
use serde::ser::{Error as _, SerializeSeq as _};
use serde::{Serialize, Serializer};

use crate::atomic::write_with;
use crate::error::StoreError;

/// `results.json` with cases that are still to come.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct StreamedResults<'a, C> {
    format: &'static str,
    kind: &'static str,
    run_id: &'a RunId,
    cases: C,
}

/// A list that is drained while it is written. An item that failed stops the writing and is kept in `failed`.
struct StreamedCases<I> {
    cases: RefCell<I>,
    redact: bool,
    failed: RefCell<Option<StoreError>>,
}

impl<I: Iterator<Item = Result<CaseResult, StoreError>>> Serialize for StreamedCases<I> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(None)?;
        for case in &mut *self.cases.borrow_mut() {
            match case {
                Ok(mut case) => {
                    if self.redact {
                        redact_case(&mut case);
                    }
                    list.serialize_element(&case)?;
                }
                Err(error) => {
                    *self.failed.borrow_mut() = Some(error);
                    return Err(S::Error::custom("a case could not be read"));
                }
            }
        }
        list.end()
    }
}

/// Writes `results.json`.
///
/// # Errors
/// The first case's error, or when the file cannot be written; the file that was there then stays.
pub(crate) fn write_results(
    path: &Path,
    run_id: &RunId,
    redact: bool,
    cases: impl Iterator<Item = Result<CaseResult, StoreError>>,
) -> Result<(), StoreError> {
    let cases = StreamedCases { cases: RefCell::new(cases), redact, failed: RefCell::new(None) };
    let results = StreamedResults { format: RUN_FORMAT, kind: "results", run_id, cases };
    write_with(path, |file| {
        let mut out = BufWriter::with_capacity(1 << 16, file);
        let written = serde_json::to_writer_pretty(&mut out, &results);
        if let Some(error) = results.cases.failed.take() {
            return Err(error);
        }
        written.map_err(std::io::Error::from)?;
        out.write_all(b"\n")?;
        out.flush()?;
        Ok(())
    })
}
