//! Sessions for a whole run: one for each trial, or one that a batch shares.

use std::collections::HashMap;
use std::ops::Deref;
use std::sync::{Arc, Mutex as StdMutex, PoisonError};

use futures::future::join_all;
use indexmap::IndexMap;
use mst_model::{ServerConfig, ServerLabel, SessionScope, TapeScope};
use tokio::sync::{Mutex, OwnedSemaphorePermit};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::connect::{Attempt, Memory};
use crate::error::{Fault, McpError, Phase};
use crate::failure::CallFailure;
use crate::options::{ConnectOptions, NamedServerRef};
use crate::probe::{Probed, probe_with};
use crate::session::Session;
use crate::shelf::{Found, Held, Planned, Shelf};

/// Hands out sessions, makes them ahead of need, and remembers of each server what makes the next connection cheaper.
#[derive(Debug)]
pub struct ServerPool {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    options: ConnectOptions,
    servers: StdMutex<Vec<Arc<Known>>>,
    /// Sessions that are made ahead of need or being ended.
    tasks: TaskTracker,
    /// Ends what is made ahead of need.
    over: StdMutex<CancellationToken>,
}

/// A server that was connected to. The entry belongs to its identity: variants may declare one label differently.
#[derive(Debug)]
struct Known {
    label: ServerLabel,
    config: ServerConfig,
    memory: Memory,
    /// The shared sessions by batch.
    shared: Mutex<HashMap<String, Arc<Session>>>,
    /// The sessions that trials have to themselves.
    shelf: Shelf,
}

/// What a batch's trials will take.
#[derive(Clone, Copy, Debug)]
pub struct Expected<'a> {
    /// The batch's name, unique in the run.
    pub batch: &'a str,
    /// The servers that each trial takes a session of.
    pub servers: &'a IndexMap<ServerLabel, ServerConfig>,
    /// How many trials there will be.
    pub trials: usize,
    /// How many trials run at once, over all batches.
    pub at_once: usize,
    /// Ends what is made ahead of need.
    pub cancel: &'a CancellationToken,
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
    own: Option<Own>,
}

/// What a session of one's own goes back to.
#[derive(Debug)]
struct Own {
    room: Option<OwnedSemaphorePermit>,
    known: Arc<Known>,
    inner: Arc<Inner>,
}

impl ServerPool {
    /// Makes a pool without sessions.
    pub fn new(options: ConnectOptions) -> Self {
        let (tasks, over) = (TaskTracker::new(), StdMutex::default());
        Self { inner: Arc::new(Inner { options, servers: StdMutex::default(), tasks, over }) }
    }

    /// Makes sessions ahead of need for a batch's trials: never more than are still to be taken, and as many at once as
    /// there are trials at once or processor cores, whichever is less. From here on, never more sessions of a server
    /// are alive than trials run at once and that. To be called once a batch; a further call changes nothing. Nothing is made ahead of need while
    /// there is a tape, and for servers that are shared.
    ///
    /// Only the handshake and the listing are sent. A session that cannot be made ahead of need is no error: the trial that
    /// needs it makes it.
    pub fn expect(&self, expected: Expected<'_>) {
        let Expected { batch, servers, trials, at_once, cancel } = expected;
        if trials == 0 || self.inner.options.tape.is_some() {
            return;
        }
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let planned = Planned { batch, trials, at_once, most_waiting: at_once.min(cores), cancel };
        let own = servers.iter().filter(|(_, config)| config.session() == SessionScope::Trial);
        let knowns: Vec<_> = own.map(|(label, config)| self.known(NamedServerRef { label, config })).collect();
        for known in &knowns {
            known.shelf.plan(&planned);
            self.inner.restock(known);
        }
        let (inner, over, cancel) = (Arc::clone(&self.inner), self.inner.over(), cancel.clone());
        let batch = batch.to_owned();
        self.inner.tasks.spawn(async move {
            if over.run_until_cancelled(cancel.cancelled()).await.is_some() {
                for known in knowns {
                    inner.end(&known, known.shelf.withdraw(&batch));
                }
            }
        });
    }

    /// Returns what sessions are connected with.
    pub fn options(&self) -> &ConnectOptions {
        &self.inner.options
    }

