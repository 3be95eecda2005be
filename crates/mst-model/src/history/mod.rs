//! `history.json` (`mst.history/v1`): one row a run of an eval, newest first.

mod row;
mod variant;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use row::{HistoryChange, HistoryRow, RowSource, RunStatus};
pub use variant::{
    HeadlineMeasure, HistorySetup, HistoryVariant, JudgeMeasure, JudgedCases, PairwiseMeasure, VariantMeasures,
};

/// The version string of the history format that this build writes and reads.
pub const HISTORY_FORMAT: &str = "mst.history/v1";

/// `history.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct History {
    /// Always `mst.history/v1`.
    pub format: String,
    /// One row a run, newest first by the time its trials were collected.
    pub rows: Vec<HistoryRow>,
    /// Runs that have no row.
    pub skipped: Vec<SkippedRun>,
}

/// A run that has no row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SkippedRun {
    /// Its directory, relative to the eval's.
    pub path: String,
    /// Why it has none.
    pub why: String,
}
