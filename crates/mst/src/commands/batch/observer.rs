//! What happens in the runs of a batch, on one screen.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mst_cli::{Progress, TrialDone, Ui};
use mst_engine::{Observer, RunEvent, TrialState};

use crate::observer::throttled_line;

/// The display that all runs of a batch share.
#[derive(Clone)]
pub(super) struct SharedProgress(Arc<Mutex<Progress>>);

impl SharedProgress {
    /// Begins, with the number of trials of all evals.
    pub(super) fn start(ui: &Ui, trials: usize) -> Self {
        let mut progress = Progress::new(ui);
        progress.start(trials);
        Self(Arc::new(Mutex::new(progress)))
    }

    fn lock(&self) -> MutexGuard<'_, Progress> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Prints something else without tearing the display.
    pub(super) fn aside(&self, print: impl FnOnce()) {
        self.lock().aside(print);
    }
}

/// Tells the display of one run, under its config's name.
pub(super) struct BatchObserver {
    pub(super) ui: Ui,
    pub(super) progress: SharedProgress,
    pub(super) config: String,
}

impl Observer for BatchObserver {
    fn event(&mut self, event: &RunEvent) {
        let (ui, config) = (&self.ui, &self.config);
        match event {
            RunEvent::Started { run_id, trials } => {
                let line = format!("{config}: run {run_id}: {}", mst_cli::plural(*trials, "trial"));
                self.progress.aside(|| ui.status(&line));
            }
            RunEvent::Warning { message } => self.progress.aside(|| ui.warn(&format!("{config}: {message}"))),
            RunEvent::VariantStarted { variant } => self.progress.lock().message(&format!("{config} {variant}")),
            RunEvent::Waiting { reason, seconds } => {
                let line = format!("{config}: not ready: {reason}. Checking again in {seconds} s.");
                self.progress.aside(|| ui.status(&line));
            }
            RunEvent::Throttled { .. } => {
                let line = format!("{config}: {}", throttled_line(event));
                self.progress.aside(|| ui.status(&line));
            }
            RunEvent::Comparing { comparisons } => {
                let comparisons = mst_cli::plural(*comparisons, "comparison");
                self.progress.aside(|| ui.status(&format!("{config}: {comparisons} with the baseline")));
            }
            RunEvent::TrialSaved { variant, case_id, trial, state, cost_usd } => {
                self.progress.lock().trial_done(&TrialDone {
                    name: format!("{config} {variant}/{case_id}/{trial}"),
                    failed: *state == TrialState::Failed,
                    broken: *state == TrialState::Infrastructure,
                    cost_usd: *cost_usd,
                });
            }
        }
    }
}
