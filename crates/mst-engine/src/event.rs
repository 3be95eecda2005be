//! What happens during a run, for progress displays and logs.

use mst_model::{CaseId, Provider, RunId, VariantName};
use serde::Serialize;

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "event", rename_all = "camelCase")]
pub enum RunEvent {
    /// The run begins to collect.
    Started {
        /// Its id.
        run_id: RunId,
        /// How many trials it will collect.
        trials: usize,
    },
    /// Something the user should know.
    Warning {
        /// The message.
        message: String,
    },
    /// A variant begins.
    VariantStarted {
        /// Its name.
        variant: VariantName,
    },
    /// A server is not ready; it is checked again.
    Waiting {
        /// What failed.
        reason: String,
        /// How long until the next check, in seconds.
        seconds: f64,
    },
    /// A provider refused a call for now. Told every few seconds at most, also when it refuses many.
    Throttled {
        /// The provider.
        provider: Provider,
        /// How many calls it refused so far.
        refused: u64,
        /// How many calls at a time it gets from now on.
        concurrency: u32,
        /// How long it is left alone, in seconds.
        seconds: f64,
    },
    /// Every variant has run; pairwise judges compare them with the baseline.
    Comparing {
        /// How many comparisons there are, those that a resumed run has already too.
        comparisons: usize,
    },
    /// A trial is on disk and graded.
    TrialSaved {
        /// Its variant.
        variant: VariantName,
        /// Its case.
        case_id: CaseId,
        /// Its number, from 0.
        trial: u32,
        /// What became of it.
        state: TrialState,
        /// Its cost in USD, when known.
        cost_usd: Option<f64>,
    },
}

/// What became of a trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum TrialState {
    /// It passed.
    Passed,
    /// It failed.
    Failed,
    /// It was collected and not graded, or a grader gave no verdict.
    Ungraded,
    /// Something around the client broke.
    Infrastructure,
}

/// Someone who is told what happens. It cannot fail the run.
pub trait Observer: Send {
    /// Takes one event.
    fn event(&mut self, event: &RunEvent);
}

/// An observer that listens to nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NullObserver;

impl Observer for NullObserver {
    fn event(&mut self, _: &RunEvent) {}
}
