//! The files of a site.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use mst_cli::{CliError, ExitClass};
use mst_config::load_scan_report;
use mst_report::{Board, PageLinks, board_html, board_json, fix_brief, scan_html, scan_markdown};
use mst_store::{to_bytes, write_atomic};
use serde_json::Value;

use crate::surface_copy;

use super::find::{SITE_DATA, is_site, site_data};

const INDEX: &str = "index.html";
const REPORTS: &str = "reports";
/// The files of a report's folder.
const FILES: [&str; 4] = ["report.html", "report.md", "fix.md", "report.json"];
/// Links of a report's page in a site.
const LINKS: PageLinks<'static> = PageLinks { board: Some("../../index.html"), ..PageLinks::BESIDE };

/// The folder of a site.
#[derive(Debug)]
pub(super) struct Site {
    folder: PathBuf,
    index: PathBuf,
}

impl Site {
    /// Checks that a site may be written to a folder, before anything is read.
    ///
    /// # Errors
    /// The reports themselves stand in it, or it holds a page that this command did not make.
    pub(super) fn prepare(folder: &Path, reports: &Path) -> Result<Self, CliError> {
        let absolute = |path: &Path| fs_err::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        if absolute(reports).starts_with(absolute(folder)) {
            let message = format!("--out: the reports stand in {}; a site needs a folder of its own", folder.display());
            return Err(CliError::new(ExitClass::Usage, message));
        }
        let index = folder.join(INDEX);
        if index.exists() && !is_site(folder) {
            let message = format!("--out: {} is not a page that this command made", index.display());
            return Err(CliError::new(ExitClass::Usage, message).with_hint("choose another folder"));
        }
        mst_store::check_writable(folder).map_err(|error| machine(&error))?;
        Ok(Self { folder: folder.to_owned(), index })
    }

    /// Returns the page to open.
    pub(super) fn index(&self) -> &Path {
        &self.index
    }

    /// Writes the site: its data first, so that a site that was cut off is known for one; then each report's files; its
    /// page last. Reports that a former site had and this one has not are taken away.
    pub(super) fn write(&self, board: &Board, files: &[PathBuf]) -> Result<(), CliError> {
        let former = site_data(&self.folder).map(|data| listed(&data)).unwrap_or_default();
        self.put(Path::new(SITE_DATA), &to_bytes(&board_json(board)))?;
        for (file, folder) in files.iter().zip(board.folders()) {
            self.report(file, &Path::new(REPORTS).join(folder))?;
        }
        self.put(Path::new(INDEX), board_html(board).as_bytes())?;
        let kept: BTreeSet<&str> = board.folders().iter().map(String::as_str).collect();
        for gone in former.iter().filter(|folder| !kept.contains(folder.as_str())) {
            self.remove(gone);
        }
        Ok(())
    }

    /// Writes the files of a report. It is read again: all reports at once may be more than fits in memory.
    fn report(&self, file: &Path, folder: &Path) -> Result<(), CliError> {
        let bytes = fs_err::read(file).map_err(|error| CliError::new(ExitClass::Machine, error.to_string()))?;
        let report = load_scan_report(file).map_err(CliError::diagnostics)?;
        let [page, markdown, fix, data] = FILES.map(|name| folder.join(name));
        self.put(&page, scan_html(&report, LINKS).as_bytes())?;
        self.put(&markdown, scan_markdown(&report).as_bytes())?;
        self.put(&fix, fix_brief(&report, &surface_copy::beside(file, &report)).as_bytes())?;
        self.put(&data, &bytes)
    }

    fn put(&self, name: &Path, bytes: &[u8]) -> Result<(), CliError> {
        write_atomic(&self.folder.join(name), bytes).map_err(|error| machine(&error))
    }

    /// Takes away what this command wrote of a report; a folder that holds more stays.
    fn remove(&self, folder: &str) {
        let folder = self.folder.join(REPORTS).join(folder);
        for name in FILES {
            fs_err::remove_file(folder.join(name)).ok();
        }
        fs_err::remove_dir(folder).ok();
    }
}

/// Returns the folders that a site's data names, as far as they are names that this command gives.
fn listed(data: &Value) -> BTreeSet<String> {
    let ranked = data["configurations"].as_array().into_iter().flatten();
    let reports = ranked.flat_map(|table| table["reports"].as_array().into_iter().flatten());
    let plain = |folder: &&str| {
        !folder.is_empty()
            && folder.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
    };
    reports
        .chain(data["earlier"].as_array().into_iter().flatten())
        .filter_map(|report| report["page"].as_str()?.strip_prefix("reports/")?.strip_suffix("/report.html"))
        .filter(plain)
        .map(str::to_owned)
        .collect()
}

fn machine(error: &mst_store::StoreError) -> CliError {
    CliError::new(ExitClass::Machine, error.to_string())
}
