//! `mst init`: from a server that one already has to an eval that runs. It lists tools, and calls none.

mod args;
mod candidate;
mod cases;
mod choice;
mod eval_files;
mod listing;
mod report;
mod search;
mod unpack;

use std::path::Path;
use std::sync::Arc;

use mst_cli::{CliError, Env, ExitClass, SystemClock, Target, Ui, environment, usage};
use mst_config::discover::{Launch, Platform, Surroundings, home};
use mst_engine::scrubber_of_servers;
use mst_model::{Clock, Provider, ServerConfig, ServerLabel};

pub(crate) use args::InitArgs;

use self::candidate::Candidate;
use self::eval_files::EvalFiles;
use self::unpack::Unpacked;
use super::tools::{Seen, look};
use crate::error;

/// Makes an eval of a server.
pub(crate) fn run(args: &InitArgs, ui: &Ui, env: &Env) -> ExitClass {
    match stages(args, ui, env) {
        Ok(()) => ExitClass::Success,
        Err(error) => {
            if args.json {
                ui.data(&error.to_json());
            }
            ui.error(&error);
            error.class
        }
    }
}

/// The command as a list of stages: look around, choose, connect, write.
fn stages(args: &InitArgs, ui: &Ui, env: &Env) -> Result<(), CliError> {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    check_model(args)?;
    let around = surroundings(args, env)?;
    let candidates = candidates(args, &around, ui)?;
    if args.list {
        listing::print(&candidates, args.json, ui);
        return Ok(());
    }
    let chosen = choice::choose(candidates, args, ui)?;
    if let Some(label) = args.unguarded.iter().find(|label| **label != chosen.server.label) {
        return Err(usage(format!(
            "--unguarded: the eval has the one server {:?}, not {label:?}",
            chosen.server.label
        )));
    }
    let name = args.name.clone().unwrap_or_else(|| chosen.server.label.clone());
    let files = EvalFiles::new(&args.out, &name)?;
    files.check_free(args.force)?;
    let (chosen, unpacked) = unpacked(chosen, &files, args, &around)?;
    let launch = chosen.launch()?;
    let seen = if args.no_connect { None } else { Some(connect(&chosen, launch, &around)?) };
    if let Some(seen) = seen.as_ref().filter(|seen| seen.surface.tools.is_empty()) {
        let label = &seen.observation.label;
        return Err(CliError::new(
            ExitClass::Server,
            format!("{label} listed no tools, so there is nothing to evaluate"),
        ));
    }
    let draft = eval_files::Draft { name: &name, chosen: &chosen, launch, seen: seen.as_ref(), args };
    let written = files.write(&draft, &clock)?;
    if let Some(unpacked) = unpacked {
        unpacked.keep();
    }
    report::print(&draft, &written, ui);
    Ok(())
}

/// Refuses a model whose provider cannot be told, before anything is written that could not run.
fn check_model(args: &InitArgs) -> Result<(), CliError> {
    if let Some(provider) = &args.provider {
        provider.parse::<Provider>().map_err(|fault| usage(format!("--provider: {fault}")))?;
    }
    match &args.model {
        Some(model) if args.provider.is_none() && Provider::infer(model).is_none() => {
            Err(usage(format!("--model: nothing in {model:?} tells its provider; add --provider")))
        }
        None if args.provider.is_some() => Err(usage("--provider needs --model")),
        _ => Ok(()),
    }
}

fn surroundings(args: &InitArgs, env: &Env) -> Result<Surroundings, CliError> {
    let mut variables = environment(env, args.given.secrets_file.as_deref())?;
    variables.extend(args.given.variables()?);
    let folder = std::path::absolute(".")
        .map_err(|error| CliError::new(ExitClass::Machine, format!("the working directory cannot be told: {error}")))?;
    Ok(Surroundings { home: home(&variables), variables, folder, platform: Platform::current() })
}

fn candidates(args: &InitArgs, around: &Surroundings, ui: &Ui) -> Result<Vec<Candidate>, CliError> {
    if args.given.command.is_empty() && args.given.url.is_none() {
        return match &args.from {
            Some(path) => search::read_one(path, around),
            None => Ok(search::everywhere(around, ui)),
        };
    }
    let mut given = args.given.clone();
    // They are in the surroundings, from where a secret of them is told.
    let env = given.variables()?;
    given.env.clear();
    let mut target = given.resolve()?.ok_or_else(|| usage("give a command after `--`, or --url"))?;
    if let ServerConfig::Stdio(server) = &mut target.config {
        server.env = env;
    }
    Ok(vec![Candidate::given(&target, around)])
}

/// Unpacks a bundle, so that its server can be started.
fn unpacked(
    mut chosen: Candidate,
    files: &EvalFiles,
    args: &InitArgs,
    around: &Surroundings,
) -> Result<(Candidate, Option<Unpacked>), CliError> {
    let Some(bundle) = chosen.bundle.clone() else { return Ok((chosen, None)) };
    chosen.launch()?;
    let unpacked = Unpacked::of(&bundle, &files.bundle_folder(), args.force)?;
    chosen.server = search::read_bundle(&bundle, unpacked.folder(), around)?;
    Ok((chosen, Some(unpacked)))
}

/// Connects to the server and lists its tools.
fn connect(chosen: &Candidate, launch: &Launch, around: &Surroundings) -> Result<Seen, CliError> {
    let label = ServerLabel::new(chosen.server.label.clone());
    let target = Target { label, config: launch.connect.clone() };
    let seen = look(&target, &around.variables)?;
    seen.map_err(|fault| {
        let hidden = launch.hidden_values();
        let secrets = scrubber_of_servers([&launch.connect], &around.variables).with(hidden.iter().map(String::as_str));
        let failed = error::server(&fault, &secrets);
        launch.variables.iter().filter(|variable| !variable.known).fold(failed, |failed, variable| {
            failed.with_hint(format!("{} is not set; the server may need it", variable.name))
        })
    })
}

/// Returns a path as it may stand in a command.
pub(crate) fn shown(path: &Path) -> String {
    crate::screen::quoted(path)
}

/// Returns the servers that other programs list, as `mst init --list --json` does.
pub(crate) fn found(around: &Surroundings, ui: &Ui) -> serde_json::Value {
    search::everywhere(around, ui).iter().map(listing::value).collect()
}
