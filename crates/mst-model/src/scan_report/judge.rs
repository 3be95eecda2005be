//! Who judged.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The judge block of a report. Scores of different blocks are not comparable.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct JudgeBlock {
    /// The program or API of the selection stage: `claude`, `codex`, `opencode`, `api:<provider>` or `offline`.
    #[schemars(length(min = 1))]
    pub cli: String,
    /// Its version; the scanner's own for an API and offline.
    #[schemars(length(min = 1))]
    pub cli_version: String,
    /// The model that answered in the selection stage.
    #[schemars(length(min = 1))]
    pub model: String,
    /// The tasks stage's version, `tasks-v1`.
    #[schemars(length(min = 1))]
    pub task_generator_version: String,
    /// The selection stage's version, `selection-v1`.
    #[schemars(length(min = 1))]
    pub prompt_template_version: String,
    /// Who really answered in each stage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stages: Option<StageJudges>,
}

/// Who answered in each stage, as the stage itself recorded it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StageJudges {
    /// Task generation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tasks: Option<StageJudge>,
    /// Description defects.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub defects: Option<StageJudge>,
    /// Confusable pairs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confusability: Option<StageJudge>,
    /// Tool selection.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selection: Option<StageJudge>,
}

/// Who answered in one stage.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StageJudge {
    /// The program or API.
    #[schemars(length(min = 1))]
    pub cli: String,
    /// Its version.
    #[schemars(length(min = 1))]
    pub cli_version: String,
    /// The model that answered.
    #[schemars(length(min = 1))]
    pub model: String,
    /// `<stage>-v1`.
    #[schemars(length(min = 1))]
    pub prompt_version: String,
    /// SHA-256 of the prompt's file in 64 lower-case hex digits; absent where no prompt is used (offline).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = r"^[0-9a-f]{64}$"))]
    pub prompt_hash: Option<String>,
}

/// A stage of a scan that a judge answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ScanStage {
    /// Task generation.
    Tasks,
    /// Description defects.
    Defects,
    /// Confusable pairs.
    Confusability,
    /// Tool selection.
    Selection,
}

impl ScanStage {
    /// Every stage, in the order they run.
    pub const ALL: [Self; 4] = [Self::Tasks, Self::Defects, Self::Confusability, Self::Selection];

    /// Returns the stage's name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Tasks => "tasks",
            Self::Defects => "defects",
            Self::Confusability => "confusability",
            Self::Selection => "selection",
        }
    }

    /// Returns the version of what the stage asks: `tasks-v1` and the like.
    pub fn prompt_version(self) -> &'static str {
        match self {
            Self::Tasks => "tasks-v1",
            Self::Defects => "defects-v1",
            Self::Confusability => "confusability-v1",
            Self::Selection => "selection-v1",
        }
    }
}
