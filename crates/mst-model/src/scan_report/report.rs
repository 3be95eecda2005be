//! The report itself.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::confusable::ConfusablePair;
use super::defect::ToolFinding;
use super::harness::{HarnessRuns, ScanTask};
use super::judge::JudgeBlock;
use super::rubric_score::RubricScore;
use super::target::ScanTarget;
use super::unscored::Unscored;
use crate::time::Timestamp;

/// `report.json` of a scan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ScanReport {
    /// Always `gradable.report/v1`.
    #[schemars(extend("const" = "gradable.report/v1"))]
    pub format: String,
    /// What was scanned.
    pub target: ScanTarget,
    /// When the scan began.
    pub scanned_at: Timestamp,
    /// What scanned it.
    pub scanner: Scanner,
    /// Who judged.
    pub judge: JudgeBlock,
    /// What was found about each tool, in the server's order.
    #[schemars(length(min = 1))]
    pub tools: Vec<ToolFinding>,
    /// Tools that may be taken for one another.
    pub confusable_pairs: Vec<ConfusablePair>,
    /// The tasks.
    #[schemars(length(min = 1))]
    pub tasks: Vec<ScanTask>,
    /// What the judge did with them.
    pub harness: HarnessRuns,
    /// What the surface costs.
    pub economics: Economics,
    /// The score.
    pub score: RubricScore,
    /// What is beyond the method and does not count.
    pub unscored: Unscored,
}

/// What made a report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Scanner {
    /// The version of `gradable`.
    #[schemars(length(min = 1))]
    pub version: String,
}

/// What a surface costs, in tokens.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Economics {
    /// The whole tool surface.
    #[schemars(range(min = 0))]
    pub definition_tokens: f64,
    /// How they were counted.
    pub definition_tokens_source: TokenSource,
    /// The baseline's `avgTokenCostPerTask`.
    #[schemars(range(min = 0))]
    pub avg_tokens_per_task: f64,
    /// The mean size of a tool's answer, when an `mst` run told it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub avg_response_tokens: Option<f64>,
    /// Which run told it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response_source: Option<ResponseSource>,
}

/// How tokens were counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TokenSource {
    /// By the provider's own endpoint.
    Exact,
    /// UTF-8 bytes / 4.
    Estimated,
}

/// The run that response sizes were taken from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ResponseSource {
    /// The run.
    #[schemars(length(min = 1))]
    pub run_id: String,
    /// How many of its trials were read.
    pub trials: u64,
    /// How many tool results they hold.
    pub results: u64,
}
