//! What a recorded exchange belongs to.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::names::{CaseId, ServerLabel, VariantName, path_segment};

/// What an exchange belongs to: a trial, the checks of a server, or a batch.
///
/// Names in it are encoded as path segments, so that one with a slash cannot pass for two. The number of segments tells
/// the kinds apart: one for checks, two for a batch, three for a trial.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TapeScope(String);

impl TapeScope {
    /// Makes the scope of a trial.
    pub fn trial(variant: &VariantName, case_id: &CaseId, trial: u32) -> Self {
        Self(format!("{}/{}/{trial}", variant.segment(), case_id.segment()))
    }

    /// Makes the scope of the checks of a server: write checks and readiness checks.
    pub fn checks(label: &ServerLabel) -> Self {
        Self(label.segment())
    }

    /// Makes the scope of what a batch shares, such as the handshake of a shared session. A batch is named
    /// `<variant>/<index>`.
    pub fn batch(name: &str) -> Self {
        match name.rsplit_once('/') {
            Some((variant, index)) => Self(format!("{}/{}", path_segment(variant), path_segment(index))),
            None => Self(format!("{}/", path_segment(name))),
        }
    }

    /// Returns the scope as written on a tape.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for TapeScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_of_names_with_slashes_do_not_collide() {
        let trial = |variant: &str, case: &str| TapeScope::trial(&variant.into(), &case.into(), 0);
        assert_eq!(trial("a/b", "c").as_str(), "a%2Fb/c/0");
        assert_ne!(trial("a/b", "c"), trial("a", "b/c"));
        assert_eq!(TapeScope::checks(&"a/b/0".into()).as_str(), "a%2Fb%2F0");
        assert_eq!(TapeScope::batch("a/b/0").as_str(), "a%2Fb/0");
        assert_ne!(TapeScope::batch("a"), TapeScope::checks(&"a".into()));
    }
}
