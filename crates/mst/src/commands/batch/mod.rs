//! `mst batch`: several evals in one process, each with its own dispatcher, directory and limits.

mod configs;
mod eval;
mod existing;
mod item;
mod observer;
mod totals;
mod work;

use std::sync::Arc;

use mst_cli::{CliError, Env, ExitClass, SystemClock, Ui};
use mst_model::Clock;
use serde_json::{Value, json};

use self::eval::{Eval, Request};
use self::totals::Totals;
use self::work::Work;
use crate::args::BatchArgs;
use crate::ci::BatchReport;
use crate::{execution, failure, not_yet, result_store, variables};

/// Runs every eval of the batch and prints what each came to.
pub(crate) fn run(args: &BatchArgs, ui: &Ui, env: &Env) -> ExitClass {
    match stages(args, ui, env) {
        Ok(class) => class,
        Err(error) => failure::told(&error, args.json, ui),
    }
}

/// The command as a list of stages: find, check all, run, print.
fn stages(args: &BatchArgs, ui: &Ui, env: &Env) -> Result<ExitClass, CliError> {
    if let Some(name) = args.later.typed() {
        return Err(not_yet::flag(name));
    }
    variables::check_root_dir(&args.root_dir)?;
    let variables = variables::read(args.secrets_file.as_deref(), &args.root_dir, env)?;
    let readiness_delays = variables::readiness_delays(&variables)?;
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let paths = configs::find(&args.configs, args.config_dir.as_deref(), ui)?;
    let report = args.junit.as_deref().map(BatchReport::at).transpose()?;
    let request = Request {
        root_dir: &args.root_dir,
        output_root: args.output_root.as_deref(),
        skip_existing: args.skip_existing,
        results: args.results.results.as_deref(),
        allow_live_writes: args.allow_live_writes,
        clock: &clock,
    };
    let evals = eval::load_all(&paths, &request)?;
    if args.dry_run {
        dry_run(&evals, args.json, ui);
        return Ok(ExitClass::Success);
    }
    evals.iter().try_for_each(|eval| result_store::check(eval.stored.as_ref()))?;
    let work = Work {
        workers: args.workers as usize,
        readiness_delays,
        variables,
        clock,
        again: item::Again {
            given_output_dir: args.output_root.is_some(),
            root_dir: &args.root_dir,
            secrets_file: args.secrets_file.as_deref(),
            results: args.results.results.as_deref(),
            allow_live_writes: args.allow_live_writes,
        },
        json: args.json,
        ui,
    };
    let done = execution::block_on(ui, |stop| work.run(&evals, stop))?;
    let totals = Totals::of(&done);
    let written =
        report.map_or(Ok(()), |report| report.write(evals.iter().zip(&done).map(|(eval, item)| item.end(eval))));
    if args.json {
        let items: Vec<Value> = evals.iter().zip(&done).map(|(eval, item)| item.to_json(eval)).collect();
        ui.data(&json!({ "class": totals.class.name(), "totals": totals.to_json(), "items": items }));
    } else {
        ui.text(&totals.words());
    }
    written?;
    Ok(totals.class)
}

/// Says what would run.
fn dry_run(evals: &[Eval], json: bool, ui: &Ui) {
    for warning in evals.iter().flat_map(|eval| &eval.loaded.warnings) {
        ui.diagnostic(warning);
    }
    if json {
        ui.data(&json!({ "items": evals.iter().map(Eval::to_json).collect::<Vec<_>>() }));
        return;
    }
    for eval in evals {
        ui.text(&eval.words());
    }
}
