//! What can go wrong with a run directory, each variant with the file or run it is about.

use std::io;
use std::path::PathBuf;

use mst_model::{RUN_FORMAT, RunId};

/// A failure to read or write an eval's directory.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The file system refused; the text names the path.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// A file does not hold what its kind says.
    #[error("{}: {source}", path.display())]
    Shape {
        /// The file.
        path: PathBuf,
        /// What is wrong and where.
        source: serde_json::Error,
    },
    /// A file is of another format or kind.
    #[error("{}: expected {expected}, found {found}", path.display())]
    Envelope {
        /// The file.
        path: PathBuf,
        /// The format or kind it should say.
        expected: String,
        /// What it says.
        found: String,
    },
    /// A file holds a value of a closed set that this version does not know, so reading on would be a guess.
    #[error("{}: {pointer} is {value}, which this version of mst does not know: upgrade mst", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// JSON Pointer to the value.
        pointer: String,
        /// The value, as JSON.
        value: String,
    },
    /// A file says that it belongs elsewhere.
    #[error("{}: {what} is {found:?}, its place says {expected:?}", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// The field.
        what: &'static str,
        /// What the field says.
        found: String,
        /// What the file's place says.
        expected: String,
    },
    /// Something lies in a run's folder that does not belong there.
    #[error("{} {problem}", path.display())]
    Misplaced {
        /// What lies there.
        path: PathBuf,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// A file is of another version of the run format.
    #[error("{}: {}", path.display(), format_text(.found, .written_by.as_deref()))]
    Format {
        /// The file.
        path: PathBuf,
        /// The format that it says.
        found: String,
        /// The version of mst that wrote it, when the file says so.
        written_by: Option<String>,
    },
    /// A run's directory is no longer there.
    #[error("{} was removed while the run was being written", .0.display())]
    Gone(PathBuf),
    /// A directory is no run: it has no `run.json`.
    #[error("{} is not a run directory: it has no run.json", .0.display())]
    NotARun(PathBuf),
    /// A run of this id is there already.
    #[error("{} exists already", .0.display())]
    Exists(PathBuf),
    /// Another process writes this run.
    #[error("run {run} is being written by another process{}", holder_text(*.holder))]
    Locked {
        /// The run.
        run: RunId,
        /// The process, where the system says.
        holder: Option<u32>,
    },
    /// A regrade cannot be resumed.
    #[error("{regrade} is a regrade and collected nothing; it grades {original}")]
    Regrade {
        /// The regrade.
        regrade: RunId,
        /// The run that collected.
        original: String,
    },
    /// A redacted run cannot be resumed: its answers are gone, and its trials could not be graded again.
    #[error("run {0} was stored with redactStoredResponses, without the answers that grading needs")]
    Redacted(RunId),
    /// No run answers to a name.
    #[error("no run {name:?} in {}", runs.display())]
    NoSuchRun {
        /// What was asked for.
        name: String,
        /// Where runs are.
        runs: PathBuf,
    },
    /// A short form is that of several runs.
    #[error("{name:?} is short for {} runs: {}", matches.len(), list(matches))]
    Ambiguous {
        /// What was asked for.
        name: String,
        /// The runs it can mean, oldest first.
        matches: Vec<RunId>,
    },
    /// An option key is not 64 hex digits. The text of the key is never shown.
    #[error("{source_name} is not 64 hex digits")]
    OptionKey {
        /// The variable or file that holds it.
        source_name: String,
    },
    /// The system gave no random bytes.
    #[error("no random bytes: {0}")]
    Random(getrandom::Error),
}

impl StoreError {
    /// Returns whether the machine failed (disk full, permission), not what was asked for.
    pub fn is_machine_fault(&self) -> bool {
        matches!(self, Self::Io(_) | Self::Random(_) | Self::Gone(_))
    }
}

fn holder_text(holder: Option<u32>) -> String {
    holder.map(|pid| format!(" (pid {pid})")).unwrap_or_default()
}

fn format_text(found: &str, written_by: Option<&str>) -> String {
    match written_by {
        Some(version) => {
            format!(
                "format {found:?}, written by mst {version}; this mst reads {RUN_FORMAT:?}: use mst {version} or later"
            )
        }
        None => format!(
            "format {found:?}; this mst reads {RUN_FORMAT:?}: use the mst that wrote the run, named in its run.json, or a later one"
        ),
    }
}

fn list(runs: &[RunId]) -> String {
    runs.iter().map(RunId::as_str).collect::<Vec<_>>().join(", ")
}
