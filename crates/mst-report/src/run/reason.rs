//! Why a trial did not pass, in one of a few words.

use mst_model::{GraderScore, TracedStatus};

use super::trial::{State, Trial};

/// Why a trial did not pass. Of several the first listed is the reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Reason {
    /// The client reported an error.
    Error,
    /// A call was expected, and the trial made none.
    NoToolCall,
    /// An expected tool was not called, and others were; or one was called that the case does not allow.
    WrongTool,
    /// The right tools were called, and a grader failed the trial.
    CheckFailed,
    /// Something around the client broke: the trial counts for nothing.
    Infrastructure,
    /// A grader gave no verdict.
    Ungraded,
}

impl Reason {
    /// Every reason, in the order they are shown.
    pub(super) const ALL: [Self; 6] =
        [Self::Error, Self::NoToolCall, Self::WrongTool, Self::CheckFailed, Self::Infrastructure, Self::Ungraded];

    /// Returns the reason's name.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::NoToolCall => "no tool call",
            Self::WrongTool => "wrong tool",
            Self::CheckFailed => "check failed",
            Self::Infrastructure => "infrastructure",
            Self::Ungraded => "no verdict",
        }
    }

    /// Returns what the reason means.
    pub(super) fn means(self) -> &'static str {
        match self {
            Self::Error => "the client reported an error",
            Self::NoToolCall => "a call was expected and none was made",
            Self::WrongTool => "another tool was called than the case expects",
            Self::CheckFailed => "the expected tools were called, and a check or a judge said no",
            Self::Infrastructure => "something around the client broke; the trial counts for nothing",
            Self::Ungraded => "a grader gave no verdict; the trial is neither passed nor failed",
        }
    }

    /// Returns why a trial did not pass; `None` of one that did.
    pub(super) fn of(trial: &Trial<'_>) -> Option<Self> {
        match trial.state() {
            State::Passed => return None,
            State::Infrastructure => return Some(Self::Infrastructure),
            State::Ungraded => return Some(Self::Ungraded),
            State::Failed => {}
        }
        if trial.client_error().is_some() {
            return Some(Self::Error);
        }
        let missed = trial.missed_tools();
        let has_calls = trial.events().iter().any(mst_model::Event::is_tool_call);
        if !missed.is_empty() {
            return Some(if has_calls { Self::WrongTool } else { Self::NoToolCall });
        }
        let fails = |score: Option<&GraderScore>| score.is_some_and(|score| !score.pass);
        let has_unexpected = trial.calls.is_some_and(|trace| {
            trace.missed.is_empty() && trace.calls.iter().any(|call| call.status == TracedStatus::Unexpected)
        });
        if fails(trial.scores.get("toolsTriggered")) && has_unexpected {
            return Some(Self::WrongTool);
        }
        Some(Self::CheckFailed)
    }

    fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// A set of reasons.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Reasons(u8);

impl Reasons {
    /// Returns the set as a number: bit `n` is the `n`th of [`Reason::ALL`].
    pub(super) fn bits(self) -> u8 {
        self.0
    }
}

impl FromIterator<Reason> for Reasons {
    fn from_iter<I: IntoIterator<Item = Reason>>(reasons: I) -> Self {
        Self(reasons.into_iter().fold(0, |bits, reason| bits | reason.bit()))
    }
}
