//! What a case came to in a variant, in a few bytes: a report of any size keeps one of these a case.

use mst_measure::stats::Passes;
use mst_model::CaseResult;

use super::reason::{Reason, Reasons};
use super::trial::{State, Trial};

/// One case in one variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Outcome {
    /// What the case as a whole came to.
    pub(super) state: CaseState,
    /// Trials that passed.
    pub(super) passed: u32,
    /// Trials that failed.
    pub(super) failed: u32,
    /// Attempts that were infrastructure failures.
    pub(super) infrastructure: u32,
    /// Trials without a verdict.
    pub(super) ungraded: u32,
    /// Why trials did not pass.
    pub(super) reasons: Reasons,
}

/// What a case came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum CaseState {
    Passed,
    Failed,
    /// Neither: a trial is missing, ungraded or an infrastructure failure.
    Incomplete,
}

impl CaseState {
    /// Returns the letter that the page's data has for it.
    pub(super) fn letter(self) -> char {
        match self {
            Self::Passed => 'p',
            Self::Failed => 'f',
            Self::Incomplete => 'i',
        }
    }

    /// Returns the verdict in a word.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::Incomplete => "incomplete",
        }
    }

    /// Returns whether it passed; `None` when it is neither passed nor failed.
    pub(super) fn pass(self) -> Option<bool> {
        match self {
            Self::Passed => Some(true),
            Self::Failed => Some(false),
            Self::Incomplete => None,
        }
    }
}

impl Outcome {
    /// Counts a case's trials, of which the reasons are known.
    pub(super) fn of(case: &CaseResult, trials: &[(Trial<'_>, Option<Reason>)]) -> Self {
        let count = |state: State| trials.iter().filter(|(trial, _)| trial.state() == state).count() as u32;
        Self {
            state: match case.pass {
                Some(pass) if case.incomplete != Some(true) => {
                    if pass {
                        CaseState::Passed
                    } else {
                        CaseState::Failed
                    }
                }
                _ => CaseState::Incomplete,
            },
            passed: count(State::Passed),
            failed: count(State::Failed),
            infrastructure: count(State::Infrastructure),
            ungraded: count(State::Ungraded),
            reasons: trials.iter().filter_map(|(_, reason)| *reason).collect(),
        }
    }

    /// Returns the trials that count.
    pub(super) fn passes(self) -> Passes {
        Passes { passed: self.passed.into(), counted: (self.passed + self.failed).into() }
    }

    /// Returns whether some trials passed and some failed.
    pub(super) fn is_flaky(self) -> bool {
        self.passed > 0 && self.failed > 0
    }
}

/// How a case of a variant changed against the baseline's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flip {
    /// It passes there and fails here.
    Regressed,
    /// It fails there and passes here.
    Improved,
}

impl Flip {
    /// Compares a case with the baseline's; `None` where one is incomplete or both came to the same.
    pub(super) fn of(baseline: Outcome, candidate: Outcome) -> Option<Self> {
        match (baseline.state.pass()?, candidate.state.pass()?) {
            (true, false) => Some(Self::Regressed),
            (false, true) => Some(Self::Improved),
            _ => None,
        }
    }
}
