//! One grader's verdict on one trial.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::judge::{Criterion, JuryMember, SubScore};
use crate::names::{CaseId, GraderName, VariantName};
use crate::run_id::RunId;
use crate::usage::Usage;

/// A grader's score (`GraderScore` in the contract). For a judge it also says who gave it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GraderScore {
    /// Whether the trial passed this grader.
    pub pass: bool,
    /// What was expected and what was found, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<String>,
    /// The score, 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1))]
    pub score: Option<f64>,
    /// A judge's reasoning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<String>,
    /// The judge's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge_name: Option<String>,
    /// The judge's provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge_provider: Option<String>,
    /// The judge's model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge_model: Option<String>,
    /// The judge's identity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge_identity: Option<String>,
    /// Whether a change of the judge's version cannot be seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge_unversioned: Option<bool>,
    /// Whether the grader could not grade this case; it then counts for nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skipped: Option<bool>,
    /// Whether the judge read the trial and could not tell; it then does not pass.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unknown: Option<bool>,
    /// Why there is no verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Named parts of the score.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sub_scores: Option<BTreeMap<String, SubScore>>,
    /// Criteria with a verdict of their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub criteria: Option<Vec<Criterion>>,
    /// The verdicts of a jury's members.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jury: Option<Vec<JuryMember>>,
    /// The judge's own usage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// Other output of the judge. Not stored in a redacted run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Value>,
    /// The score of each rep, when there were several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scores: Option<Vec<f64>>,
    /// The population standard deviation of the reps' scores.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score_std_dev: Option<f64>,
    /// Whether that is over 0.2.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub high_variance: Option<bool>,
    /// One entry a judge, where a case has several and they are joined (`results.json`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge_results: Option<Vec<Self>>,
    /// Whether the verdict was taken from a cache of judges' verdicts. An addition to the format.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached: Option<bool>,
    /// What a write case's verdict rests on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write_evidence: Option<String>,
}

impl GraderScore {
    /// Makes a passed score.
    pub fn passed() -> Self {
        Self { pass: true, ..Self::default() }
    }

    /// Makes a failed score with what was expected and found.
    pub fn failed(details: impl Into<String>) -> Self {
        Self { pass: false, details: Some(details.into()), ..Self::default() }
    }

    /// Makes the record of a grader that gave no verdict.
    pub fn no_verdict(error: impl Into<String>) -> Self {
        Self { pass: false, error: Some(error.into()), ..Self::default() }
    }
}

/// A score as stored (`scores/<grader>/<variant>/<case-id>/<trial>.json`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ScoreRecord {
    /// Always `mst.run/v1`.
    pub format: String,
    /// Always `score`.
    pub kind: String,
    /// The run.
    pub run_id: RunId,
    /// The grader.
    pub grader: GraderName,
    /// The variant.
    pub variant: VariantName,
    /// The case.
    pub case_id: CaseId,
    /// The trial, from 0.
    pub trial: u32,
    /// The score.
    pub score: GraderScore,
}
