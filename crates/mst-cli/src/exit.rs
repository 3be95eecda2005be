//! Exit codes: what a process says of a run to the one who started it.

use std::process::ExitCode;

/// What ended a command. The code of each class is part of the interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ExitClass {
    /// 0: every complete case passed and none is incomplete.
    Success,
    /// 1: a case or a gate failed.
    Failed,
    /// 2: usage or configuration.
    Usage,
    /// 3: incomplete, so it cannot be told.
    Incomplete,
    /// 4: an MCP server could not be reached or was not ready.
    Server,
    /// 5: authentication.
    Authentication,
    /// 6: the model's provider or a judge failed before or instead of results.
    Provider,
    /// 7: a budget was reached.
    Budget,
    /// 8: this machine failed: disk full, no permission, an internal error.
    Machine,
    /// 130: interrupted.
    Interrupted,
}

/// The order in which one class stands for several: a failed case is certain, so it comes before the reasons for
/// incompleteness.
const PRECEDENCE: [ExitClass; 10] = [
    ExitClass::Interrupted,
    ExitClass::Usage,
    ExitClass::Machine,
    ExitClass::Budget,
    ExitClass::Failed,
    ExitClass::Authentication,
    ExitClass::Server,
    ExitClass::Provider,
    ExitClass::Incomplete,
    ExitClass::Success,
];

impl ExitClass {
    /// Every class, in the order of their codes.
    pub const ALL: [Self; 10] = [
        Self::Success,
        Self::Failed,
        Self::Usage,
        Self::Incomplete,
        Self::Server,
        Self::Authentication,
        Self::Provider,
        Self::Budget,
        Self::Machine,
        Self::Interrupted,
    ];

    /// Returns the exit code.
    pub fn code(self) -> u8 {
        match self {
            Self::Success => 0,
            Self::Failed => 1,
            Self::Usage => 2,
            Self::Incomplete => 3,
            Self::Server => 4,
            Self::Authentication => 5,
            Self::Provider => 6,
            Self::Budget => 7,
            Self::Machine => 8,
            Self::Interrupted => 130,
        }
    }

    /// Returns the name used in `--json` errors.
    pub fn name(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Failed => "failed",
            Self::Usage => "usage",
            Self::Incomplete => "incomplete",
            Self::Server => "server",
            Self::Authentication => "authentication",
            Self::Provider => "provider",
            Self::Budget => "budget",
            Self::Machine => "machine",
            Self::Interrupted => "interrupted",
        }
    }

    /// Returns what the class means, in a few words, for the reference.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Success => "all complete cases passed, and none is incomplete",
            Self::Failed => "a case failed, or a gate did",
            Self::Usage => "usage or configuration",
            Self::Incomplete => "incomplete: cannot tell",
            Self::Server => "an MCP server was unreachable or not ready",
            Self::Authentication => "authentication",
            Self::Provider => "the model's provider or a judge failed, before or instead of results",
            Self::Budget => "a budget was reached",
            Self::Machine => "this machine failed: disk full, permission, an internal error",
            Self::Interrupted => "interrupted",
        }
    }

    /// Returns the class that stands for several; success for none.
    pub fn first(classes: impl IntoIterator<Item = Self>) -> Self {
        let rank = |class: &Self| PRECEDENCE.iter().position(|known| known == class);
        classes.into_iter().min_by_key(rank).unwrap_or(Self::Success)
    }
}

impl From<ExitClass> for ExitCode {
    fn from(class: ExitClass) -> Self {
        Self::from(class.code())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_class_stands_for_several() {
        use ExitClass::{Failed, Incomplete, Interrupted, Provider, Server, Success, Usage};
        for (classes, want) in [
            (vec![], Success),
            (vec![Success, Incomplete], Incomplete),
            (vec![Incomplete, Provider, Success], Provider),
            (vec![Provider, Server, Failed], Failed),
            (vec![Failed, Interrupted, Usage], Interrupted),
        ] {
            assert_eq!(ExitClass::first(classes.clone()), want, "{classes:?}");
        }
    }

    #[test]
    fn precedence_ranks_every_class() {
        for class in ExitClass::ALL {
            assert!(PRECEDENCE.contains(&class), "{class:?}");
        }
    }
}
