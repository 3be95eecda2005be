//! Sessions for a whole run: one for each trial, or one that a batch shares.

use std::collections::HashMap;
use std::ops::Deref;
use std::sync::{Arc, Mutex as StdMutex, PoisonError};

use futures::future::join_all;
use mst_model::{ServerConfig, ServerLabel, SessionScope, TapeScope};
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;

use crate::connect::{Attempt, Memory};
use crate::error::McpError;
use crate::options::{ConnectOptions, NamedServerRef};
use crate::probe::{Probed, probe_with};
use crate::session::Session;

/// Hands out sessions, and remembers of each server what makes the next connection cheaper.
#[derive(Debug)]
pub struct ServerPool {
    options: ConnectOptions,
    servers: StdMutex<Vec<Arc<Known>>>,
}

/// A server that was connected to. The entry belongs to its identity: variants may declare one label differently.
#[derive(Debug)]
struct Known {
    label: ServerLabel,
    config: ServerConfig,
    memory: Memory,
    /// The shared sessions by batch.
    shared: Mutex<HashMap<String, Arc<Session>>>,
}

/// What a session is taken for.
#[derive(Clone, Copy, Debug)]
pub struct SessionRequest<'a> {
    /// The server's label.
    pub label: &'a ServerLabel,
    /// The server's entry.
    pub config: &'a ServerConfig,
    /// Whom a session is shared with: a batch's name, unique in the run.
    pub batch: &'a str,
    /// What the exchanges of whoever takes the session belong to on a tape. Those of a shared session's own handshake belong
    /// to the batch.
    pub scope: &'a TapeScope,
}

/// A session that was taken from a pool.
///
/// Give it back with [`Lease::release`]. Dropping it ends a session of its own at once, and leaves a shared one alone.
#[derive(Debug)]
pub struct Lease {
    session: Arc<Session>,
    own: bool,
}

impl ServerPool {
    /// Makes a pool without sessions.
    pub fn new(options: ConnectOptions) -> Self {
        Self { options, servers: StdMutex::default() }
    }

    /// Returns what sessions are connected with.
    pub fn options(&self) -> &ConnectOptions {
        &self.options
    }

    /// Takes a session with a server: one of its own, or with `session: "shared"` the one of the batch.
    ///
    /// A shared session that has ended is replaced by a new one.
    pub async fn take(&self, wanted: SessionRequest<'_>, cancel: &CancellationToken) -> Result<Lease, McpError> {
        let SessionRequest { label, config, batch, scope } = wanted;
        let server = NamedServerRef { label, config };
        let known = self.known(server);
        match server.config.session() {
            SessionScope::Trial => {
                let session = self.attempt(server, &known.memory, cancel).for_scope(scope).connect().await?;
                Ok(Lease { session: Arc::new(session), own: true })
            }
            SessionScope::Shared => {
                // Held while connecting, so that a batch that starts at once connects once.
                let mut shared = known.shared.lock().await;
                if let Some(session) = shared.get(batch) {
                    if !session.is_gone() {
                        return Ok(Lease::shared(session, scope));
                    }
                    session.close_at_once().await;
                    shared.remove(batch);
                }
                let attempt = self.attempt(server, &known.memory, cancel).for_scope(&TapeScope::batch(batch));
                let session = Arc::new(attempt.connect().await?);
                shared.insert(batch.to_owned(), Arc::clone(&session));
                Ok(Lease::shared(&session, scope))
            }
        }
    }

    /// Connects ahead of need: the batch's session of a server that is shared. Other servers wait for their trial.
    pub async fn prepare(
        &self,
        label: &ServerLabel,
        config: &ServerConfig,
        batch: &str,
        cancel: &CancellationToken,
    ) -> Result<(), McpError> {
        match config.session() {
            SessionScope::Trial => Ok(()),
            SessionScope::Shared => {
                let scope = &TapeScope::batch(batch);
                self.take(SessionRequest { label, config, batch, scope }, cancel).await.map(drop)
            }
        }
    }

    /// Checks once whether a server is ready: see [`crate::probe`].
    pub async fn probe(
        &self,
        label: &ServerLabel,
        config: &ServerConfig,
        cancel: &CancellationToken,
    ) -> Result<Probed, McpError> {
        let server = NamedServerRef { label, config };
        let known = self.known(server);
        probe_with(server, &self.options, &known.memory, cancel).await
    }

    /// Ends the shared sessions of one batch.
    pub async fn close_batch(&self, batch: &str) {
        let closing = self.every().into_iter().map(|known| async move {
            let session = known.shared.lock().await.remove(batch);
            if let Some(session) = session {
                session.close().await;
            }
        });
        join_all(closing).await;
    }

    /// Ends every shared session, and the guardian of the servers' processes. Sessions that trials own end with their leases.
    pub async fn close_all(&self) {
        let closing = self.every().into_iter().map(|known| async move {
            let sessions: Vec<_> = known.shared.lock().await.drain().map(|(_, session)| session).collect();
            join_all(sessions.iter().map(|session| session.close())).await;
        });
        join_all(closing).await;
        self.options.launcher.close().await;
    }

    fn attempt<'a>(
        &'a self,
        server: NamedServerRef<'a>,
        memory: &'a Memory,
        cancel: &'a CancellationToken,
    ) -> Attempt<'a> {
        Attempt::new(server, &self.options, memory, cancel)
    }

    fn every(&self) -> Vec<Arc<Known>> {
        self.servers.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn known(&self, server: NamedServerRef<'_>) -> Arc<Known> {
        let mut servers = self.servers.lock().unwrap_or_else(PoisonError::into_inner);
        let same = |known: &&Arc<Known>| known.label == *server.label && known.config == *server.config;
        if let Some(known) = servers.iter().find(same) {
            return Arc::clone(known);
        }
        let known = Arc::new(Known {
            label: server.label.clone(),
            config: server.config.clone(),
            memory: Memory::default(),
            shared: Mutex::default(),
        });
        servers.push(Arc::clone(&known));
        known
    }
}

impl Lease {
    fn shared(session: &Arc<Session>, scope: &TapeScope) -> Self {
        let session = session.seen_by(scope).map_or_else(|| Arc::clone(session), Arc::new);
        Self { session, own: false }
    }

    /// Gives the session back: one of its own is closed politely, a shared one stays.
    pub async fn release(self) {
        if self.own {
            self.session.close().await;
        }
    }

    /// Returns whether others may use the session at the same time.
    pub fn is_shared(&self) -> bool {
        !self.own
    }
}

impl Deref for Lease {
    type Target = Session;

    fn deref(&self) -> &Session {
        &self.session
    }
}
