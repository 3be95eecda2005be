//! `mst run`.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use mst_cli::{CliError, Env, ExitClass, SystemClock, Ui, random_seed};
use mst_config::{LoadRequest, Loaded, SelectionFlags, load, load_secrets};
use mst_engine::{RunDeps, RunOptions, RunOutcome, Stop, stored_selection};
use mst_model::{Clock, Selection};
use tokio_util::sync::CancellationToken;

use crate::args::RunArgs;
use crate::observer::ScreenObserver;
use crate::{builtins, error, not_yet, screen, signals};

/// Runs an eval and prints what it came to.
pub(crate) fn run(args: &RunArgs, ui: &Ui, env: &Env) -> ExitClass {
    match stages(args, ui, env) {
        Ok(class) => class,
        Err(error) => {
            if args.json {
                ui.data(&error.to_json());
            }
            ui.error(&error);
            error.class
        }
    }
}

/// The command as a list of stages: read, plan, run, print.
fn stages(args: &RunArgs, ui: &Ui, env: &Env) -> Result<ExitClass, CliError> {
    if let Some(name) = args.later.typed() {
        return Err(not_yet::flag(name));
    }
    if !args.root_dir.is_dir() {
        let message = format!("--root-dir: {} is not a directory", args.root_dir.display());
        return Err(CliError::new(ExitClass::Usage, message));
    }
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let variables = variables(args, env)?;
    let delays = readiness_delays(&variables)?;
    let loaded = plan(args, &clock)?;
    if args.dry_run {
        for warning in &loaded.warnings {
            ui.diagnostic(warning);
        }
        ui.data(&loaded.dry_run);
        return Ok(ExitClass::Success);
    }
    let options = RunOptions {
        output_dir: loaded.output_dir.clone(),
        resume: args.resume.clone(),
        grade: !args.no_grade,
        readiness_delays: delays,
        option_key: variables.get("MST_OPTION_KEY").cloned(),
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| CliError::new(ExitClass::Machine, format!("no runtime: {error}")))?;
    let outcome = runtime.block_on(execute(loaded, options, variables, clock, ui));
    // What still runs there is a pattern that cannot be stopped; its answer is no longer asked for.
    runtime.shutdown_background();
    let outcome = outcome?;
    let again = screen::Again {
        config: &args.config,
        output_dir: args.output_dir.as_deref(),
        root_dir: Some(args.root_dir.as_path()).filter(|root| *root != Path::new(".")),
        secrets_file: args.secrets_file.as_deref(),
    };
    if args.json {
        ui.data(&outcome.summary);
        screen::notes(&outcome, &again, ui);
    } else {
        screen::result(&outcome, &again, ui);
    }
    Ok(screen::exit_class(&outcome))
}

/// Returns the environment with the secrets file over it.
fn variables(args: &RunArgs, env: &Env) -> Result<Arc<BTreeMap<String, String>>, CliError> {
    let mut variables = env.variables().clone();
    if let Some(path) = &args.secrets_file {
        let path = if path.is_absolute() { path.clone() } else { args.root_dir.join(path) };
        variables.extend(load_secrets(&path).map_err(error::diagnostics)?);
    }
    Ok(Arc::new(variables))
}

/// Reads `MST_MCP_READINESS_RETRY_S`: comma-separated seconds, `10,30` when absent, none when empty.
fn readiness_delays(variables: &BTreeMap<String, String>) -> Result<Vec<Duration>, CliError> {
    const NAME: &str = "MST_MCP_READINESS_RETRY_S";
    const OLD: &str = "MST_COWORK_MCP_PREFLIGHT_RETRY_S";
    if variables.contains_key(OLD) {
        return Err(CliError::new(ExitClass::Usage, format!("{OLD} is now called {NAME}")));
    }
    let text = variables.get(NAME).map_or("10,30", String::as_str);
    text.split(',')
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .map(|part| match part.parse::<f64>().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()) {
            Some(delay) => Ok(delay),
            None => Err(CliError::new(ExitClass::Usage, format!("{NAME}: {part:?} is not a number of seconds"))),
        })
        .collect()
}

/// Reads the eval config and its datasets and resolves them into a plan. A resumed run's plan is narrowed as it was.
fn plan(args: &RunArgs, clock: &Arc<dyn Clock>) -> Result<Loaded, CliError> {
    let mut request = LoadRequest {
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
        catalog: builtins::catalog(Arc::clone(clock)),
    };
    let loaded = load(&request).map_err(error::diagnostics)?;
    let Some(name) = &args.resume else { return Ok(loaded) };
    match stored_selection(&loaded.output_dir, name).map_err(error::run)? {
        None => Ok(loaded),
        Some(selection) => {
            request.selection = flags(selection);
            load(&request).map_err(error::diagnostics)
        }
    }
}

/// Returns the flags that narrow a run the way a stored one was.
fn flags(selection: Selection) -> SelectionFlags {
    let texts = |names: Option<Vec<String>>| names.unwrap_or_default();
    SelectionFlags {
        variants: texts(selection.variants.map(|names| names.iter().map(ToString::to_string).collect())),
        cases: texts(selection.cases.map(|names| names.iter().map(ToString::to_string).collect())),
        filter_tags: texts(selection.filter_tags),
        max_cases: selection.max_cases,
        trials: selection.trials,
    }
}

/// Runs the plan with a display beside it and an ear for signals.
async fn execute(
    loaded: Loaded,
    options: RunOptions,
    variables: Arc<BTreeMap<String, String>>,
    clock: Arc<dyn Clock>,
    ui: &Ui,
) -> Result<RunOutcome, CliError> {
    let program = std::env::current_exe().ok();
    let pool = Arc::new(builtins::pool(&variables, program.as_deref()));
    let registry = builtins::registry(Arc::clone(&pool), &variables, Arc::clone(&clock));
    let seed = random_seed().map_err(|error| CliError::new(ExitClass::Machine, error.to_string()))?;
    let deps = RunDeps {
        registry: Arc::new(registry),
        pool,
        clock,
        seed,
        env: variables,
        version: env!("CARGO_PKG_VERSION").to_owned(),
    };
    let stop = Stop::default();
    let done = CancellationToken::new();
    let first = || {
        ui.status(
            "Stopping: what ends within a second is saved, the rest is left to a resume. Ctrl-C again stops at once.",
        );
    };
    let observer = Box::new(ScreenObserver::new(ui));
    let running = async {
        let outcome = mst_engine::run(loaded.plan, deps, options, stop.clone(), observer).await;
        done.cancel();
        outcome
    };
    let (outcome, ()) = tokio::join!(running, signals::watch(stop.clone(), done.clone(), first));
    outcome.map_err(error::run)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readiness_delays_are_seconds_between_commas() {
        let read = |text: Option<&str>| {
            let name = "MST_MCP_READINESS_RETRY_S".to_owned();
            let variables = text.map(|text| (name, text.to_owned())).into_iter().collect();
            readiness_delays(&variables).map(|delays| delays.iter().map(Duration::as_secs_f64).collect::<Vec<_>>())
        };
        assert_eq!(read(None).expect("the default"), [10.0, 30.0]);
        assert_eq!(read(Some("")).expect("none"), Vec::<f64>::new());
        assert_eq!(read(Some("5, 0.5")).expect("two"), [5.0, 0.5]);
        for bad in ["x", "-1", "1,,y", "nan", "inf"] {
            assert!(read(Some(bad)).is_err(), "{bad}");
        }
    }
}
