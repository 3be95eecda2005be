//! A gate: what a run is held against, and whether it holds.

/// A gate with what it came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gate {
    /// Its name, as `--fail-on` takes it, or `known-failures`.
    pub name: &'static str,
    /// What it came to.
    pub end: GateEnd,
    /// Why, in a sentence without a full stop.
    pub why: String,
}

/// What a gate came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GateEnd {
    /// Nothing stands against the run.
    Held,
    /// The run fails.
    Failed,
    /// There is nothing to compare with, or nothing that may be compared.
    CannotTell,
}

impl GateEnd {
    /// Returns the end in words.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Held => "held",
            Self::Failed => "failed",
            Self::CannotTell => "cannot tell",
        }
    }
}
