//! What follows a run or a regrade that has ended, however it ended: steps in order, a file each.
//!
//! The order is: the history, the report, the result store, the files that flags ask for, the trace. A step that only shows
//! what the run holds (history, report, trace) warns when it fails, since the run stands and the step can be done again. A step that was asked
//! for by name and takes the run elsewhere (result store, output files) fails the command; the steps after it are done still,
//! and the first failure is told.

mod history;
mod outputs;
mod report;
mod result_store;
mod traces;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use mst_cli::{CliError, ExitClass, Ui};
use mst_engine::RunOutcome;
use mst_store::{EvalLayout, RunLayout};

use crate::ci::{Ci, Judged};
use crate::result_store::Keeping;

/// A run that has ended, with what its steps need.
#[derive(Clone, Copy)]
pub(crate) struct Ended<'a> {
    /// What the run came to; its directory and `run.json` are there.
    pub(crate) outcome: &'a RunOutcome,
    /// Whether its report is built.
    pub(crate) report: bool,
    /// The result store that keeps it too.
    pub(crate) keeping: Option<&'a Keeping>,
    /// The environment with the secrets file over it.
    pub(crate) variables: &'a BTreeMap<String, String>,
    pub(crate) ui: &'a Ui,
    /// The gates and the files that flags ask for.
    pub(crate) ci: Option<&'a Ci>,
}

/// What the steps came to, for the screen and the exit code.
#[derive(Default)]
pub(crate) struct Published {
    /// What the run came to at its gates.
    pub(crate) judged: Judged,
    /// The first failure of a step that must not fail.
    pub(crate) failure: Option<CliError>,
    /// The page of the run's report, when it was built.
    pub(crate) report: Option<PathBuf>,
}

impl Ended<'_> {
    /// Returns the run's directory.
    pub(crate) fn run(&self) -> RunLayout {
        RunLayout::new(&self.outcome.directory)
    }

    /// Returns the eval's directory, when the run lies in its `runs`.
    pub(crate) fn eval(&self) -> Option<EvalLayout> {
        self.run().eval()
    }

    /// Does every step, in order. Nothing is printed on stdout, so that `--json` stays one value.
    pub(crate) fn publish(&self) -> Published {
        if let Some(eval) = self.eval() {
            history::step(&eval, self.ui);
        }
        let report = self.report.then(|| report::step(&self.run(), self.ui)).flatten();
        let failure = self.keeping.and_then(|keeping| result_store::step(self, keeping).err());
        let (judged, unwritten) = self.ci.map(|ci| outputs::step(ci, self.outcome, self.ui)).unwrap_or_default();
        // Last: it waits for someone else's machine.
        traces::step(self.run(), &self.outcome.record, self.variables, self.ui);
        Published { judged, failure: failure.or(unwritten), report }
    }
}

/// Does what can be done for a run that stopped on an error and left its directory: its history has it.
pub(crate) fn after_error(eval_dir: &Path, ui: &Ui) {
    history::step(&EvalLayout::new(eval_dir), ui);
}

impl Published {
    /// Returns the exit class of a run with what its steps came to.
    pub(crate) fn class(&self, outcome: &RunOutcome) -> ExitClass {
        let run = self.judged.class(outcome);
        ExitClass::first([run].into_iter().chain(self.failure.as_ref().map(|error| error.class)))
    }
}
