//! What a judge answers, and how its parts are stored.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::usage::Usage;

/// What a judge returns for one trial and one rep.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct JudgeScore {
    /// The score, 0 to 1; required unless the judge skips.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// The judge's own verdict; without it the mean score is compared with the threshold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pass: Option<bool>,
    /// Whether the judge cannot grade this case.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub skipped: bool,
    /// Whether the judge read the trial and cannot tell.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unknown: bool,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<String>,
    /// Named parts of the score.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub sub_scores: BTreeMap<String, SubScore>,
    /// Criteria that a person can label one at a time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub criteria: Vec<Criterion>,
    /// The judge's own usage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// The provider that answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// The model that answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Other output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Value>,
}

/// A named part of a score.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SubScore {
    /// The part's score, 0 to 1.
    #[schemars(range(min = 0, max = 1))]
    pub score: f64,
    /// The part's own verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pass: Option<bool>,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<String>,
}

/// A criterion with a verdict of its own. Its label question is `<judge>#<id>`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Criterion {
    /// Its id, without a `#`.
    pub id: String,
    /// What is to be met.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Whether it decides; it does unless this is false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub required: Option<bool>,
    /// Whether it is met.
    pub verdict: CriterionVerdict,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<String>,
    /// The identity of what decided it (filled in by MST).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub identity: Option<String>,
}

impl Criterion {
    /// Returns whether it decides the judge.
    pub fn is_required(&self) -> bool {
        self.required != Some(false)
    }
}

/// Whether a criterion is met.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CriterionVerdict {
    /// It is.
    Pass,
    /// It is not.
    Fail,
    /// The trial cannot settle it.
    Unknown,
}

/// What a member of a jury said.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct JuryMember {
    /// Whether the trial passes for it.
    pub pass: bool,
    /// Its mean score, 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1))]
    pub score: Option<f64>,
    /// Whether it cannot grade this case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skipped: Option<bool>,
    /// Whether it could not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unknown: Option<bool>,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<String>,
    /// Its provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge_provider: Option<String>,
    /// Its model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge_model: Option<String>,
    /// Its identity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge_identity: Option<String>,
    /// The criteria as it saw them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub criteria: Option<Vec<Criterion>>,
}
