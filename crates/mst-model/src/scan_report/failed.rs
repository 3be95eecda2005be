//! A scan that gave no score.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::judge::JudgeBlock;
use super::target::FailedTarget;
use crate::time::Timestamp;

/// `failed.json`: a scan that could not be finished. It is never scored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FailedScan {
    /// Always `gradable.failed/v1`.
    #[schemars(extend("const" = "gradable.failed/v1"))]
    pub format: String,
    /// What was scanned, as far as it was known.
    pub target: FailedTarget,
    /// Where it ended: `ingest` or the name of a stage.
    #[schemars(length(min = 1))]
    pub stage: String,
    /// Why, for a person; without secrets.
    #[schemars(length(min = 1))]
    pub reason: String,
    /// When.
    pub failed_at: Timestamp,
    /// Who would have judged, when that was known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge: Option<JudgeBlock>,
}
