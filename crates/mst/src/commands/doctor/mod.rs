//! `mst doctor`: what is there of what an eval needs. It calls no tool and no model.

mod config_check;
mod keys;
mod program;
mod screen;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use mst_cli::{CliError, Env, ExitClass, SystemClock, Ui, wait_for};
use mst_config::discover::{Platform, Surroundings, home};
use mst_model::Clock;
use serde_json::{Value, json};

use self::config_check::ConfigCheck;
use super::init;
use crate::variables;

/// Flags of `mst doctor`.
#[derive(Args, Debug)]
pub(crate) struct DoctorArgs {
    /// Check also what this eval config needs: its servers, its model's key, its output directory
    #[arg(short, long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Where relative paths are looked up after the config's own directory
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(crate) root_dir: PathBuf,
    /// The eval's directory, where a run of it would be given one
    #[arg(long, value_name = "DIR", requires = "config")]
    pub(crate) output_dir: Option<PathBuf>,
    /// A JSON object or NAME=VALUE lines, over the environment
    #[arg(long, value_name = "FILE")]
    pub(crate) secrets_file: Option<PathBuf>,
    /// Print the report as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Prints the report; the exit class is what keeps the config from running, success without a config.
pub(crate) fn run(args: &DoctorArgs, ui: &Ui, env: &Env) -> ExitClass {
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

fn stages(args: &DoctorArgs, ui: &Ui, env: &Env) -> Result<ExitClass, CliError> {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let variables = variables::read(args.secrets_file.as_deref(), &args.root_dir, env)?;
    // A mistake in the config comes before anything is started.
    let check = args.config.as_ref().map(|path| ConfigCheck::load(path, args, &clock)).transpose()?;
    let programs = wait_for(|_| program::versions(&variables))?;
    let mut report = json!({
        "mst": { "version": env!("CARGO_PKG_VERSION"), "system": std::env::consts::OS, "machine": std::env::consts::ARCH },
        "programs": programs,
        "keys": keys::keys(&variables),
        "baseUrls": keys::base_urls(&variables),
        "found": found(&variables, ui),
    });
    let mut class = ExitClass::Success;
    if let Some(check) = check {
        let checked = check.run(&variables, &clock)?;
        class = checked.class;
        report["config"] = checked.report;
    }
    report["exit"] = json!({ "code": class.code(), "class": class.name() });
    if args.json {
        ui.data(&report);
    } else {
        ui.text(&screen::text(&report));
    }
    Ok(class)
}

/// Returns the servers that other programs list, and whether each could be used.
fn found(variables: &BTreeMap<String, String>, ui: &Ui) -> Value {
    let Ok(folder) = std::path::absolute(".") else { return json!([]) };
    let around =
        Surroundings { home: home(variables), variables: variables.clone(), folder, platform: Platform::current() };
    init::found(&around, ui)
}
