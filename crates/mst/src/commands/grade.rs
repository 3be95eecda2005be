//! `mst grade`.

use std::path::Path;
use std::sync::Arc;

use mst_cli::{CliError, Env, ExitClass, SystemClock, Ui, printable};
use mst_config::{LoadRequest, SelectionFlags, load};
use mst_engine::{GradeOptions, graded_selection};
use mst_model::Clock;
use mst_store::EvalLayout;

use super::run::{flags, refuse_stopped};
use crate::args::GradeArgs;
use crate::ci::{Ci, Silenced};
use crate::execution::{self, Regrading};
use crate::observer::ScreenObserver;
use crate::publish::{self, Ended};
use crate::result_store::{self, Keeping};
use crate::{builtins, error, failure, screen, variables};

/// Grades a run again and prints what it came to.
pub(crate) fn run(args: &GradeArgs, ui: &Ui, env: &Env) -> ExitClass {
    match stages(args, ui, env) {
        Ok(class) => class,
        Err(error) => failure::told(&error, args.json, ui),
    }
}

fn stages(args: &GradeArgs, ui: &Ui, env: &Env) -> Result<ExitClass, CliError> {
    variables::check_root_dir(&args.root_dir)?;
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let variables = variables::read(args.secrets_file.as_deref(), &args.root_dir, env)?;
    let mut request = LoadRequest {
        config_path: args.config.clone(),
        root_dir: args.root_dir.clone(),
        output_dir: args.output_dir.clone(),
        selection: SelectionFlags::default(),
        // No tool is called.
        allow_live_writes: true,
        catalog: builtins::catalog(Arc::clone(&clock)),
    };
    let mut loaded = load(&request).map_err(error::diagnostics)?;
    let eval = EvalLayout::new(&loaded.output_dir);
    let stored = result_store::of_eval(args.results.results.as_deref(), &loaded)?;
    result_store::bring(stored.as_ref(), &eval, &args.run, ui)?;
    result_store::check(stored.as_ref())?;
    if let Some(selection) = graded_selection(&loaded.output_dir, &args.run).map_err(error::run)? {
        refuse_stopped(&selection, "graded again")?;
        request.selection = flags(selection);
        loaded = load(&request).map_err(error::diagnostics)?;
    }
    let ci = Ci::prepare(&args.ci, &request, &loaded.plan, true, env)?;
    let output_dir = loaded.output_dir;
    let options = GradeOptions {
        output_dir: output_dir.clone(),
        run: args.run.clone(),
        resume: args.resume,
        option_key: variables.get("MST_OPTION_KEY").cloned(),
        judge_cache: args.judge_cache.clone(),
        budget: args.budget.budget(),
        last_regrade: result_store::last_regrade(stored.as_ref(), &eval, &args.run)?,
    };
    let keeping = Keeping::of(stored.clone(), args.resume);
    let regrading = Regrading { plan: loaded.plan, options, variables: Arc::clone(&variables), clock, stored };
    let silenced = Silenced::begin(args.ci.github, ui)?;
    let observer = Box::new(ScreenObserver::new(ui));
    let outcome = match execution::block_on(ui, |stop| regrading.run(stop, observer))? {
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
    if args.resume {
        ui.status("What had no verdict was graded; no client was started.");
    } else if let Some(from) = &outcome.record.graded_from {
        ui.status(&printable(&format!("The trials of {from} are graded again; no client was started.")));
    }
    let again = screen::Again {
        config: &args.config,
        output_dir: args.output_dir.as_deref(),
        root_dir: Some(args.root_dir.as_path()).filter(|root| *root != Path::new(".")),
        secrets_file: args.secrets_file.as_deref(),
        judge_cache: args.judge_cache.as_deref(),
        results: args.results.results.as_deref(),
        allow_live_writes: false,
        budget: args.budget,
    };
    screen::show(&outcome, &published, &again, args.json, ui);
    silenced.annotate(&published.judged, ui);
    Ok(published.class(&outcome))
}
