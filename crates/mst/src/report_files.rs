//! Writes a run's report beside its files: the page, and the scripts that it loads as cases are opened.

use std::io::Read as _;
use std::path::PathBuf;

use mst_cli::random_seed;
use mst_model::{path_segment, sha256_hex};
use mst_report::{REPORT_BUILDER, ReportKey, RunReport, Script};
use mst_store::{Doc, RunLayout, RunReader, StoreError, write_atomic};

/// How much of a page is looked at for what it was made of.
const HEAD: u64 = 4096;

/// Builds a run's report, and returns the page's path. A run of any size needs memory for a few bytes a case.
///
/// The page is written last: until then the one that was there stays, whose scripts say that they are no longer its own.
///
/// # Errors
/// When the run cannot be read or the report not be written.
pub(crate) fn build(run: &RunLayout) -> Result<PathBuf, StoreError> {
    let reader = RunReader::open(run.clone())?;
    let summary = if run.summary().is_file() { Some(reader.summary()?) } else { None };
    let key = ReportKey { stamp: stamp(run)?, nonce: nonce()? };
    let mut report = RunReport::new(reader.record().view(), summary.as_ref().map(Doc::view), key);
    let write =
        |script: &Script| write_atomic(&run.report_cases().join(path_segment(&script.name)), script.text.as_bytes());
    if run.results().is_file() {
        reader.each_case::<StoreError>(|case| report.add(&case).as_ref().map_or(Ok(()), write))?;
    }
    let finished = report.finish();
    finished.scripts.iter().try_for_each(write)?;
    write_atomic(&run.report(), finished.page.as_bytes())?;
    remove_beyond(run, finished.case_scripts)?;
    Ok(run.report())
}

/// Returns whether a run's report is there, built by this version of what the run holds now.
///
/// # Errors
/// When the run's files cannot be read.
pub(crate) fn is_current(run: &RunLayout) -> Result<bool, StoreError> {
    let Ok(page) = fs_err::File::open(run.report()) else { return Ok(false) };
    let mut head = Vec::new();
    page.take(HEAD).read_to_end(&mut head)?;
    let wanted = format!("<meta name=\"mst-report\" content=\"{}\">", stamp(run)?);
    Ok(String::from_utf8_lossy(&head).contains(&wanted))
}

/// Returns what a report of the run is known by: the builder, and the files that change whenever the run does.
fn stamp(run: &RunLayout) -> Result<String, StoreError> {
    let mut bytes = fs_err::read(run.run_record())?;
    if run.summary().is_file() {
        bytes.extend(fs_err::read(run.summary())?);
    }
    Ok(format!("{REPORT_BUILDER}-{}", &sha256_hex(&bytes)[..16]))
}

fn nonce() -> Result<String, StoreError> {
    let seed = random_seed()?;
    Ok(sha256_hex(&seed.0)[..32].to_owned())
}

/// Removes the scripts of an earlier report that had more of them.
fn remove_beyond(run: &RunLayout, scripts: u32) -> Result<(), StoreError> {
    let mut number = scripts;
    loop {
        let path = run.report_cases().join(format!("{number}.js"));
        if !path.is_file() {
            return Ok(());
        }
        fs_err::remove_file(path)?;
        number += 1;
    }
}
