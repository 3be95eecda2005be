//! What the flags mean: one server, or one file.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use mst_cli::{CliError, Env, GivenServer, shown_url, usage};
use mst_config::discover::{self, Platform, Surroundings};
use mst_model::{FailedTarget, ScanTransport, Scrubber, ServerConfig, ServerLabel, Tape};
use tokio_util::sync::CancellationToken;

use super::secret_words::secret_words;
use super::{IngestFault, file, from_list, live};
use crate::args::TargetArgs;
use crate::surface::Surface;

/// A surface's source, ready to be read.
#[derive(Debug)]
pub(crate) enum Target {
    /// A file that was read.
    File(Box<file::SurfaceFile>),
    /// A server.
    Server(Box<ServerTarget>),
}

/// A server to list.
pub(crate) struct ServerTarget {
    /// The name in the report.
    pub(crate) name: String,
    pub(crate) label: ServerLabel,
    /// How it is reached; may hold secrets.
    pub(crate) config: ServerConfig,
    /// What to know of it without secrets.
    pub(crate) shown: FailedTarget,
    /// What is secret of it.
    pub(crate) secrets: Scrubber,
    /// Variables that its list asks for and that are not set.
    pub(crate) unset: Vec<String>,
    /// The environment with the secrets file over it.
    pub(crate) variables: BTreeMap<String, String>,
    /// The longest time to connect and to list.
    pub(crate) timeout: Duration,
}

/// Leaves out what may hold secrets.
impl std::fmt::Debug for ServerTarget {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ServerTarget").field("name", &self.name).field("shown", &self.shown).finish_non_exhaustive()
    }
}

impl Target {
    /// Finds out what the flags mean. Starts nothing.
    ///
    /// # Errors
    /// Mistakes in flags, and files that cannot be read.
    pub(crate) fn resolve(args: &TargetArgs, name: Option<&str>, env: &Env) -> Result<Self, CliError> {
        check_one(args)?;
        if name.is_some_and(|name| name.trim().is_empty()) {
            return Err(usage("--name is empty"));
        }
        if let Some(path) = &args.surface {
            return file::SurfaceFile::read(path, name).map(|file| Self::File(Box::new(file)));
        }
        let variables = args.given.environment(env)?;
        let around = surroundings(&args.given, &variables)?;
        let found = match &args.from {
            Some(path) => from_list::server(path, args, &around)?,
            None => given(args)?,
        };
        Ok(Self::Server(Box::new(found.ready(name, variables, args.timeout))))
    }

    /// Returns what the folder of the report is named after: never what a server says, so that no server chooses whose
    /// report is replaced.
    pub(crate) fn folder_name(&self) -> &str {
        match self {
            Self::File(file) => &file.folder_name,
            Self::Server(server) => &server.name,
        }
    }

    /// Returns what is known of the target before it is read.
    pub(crate) fn known(&self) -> FailedTarget {
        match self {
            Self::File(file) => file.known(),
            Self::Server(server) => server.shown.clone(),
        }
    }

    /// Returns what is secret of the target, and of these variables by their names.
    pub(crate) fn secrets(&self, variables: &BTreeMap<String, String>) -> Scrubber {
        match self {
            Self::File(_) => Scrubber::new([], variables.iter().map(|(name, value)| (name.as_str(), value.as_str()))),
            // Its own know the variables.
            Self::Server(server) => server.secrets.clone(),
        }
    }

    /// Reads the surface, from a tape when one is served.
    ///
    /// # Errors
    /// The server did not start, did not answer or lists nothing.
    pub(crate) async fn read(&self, tape: Option<Tape>, cancel: &CancellationToken) -> Result<Surface, IngestFault> {
        match self {
            Self::File(file) => file.surface(),
            Self::Server(server) => live::surface(server, tape, cancel).await,
        }
    }
}

/// A server with what its list says beside.
pub(super) struct Found {
    pub(super) label: String,
    pub(super) name: String,
    pub(super) config: ServerConfig,
    pub(super) hidden: Vec<String>,
    pub(super) unset: Vec<String>,
}

impl Found {
    fn ready(self, name: Option<&str>, variables: BTreeMap<String, String>, timeout: u64) -> ServerTarget {
        let Self { label, name: own, mut config, mut hidden, unset } = self;
        let words = match &config {
            ServerConfig::Stdio(server) => secret_words(&server.args),
            ServerConfig::Http(_) => Vec::new(),
        };
        hidden.extend(secret_values(&config));
        // A short one would make holes in every text, so it is taken out of the command alone.
        hidden.extend(words.iter().filter(|word| word.len() >= SHORTEST_ELSEWHERE).cloned());
        let secrets = mst_engine::scrubber_of_servers([&config], &variables).with(hidden.iter().map(String::as_str));
        let in_command = secrets.with(words.iter().map(String::as_str));
        let name = name.map_or(own, str::to_owned);
        let mut shown = FailedTarget {
            name: name.clone(),
            version: None,
            transport: ScanTransport::Stdio,
            command: None,
            url: None,
            protocol_version: None,
            surface_hash: None,
            tool_count: None,
        };
        let millis = Some(timeout.saturating_mul(1_000));
        match &mut config {
            ServerConfig::Stdio(server) => {
                let words = std::iter::once(&server.command).chain(&server.args);
                shown.command = Some(words.map(|word| in_command.text(word)).collect());
                server.connect_timeout_ms = millis;
            }
            ServerConfig::Http(server) => {
                shown.transport = ScanTransport::Http;
                shown.url = Some(secrets.text(&shown_url(&server.server_url)));
                server.connect_timeout_ms = millis;
            }
        }
        ServerTarget {
            name,
            label: ServerLabel::new(label),
            config,
            shown,
            secrets,
            unset,
            variables,
            timeout: Duration::from_secs(timeout),
        }
    }
}

