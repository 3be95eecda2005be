//! The one server that a command is about: from an eval config, a URL, or a command line.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use indexmap::IndexMap;
use mst_cli::{CliError, GivenServer, Target, usage};
use mst_config::{LoadRequest, Loaded, SelectionFlags, load};
use mst_model::{Clock, ServerConfig, ServerLabel};

use crate::{builtins, error};

/// Flags that say which server is meant.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct TargetArgs {
    /// Take the server from this eval config
    #[arg(short, long, value_name = "FILE", conflicts_with_all = ["url", "command"])]
    pub(crate) config: Option<PathBuf>,
    /// The server's label in the eval config; not needed when it has one server
    #[arg(long, value_name = "LABEL", requires = "config")]
    pub(crate) server: Option<String>,
    #[command(flatten)]
    pub(crate) given: GivenServer,
}

impl TargetArgs {
    /// Finds the server that the flags mean.
    pub(crate) fn resolve(&self, clock: &Arc<dyn Clock>) -> Result<Target, CliError> {
        let Some(path) = &self.config else {
            if self.server.is_some() {
                return Err(usage("--server names a server of an eval config; give --config FILE"));
            }
            return self.given.resolve()?.ok_or_else(|| {
                usage("which server? give --config FILE, --url URL, or the command that starts it after `--`")
            });
        };
        let loaded = load_eval(path, Path::new("."), clock)?;
        let mut target = from_eval(&loaded, self.server.as_deref())?;
        self.given.apply(&mut target.config)?;
        Ok(target)
    }
}

/// Reads an eval.
pub(crate) fn load_eval(path: &Path, root: &Path, clock: &Arc<dyn Clock>) -> Result<Loaded, CliError> {
    let request = LoadRequest {
        config_path: path.to_owned(),
        root_dir: root.to_owned(),
        output_dir: None,
        selection: SelectionFlags::default(),
        // Nothing is run here: a listing writes nothing.
        allow_live_writes: true,
        catalog: builtins::catalog(Arc::clone(clock)),
    };
    load(&request).map_err(error::diagnostics)
}

/// Returns every server that the variants of an eval use, each label once.
pub(crate) fn servers_of(loaded: &Loaded) -> IndexMap<ServerLabel, ServerConfig> {
    let mut servers = IndexMap::new();
    for (label, config) in loaded.plan.variants.iter().flat_map(|variant| &variant.servers) {
        servers.entry(label.clone()).or_insert_with(|| config.clone());
    }
    servers
}

fn from_eval(loaded: &Loaded, label: Option<&str>) -> Result<Target, CliError> {
    let servers = servers_of(loaded);
    let known = || servers.keys().map(ServerLabel::as_str).collect::<Vec<_>>();
    let found = match label {
        Some(label) => servers.get_key_value(label).ok_or_else(|| {
            let error = usage(format!("the eval has no server {label:?}"));
            match mst_cli::nearest(label, known()) {
                Some(near) => error.with_hint(format!("did you mean {near:?}?")),
                None => error.with_hint(format!("its servers: {}", known().join(", "))),
            }
        })?,
        None if servers.len() == 1 => servers.first().expect("there is one"),
        None if servers.is_empty() => return Err(usage("the eval has no server")),
        None => {
            return Err(usage(format!("the eval has several servers: {}", known().join(", ")))
                .with_hint("choose one with --server LABEL"));
        }
    };
    Ok(Target { label: found.0.clone(), config: found.1.clone() })
}
