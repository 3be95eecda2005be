//! Opens a connection, agrees on a revision and lists the tools, within the server's times.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use mst_model::{HttpServer, ProtocolSetting, ServerConfig, StdioServer, Tape, TapeScope};
use mst_process::{Program, Stream};
use tokio::sync::OnceCell;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::environment::environment;
use crate::error::{Fault, McpError, Phase};
use crate::failure::CallFailure;
use crate::handshake::{Agreed, Greeted, Greeting, pinned_stateless};
use crate::host::Host;
use crate::link::{Endpoint, HttpLink, Link, Place, StdioLink, TapedLink, Wait, http_client};
use crate::listing;
use crate::options::{ConnectOptions, Limits, NamedServerRef, access_token};
use crate::session::{Session, SessionParts};

/// How long the probe of `protocol: "auto"` may take when the entry does not say.
const AUTO_PROBE: Duration = Duration::from_secs(5);

/// What is remembered of a server from one connection to the next.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    client: OnceCell<reqwest::Client>,
    stateless: OnceLock<bool>,
}

/// Connects to a server and lists its tools.
///
/// A stdio server is started for this session alone. The handshake and the listing have 30 s together; with a
/// `connectTimeoutMs` the handshake has that, and the whole has 30 s more when it is longer than 30 s. When it fails or
/// is cancelled, the connection and the process are ended at once.
pub async fn connect(
    server: NamedServerRef<'_>,
    options: &ConnectOptions,
    cancel: &CancellationToken,
) -> Result<Session, McpError> {
    Attempt::new(server, options, &Memory::default(), cancel).connect().await
}

fn taped(link: TapedLink) -> Link {
    Link::Taped(Box::new(link))
}

/// One attempt at a connection.
pub(crate) struct Attempt<'a> {
    server: NamedServerRef<'a>,
    options: &'a ConnectOptions,
    memory: &'a Memory,
    cancel: &'a CancellationToken,
    limits: Limits,
    begun: Instant,
    host: Arc<Host>,
    scope: TapeScope,
}

impl<'a> Attempt<'a> {
    pub(crate) fn new(
        server: NamedServerRef<'a>,
        options: &'a ConnectOptions,
        memory: &'a Memory,
        cancel: &'a CancellationToken,
    ) -> Self {
        let (limits, host) = (Limits::of(server.config), Arc::new(Host::new(server.label, server.config)));
        Self {
            server,
            options,
            memory,
            cancel,
            limits,
            begun: Instant::now(),
            host,
            scope: TapeScope::checks(server.label),
        }
    }

    /// Makes what is exchanged belong to another scope of the tape than the server's checks.
    pub(crate) fn for_scope(self, scope: &TapeScope) -> Self {
        Self { scope: scope.clone(), ..self }
    }

    /// Connects for calls.
    pub(crate) async fn connect(self) -> Result<Session, McpError> {
        let session = self.connect_to_list().await?;
        session.listen().await;
        Ok(session)
    }

    /// Connects and lists, without listening for what the server sends by itself.
    pub(crate) async fn connect_to_list(self) -> Result<Session, McpError> {
        let (link, agreed) = self.greet().await?;
        let wait = || self.wait(self.limits.whole);
        let changes = self.host.notes.list_changes();
        let mut surface = match listing::list(&link, &self.host, agreed.meta.as_ref(), wait).await {
            Ok(surface) => surface,
            Err(fault) => {
                link.close(true).await;
                return Err(self.failed(Phase::List, fault));
            }
        };
        surface.instructions.clone_from(&agreed.instructions);
        let greeting = self.greeting();
        let parts = SessionParts { link, agreed, greeting, limits: self.limits, host: self.host };
        Ok(Session::new(parts, surface, changes))
    }

    /// Opens a connection and agrees on a revision.
    async fn greet(&self) -> Result<(Link, Agreed), McpError> {
        let pinned = match self.server.config.protocol() {
            ProtocolSetting::Revision(revision) => Some(revision.as_str()),
            ProtocolSetting::Auto | ProtocolSetting::Legacy => None,
        };
        let stateless = match pinned {
            Some(revision) => pinned_stateless(revision).ok_or_else(|| {
                let detail = format!("the protocol revision {revision} is not known");
                self.failed(Phase::Spawn, Fault::Setting { detail })
            })?,
            None => self.speaks_stateless().await?,
        };
        if !stateless && let Some(greeted) = self.initialize(pinned).await? {
            return Ok(greeted);
        }
        let link = self.open().await?;
        match self.greeting().discover(&link, self.wait(self.limits.connect)).await {
            Ok(agreed) => Ok((link, agreed)),
            Err(fault) => {
                link.close(true).await;
                Err(self.failed(Phase::Discover, fault))
            }
        }
    }