/// Returns the values of variables and headers that are secrets by their name or look, and the passwords of URLs in them.
fn secret_values(config: &ServerConfig) -> Vec<String> {
    let given: Vec<(&String, &String)> = match config {
        ServerConfig::Stdio(server) => server.env.iter().collect(),
        ServerConfig::Http(server) => server.headers.iter().collect(),
    };
    let secret = given.into_iter().filter(|(name, value)| discover::looks_secret(name, value));
    secret
        .flat_map(|(_, value)| [Some(value.clone()), discover::password_of_url(value)])
        .flatten()
        .filter(|value| value.len() >= SHORTEST_ELSEWHERE)
        .collect()
}

/// The shortest argument that is taken for a secret wherever it stands.
const SHORTEST_ELSEWHERE: usize = 8;

/// Checks that one source is given.
fn check_one(args: &TargetArgs) -> Result<(), CliError> {
    let sources = [
        ("--surface", args.surface.is_some()),
        ("--target", args.target.is_some()),
        ("--from", args.from.is_some()),
        ("--url", args.given.url.is_some()),
        ("a command after `--`", !args.given.command.is_empty()),
    ];
    if !args.header.is_empty() && args.given.url.is_none() {
        return Err(usage("--header is for a server with --url"));
    }
    let given: Vec<&str> = sources.iter().filter(|(_, given)| *given).map(|(name, _)| *name).collect();
    match given.as_slice() {
        [] => Err(usage("whose tools? give the server's command after `--`, or --target, --url, --from or --surface")),
        ["--surface"] => {
            let others = [
                ("--env", !args.given.env.is_empty()),
                ("--cwd", args.given.cwd.is_some()),
                ("--secrets-file", args.given.secrets_file.is_some()),
            ];
            match others.iter().find(|(_, given)| *given) {
                Some((flag, _)) => Err(usage(format!("{flag} is for a server, and --surface starts none"))),
                None => Ok(()),
            }
        }
        [_] => Ok(()),
        [first, .., last] => Err(usage(format!("{first} and {last} both say whose tools are meant; give one"))),
    }
}

/// Returns the server that a command or a URL gives.
fn given(args: &TargetArgs) -> Result<Found, CliError> {
    let mut given = args.given.clone();
    if let Some(target) = &args.target {
        given.command = shlex::split(target)
            .filter(|words| !words.is_empty())
            .ok_or_else(|| usage("--target: an empty command, or a quote that is not closed"))?;
    }
    let mut target = given.resolve()?.ok_or_else(|| usage("give a command after `--`, or --url"))?;
    if let ServerConfig::Http(server) = &mut target.config {
        for header in &args.header {
            let (name, value) = header.split_once(':').ok_or_else(|| usage("--header takes NAME: VALUE"))?;
            if name.trim().is_empty() {
                return Err(usage("--header takes NAME: VALUE"));
            }
            server.headers.insert(name.trim().to_owned(), value.trim().to_owned());
        }
    }
    let label = target.label.to_string();
    Ok(Found { name: label.clone(), label, config: target.config, hidden: Vec::new(), unset: Vec::new() })
}

fn surroundings(given: &GivenServer, variables: &BTreeMap<String, String>) -> Result<Surroundings, CliError> {
    let mut variables = variables.clone();
    variables.extend(given.variables()?);
    let folder = std::path::absolute(".")
        .map_err(|error| CliError::new(mst_cli::ExitClass::Machine, format!("the working directory: {error}")))?;
    Ok(Surroundings { home: discover::home(&variables), variables, folder, platform: Platform::current() })
}

/// Names of files that say nothing about a server.
const GENERIC: [&str; 3] = ["surface", "tools", "list"];

/// Returns what a file is named after: its name without an extension, or its folder's where that says nothing.
pub(super) fn stem(path: &std::path::Path) -> String {
    let said = |name: Option<&std::ffi::OsStr>| {
        name.map(|name| name.to_string_lossy().into_owned()).filter(|name| !name.trim().is_empty())
    };
    let own = said(path.file_stem());
    if own.as_ref().is_some_and(|own| !GENERIC.contains(&own.as_str())) {
        return own.unwrap_or_default();
    }
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    said(whole.parent().and_then(std::path::Path::file_name)).or(own).unwrap_or_else(|| "surface".to_owned())
}

/// Returns the folder of this program at the end of a PATH, so that `mst demo-server` is found beside it.
pub(super) fn with_own_folder(variables: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let mut variables = variables.clone();
    let folder: Option<PathBuf> = std::env::current_exe().ok().and_then(|path| path.parent().map(PathBuf::from));
    if let Some(folder) = folder {
        let path = variables.entry("PATH".to_owned()).or_default();
        if !path.is_empty() {
            path.push(if cfg!(windows) { ';' } else { ':' });
        }
        path.push_str(&folder.display().to_string());
    }
    variables
}
