//! What one case came to in one variant, in the few words that a report of tests has room for.

use mst_model::{CaseId, VariantName};

/// What one case came to in one variant.
#[derive(Clone, Debug, PartialEq)]
pub struct CaseEnd {
    /// The case.
    pub id: CaseId,
    /// The variant.
    pub variant: VariantName,
    /// Its dataset.
    pub dataset: String,
    /// Whether it passed.
    pub verdict: CaseVerdict,
    /// The trials' time together, in seconds.
    pub seconds: f64,
    /// How many counted trials passed.
    pub passed: usize,
    /// How many trials count.
    pub counted: usize,
    /// Why it is known to fail, where a list of known failures has it.
    pub known: Option<String>,
    /// Where it stands in its dataset, when that was asked for.
    pub place: Option<CasePlace>,
}

/// Whether a case passed. A missing verdict is neither a pass nor a fail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CaseVerdict {
    /// It is complete and passed.
    Passed,
    /// It is complete and failed.
    Failed {
        /// What found it: a grader's name, or `client` for an error of the client's own.
        by: String,
        /// What its first failed trial says.
        why: String,
    },
    /// It is neither.
    None {
        /// What it lacks.
        lack: Lack,
        /// What its first trial that does not count says.
        why: String,
    },
}

/// What a case without a verdict lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lack {
    /// Something around the client broke.
    Infrastructure,
    /// A grader gave no verdict.
    Verdict,
    /// A trial was not collected.
    Trial,
}

impl Lack {
    /// Returns the lack in a word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Infrastructure => "infrastructure",
            Self::Verdict => "ungraded",
            Self::Trial => "missing",
        }
    }
}

/// Where a case stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CasePlace {
    /// The dataset's file, with `/` between folders: relative where it lies below the folder that readers start from.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
}

/// What a case means for whoever reads a report of tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing<'a> {
    Passed,
    Failed {
        by: &'a str,
        why: &'a str,
    },
    NoVerdict {
        lack: Lack,
        why: &'a str,
    },
    /// It failed as the list of known failures says.
    KnownFailure {
        by: &'a str,
        reason: &'a str,
        why: &'a str,
    },
    /// It is on the list of known failures and passed.
    NoLongerFails,
}

impl CaseEnd {
    /// Returns the verdict with the list of known failures in mind.
    pub(crate) fn standing(&self) -> Standing<'_> {
        match (&self.verdict, &self.known) {
            (CaseVerdict::Passed, None) => Standing::Passed,
            (CaseVerdict::Passed, Some(_)) => Standing::NoLongerFails,
            (CaseVerdict::Failed { by, why }, None) => Standing::Failed { by, why },
            (CaseVerdict::Failed { by, why }, Some(reason)) => Standing::KnownFailure { by, reason, why },
            (CaseVerdict::None { lack, why }, _) => Standing::NoVerdict { lack: *lack, why },
        }
    }
}

/// What is said of a case that is on the list of known failures and passed.
pub(crate) const NO_LONGER_FAILS: &str = "passed, but is listed as a known failure: remove it from the list";
