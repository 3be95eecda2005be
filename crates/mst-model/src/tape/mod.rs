//! The terms of a tape: exchanges with models and servers that were recorded, and what serves or keeps them.
//!
//! A tape stands between a run and the outside. [`Tape::Record`] writes down what goes over the line, [`Tape::Replay`]
//! answers in its place. What an exchange is keyed by holds nothing that differs from run to run or that is a secret.

mod deck;
mod difference;
mod exchange;
mod miss;
mod scope;

pub use deck::{NextExchange, Played, Tape, TapePlayer, TapeRecorder};
pub use difference::Difference;
pub use exchange::{Exchange, TapeAnswer, TapeKey, TapeKind, TapeRequest};
pub use miss::{Nearest, TapeMiss};
pub use scope::TapeScope;

/// The version string of the tape format that this build writes and reads.
pub const TAPE_FORMAT: &str = "mst.tape/v1";
