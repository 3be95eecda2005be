//! Reading what a scan wrote: `report.json` and `failed.json`, checked against their published schemas.

use std::path::Path;

use mst_model::{FAILED_SCAN_FORMAT, FailedScan, SCAN_REPORT_FORMAT, ScanReport};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::dataset::decode;
use crate::diagnostic::{Code, Diagnostics};
use crate::issue::{Issue, Place, diagnose};
use crate::load::read_document;
use crate::scan_schema;
use crate::shape::Shape;
use crate::source::Document;

/// What a file of a scan is.
#[derive(Clone, Debug, PartialEq)]
pub enum ScanDocument {
    /// A report.
    Report(Box<ScanReport>),
    /// The record of a scan that failed.
    Failed(Box<FailedScan>),
}

/// Reads a file that a scan wrote.
///
/// # Errors
/// The file cannot be read, is of another format or version, or is not of its format's shape: every mistake with its place.
pub fn load_scan(path: &Path) -> Result<ScanDocument, Diagnostics> {
    let mut document = read_document(path)?;
    match document.root().get("format").and_then(Value::as_str) {
        Some(SCAN_REPORT_FORMAT) => report(document).map(ScanDocument::Report),
        Some(FAILED_SCAN_FORMAT) => {
            read(&mut document, &scan_schema::failed()).map(|failed| ScanDocument::Failed(Box::new(failed)))
        }
        _ => Err(refused(document)),
    }
}

/// Reads a report.
///
/// # Errors
/// As for [`load_scan`]; and the file records a scan that failed.
pub fn load_scan_report(path: &Path) -> Result<ScanReport, Diagnostics> {
    let document = read_document(path)?;
    match document.root().get("format").and_then(Value::as_str) {
        Some(SCAN_REPORT_FORMAT) => report(document).map(|report| *report),
        _ => Err(refused(document)),
    }
}

fn report(mut document: Document) -> Result<Box<ScanReport>, Diagnostics> {
    name_of_a_run_alone(&mut document);
    read(&mut document, &scan_schema::report()).map(Box::new)
}

/// Takes a `responseSource` that is a run's name alone, as other writers of the format have it: how many trials and results
/// it stands for is then not known.
fn name_of_a_run_alone(document: &mut Document) {
    let mut root = document.take_root();
    if let Some(source) = root.pointer_mut("/economics/responseSource")
        && let Some(run) = source.as_str()
    {
        *source = json!({ "runId": run, "trials": 0, "results": 0 });
    }
    document.put_root(root);
}

fn read<T: DeserializeOwned>(document: &mut Document, schema: &Value) -> Result<T, Diagnostics> {
    decode(&Shape::compile(schema), document, 0).map_err(|issues| diagnose(issues, std::slice::from_ref(document)))
}

/// Says which format a file is of, when it is not one that can be read here.
fn refused(document: Document) -> Diagnostics {
    let at = |pointer: &str| Place::value(0, pointer);
    let issue = match document.root().get("format") {
        None => Issue::error(at(""), Code::MissingKey, format!("\"format\" is missing: {SCAN_REPORT_FORMAT:?}"))
            .with_help("a report is the `report.json` that `gradable scan` writes"),
        Some(Value::String(format)) if format == FAILED_SCAN_FORMAT => {
            Issue::error(at("/format"), Code::InvalidValue, "this records a scan that failed; there is no score in it")
        }
        Some(Value::String(format)) if version_of(format, SCAN_REPORT_FORMAT).is_some() => {
            let message = format!("the report is of the format {format:?}, this version reads {SCAN_REPORT_FORMAT:?}");
            Issue::error(at("/format"), Code::InvalidValue, message)
                .with_help("a newer version of gradable can read it")
        }
        Some(Value::String(format)) => {
            let message = format!("the file is of the format {format:?}, not {SCAN_REPORT_FORMAT:?}");
            Issue::error(at("/format"), Code::InvalidValue, message)
        }
        Some(_) => Issue::error(at("/format"), Code::WrongType, "\"format\" must be a string".to_owned()),
    };
    diagnose(vec![issue], &[document])
}

/// Returns the version of a format when it has the name of a known one.
fn version_of<'a>(format: &'a str, known: &str) -> Option<&'a str> {
    let (name, _) = known.split_once('/')?;
    format.strip_prefix(name)?.strip_prefix('/')
}
