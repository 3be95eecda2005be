//! A request that a tape lacks.

use std::fmt;

use super::difference::Difference;
use super::exchange::TapeKind;
use super::scope::TapeScope;

/// A request that a tape lacks, and what it has that is nearest.
#[derive(Clone, Debug, PartialEq)]
pub struct TapeMiss {
    /// Whom the request goes to.
    pub kind: TapeKind,
    /// What it belongs to.
    pub scope: TapeScope,
    /// What the tape has.
    pub nearest: Nearest,
}

/// What a tape has in place of a request.
#[derive(Clone, Debug, PartialEq)]
pub enum Nearest {
    /// Nothing of the kind and scope.
    Nothing,
    /// The request itself, so often, and it was asked for once more.
    UsedUp {
        /// How often it was recorded.
        times: u32,
    },
    /// Another request.
    Other {
        /// How many exchanges of the kind and scope there are.
        of: usize,
        /// Which of them is nearest, counted from 1 in the order of recording.
        number: usize,
        /// The first place where it differs.
        difference: Difference,
    },
    /// An exchange that cannot be served: it was given up, or its line can no longer be read.
    Unusable {
        /// What is wrong with it.
        detail: String,
    },
}

impl fmt::Display for TapeMiss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, scope, nearest } = self;
        match nearest {
            Nearest::Nothing => write!(f, "the tape has no {kind} request of {scope}"),
            Nearest::UsedUp { times } => {
                let times = if *times == 1 { "once".to_owned() } else { format!("{times} times") };
                write!(f, "the tape has this {kind} request of {scope} {times}, and it was asked for once more")
            }
            Nearest::Other { of, number, difference } => write!(
                f,
                "the tape lacks this {kind} request of {scope}; the nearest, number {number} of {of}, differs at {difference}"
            ),
            Nearest::Unusable { detail } => {
                write!(f, "the tape cannot serve this {kind} request of {scope}: {detail}")
            }
        }
    }
}

impl std::error::Error for TapeMiss {}
