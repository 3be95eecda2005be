//! The workers: so many evals at once, the next when one ends.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use mst_cli::{CliError, ExitClass, Ui};
use mst_engine::{Budget, RunOptions, RunOutcome, Stop};
use mst_model::Clock;
use tokio::task::JoinSet;

use super::eval::Eval;
use super::item::{Again, Item};
use super::observer::{BatchObserver, SharedProgress};
use crate::execution::Execution;
use crate::publish::{self, Ended, Published};
use crate::result_store::Keeping;

/// What the evals of a batch are run with.
pub(super) struct Work<'a> {
    pub(super) workers: usize,
    pub(super) readiness_delays: Vec<Duration>,
    /// The environment with the secrets file over it.
    pub(super) variables: Arc<BTreeMap<String, String>>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) again: Again<'a>,
    pub(super) json: bool,
    pub(super) ui: &'a Ui,
}

type Ran = (usize, Result<(RunOutcome, Published), CliError>);

impl Work<'_> {
    /// Runs the evals in order, so many at once, and prints each as it ends. One that fails does not stop the others.
    pub(super) async fn run<'e>(self, evals: &'e [Eval], stop: Stop) -> Vec<Item<'e>> {
        let trials = evals.iter().filter(|eval| eval.existing.is_none()).map(Eval::trials).sum();
        let progress = SharedProgress::start(self.ui, trials);
        let mut items: Vec<Item<'e>> = evals.iter().map(|_| Item::NotRun).collect();
        let mut waiting = Vec::new();
        for (index, eval) in evals.iter().enumerate() {
            match &eval.existing {
                None => waiting.push(index),
                Some(existing) => {
                    items[index] = Item::Skipped(existing);
                    self.print(&items[index], eval, &progress);
                }
            }
        }
        let mut waiting = waiting.into_iter();
        let mut running = JoinSet::new();
        let mut indices = HashMap::new();
        loop {
            while running.len() < self.workers && !stop.starting.is_cancelled() {
                let Some(index) = waiting.next() else { break };
                let task = self.one(index, &evals[index], &stop, &progress);
                indices.insert(running.spawn(task).id(), index);
            }
            let (index, item) = match running.join_next().await {
                None => break,
                Some(Ok((index, Ok((outcome, published))))) => {
                    (index, Item::Ran(Box::new(outcome), Box::new(published)))
                }
                Some(Ok((index, Err(error)))) => (index, Item::Failed(error)),
                Some(Err(error)) => {
                    let message = format!("internal error: the run ended badly: {error}");
                    let index = indices.get(&error.id()).copied().expect("every task was noted when it began");
                    (index, Item::Failed(CliError::new(ExitClass::Machine, message)))
                }
            };
            self.print(&item, &evals[index], &progress);
            items[index] = item;
        }
        for index in waiting {
            self.print(&items[index], &evals[index], &progress);
        }
        items
    }

    /// Prepares one eval's run.
    fn one(
        &self,
        index: usize,
        eval: &Eval,
        stop: &Stop,
        progress: &SharedProgress,
    ) -> impl Future<Output = Ran> + Send + 'static {
        let options = RunOptions {
            output_dir: eval.loaded.output_dir.clone(),
            resume: None,
            grade: true,
            readiness_delays: self.readiness_delays.clone(),
            option_key: self.variables.get("MST_OPTION_KEY").cloned(),
            replay: None,
            judge_cache: None,
            stop_when_decided: false,
            budget: Budget::default(),
        };
        let execution = Execution {
            plan: eval.loaded.plan.clone(),
            options,
            variables: Arc::clone(&self.variables),
            clock: Arc::clone(&self.clock),
            tape: None,
            stored: eval.stored.clone(),
        };
        let observer = Box::new(BatchObserver {
            ui: self.ui.clone(),
            progress: progress.clone(),
            config: eval.config.display().to_string(),
        });
        let (stop, ui, variables) = (stop.clone(), self.ui.clone(), Arc::clone(&self.variables));
        let output_dir = eval.loaded.output_dir.clone();
        let keeping = Keeping::of(eval.stored.clone(), false);
        async move {
            let ended = execution.run(stop, observer).await;
            // It reads and writes files, and may take a while.
            let ended = tokio::task::block_in_place(|| match ended {
                Ok(outcome) => {
                    let published = Ended {
                        outcome: &outcome,
                        report: true,
                        keeping: keeping.as_ref(),
                        variables: &variables,
                        ui: &ui,
                        ci: None,
                    }
                    .publish();
                    Ok((outcome, published))
                }
                Err(error) => {
                    publish::after_error(&output_dir, &ui);
                    Err(error)
                }
            });
            (index, ended)
        }
    }

    fn print(&self, item: &Item<'_>, eval: &Eval, progress: &SharedProgress) {
        progress.aside(|| item.print(eval, &self.again, self.json, self.ui));
    }
}
