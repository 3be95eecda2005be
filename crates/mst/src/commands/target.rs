//! The one server that a command is about: from an eval config, a URL, or a command line.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::Args;
use indexmap::IndexMap;
use mst_cli::{CliError, Env, ExitClass};
use mst_config::{LoadRequest, Loaded, SelectionFlags, load, load_secrets};
use mst_model::{AccessAuth, Clock, HttpServer, ServerConfig, ServerLabel, StdioServer};
use std::sync::Arc;
use url::Url;

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

/// A server given on the command line itself.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct GivenServer {
    /// The endpoint of a Streamable HTTP server
    #[arg(long, value_name = "URL", conflicts_with = "command")]
    pub(crate) url: Option<String>,
    /// The variable that holds the bearer token for --url
    #[arg(long, value_name = "NAME", requires = "url")]
    pub(crate) token_env: Option<String>,
    /// A variable of the server's environment, beside PATH, HOME and the like; may be repeated
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) env: Vec<String>,
    /// The server's working directory
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
    /// A JSON object or NAME=VALUE lines, over the environment; a server given by its command gets them all
    #[arg(long, value_name = "FILE")]
    pub(crate) secrets_file: Option<PathBuf>,
    /// The command that starts a stdio server, after `--`
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
}

/// A server to connect to.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    pub(crate) label: ServerLabel,
    pub(crate) config: ServerConfig,
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

impl GivenServer {
    /// Returns the server that a URL or a command gives; `None` without either.
    pub(crate) fn resolve(&self) -> Result<Option<Target>, CliError> {
        let mut target = if let Some(url) = &self.url {
            let address = http_url(url)?;
            let auth =
                self.token_env.clone().map(|name| AccessAuth { access_token_env: Some(name), ..AccessAuth::default() });
            let config = ServerConfig::Http(HttpServer { server_url: url.clone(), auth, ..HttpServer::default() });
            Target { label: mst_config::discover::label_of_host(&address).into(), config }
        } else if let Some((command, args)) = self.command.split_first() {
            if self.token_env.is_some() {
                return Err(usage("--token-env is for a server with a URL; a command gets --env"));
            }
            let label = mst_config::discover::label_of_command(command, args);
            let config = StdioServer { command: command.clone(), args: args.to_vec(), ..StdioServer::default() };
            Target { label: label.into(), config: ServerConfig::Stdio(config) }
        } else {
            return Ok(None);
        };
        if let ServerConfig::Stdio(server) = &mut target.config {
            // There is no entry that could name them or say "inheritEnv", so it gets what the file was written for.
            server.env = self.secrets()?;
        }
        self.apply(&mut target.config)?;
        Ok(Some(target))
    }

    /// Returns the variables of `--env`.
    pub(crate) fn variables(&self) -> Result<IndexMap<String, String>, CliError> {
        self.env
            .iter()
            .map(|pair| match pair.split_once('=') {
                Some((name, value)) if !name.is_empty() && !pair.contains('\0') => {
                    Ok((name.to_owned(), value.to_owned()))
                }
                _ => Err(usage("--env takes NAME=VALUE")),
            })
            .collect()
    }

    /// Returns the variables of `--secrets-file`.
    pub(crate) fn secrets(&self) -> Result<IndexMap<String, String>, CliError> {
        self.secrets_file
            .as_deref()
            .map_or_else(|| Ok(IndexMap::new()), |path| load_secrets(path).map_err(error::diagnostics))
    }

    /// Puts `--env` and `--cwd` into an entry.
    fn apply(&self, config: &mut ServerConfig) -> Result<(), CliError> {
        match config {
            ServerConfig::Stdio(server) => {
                server.env.extend(self.variables()?);
                if let Some(cwd) = &self.cwd {
                    if !cwd.is_dir() {
                        return Err(usage(format!("--cwd: {} is not a directory", cwd.display())));
                    }
                    server.cwd = Some(cwd.display().to_string());
                }
                Ok(())
            }
            ServerConfig::Http(_) if self.cwd.is_some() || !self.env.is_empty() => {
                Err(usage("--env and --cwd are for a server that is started, and this one has a URL"))
            }
            ServerConfig::Http(_) => Ok(()),
        }
    }

    /// Returns the environment with the secrets file over it.
    pub(crate) fn environment(&self, env: &Env) -> Result<BTreeMap<String, String>, CliError> {
        let mut variables = env.variables().clone();
        variables.extend(self.secrets()?);
        Ok(variables)
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

/// Reads an http or https URL.
pub(crate) fn http_url(text: &str) -> Result<Url, CliError> {
    match Url::parse(text) {
        Ok(url) if matches!(url.scheme(), "http" | "https") => Ok(url),
        Ok(url) => Err(usage(format!("--url takes an http or https URL, not {}", url.scheme()))),
        Err(error) => Err(usage(format!("--url: {error}"))),
    }
}

/// Makes an error of usage.
pub(crate) fn usage(message: impl Into<String>) -> CliError {
    CliError::new(ExitClass::Usage, message)
}
