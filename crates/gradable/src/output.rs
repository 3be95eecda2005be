//! The folder that a scan leaves its result in.

use std::path::{Path, PathBuf};

use mst_cli::{CliError, ExitClass};
use mst_config::discover::started_by;
use mst_mcp::ListedTool;
use mst_model::{FailedScan, FailedTarget, ScanReport, path_segment};
use mst_report::{Declared, PageLinks, fix_brief, scan_html, scan_markdown};
use mst_store::{StoreError, check_writable, to_bytes, write_atomic};
use serde_json::Value;

use crate::surface::Surface;
use crate::surface_copy::{self, SURFACE};

/// Where reports go unless told otherwise.
const FOLDER: &str = "gradable-reports";
const REPORT: &str = "report.json";
const MARKDOWN: &str = "report.md";
const PAGE: &str = "report.html";
const FIX: &str = "fix.md";
const FAILED: &str = "failed.json";
/// What a former report is called beside a failure, so that it is no result of the failed scan and yet not lost.
const FORMER: &str = "report.previous.json";

/// The folder of a scan's result. It holds either a report with its other forms, or a failure.
#[derive(Clone, Debug)]
pub(crate) struct Output {
    folder: PathBuf,
}

impl Output {
    /// Chooses the folder and checks that it can be written, before anything is spent.
    ///
    /// # Errors
    /// It cannot be written, or it holds the report of another server and `force` is not given.
    pub(crate) fn prepare(
        out: Option<&Path>,
        name: &str,
        target: &FailedTarget,
        force: bool,
    ) -> Result<Self, CliError> {
        let folder = out.map_or_else(|| Path::new(FOLDER).join(path_segment(name)), Path::to_owned);
        let output = Self { folder };
        if !force && let Some(other) = output.other_there(target) {
            let folder = output.folder.display();
            return Err(CliError::new(
                ExitClass::Usage,
                format!("{folder} holds the report of another server, {other}"),
            )
            .with_hint("choose another folder with --out, or replace it with --force"));
        }
        check_writable(&output.folder).map_err(|error| machine(&error))?;
        Ok(output)
    }

    /// Returns what names the server whose report stands there, when it is another one: it has another name, another
    /// command starts it, or it has another URL. Arguments and a version may differ.
    fn other_there(&self, target: &FailedTarget) -> Option<String> {
        let path = self.path(REPORT);
        // A pipe would be waited for.
        fs_err::metadata(&path).ok().filter(std::fs::Metadata::is_file)?;
        let report: Value = serde_json::from_str(&fs_err::read_to_string(path).ok()?).ok()?;
        let there = report.get("target")?;
        let name = there.get("name")?.as_str()?;
        if name != target.name {
            return Some(format!("{name:?}"));
        }
        let command: Option<Vec<String>> =
            there.get("command").and_then(|command| serde_json::from_value(command.clone()).ok());
        let started = |command: &[String]| command.split_first().map(|(program, args)| started_by(program, args));
        if let (Some(there), Some(here)) =
            (command.as_deref().and_then(started), target.command.as_deref().and_then(started))
        {
            return (there != here).then(|| format!("{name:?} by {there:?}"));
        }
        let (there, here) = (there.get("url")?.as_str()?, target.url.as_deref()?);
        (there != here).then(|| format!("{name:?} at {there}"))
    }

    /// Writes a report and its other forms, and takes an earlier failure away. The report comes last, so that where it is
    /// new the rest is too.
    pub(crate) fn write_report(&self, report: &ScanReport, surface: &Surface) -> Result<(), CliError> {
        let declared = Declared::from_tools(surface.tools.iter().map(ListedTool::raw));
        let forms = [
            (MARKDOWN, scan_markdown(report)),
            (PAGE, scan_html(report, PageLinks::BESIDE)),
            (FIX, fix_brief(report, &declared)),
        ];
        for (name, text) in forms {
            write_atomic(&self.path(name), text.as_bytes()).map_err(|error| machine(&error))?;
        }
        write_atomic(&self.path(SURFACE), &to_bytes(&surface_copy::copy(surface))).map_err(|error| machine(&error))?;
        write_atomic(&self.path(REPORT), &to_bytes(report)).map_err(|error| machine(&error))?;
        [FAILED, FORMER].into_iter().try_for_each(|name| self.remove(name))
    }

    /// Returns where the report is.
    pub(crate) fn report(&self) -> PathBuf {
        self.path(REPORT)
    }

    /// Returns the folder.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Writes a failure. An earlier report is kept under another name, and its other forms go.
    pub(crate) fn write_failure(&self, failed: &FailedScan) -> Result<PathBuf, CliError> {
        if self.path(REPORT).exists() {
            fs_err::rename(self.path(REPORT), self.path(FORMER)).map_err(|error| disk(&error))?;
        }
        [MARKDOWN, PAGE, FIX, SURFACE].into_iter().try_for_each(|name| self.remove(name))?;
        write_atomic(&self.path(FAILED), &to_bytes(failed)).map_err(|error| machine(&error))?;
        Ok(self.path(FAILED))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    fn remove(&self, name: &str) -> Result<(), CliError> {
        match fs_err::remove_file(self.path(name)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(disk(&error)),
            _ => Ok(()),
        }
    }
}

fn machine(error: &StoreError) -> CliError {
    CliError::new(ExitClass::Machine, error.to_string())
}

fn disk(error: &std::io::Error) -> CliError {
    CliError::new(ExitClass::Machine, error.to_string())
}
