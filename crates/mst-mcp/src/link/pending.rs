//! The requests of a stdio connection that wait for an answer.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::Value;
use tokio::sync::oneshot;

use crate::failure::CallFailure;

/// What a request ends with.
pub(crate) type Delivery = Result<Value, CallFailure>;

/// The requests that wait, and how the connection ended when it has.
#[derive(Debug, Default)]
pub(super) struct Pending(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    last_id: u64,
    waiting: HashMap<u64, oneshot::Sender<Delivery>>,
    gone: Option<CallFailure>,
    unreadable: Option<String>,
}

/// A request that waits. Dropping it ends the waiting.
pub(super) struct Ticket<'a> {
    pub(super) id: u64,
    pub(super) answer: oneshot::Receiver<Delivery>,
    pending: &'a Pending,
}

impl Pending {
    /// Begins a request; fails at once when the connection has ended.
    pub(super) fn begin(&self) -> Result<Ticket<'_>, CallFailure> {
        let mut state = self.lock();
        if let Some(gone) = &state.gone {
            return Err(gone.clone());
        }
        state.last_id += 1;
        let id = state.last_id;
        let (sender, answer) = oneshot::channel();
        state.waiting.insert(id, sender);
        Ok(Ticket { id, answer, pending: self })
    }

    /// Delivers an answer. Returns `false` when no request ever had the id; a late answer is dropped in silence.
    pub(super) fn deliver(&self, id: u64, delivery: Delivery) -> bool {
        let mut state = self.lock();
        if let Some(sender) = state.waiting.remove(&id) {
            // The requester may have given up in this moment.
            sender.send(delivery).ok();
        }
        (1..=state.last_id).contains(&id)
    }

    /// Fails the only waiting request. With none or several it cannot be known whose answer it was.
    pub(super) fn fail_only(&self, failure: CallFailure) -> bool {
        let mut state = self.lock();
        let mut ids = state.waiting.keys().copied();
        let (Some(id), None) = (ids.next(), ids.next()) else { return false };
        if let Some(sender) = state.waiting.remove(&id) {
            sender.send(Err(failure)).ok();
        }
        true
    }

    /// Ends the connection: every waiting and every later request fails with this. The first end counts.
    pub(super) fn end(&self, failure: CallFailure) {
        let mut state = self.lock();
        for (_, sender) in state.waiting.drain() {
            sender.send(Err(failure.clone())).ok();
        }
        state.gone.get_or_insert(failure);
    }

    /// Returns how the connection ended, when it has.
    pub(super) fn gone(&self) -> Option<CallFailure> {
        self.lock().gone.clone()
    }

    /// Keeps the last line that could not be read, for a request whose time runs out.
    pub(super) fn keep_unreadable(&self, line: String) {
        self.lock().unreadable = Some(line);
    }

    /// Takes the last line that could not be read.
    pub(super) fn take_unreadable(&self) -> Option<String> {
        self.lock().unreadable.take()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Ticket<'_> {
    fn drop(&mut self) {
        self.pending.lock().waiting.remove(&self.id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn answers_reach_their_request_and_late_ones_nobody() {
        let pending = Pending::default();
        let mut first = pending.begin().unwrap();
        let second = pending.begin().unwrap();
        assert!(!pending.fail_only(CallFailure::Cancelled), "two requests wait");
        assert!(pending.deliver(first.id, Ok(json!(1))));
        assert_eq!(first.answer.try_recv().unwrap(), Ok(json!(1)));
        drop(second);
        assert!(pending.deliver(2, Ok(json!(2))), "late, but known");
        assert!(!pending.deliver(3, Ok(json!(3))), "never asked");
    }

    #[test]
    fn fc03_a_connection_that_ended_fails_waiting_and_later_requests() {
        let pending = Pending::default();
        let mut waiting = pending.begin().unwrap();
        let gone = CallFailure::ServerGone {
            exit: "exited with status 3".to_owned(),
            stderr_tail: "out of memory".to_owned(),
        };
        pending.end(gone.clone());
        pending.end(CallFailure::Cancelled);
        assert_eq!(waiting.answer.try_recv().unwrap(), Err(gone.clone()));
        assert_eq!(pending.begin().map(|ticket| ticket.id), Err(gone));
    }
}
