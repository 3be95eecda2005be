//! What a read comes to: for the model, and for the record.

use mst_model::{ServerLabel, SkillLoad};

use super::super::recording::Recording;
use super::MOST_SHOWN;

/// What the model is told for a call, and what is recorded of it.
pub(in super::super) struct Answer {
    /// The text.
    pub(in super::super) text: String,
    /// Whether the model did not get what it asked for.
    pub(in super::super) is_error: bool,
    /// The skill that was loaded: its server and name.
    pub(in super::super) loaded: Option<(ServerLabel, String)>,
}

/// Why the model does not get what was read.
pub(super) struct Problem {
    /// Why, for the model and for people.
    pub(super) why: String,
    /// Whether it is not what its server had declared.
    pub(super) is_mismatch: bool,
}

impl Answer {
    /// Tells of a call that brings nothing.
    pub(super) fn refused(why: impl Into<String>) -> Self {
        Self { text: why.into(), is_error: true, loaded: None }
    }
}

impl Problem {
    pub(super) fn mismatch(why: impl Into<String>) -> Self {
        Self { why: why.into(), is_mismatch: true }
    }

    pub(super) fn other(why: impl Into<String>) -> Self {
        Self { why: why.into(), is_mismatch: false }
    }

    pub(super) fn too_large(uri: &str, size: u64) -> Self {
        Self::other(format!("{uri} has {size} bytes, more than the {MOST_SHOWN} that a model is shown"))
    }
}

impl From<Result<String, String>> for Answer {
    fn from(read: Result<String, String>) -> Self {
        match read {
            Ok(text) => Self { text, is_error: false, loaded: None },
            Err(why) => Self::refused(why),
        }
    }
}

/// Records a read, and what keeps it from the model.
pub(super) fn record(
    mut load: SkillLoad,
    read: Result<String, Problem>,
    recording: &mut Recording,
) -> Result<String, String> {
    let read = read.map_err(|problem| {
        load.verified = problem.is_mismatch.then_some(false);
        load.problems.push(problem.why.clone());
        problem.why
    });
    recording.load(load);
    read
}
