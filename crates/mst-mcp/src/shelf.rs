//! The sessions of one server that trials have to themselves: those that wait for a trial, and how many may be alive.
//!
//! Sessions are made ahead of need for trials that are planned. A trial takes one that waits, else the next that is about to
//! be ready, else none; what it does not find it makes itself.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::session::Session;

/// How long a session may wait for its trial: a server, or what stands before one, may forget a silent connection.
const LONGEST_WAIT: Duration = Duration::from_mins(5);

/// The sessions of one server.
#[derive(Debug)]
pub(crate) struct Shelf {
    state: Mutex<State>,
    /// Room for sessions that are alive.
    room: Arc<Semaphore>,
}

#[derive(Debug, Default)]
struct State {
    /// How many trials of each batch have not taken a session yet.
    wanted: HashMap<String, usize>,
    ready: VecDeque<Waiting>,
    /// How many sessions are being made ahead of need.
    starting: usize,
    /// The trials that wait for one of those: never more than there are.
    waiters: VecDeque<oneshot::Sender<Option<Held>>>,
    /// The last session that was made ahead of need failed: no further one until a trial has made one.
    discouraged: bool,
    /// How many may be alive; no limit before anything is planned.
    most_alive: Option<usize>,
    /// How many may wait.
    most_waiting: usize,
    cancel: CancellationToken,
}

/// A session with its room.
#[derive(Debug)]
pub(crate) struct Held {
    pub(crate) session: Arc<Session>,
    pub(crate) room: Option<OwnedSemaphorePermit>,
}

#[derive(Debug)]
struct Waiting {
    held: Held,
    since: Instant,
}

/// What is planned for a batch.
#[derive(Debug)]
pub(crate) struct Planned<'a> {
    pub(crate) batch: &'a str,
    pub(crate) trials: usize,
    /// How many trials run at once.
    pub(crate) at_once: usize,
    /// How many sessions may wait.
    pub(crate) most_waiting: usize,
    pub(crate) cancel: &'a CancellationToken,
}

/// What a trial found.
pub(crate) enum Found {
    /// A session.
    Ready(Box<Held>),
    /// One that is being made; `None` comes when that fails.
    Coming(oneshot::Receiver<Option<Held>>),
    /// Nothing: it has to make one itself.
    Nothing,
}

impl Default for Shelf {
    fn default() -> Self {
        Self { state: Mutex::default(), room: Arc::new(Semaphore::new(0)) }
    }
}

impl Shelf {
    /// Takes note of a batch's trials, once a batch.
    pub(crate) fn plan(&self, planned: &Planned<'_>) {
        let mut state = self.lock();
        state.wanted.entry(planned.batch.to_owned()).or_insert(planned.trials);
        state.cancel = planned.cancel.clone();
        state.most_waiting = state.most_waiting.max(planned.most_waiting);
        let (most, before) = (planned.at_once + planned.most_waiting, state.most_alive.unwrap_or(0));
        self.room.add_permits(most.saturating_sub(before));
        state.most_alive = Some(most.max(before));
    }

    /// Forgets what is left of a batch's trials, and returns the sessions that nobody will take, to be ended.
    pub(crate) fn withdraw(&self, batch: &str) -> Vec<Held> {
        let mut state = self.lock();
        state.wanted.remove(batch);
        let keep = if state.cancel.is_cancelled() { 0 } else { state.wanted().min(state.ready.len()) };
        state.ready.split_off(keep).into_iter().map(|waiting| waiting.held).collect()
    }

    /// Returns every session that waits, to be ended.
    pub(crate) fn clear(&self) -> Vec<Held> {
        let mut state = self.lock();
        state.wanted.clear();
        state.ready.drain(..).map(|waiting| waiting.held).collect()
    }

    /// Finds a session for a trial of a batch, and returns those that are no good any more, to be ended.
    pub(crate) fn find(&self, batch: &str) -> (Found, Vec<Held>) {
        let mut state = self.lock();
        if let Some(left) = state.wanted.get_mut(batch) {
            *left = left.saturating_sub(1);
        }
        let mut spoilt = Vec::new();
        while let Some(waiting) = state.ready.pop_front() {
            if waiting.is_good() {
                return (Found::Ready(Box::new(waiting.held)), spoilt);
            }
            spoilt.push(waiting.held);
        }
        // A trial that was cut off waits no more.
        state.waiters.retain(|waiter| !waiter.is_closed());
        if state.waiters.len() < state.starting {
            let (sender, receiver) = oneshot::channel();
            state.waiters.push_back(sender);
            return (Found::Coming(receiver), spoilt);
        }
        (Found::Nothing, spoilt)
    }

    /// Waits for room for a session that a trial makes itself.
    pub(crate) async fn room(&self) -> Option<OwnedSemaphorePermit> {
        self.lock().most_alive?;
        // The semaphore is never closed.
        Arc::clone(&self.room).acquire_owned().await.ok()
    }

    /// Returns the room of a session that is to be made ahead of need, with what stops that; `None` when none is.
    pub(crate) fn next(&self) -> Option<(OwnedSemaphorePermit, CancellationToken)> {
        let mut state = self.lock();
        let spoken_for = state.waiters.len().min(state.starting);
        let coming = state.ready.len() + state.starting - spoken_for;
        if state.discouraged || state.cancel.is_cancelled() || coming >= state.wanted().min(state.most_waiting) {
            return None;
        }
        let room = Arc::clone(&self.room).try_acquire_owned().ok()?;
        state.starting += 1;
        Some((room, state.cancel.clone()))
    }

    /// Takes a session that was made ahead of need; returns it when nobody wants it any more.
    pub(crate) fn made(&self, session: Session, room: OwnedSemaphorePermit) -> Option<Held> {
        let mut state = self.lock();
        state.starting -= 1;
        state.discouraged = false;
        let mut held = Held { session: Arc::new(session), room: Some(room) };
        while let Some(waiter) = state.waiters.pop_front() {
            match waiter.send(Some(held)) {
                Ok(()) => return None,
                Err(back) => held = back?,
            }
        }
        if state.cancel.is_cancelled() || state.ready.len() >= state.wanted() {
            return Some(held);
        }
        state.ready.push_back(Waiting { held, since: Instant::now() });
        None
    }

    /// Takes note that a session could not be made ahead of need. A trial that waits for it has to try itself.
    pub(crate) fn failed(&self) {
        let mut state = self.lock();
        state.starting -= 1;
        state.discouraged = true;
        while state.waiters.len() > state.starting
            && let Some(waiter) = state.waiters.pop_front()
        {
            waiter.send(None).ok();
        }
    }

    /// Takes note that a trial made a session itself.
    pub(crate) fn encourage(&self) {
        self.lock().discouraged = false;
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn wanted(&self) -> usize {
        self.wanted.values().sum()
    }
}

impl Waiting {
    /// Returns whether a trial finds the server as the session's listing says.
    fn is_good(&self) -> bool {
        let session = &self.held.session;
        !session.is_gone() && !session.changed_since(session.latest().0) && self.since.elapsed() < LONGEST_WAIT
    }
}
