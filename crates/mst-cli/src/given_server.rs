//! The server that a command line gives: a URL, or a command that starts it.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::Args;
use indexmap::IndexMap;
use mst_config::{discover, load_secrets};
use mst_model::{AccessAuth, HttpServer, ServerConfig, ServerLabel, StdioServer};
use url::Url;

use crate::env::Env;
use crate::error::CliError;
use crate::exit::ExitClass;

/// A server given on the command line itself.
#[derive(Args, Clone, Debug, Default)]
pub struct GivenServer {
    /// The endpoint of a Streamable HTTP server
    #[arg(long, value_name = "URL", conflicts_with = "command")]
    pub url: Option<String>,
    /// The variable that holds the bearer token for --url
    #[arg(long, value_name = "NAME", requires = "url")]
    pub token_env: Option<String>,
    /// A variable of the server's environment, beside PATH, HOME and the like; may be repeated
    #[arg(long, value_name = "NAME=VALUE")]
    pub env: Vec<String>,
    /// The server's working directory
    #[arg(long, value_name = "DIR")]
    pub cwd: Option<PathBuf>,
    /// A JSON object or NAME=VALUE lines, over the environment; a server given by its command gets them all
    #[arg(long, value_name = "FILE")]
    pub secrets_file: Option<PathBuf>,
    /// The command that starts a stdio server, after `--`
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<String>,
}

/// A server to connect to.
#[derive(Clone, Debug)]
pub struct Target {
    /// What it is called.
    pub label: ServerLabel,
    /// How it is reached; may hold secrets.
    pub config: ServerConfig,
}

impl GivenServer {
    /// Returns the server that a URL or a command gives; `None` without either.
    pub fn resolve(&self) -> Result<Option<Target>, CliError> {
        let mut target = if let Some(url) = &self.url {
            let address = http_url(url)?;
            let auth =
                self.token_env.clone().map(|name| AccessAuth { access_token_env: Some(name), ..AccessAuth::default() });
            let config = ServerConfig::Http(HttpServer { server_url: url.clone(), auth, ..HttpServer::default() });
            Target { label: discover::label_of_host(&address).into(), config }
        } else if let Some((command, args)) = self.command.split_first() {
            if self.token_env.is_some() {
                return Err(usage("--token-env is for a server with a URL; a command gets --env"));
            }
            let label = discover::label_of_command(command, args);
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
    pub fn variables(&self) -> Result<IndexMap<String, String>, CliError> {
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
    pub fn secrets(&self) -> Result<IndexMap<String, String>, CliError> {
        self.secrets_file
            .as_deref()
            .map_or_else(|| Ok(IndexMap::new()), |path| load_secrets(path).map_err(CliError::diagnostics))
    }

    /// Puts `--env` and `--cwd` into an entry.
    pub fn apply(&self, config: &mut ServerConfig) -> Result<(), CliError> {
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
    pub fn environment(&self, env: &Env) -> Result<BTreeMap<String, String>, CliError> {
        let mut variables = env.variables().clone();
        variables.extend(self.secrets()?);
        Ok(variables)
    }
}

/// Reads an http or https URL.
pub fn http_url(text: &str) -> Result<Url, CliError> {
    match Url::parse(text) {
        Ok(url) if matches!(url.scheme(), "http" | "https") => Ok(url),
        Ok(url) => Err(usage(format!("--url takes an http or https URL, not {}", url.scheme()))),
        Err(error) => Err(usage(format!("--url: {error}"))),
    }
}

/// Makes an error of usage.
pub fn usage(message: impl Into<String>) -> CliError {
    CliError::new(ExitClass::Usage, message)
}

/// Returns a URL without what may hold a secret: its user, query and fragment.
pub fn shown_url(text: &str) -> String {
    let Ok(mut url) = Url::parse(text) else { return "(no URL)".to_owned() };
    // A URL that cannot have a user has none to take away.
    url.set_username("").ok();
    url.set_password(None).ok();
    url.set_query(None);
    url.set_fragment(None);
    url.to_string()
}
