//! What is asked, and what comes back.

use mst_model::{ScanStage, content_hash};
use serde::{Deserialize, Serialize};
use serde_json::json;

/// One question to a judge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Question {
    /// The stage it belongs to.
    pub(crate) stage: ScanStage,
    /// What it is about, unique in its stage.
    pub(crate) item: String,
    /// What is asked, and how it is to be answered.
    pub(crate) instructions: String,
    /// What it is asked about: texts from a server stand in it as data.
    pub(crate) material: String,
}

impl Question {
    /// Returns the question as one text, for whoever takes a prompt alone.
    pub(crate) fn whole(&self) -> String {
        format!("{}\n\n{}", self.instructions.trim_end(), self.material)
    }

    /// Returns its length in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.instructions.len() + self.material.len()
    }

    /// Returns what its answer is found by among those that were saved.
    pub(crate) fn hash(&self) -> String {
        let Self { stage, item, instructions, material } = self;
        content_hash(&json!({ "stage": stage, "item": item, "instructions": instructions, "material": material }))
    }
}

/// A judge's answer, and who gave it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Reply {
    /// The answer's text, without thinking.
    pub(crate) text: String,
    /// The model that gave it, as the provider or the program says.
    pub(crate) model: String,
    /// The version of what was asked.
    pub(crate) version: String,
    /// The tokens of question and answer, as the provider counted them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) tokens: Option<u64>,
    /// Whether the answer was cut off at the model's limit.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) is_cut_off: bool,
}

/// Why there is no answer. Holds no secret.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum AskFault {
    /// Credentials were rejected.
    #[error("{0}")]
    Auth(String),
    /// The question does not fit what the judge takes.
    #[error("{0}")]
    TooLong(String),
    /// It failed otherwise.
    #[error("{0}")]
    Failed(String),
    /// The scan was stopped.
    #[error("interrupted")]
    Cancelled,
}
