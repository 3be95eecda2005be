//! The report that a command line names.

use std::path::{Path, PathBuf};

use mst_cli::{CliError, ExitClass, Ui, plural};
use mst_config::load_scan_report;
use mst_model::ScanReport;

use crate::recount::{Recount, recount};

/// The report's name in the folder of a scan.
const REPORT: &str = "report.json";

/// Reads a report: the file, or the one in the folder that is named.
///
/// # Errors
/// There is no such file, or it is no report; every mistake with its place.
pub(crate) fn read(path: &Path) -> Result<ScanReport, CliError> {
    let file = place(path);
    let failed = file.with_file_name("failed.json");
    if path.is_dir() && !file.exists() && failed.exists() {
        let message = format!("{} holds no report: the scan failed, and {} says why", path.display(), failed.display());
        return Err(CliError::new(ExitClass::Usage, message));
    }
    load_scan_report(&file).map_err(CliError::diagnostics)
}

/// Computes a report again, or says why that cannot be done.
///
/// # Errors
/// It has nothing to compute from.
pub(crate) fn counted(report: &ScanReport) -> Result<Recount, CliError> {
    recount(report).map_err(|fault| CliError::new(ExitClass::Usage, format!("nothing to score: {fault}")))
}

/// Reads a report that agrees with its own data: what is shown of another would not be so.
///
/// # Errors
/// As [`read`], or the report says what its data does not give.
pub(crate) fn read_agreeing(path: &Path) -> Result<ScanReport, CliError> {
    let report = read(path)?;
    let again = counted(&report)?;
    let Some(first) = again.differences.first() else { return Ok(report) };
    let more = match again.differences.len() - 1 {
        0 => String::new(),
        more => format!(", and {}", plural(more, "more place")),
    };
    let message =
        format!("{} does not agree with its own data: {}: {}{more}", path.display(), first.path, first.message);
    let hint = format!("`gradable score {}` says what its data gives", path.display());
    Err(CliError::new(ExitClass::Usage, message).with_hint(hint))
}

/// Returns the file that a path means.
pub(crate) fn place(path: &Path) -> PathBuf {
    if path.is_dir() { path.join(REPORT) } else { path.to_owned() }
}

/// Returns a report's defects and lint findings as the text of a SARIF log. `file` is where the report is.
pub(crate) fn sarif(report: &ScanReport, file: &Path) -> String {
    let log = mst_report::scan_sarif(report, &file.display().to_string());
    serde_json::to_string_pretty(&log).expect("a JSON value has a text") + "\n"
}

/// Writes a report's SARIF log to a file.
///
/// # Errors
/// The file cannot be written.
pub(crate) fn write_sarif(report: &ScanReport, file: &Path, out: &Path) -> Result<(), CliError> {
    write(&sarif(report, file), out)
}

fn write(text: &str, out: &Path) -> Result<(), CliError> {
    mst_store::write_out(out, text.as_bytes()).map_err(|error| CliError::new(ExitClass::Machine, error.to_string()))
}

/// Writes a text to a file or to stdout, and says where it went.
///
/// # Errors
/// The file cannot be written.
pub(crate) fn give(text: &str, out: Option<&Path>, ui: &Ui) -> Result<(), CliError> {
    let Some(out) = out else {
        ui.text(text.trim_end_matches('\n'));
        return Ok(());
    };
    write(text, out)?;
    ui.status(&format!("Wrote {}.", out.display()));
    Ok(())
}
