//! One run in this process: what it works with, put together, and an ear for signals beside it.

use std::collections::BTreeMap;
use std::sync::Arc;

use mst_cli::{CliError, ExitClass, Ui, random_seed};
use mst_config::Plan;
use mst_engine::{GradeOptions, Observer, RunDeps, RunOptions, RunOutcome, Stop};
use mst_model::{Clock, Tape};
use mst_store::{PreviousRuns, StoredEval};
use tokio_util::sync::CancellationToken;

use crate::{builtins, error, signals};

/// A plan that is to be run, with its surroundings.
pub(crate) struct Execution {
    pub(crate) plan: Plan,
    pub(crate) options: RunOptions,
    /// The environment with the secrets file over it.
    pub(crate) variables: Arc<BTreeMap<String, String>>,
    pub(crate) clock: Arc<dyn Clock>,
    /// What stands between the run and the outside.
    pub(crate) tape: Option<Tape>,
    /// The eval in the result store, which has its previous run.
    pub(crate) stored: Option<StoredEval>,
}

impl Execution {
    /// Runs the plan with servers and clients of its own, until it ends or is stopped.
    pub(crate) async fn run(self, stop: Stop, observer: Box<dyn Observer>) -> Result<RunOutcome, CliError> {
        let Self { plan, options, variables, clock, tape, stored } = self;
        let deps = deps(&variables, clock, tape, stored)?;
        mst_engine::run(plan, deps, options, stop, observer).await.map_err(error::run)
    }
}

/// A stored run whose trials are to be graded again.
pub(crate) struct Regrading {
    pub(crate) plan: Plan,
    pub(crate) options: GradeOptions,
    /// The environment with the secrets file over it.
    pub(crate) variables: Arc<BTreeMap<String, String>>,
    pub(crate) clock: Arc<dyn Clock>,
    /// The eval in the result store, which has its previous run.
    pub(crate) stored: Option<StoredEval>,
}

impl Regrading {
    /// Grades with judges of its own, until it ends or is stopped.
    pub(crate) async fn run(self, stop: Stop, observer: Box<dyn Observer>) -> Result<RunOutcome, CliError> {
        let Self { plan, options, variables, clock, stored } = self;
        let deps = deps(&variables, clock, None, stored)?;
        mst_engine::grade(plan, deps, options, stop, observer).await.map_err(error::run)
    }
}

/// Puts together what a run works with.
fn deps(
    variables: &Arc<BTreeMap<String, String>>,
    clock: Arc<dyn Clock>,
    tape: Option<Tape>,
    stored: Option<StoredEval>,
) -> Result<RunDeps, CliError> {
    let program = std::env::current_exe().ok();
    let pool = Arc::new(builtins::pool(variables, program.as_deref(), tape.clone()));
    let registry = builtins::registry(Arc::clone(&pool), variables, Arc::clone(&clock), tape);
    let seed = random_seed().map_err(|error| CliError::new(ExitClass::Machine, error.to_string()))?;
    Ok(RunDeps {
        registry: Arc::new(registry),
        pool,
        clock,
        seed,
        env: Arc::clone(variables),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        previous: stored.map(|stored| Arc::new(stored) as Arc<dyn PreviousRuns>),
    })
}

/// Does some work on a runtime of its own with an ear for signals: the first stops it politely, the second firmly.
pub(crate) fn block_on<F: Future>(ui: &Ui, work: impl FnOnce(Stop) -> F) -> Result<F::Output, CliError> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| CliError::new(ExitClass::Machine, format!("no runtime: {error}")))?;
    let stop = Stop::default();
    let done = CancellationToken::new();
    let first = || {
        ui.status(
            "Stopping: what ends within a second is saved, the rest is left to a resume. Ctrl-C again stops at once.",
        );
    };
    let working = async {
        let output = work(stop.clone()).await;
        done.cancel();
        output
    };
    let (output, ()) =
        runtime.block_on(async { tokio::join!(working, signals::watch(stop.clone(), done.clone(), first)) });
    // What still runs there is a pattern that cannot be stopped; its answer is no longer asked for.
    runtime.shutdown_background();
    Ok(output)
}
