//! What a run came to.

use std::collections::BTreeSet;
use std::path::PathBuf;

use mst_model::{Broke, CaseId, Ending, RunRecord, Summary, TrialRecord, VariantName};

use crate::budget_limit::BudgetReached;
use crate::incomplete::IncompleteCases;

/// What a run came to, for the screen and the exit code.
#[derive(Clone, Debug)]
pub struct RunOutcome {
    /// The run's directory.
    pub directory: PathBuf,
    /// `run.json`.
    pub record: RunRecord,
    /// `summary.json`.
    pub summary: Summary,
    /// How many complete cases failed.
    pub failed_cases: usize,
    /// The cases that failed, or in an ungraded run failed to collect; at most 50.
    pub failures: Vec<Failure>,
    /// The incomplete cases, by reason.
    pub incomplete: IncompleteCases,
    /// Why cases are incomplete, each reason once.
    pub shortfalls: BTreeSet<Shortfall>,
    /// How many trials are saved, and how many the plan has.
    pub trials: (usize, usize),
    /// Why the run stopped before its end, when its budget was reached.
    pub budget: Option<BudgetReached>,
    /// Whether the run was stopped by a signal.
    pub interrupted: bool,
    /// Whether the run is now the eval's latest.
    pub is_latest: bool,
    /// The judges that variants list and those that compare variants, each with the models that it asks.
    pub judges: Vec<(String, Vec<String>)>,
}

/// A case that failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Its variant.
    pub variant: VariantName,
    /// The case.
    pub case_id: CaseId,
    /// What its first trial that did not pass says: the client's error, or a grader and what it found.
    pub why: String,
}

/// Why a case is incomplete, as far as an exit code tells reasons apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Shortfall {
    /// A credential was missing or rejected.
    Authentication,
    /// An MCP server could not be reached or was not ready.
    Server,
    /// The model's provider, or the way to it, failed.
    Provider,
    /// A judge gave no verdict or no preference.
    Judge,
    /// Another grader gave no verdict.
    Ungraded,
    /// Anything else: a trial is missing, the client or the machine failed.
    Other,
}

impl Shortfall {
    /// Returns why a trial does not count; `None` when it counts.
    pub(crate) fn of(trial: &TrialRecord) -> Option<Self> {
        match &trial.ending {
            Ending::Trial => trial
                .grading_error
                .as_ref()
                .map(|error| if error.starts_with("judge.") { Self::Judge } else { Self::Ungraded }),
            Ending::Infrastructure { broke, .. } => Some(match (cause(trial), broke) {
                (Some("authentication"), _) => Self::Authentication,
                (Some("server"), _) => Self::Server,
                (_, Broke::Provider | Broke::Network) => Self::Provider,
                // Without a cause of the client's own, a setup failure before the client began is a server's.
                (None, Broke::Setup) if trial.transcript.is_none() => Self::Server,
                _ => Self::Other,
            }),
        }
    }
}

/// Returns what a client says was behind a setup failure: `authentication` or `server`.
fn cause(trial: &TrialRecord) -> Option<&str> {
    trial.client_diagnostics.as_ref()?.details.get("cause")?.as_str()
}
