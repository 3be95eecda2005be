//! `mst tools`: a server's surface, listed and measured. Nothing is called.

mod definition;
mod parameter;
mod screen;
mod surface_json;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Args;
use mst_cli::{CliError, Env, ExitClass, SystemClock, Target, Ui, wait_for};
use mst_engine::scrubber_of_servers;
use mst_mcp::{McpError, NamedServerRef, ToolSurface, connect};
use mst_model::{Clock, ServerObservation};

pub(crate) use definition::ToolKind;

use super::target::TargetArgs;
use crate::{builtins, error};

/// The shortest value of a secrets file that is taken out of what a server prints: a shorter one would be in any text.
const SHORTEST_HIDDEN: usize = 8;

/// Flags of `mst tools`.
#[derive(Args, Debug)]
pub(crate) struct ToolsArgs {
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    /// Print the surface exactly as the server sent it, with what was measured, as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// What a server showed of itself.
#[derive(Debug)]
pub(crate) struct Seen {
    pub(crate) surface: Arc<ToolSurface>,
    pub(crate) observation: ServerObservation,
    /// How long connecting and listing took.
    pub(crate) took: Duration,
}

/// Lists a server's tools.
pub(crate) fn run(args: &ToolsArgs, ui: &Ui, env: &Env) -> ExitClass {
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

fn stages(args: &ToolsArgs, ui: &Ui, env: &Env) -> Result<(), CliError> {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let target = args.target.resolve(&clock)?;
    let variables = args.target.given.environment(env)?;
    let given = args.target.given.secrets()?;
    let hidden = given.values().map(String::as_str).filter(|value| value.len() >= SHORTEST_HIDDEN);
    let secrets = scrubber_of_servers([&target.config], &variables).with(hidden);
    let seen = look(&target, &variables)?.map_err(|fault| error::server(&fault, &secrets))?;
    if args.json {
        ui.data(&surface_json::value(&target, &seen));
    } else {
        ui.text(&screen::listing(&target, &seen, ui.width().into()));
    }
    for warning in &seen.observation.warnings {
        ui.warn(&secrets.text(warning));
    }
    Ok(())
}

/// Connects to a server, lists its tools and closes the connection.
pub(crate) fn look(target: &Target, variables: &BTreeMap<String, String>) -> Result<Result<Seen, McpError>, CliError> {
    let program = std::env::current_exe().ok();
    let pool = builtins::pool(variables, program.as_deref(), None);
    wait_for(|cancel| async move {
        let begun = Instant::now();
        let server = NamedServerRef { label: &target.label, config: &target.config };
        let connected = connect(server, pool.options(), &cancel).await;
        let took = begun.elapsed();
        let seen = match connected {
            Err(fault) => Err(fault),
            Ok(session) => {
                let seen = Seen { surface: Arc::clone(session.surface()), observation: session.observation(), took };
                session.close().await;
                Ok(seen)
            }
        };
        pool.close_all().await;
        seen
    })
}
