//! `mst run`.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use mst_cli::{CliError, Env, ExitClass, SystemClock, Ui};
use mst_config::{LoadRequest, Loaded, SelectionFlags, load};
use mst_engine::{RunOptions, stored_selection};
use mst_model::{Clock, Selection};
use mst_store::{EvalLayout, StoredEval};

use crate::args::RunArgs;
use crate::ci::{Ci, Silenced};
use crate::execution::{self, Execution};
use crate::observer::ScreenObserver;
use crate::publish::{self, Ended};
use crate::result_store::{self, Keeping};
use crate::tape::TapeDeck;
use crate::{budget, builtins, error, failure, not_yet, screen, variables};

/// Runs an eval and prints what it came to.
pub(crate) fn run(args: &RunArgs, ui: &Ui, env: &Env) -> ExitClass {
    match stages(args, ui, env) {
        Ok(class) => class,
        Err(error) => failure::told(&error, args.json, ui),
    }
}

/// The command as a list of stages: read, plan, run, print.
fn stages(args: &RunArgs, ui: &Ui, env: &Env) -> Result<ExitClass, CliError> {
    if let Some(name) = args.later.typed() {
        return Err(not_yet::flag(name));
    }
    variables::check_root_dir(&args.root_dir)?;
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let variables = variables::read(args.secrets_file.as_deref(), &args.root_dir, env)?;
    let delays = variables::readiness_delays(&variables)?;
    let (loaded, stored) = plan(args, &clock, ui)?;
    let limited = budget::Limited {
        flags: &args.budget,
        config: &args.config,
        plan: &loaded.plan,
        grade: !args.no_grade,
        is_replayed: args.replay.is_some(),
    };
    limited.check(&variables, &clock)?;
    let ci = Ci::prepare(&args.ci, &request(args, &clock), &loaded.plan, !args.no_grade, env)?;
    let deck = deck(args, &loaded, &variables, &*clock, ui)?;
    if args.dry_run {
        for warning in &loaded.warnings {
            ui.diagnostic(warning);
        }
        ui.data(&result_store::planned(loaded.dry_run, stored.as_ref()));
        return Ok(ExitClass::Success);
    }
    result_store::check(stored.as_ref())?;
    let keeping = Keeping::of(stored.clone(), args.resume.is_some());
    let options = RunOptions {
        output_dir: loaded.output_dir.clone(),
        resume: args.resume.clone(),
        grade: !args.no_grade,
        // A tape needs no time to become ready.
        readiness_delays: if args.replay.is_some() { vec![Duration::ZERO; delays.len()] } else { delays },
        option_key: variables.get("MST_OPTION_KEY").cloned(),
        replay: deck.replay_record(),
        judge_cache: args.judge_cache.clone(),
        stop_when_decided: args.stop_when.is_some(),
        budget: args.budget.budget(),
    };
    let output_dir = loaded.output_dir;
    let execution = Execution {
        plan: loaded.plan,
        options,
        variables: Arc::clone(&variables),
        clock,
        tape: deck.tape(),
        stored: stored.clone(),
    };
    let silenced = Silenced::begin(args.ci.github, ui)?;
    let observer = Box::new(ScreenObserver::new(ui));
    let outcome = execution::block_on(ui, |stop| execution.run(stop, observer))?;
    let started = !outcome.as_ref().is_err_and(|error| error.class != ExitClass::Machine);
    let taped = deck.finish(started, ui);
    let outcome = match outcome {
        Ok(outcome) => outcome,
        Err(error) => {
            publish::after_error(&output_dir, ui);
            return Err(error);
        }
    };
    let published = Ended {
        outcome: &outcome,
        report: !args.no_report,
        keeping: keeping.as_ref(),
        variables: &variables,
        ui,
        ci: Some(&ci),
    }
    .publish();
    let again = screen::Again {
        config: &args.config,
        output_dir: args.output_dir.as_deref(),
        root_dir: Some(args.root_dir.as_path()).filter(|root| *root != Path::new(".")),
        secrets_file: args.secrets_file.as_deref(),
        judge_cache: args.judge_cache.as_deref(),
        results: args.results.results.as_deref(),
        allow_live_writes: args.allow_live_writes,
        budget: args.budget,
    };
    screen::show(&outcome, &published, &again, args.json, ui);
    silenced.annotate(&published.judged, ui);
    taped?;
    Ok(published.class(&outcome))
}

/// Begins or opens the run's tape, when it has one.
fn deck(
    args: &RunArgs,
    loaded: &Loaded,
    variables: &BTreeMap<String, String>,
    clock: &dyn Clock,
    ui: &Ui,
) -> Result<TapeDeck, CliError> {
    match (&args.record, &args.replay) {
        (Some(path), _) => TapeDeck::record(path, mst_engine::scrubber(&loaded.plan, variables), clock.now()),
        (None, Some(path)) => TapeDeck::replay(path, ui),
        (None, None) => Ok(TapeDeck::Empty),
    }
}

/// Reads the eval config and its datasets and resolves them into a plan. A resumed run's plan is narrowed as it was; it is
/// fetched from the result store when it is not here.
fn plan(args: &RunArgs, clock: &Arc<dyn Clock>, ui: &Ui) -> Result<(Loaded, Option<StoredEval>), CliError> {
    let mut request = request(args, clock);
    let loaded = load(&request).map_err(error::diagnostics)?;
    let stored = result_store::of_eval(args.results.results.as_deref(), &loaded)?;
    let Some(name) = &args.resume else { return Ok((loaded, stored)) };
    result_store::bring(stored.as_ref(), &EvalLayout::new(&loaded.output_dir), name, ui)?;
    let loaded = match stored_selection(&loaded.output_dir, name).map_err(error::run)? {
        None => loaded,
        Some(selection) => {
            refuse_stopped(&selection, "resumed")?;
            request.selection = flags(selection);
            load(&request).map_err(error::diagnostics)?
        }
    };
    Ok((loaded, stored))
}

/// Returns what the flags ask to load.
fn request(args: &RunArgs, clock: &Arc<dyn Clock>) -> LoadRequest {
    LoadRequest {
        config_path: args.config.clone(),
        root_dir: args.root_dir.clone(),
        output_dir: args.output_dir.clone(),
        selection: SelectionFlags {
            variants: args.variant.clone(),
            cases: args.case.clone(),
            filter_tags: args.filter_tag.clone(),
            max_cases: args.max_cases,
            trials: args.trials,
        },
        allow_live_writes: args.allow_live_writes,
        catalog: builtins::catalog(Arc::clone(clock)),
    }
}

/// Refuses a run that stopped when it was decided: more of its cases would make it another experiment.
pub(super) fn refuse_stopped(selection: &Selection, what: &str) -> Result<(), CliError> {
    if selection.stopped_when.is_none() {
        return Ok(());
    }
    Err(mst_cli::usage(format!("a run that stopped when it was decided cannot be {what}: it has a part of its cases"))
        .with_hint("start a new run instead"))
}

/// Returns the flags that narrow a run the way a stored one was.
pub(super) fn flags(selection: Selection) -> SelectionFlags {
    let texts = |names: Option<Vec<String>>| names.unwrap_or_default();
    SelectionFlags {
        variants: texts(selection.variants.map(|names| names.iter().map(ToString::to_string).collect())),
        cases: texts(selection.cases.map(|names| names.iter().map(ToString::to_string).collect())),
        filter_tags: texts(selection.filter_tags),
        max_cases: selection.max_cases,
        trials: selection.trials,
    }
}
