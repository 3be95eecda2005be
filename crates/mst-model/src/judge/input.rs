//! What a judge is given: the case as written, and one observed trial.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::event::Event;
use crate::transcript::Evidence;
use crate::usage::Usage;

/// A case and one of its trials.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct JudgeInput {
    /// The case, the same for every trial of it.
    pub case: JudgeCase,
    /// The trial.
    pub trial: JudgeTrial,
}

/// A case as the dataset has it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct JudgeCase {
    /// Its id.
    pub id: String,
    /// What the client was asked: the dataset's text, before a variant's template.
    pub input: JudgePrompt,
    /// The ground truth.
    pub expected: JudgeExpected,
    /// Its tags.
    pub tags: Vec<String>,
    /// Its metadata.
    pub metadata: Map<String, Value>,
}

/// A case's input.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JudgePrompt {
    /// The prompt.
    pub prompt: String,
}

/// A case's ground truth: every key of the dataset's `expected`, with `answer` replaced by the judge's own reference
/// where its entry has one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct JudgeExpected(pub Map<String, Value>);

impl JudgeExpected {
    /// Returns the reference answer.
    pub fn answer(&self) -> Option<&Value> {
        self.0.get("answer")
    }
}

/// One observed run of a case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct JudgeTrial {
    /// What assertions grade: the final answer.
    pub response: Value,
    /// The final answer as text.
    pub text: String,
    /// Tool calls and other events, in order.
    pub events: Vec<Event>,
    /// The conversation, when the client reports it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub messages: Option<Vec<Value>>,
    /// How far the events can be trusted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Evidence>,
    /// The client's usage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// The folder of the trial's kept artifacts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artifacts_dir: Option<String>,
    /// The write record, of a write case.
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "write_record")]
    pub write_record: Option<Value>,
}
