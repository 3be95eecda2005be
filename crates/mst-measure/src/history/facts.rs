//! What a row needs of one case: small numbers and names, no transcript.

use mst_model::{CaseId, Usage, VariantName};

use crate::stats::Passes;

/// One case in one variant of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct CaseFacts {
    /// The case.
    pub id: CaseId,
    /// The variant.
    pub variant: VariantName,
    /// Whether it passed; `None` when it is incomplete or was not graded.
    pub pass: Option<bool>,
    /// Whether it is neither passed nor failed; in an ungraded run, whether it was not wholly collected.
    pub is_incomplete: bool,
    /// Whether it is tagged `regression`.
    pub is_regression: bool,
    /// How many trials it asks for, when that was recorded.
    pub wanted: Option<u32>,
    /// Its trials, in order.
    pub trials: Vec<TrialFacts>,
}

/// One trial of a case.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TrialFacts {
    /// Whether it passed; `None` when it counts for nothing or was not graded.
    pub pass: Option<bool>,
    /// Whether it was an infrastructure failure.
    pub is_infrastructure: bool,
    /// Whether the client reported an error.
    pub client_errored: bool,
    /// How long the client took, in milliseconds.
    pub duration_ms: Option<f64>,
    /// What the client used.
    pub usage: Option<Usage>,
    /// What judges said of it.
    pub judges: Vec<JudgedTrial>,
    /// The client apps that it recorded.
    pub apps: Vec<String>,
}

/// What one judge said of a trial.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JudgedTrial {
    /// The judge's name in results.
    pub judge: String,
    /// Its identity, when it was recorded.
    pub identity: Option<String>,
    /// Whether it passed the trial; `None` when it skipped, could not tell or failed.
    pub pass: Option<bool>,
    /// Its score, 0 to 1.
    pub score: Option<f64>,
}

impl CaseFacts {
    /// Returns how its counted trials ended.
    pub fn passes(&self) -> Passes {
        let counted = self.trials.iter().filter_map(|trial| trial.pass);
        counted.fold(Passes::default(), |passes, pass| Passes {
            passed: passes.passed + u64::from(pass),
            counted: passes.counted + 1,
        })
    }
}
