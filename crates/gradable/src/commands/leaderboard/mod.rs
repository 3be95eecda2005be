//! `gradable leaderboard`: a static site from many reports.

mod find;
mod site;

use std::path::{Path, PathBuf};

use mst_cli::{CliError, ExitClass, Ui, plural};
use mst_config::{Diagnostics, ScanDocument, load_scan};
use mst_model::ScanReport;
use mst_report::{Board, BoardRow, FailedRow, LeftOut, board_json};

use crate::args::LeaderboardArgs;
use crate::recount::recount;
use site::Site;

/// Builds a site.
pub(crate) fn run(args: &LeaderboardArgs, ui: &Ui) -> ExitClass {
    match built(args, ui) {
        Ok(()) => ExitClass::Success,
        Err(error) => {
            if args.json {
                ui.data(&error.to_json());
            }
            ui.error(&error);
            error.class
        }
    }
}

/// The command as a list of stages: find, read, lay out, write.
fn built(args: &LeaderboardArgs, ui: &Ui) -> Result<(), CliError> {
    if !args.dir.is_dir() {
        return Err(CliError::new(ExitClass::Usage, format!("{} is not a folder", args.dir.display())));
    }
    let site = Site::prepare(&args.out, &args.dir)?;
    let found = find::find(&args.dir);
    let mut read = Read { left_out: found.left_out, ..Read::default() };
    for file in &found.files {
        read.file(file, &args.dir);
    }
    if read.rows.is_empty() && read.failed.is_empty() {
        return Err(nothing_found(&args.dir, &read.left_out));
    }
    for one in &read.left_out {
        ui.warn(&format!("left out {}: {}", one.file, one.reason));
    }
    let board = Board::new(read.rows, read.failed, read.left_out);
    site.write(&board, &read.files)?;
    if args.json {
        ui.data(&board_json(&board));
    } else {
        ui.text(&told(&board, site.index()));
    }
    Ok(())
}

/// What was read, a few numbers of each file.
#[derive(Debug, Default)]
struct Read {
    rows: Vec<BoardRow>,
    /// The file of each row.
    files: Vec<PathBuf>,
    failed: Vec<FailedRow>,
    left_out: Vec<LeftOut>,
}

impl Read {
    /// Reads a file; one that cannot be used is named and left out.
    fn file(&mut self, path: &Path, below: &Path) {
        let row = match load_scan(path) {
            Ok(ScanDocument::Failed(failed)) => {
                self.failed.push(FailedRow::of(&failed));
                return;
            }
            Ok(ScanDocument::Report(report)) => ranked(&report),
            Err(mistakes) => Err(first(&mistakes)),
        };
        match row {
            Ok(row) => {
                self.rows.push(row);
                self.files.push(path.to_owned());
            }
            Err(reason) => {
                let file = path.strip_prefix(below).unwrap_or(path).display().to_string();
                self.left_out.push(LeftOut { file, reason });
            }
        }
    }
}

/// Returns a report's row; no one is ranked by numbers that the report's own data does not give.
fn ranked(report: &ScanReport) -> Result<BoardRow, String> {
    let row = BoardRow::of(report).map_err(|error| error.to_string())?;
    let differences = recount(report).map_err(|fault| fault.to_string())?.differences;
    match differences.first() {
        None => Ok(row),
        Some(first) => Err(format!(
            "it does not agree with its own data in {}: {}: {}",
            plural(differences.len(), "place"),
            first.path,
            first.message
        )),
    }
}

/// Returns the first mistake of a file and how many there are.
fn first(mistakes: &Diagnostics) -> String {
    let all = mistakes.as_slice();
    let Some(first) = all.first() else { return "cannot be read".to_owned() };
    let place = first.position.map(|at| format!("line {}, column {}: ", at.line, at.column)).unwrap_or_default();
    let others =
        if all.len() > 1 { format!(" (and {} more)", plural(all.len() - 1, "mistake")) } else { String::new() };
    format!("{place}{}{others}", first.message)
}

fn nothing_found(folder: &Path, left_out: &[LeftOut]) -> CliError {
    let message = format!("there is no report.json and no failed.json of a scan below {}", folder.display());
    let error = CliError::new(ExitClass::Usage, message);
    left_out.iter().take(3).fold(error, |error, one| error.with_hint(format!("{}: {}", one.file, one.reason)))
}

fn told(board: &Board, index: &Path) -> String {
    let configurations = board.configurations();
    let mut text = format!(
        "{} ranked, {}, {} that failed",
        plural(board.ranked(), "report"),
        plural(configurations, "judge configuration"),
        plural(board.failed(), "scan"),
    );
    if configurations > 1 {
        text.push_str("\nScores of different configurations are not comparable; each has a table of its own.");
    }
    format!("{text}\nSite: {}", index.display())
}