    /// Takes a session with a server: one of its own, or with `session: "shared"` the one of the batch.
    ///
    /// A shared session that has ended is replaced by a new one.
    pub async fn take(&self, wanted: SessionRequest<'_>, cancel: &CancellationToken) -> Result<Lease, McpError> {
        let SessionRequest { label, config, batch, scope } = wanted;
        let server = NamedServerRef { label, config };
        let known = self.known(server);
        match server.config.session() {
            SessionScope::Trial => self.take_own(&known, wanted, cancel).await,
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
                let attempt = self.inner.attempt(&known, cancel).for_scope(&TapeScope::batch(batch));
                let session = Arc::new(attempt.connect().await?);
                shared.insert(batch.to_owned(), Arc::clone(&session));
                Ok(Lease::shared(&session, scope))
            }
        }
    }

    /// Takes one that was made ahead of need, or makes one.
    async fn take_own(
        &self,
        known: &Arc<Known>,
        wanted: SessionRequest<'_>,
        cancel: &CancellationToken,
    ) -> Result<Lease, McpError> {
        let (found, spoilt) = known.shelf.find(wanted.batch);
        self.inner.end(known, spoilt);
        self.inner.restock(known);
        let cancelled = || McpError {
            server: known.label.clone(),
            phase: Phase::Spawn,
            fault: Fault::Request(CallFailure::Cancelled),
        };
        let held = match found {
            Found::Ready(held) => Some(*held),
            Found::Coming(coming) => cancel.run_until_cancelled(coming).await.ok_or_else(cancelled)?.ok().flatten(),
            Found::Nothing => None,
        };
        let held = if let Some(held) = held {
            held
        } else {
            let room = cancel.run_until_cancelled(known.shelf.room()).await.ok_or_else(cancelled)?;
            let session = self.inner.attempt(known, cancel).for_scope(wanted.scope).connect().await?;
            known.shelf.encourage();
            Held { session: Arc::new(session), room }
        };
        self.inner.restock(known);
        let own = Own { room: held.room, known: Arc::clone(known), inner: Arc::clone(&self.inner) };
        Ok(Lease { session: held.session, own: Some(own) })
    }

    /// Connects ahead of need: the batch's session of a server that is shared. Other servers: see [`Self::expect`].
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
        probe_with(server, &self.inner.options, &known.memory, cancel).await
    }

    /// Ends the shared sessions of one batch, and those that were made for trials that it does not have.
    pub async fn close_batch(&self, batch: &str) {
        for known in self.every() {
            self.inner.end(&known, known.shelf.withdraw(batch));
        }
        let closing = self.every().into_iter().map(|known| async move {
            let session = known.shared.lock().await.remove(batch);
            if let Some(session) = session {
                session.close().await;
            }
        });
        join_all(closing).await;
    }

    /// Ends every session that is shared, waits for a trial or is being made for one, waits for those that are being ended, and
    /// ends the guardian of the servers' processes. Sessions that trials own end with their leases.
    pub async fn close_all(&self) {
        std::mem::take(&mut *self.inner.over.lock().unwrap_or_else(PoisonError::into_inner)).cancel();
        let closing = self.every().into_iter().map(|known| async move {
            self.inner.end(&known, known.shelf.clear());
            let sessions: Vec<_> = known.shared.lock().await.drain().map(|(_, session)| session).collect();
            join_all(sessions.iter().map(|session| session.close())).await;
        });
        join_all(closing).await;
        self.inner.tasks.close();
        self.inner.tasks.wait().await;
        self.inner.tasks.reopen();
        self.inner.options.launcher.close().await;
    }

    fn every(&self) -> Vec<Arc<Known>> {
        self.inner.servers.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn known(&self, server: NamedServerRef<'_>) -> Arc<Known> {
        let mut servers = self.inner.servers.lock().unwrap_or_else(PoisonError::into_inner);
        let same = |known: &&Arc<Known>| known.label == *server.label && known.config == *server.config;
        if let Some(known) = servers.iter().find(same) {
            return Arc::clone(known);
        }
        let known = Arc::new(Known {
            label: server.label.clone(),
            config: server.config.clone(),
            memory: Memory::default(),
            shared: Mutex::default(),
            shelf: Shelf::default(),
        });
        servers.push(Arc::clone(&known));
        known
    }
}

impl Inner {
    fn attempt<'a>(&'a self, known: &'a Known, cancel: &'a CancellationToken) -> Attempt<'a> {
        let server = NamedServerRef { label: &known.label, config: &known.config };
        Attempt::new(server, &self.options, &known.memory, cancel)
    }

    fn over(&self) -> CancellationToken {
        self.over.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Makes sessions ahead of need, as many as are wanted and have room.
    fn restock(self: &Arc<Self>, known: &Arc<Known>) {
        while let Some((room, cancel)) = known.shelf.next() {
            let (inner, known, over) = (Arc::clone(self), Arc::clone(known), self.over());
            self.tasks.spawn(async move {
                let made = over.run_until_cancelled(inner.attempt(&known, &cancel).connect()).await;
                match made {
                    Some(Ok(session)) => inner.end(&known, known.shelf.made(session, room)),
                    Some(Err(error)) => {
                        tracing::debug!(server = %known.label, %error, "no session ahead of need");
                        known.shelf.failed();
                    }
                    None => known.shelf.failed(),
                }
            });
        }
    }

    /// Ends sessions that nobody uses, beside everything else. They count as alive until they are gone.
    fn end(self: &Arc<Self>, known: &Arc<Known>, sessions: impl IntoIterator<Item = Held>) {
        for Held { session, room } in sessions {
            let (inner, known) = (Arc::clone(self), Arc::clone(known));
            self.tasks.spawn(async move {
                session.close().await;
                drop(room);
                inner.restock(&known);
            });
        }
    }
}

impl Lease {
    fn shared(session: &Arc<Session>, scope: &TapeScope) -> Self {
        let session = session.seen_by(scope).map_or_else(|| Arc::clone(session), Arc::new);
        Self { session, own: None }
    }

    /// Gives the session back: one of its own is closed politely, which the pool sees to without keeping the caller; a
    /// shared one stays.
    #[expect(clippy::unused_async, reason = "giving back may come to wait, as ending the session here did")]
    pub async fn release(self) {
        let Self { session, own } = self;
        if let Some(Own { room, known, inner }) = own {
            let tasks = inner.tasks.clone();
            tasks.spawn(async move {
                session.close().await;
                drop((session, room));
                inner.restock(&known);
            });
        }
    }

    /// Returns whether others may use the session at the same time.
    pub fn is_shared(&self) -> bool {
        self.own.is_none()
    }
}

impl Deref for Lease {
    type Target = Session;

    fn deref(&self) -> &Session {
        &self.session
    }
}