    /// Greets with `initialize`; `None` when the server speaks only revisions without it.
    async fn initialize(&self, pinned: Option<&str>) -> Result<Option<(Link, Agreed)>, McpError> {
        let link = self.open().await?;
        let wait = self.wait(self.limits.connect);
        let fault = match self.greeting().initialize(&link, pinned, wait).await {
            Ok(Greeted::Agreed(agreed)) => {
                link.agree(&agreed.revision, false);
                match link.initialized(wait).await {
                    Ok(()) => return Ok(Some((link, agreed))),
                    Err(failure) => Fault::Request(failure),
                }
            }
            Ok(Greeted::NewerOnly) => {
                // The first answer stands; another connection may have remembered it already.
                self.memory.stateless.set(true).ok();
                link.close(true).await;
                return Ok(None);
            }
            Err(fault) => fault,
        };
        let refused = matches!(fault, Fault::Request(CallFailure::Http { status: 400 | 404 | 405, .. }));
        let old = refused && link.is_old_transport().await;
        link.close(true).await;
        Err(self.failed(Phase::Initialize, if old { Fault::OldTransport } else { fault }))
    }

    /// Finds out which kind of revision to begin with: by what is remembered, else by a probe where the entry says `auto`.
    async fn speaks_stateless(&self) -> Result<bool, McpError> {
        if let Some(stateless) = self.memory.stateless.get() {
            return Ok(*stateless);
        }
        if *self.server.config.protocol() != ProtocolSetting::Auto {
            return Ok(false);
        }
        let probe = self.server.config.protocol_probe();
        let limit = probe.and_then(|probe| probe.timeout_ms).map_or(AUTO_PROBE, Duration::from_millis);
        let link = self.open().await?;
        let found =
            self.greeting().discover(&link, Wait::from_now(limit.min(self.limits.connect / 2), self.cancel)).await;
        link.close(true).await;
        if found == Err(Fault::Request(CallFailure::Cancelled)) {
            return Err(self.failed(Phase::Discover, Fault::Request(CallFailure::Cancelled)));
        }
        Ok(*self.memory.stateless.get_or_init(|| found.is_ok()))
    }

    async fn open(&self) -> Result<Link, McpError> {
        let opened = match &self.options.tape {
            None => self.open_live().await,
            Some(Tape::Record(recorder)) => {
                // A server may speak before the connection to it is handed over.
                self.host.notes.keep_heard();
                TapedLink::record(self.open_live().await, recorder, self.place()).map(taped)
            }
            Some(Tape::Replay(player)) => TapedLink::replay(player, self.place()).map(taped),
        };
        opened.map_err(|fault| self.failed(Phase::Spawn, fault))
    }

    async fn open_live(&self) -> Result<Link, Fault> {
        match self.server.config {
            ServerConfig::Stdio(server) => self.open_stdio(server).await,
            ServerConfig::Http(server) => self.open_http(server).await,
        }
    }

    fn place(&self) -> Place<'_> {
        let is_http = matches!(self.server.config, ServerConfig::Http(_));
        Place { label: self.server.label, scope: &self.scope, is_http, notes: Arc::clone(&self.host.notes) }
    }

    async fn open_stdio(&self, server: &StdioServer) -> Result<Link, Fault> {
        let folder = self.options.default_cwd.as_ref();
        let cwd = match (&server.cwd, folder) {
            (Some(cwd), Some(folder)) => Some(folder.join(cwd)),
            (Some(cwd), None) => Some(PathBuf::from(cwd)),
            (None, folder) => folder.cloned(),
        };
        let program = Program {
            command: server.command.clone(),
            args: server.args.clone(),
            cwd,
            env: environment(server, &self.options.base_env),
            stderr: if server.quiet { Stream::Null } else { Stream::Piped },
            ..Program::default()
        };
        let started = StdioLink::start(&self.options.launcher, &program, Arc::clone(&self.host)).await;
        started.map(Link::Stdio).map_err(|error| Fault::Spawn {
            detail: match &program.cwd {
                Some(cwd) if !cwd.is_dir() => format!("{} is no folder", cwd.display()),
                _ => format!("{}: {error}", server.command),
            },
        })
    }

    async fn open_http(&self, server: &HttpServer) -> Result<Link, Fault> {
        let own = match &server.auth {
            Some(auth) if self.options.bearer.is_none() => {
                access_token(auth, &self.options.base_env).map_err(|variable| Fault::MissingToken { variable })?
            }
            _ => None,
        };
        let bearer = self.options.bearer.as_deref().or(own.as_deref());
        let setting = |error: crate::link::HttpSetting| Fault::Setting { detail: error.to_string() };
        let endpoint = Endpoint::new(server, bearer).map_err(setting)?;
        let client =
            self.memory.client.get_or_try_init(|| http_client(server, self.options)).await.map_err(setting)?.clone();
        let retries = server.retry_attempts.unwrap_or(0);
        Ok(Link::Http(Box::new(HttpLink::new(client, endpoint, retries, Arc::clone(&self.host)))))
    }

    fn greeting(&self) -> Greeting {
        Greeting { client_version: self.options.client_version.clone(), host: Arc::clone(&self.host) }
    }

    /// Waits until so long after the beginning.
    fn wait(&self, after: Duration) -> Wait<'_> {
        Wait { deadline: self.begun + after, after, cancel: self.cancel }
    }

    fn failed(&self, phase: Phase, mut fault: Fault) -> McpError {
        if let Fault::Request(CallFailure::Timeout { unreadable: unreadable @ None, .. }) = &mut fault {
            // A program that is no MCP server at all usually says something.
            *unreadable = self.host.notes.stray_lines().1;
        }
        McpError { server: self.server.label.clone(), phase, fault }
    }
}
