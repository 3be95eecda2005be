//! One JUnit report of a batch's evals.

use std::path::{Path, PathBuf};

use mst_cli::CliError;
use mst_config::Plan;
use mst_report::junit;

use super::{ends, files};

/// The report that a batch writes.
pub(crate) struct BatchReport<'a>(&'a Path);

/// What became of an eval.
pub(crate) enum EvalEnd<'a> {
    /// It has a run.
    Run { directory: PathBuf, plan: &'a Plan },
    /// It has none.
    None { name: String, why: String },
}

impl<'a> BatchReport<'a> {
    /// Checks where the report goes.
    ///
    /// # Errors
    /// It cannot be written there.
    pub(crate) fn at(file: &'a Path) -> Result<Self, CliError> {
        files::check_one("--junit", file)?;
        Ok(Self(file))
    }

    /// Writes the report.
    ///
    /// # Errors
    /// A run's results cannot be read, or the file cannot be written.
    pub(crate) fn write<'e>(&self, evals: impl IntoIterator<Item = EvalEnd<'e>>) -> Result<(), CliError> {
        let (mut runs, mut broken) = (Vec::new(), Vec::new());
        for eval in evals {
            match eval {
                EvalEnd::Run { directory, plan } => runs.push(ends::at(&directory, &ends::planned(plan))?),
                EvalEnd::None { name, why } => broken.push((name, why)),
            }
        }
        files::write(self.0, &junit(&runs, &broken))
    }
}
