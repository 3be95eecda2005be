//! What a recorded exchange belongs to.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::names::{CaseId, ServerLabel, VariantName, path_segment};
use crate::scan_report::ScanStage;

/// What an exchange belongs to: a trial, the checks of a server, a batch, or an item of a scan's stage.
///
/// Names in it are encoded as path segments, so that one with a slash cannot pass for two. The number of segments tells
/// the kinds of a run apart: one for checks, two for a batch, three for a trial, five for a judge, six for a pairwise judge. A scan has no batches; two segments are a
/// stage and its item there.
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

    /// Makes the scope of one rep of a judge on a trial. Its five segments tell it from every other kind.
    pub fn judge(identity: &str, variant: &VariantName, case_id: &CaseId, trial: u32, rep: u32) -> Self {
        Self(format!("{}/{}/{}/{trial}/{rep}", path_segment(identity), variant.segment(), case_id.segment()))
    }

    /// Makes the scope of one rep of a pairwise judge on a candidate's trial, in one of both orders. Its six segments tell it
    /// from every other kind.
    pub fn pairwise(
        identity: &str,
        variant: &VariantName,
        case_id: &CaseId,
        trial: u32,
        rep: u32,
        is_swapped: bool,
    ) -> Self {
        let order = if is_swapped { "swapped" } else { "forward" };
        let judged = Self::judge(identity, variant, case_id, trial, rep);
        Self(format!("{judged}/{order}"))
    }

    /// Makes the scope of what a scan asks its judge: a stage, and what is asked about in it.
    pub fn stage(stage: ScanStage, item: &str) -> Self {
        Self(format!("{}/{}", stage.as_str(), path_segment(item)))
    }

    /// Makes the scope in which a scan has its judge's provider count the tokens of definitions.
    pub fn definitions() -> Self {
        Self("economics/definitions".to_owned())
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
        assert_eq!(TapeScope::stage(ScanStage::Selection, "baseline/t1").as_str(), "selection/baseline%2Ft1");
    }
}
