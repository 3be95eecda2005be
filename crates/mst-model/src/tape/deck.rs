//! What stands between a run and the outside: a recorder or a player.

use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use super::exchange::{Exchange, TapeAnswer, TapeKey, TapeKind, TapeRequest};
use super::miss::TapeMiss;
use super::scope::TapeScope;

/// A tape in use.
#[derive(Clone, Debug)]
pub enum Tape {
    /// What happens is written down.
    Record(Arc<dyn TapeRecorder>),
    /// What was written down happens again; nothing else is reached.
    Replay(Arc<dyn TapePlayer>),
}

impl Tape {
    /// Returns whether the tape answers in place of the outside.
    pub fn is_replay(&self) -> bool {
        matches!(self, Self::Replay(_))
    }
}

/// Keeps exchanges.
///
/// Nothing here fails: a recorder that cannot write keeps its first error for whoever ends the recording, and the run goes
/// on without it.
pub trait TapeRecorder: fmt::Debug + Send + Sync {
    /// Writes down an exchange, without known secrets, and returns what it is found by.
    fn record(&self, exchange: Exchange) -> TapeKey;

    /// Writes down what a server said after an exchange was written down and before the next was begun.
    fn said_later(&self, after: &TapeKey, messages: Vec<Value>);

    /// Takes note of values that were used as credentials, to be taken out of what is written from now on.
    fn keep_out(&self, secrets: Vec<String>);
}

/// Serves exchanges.
pub trait TapePlayer: fmt::Debug + Send + Sync {
    /// Serves the next recorded exchange with an equal request of the same kind and scope.
    ///
    /// # Errors
    /// When the tape has none: what it has that is nearest.
    fn play(&self, request: TapeRequest) -> Result<Played, TapeMiss>;

    /// Returns the first exchange of a kind and scope that was recorded after a place; the first of all without one.
    fn next(&self, kind: TapeKind, scope: &TapeScope, after: Option<usize>) -> Option<NextExchange>;
}

/// An exchange that is served.
#[derive(Clone, Debug, PartialEq)]
pub struct Played {
    /// Where it stands among those of its kind and scope, in the order of recording.
    pub place: usize,
    /// The server's own messages, in order: those before the answer, then those after it.
    pub server: Vec<Value>,
    /// What the request came to.
    pub answer: TapeAnswer,
}

/// An exchange that follows another.
#[derive(Clone, Debug, PartialEq)]
pub struct NextExchange {
    /// Where it stands among those of its kind and scope, in the order of recording.
    pub place: usize,
    /// Its request.
    pub request: Value,
}
