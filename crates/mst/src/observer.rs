//! What happens during a run, on the screen.

use mst_cli::{Progress, TrialDone, Ui};
use mst_engine::{Observer, RunEvent, TrialState};

/// Tells the progress display and prints warnings.
pub(crate) struct ScreenObserver {
    ui: Ui,
    progress: Progress,
}

impl ScreenObserver {
    /// Makes an observer that prints through a `Ui`.
    pub(crate) fn new(ui: &Ui) -> Self {
        Self { ui: ui.clone(), progress: Progress::new(ui) }
    }
}

impl Observer for ScreenObserver {
    fn event(&mut self, event: &RunEvent) {
        match event {
            RunEvent::Started { run_id, trials } => {
                let trials = *trials;
                // A regrade collects none.
                let count = if trials == 0 { String::new() } else { format!(": {}", mst_cli::plural(trials, "trial")) };
                self.ui.status(&format!("Run {run_id}{count}"));
                self.progress.start(trials);
            }
            RunEvent::Warning { message } => {
                let ui = self.ui.clone();
                self.progress.aside(|| ui.warn(message));
            }
            RunEvent::VariantStarted { variant } => self.progress.message(&mst_cli::printable(variant.as_str())),
            RunEvent::Waiting { reason, seconds } => {
                let ui = self.ui.clone();
                self.progress.aside(|| ui.status(&format!("Not ready: {reason}. Checking again in {seconds} s.")));
            }
            RunEvent::Throttled { .. } => {
                let ui = self.ui.clone();
                self.progress.aside(|| ui.status(&throttled_line(event)));
            }
            RunEvent::Comparing { comparisons } => {
                let ui = self.ui.clone();
                let line = format!("Comparing with the baseline: {}", mst_cli::plural(*comparisons, "comparison"));
                self.progress.aside(|| ui.status(&line));
            }
            RunEvent::TrialSaved { variant, case_id, trial, state, cost_usd } => self.progress.trial_done(&TrialDone {
                name: format!("{variant}/{case_id}/{trial}"),
                failed: *state == TrialState::Failed,
                broken: *state == TrialState::Infrastructure,
                cost_usd: *cost_usd,
            }),
        }
    }
}

/// Says that a provider throttles; nothing of any other event.
pub(crate) fn throttled_line(event: &RunEvent) -> String {
    let RunEvent::Throttled { provider, refused, concurrency, seconds } = event else { return String::new() };
    let calls = mst_cli::plural(*refused as usize, "call");
    format!("{provider} throttles ({calls} refused so far): {concurrency} at a time, none for {seconds:.1} s")
}
