//! Pairwise judges: what lists one, what it is given, what it answers, and how a preference is stored.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::input::{JudgeCase, JudgeTrial};
use crate::names::{CaseId, VariantName};
use crate::results::Interval;
use crate::run_id::RunId;
use crate::usage::Usage;

/// The keys of an entry that are MST's own: a pairwise judge's schema never sees them.
pub const PAIRWISE_ENTRY_KEYS: [&str; 3] = ["type", "reps", "options"];

/// An entry of `pairwiseJudges`, read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PairwiseSetting {
    /// The judge as registered: bare for a built-in, the full reference for a plugin's. It is its name in results too.
    pub judge: String,
    /// How often it is asked in each order, at least once.
    pub reps: u32,
    /// The judge's own options, as written.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub options: Map<String, Value>,
}

impl PairwiseSetting {
    /// Reads an entry that was checked: a reference alone, or an object with a `type`. `None` of anything else.
    pub fn read(value: &Value) -> Option<Self> {
        let fields = match value {
            Value::String(judge) => Map::from_iter([("type".to_owned(), judge.clone().into())]),
            Value::Object(fields) => fields.clone(),
            _ => return None,
        };
        let judge = fields.get("type")?.as_str()?;
        let judge = judge.strip_prefix("mst/pairwise-judge/").unwrap_or(judge).to_owned();
        let reps = fields.get("reps").and_then(Value::as_u64).and_then(|reps| u32::try_from(reps).ok()).unwrap_or(1);
        let mut options = fields.get("options").and_then(Value::as_object).cloned().unwrap_or_default();
        let own = |key: &&String| !PAIRWISE_ENTRY_KEYS.contains(&key.as_str());
        options.extend(fields.iter().filter(|(key, _)| own(key)).map(|(key, value)| (key.clone(), value.clone())));
        Some(Self { judge, reps, options })
    }
}

/// A case and two trials of it. A judge shows the baseline first; when it is asked in the other order, the trials have
/// changed places here.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairwiseInput {
    /// The case, the same for both.
    pub case: JudgeCase,
    /// The trial that is shown as the baseline.
    pub baseline: JudgeTrial,
    /// The trial that is shown as the candidate.
    pub candidate: JudgeTrial,
}

/// Which of two trials is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Preferred {
    /// The baseline.
    Baseline,
    /// The candidate.
    Candidate,
    /// Neither.
    Tie,
}

impl Preferred {
    /// Returns what it means where the trials had changed places.
    #[must_use]
    pub fn swapped(self) -> Self {
        match self {
            Self::Baseline => Self::Candidate,
            Self::Candidate => Self::Baseline,
            Self::Tie => Self::Tie,
        }
    }
}

/// What a pairwise judge returns for one case, one order and one rep.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PairwiseAnswer {
    /// Which is better; required unless the judge skips.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preference: Option<Preferred>,
    /// How much better, 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strength: Option<f64>,
    /// Parts of the comparison, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub dimensions: BTreeMap<String, PreferenceDimension>,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<String>,
    /// Whether the judge cannot compare this case.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub skipped: bool,
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

/// One part of a comparison.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PreferenceDimension {
    /// Which is better in it.
    pub preference: Preferred,
    /// How much better, 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1))]
    pub strength: Option<f64>,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<String>,
    /// The judge's own mark for the baseline.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline: Option<f64>,
    /// The judge's own mark for the candidate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub candidate: Option<f64>,
}

/// A pairwise judge's preference in one case. Without a `preference` it has `skipped` or an `error`, and counts for nothing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Preference {
    /// The judge.
    pub judge: String,
    /// Which is better.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preference: Option<Preferred>,
    /// How much better, 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1))]
    pub strength: Option<f64>,
    /// Whether the judge does not compare this case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skipped: Option<bool>,
    /// Why there is no preference.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Why, from an order that gave the preference.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<String>,
    /// Whether both orders came to the same; absent of a judge that is asked in one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub consistent: Option<bool>,
    /// Parts of the comparison, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub dimensions: BTreeMap<String, PreferenceDimension>,
    /// The judge's own usage, over orders and reps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// The judge's provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// The judge's model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The judge's version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The judge's identity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge_identity: Option<String>,
    /// Whether a change of the judge's version cannot be seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge_unversioned: Option<bool>,
    /// Other output of the judge. Not stored in a redacted run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Value>,
    /// Whether it was taken from a cache of judges' verdicts. An addition to the format.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached: Option<bool>,
}

/// A preference as stored (`scores/<pairwise judge>/<variant>/<case-id>.json`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PreferenceRecord {
    /// Always `mst.run/v1`.
    pub format: String,
    /// Always `preference`.
    pub kind: String,
    /// The run.
    pub run_id: RunId,
    /// The judge.
    pub judge: String,
    /// The candidate.
    pub variant: VariantName,
    /// The baseline.
    pub baseline: VariantName,
    /// The case.
    pub case_id: CaseId,
    /// The preference.
    pub preference: Preference,
}

/// Two sides compared case by case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Pairwise {
    /// What was compared with.
    pub baseline: String,
    /// What was compared.
    pub candidate: String,
    /// Cases that only one side has.
    pub unmatched: UnmatchedCases,
    /// Cases that were not compared because one side's trial had an error. An addition to the format.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errored: Vec<CaseId>,
    /// The cases that were compared, in order.
    pub cases: Vec<PairwiseCase>,
    /// What the preferences of each judge come to.
    pub summary: Vec<PairwiseSummary>,
    /// What the judges used together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
}

/// Cases that cannot be compared because the other side lacks them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UnmatchedCases {
    /// Those of the baseline alone.
    pub baseline_only: Vec<CaseId>,
    /// Those of the candidate alone.
    pub candidate_only: Vec<CaseId>,
}

/// One case's preferences.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PairwiseCase {
    /// The case.
    pub id: CaseId,
    /// One a judge, in the order they are listed.
    pub preferences: Vec<Preference>,
}

/// What the preferences of one judge come to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PairwiseSummary {
    /// The judge.
    pub judge: String,
    /// The cases with a preference.
    pub compared: usize,
    /// Of those, the ones where the candidate is better.
    pub candidate_wins: usize,
    /// Of those, the ones where the baseline is better.
    pub baseline_wins: usize,
    /// Of those, the ones where neither is.
    pub ties: usize,
    /// The cases that the judge does not compare.
    pub skipped: usize,
    /// The cases without a preference because of an error.
    pub errors: usize,
    /// Wins and half the ties over compared cases; absent when none was compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub candidate_win_rate: Option<f64>,
    /// 95% Wilson interval of the win rate over compared cases, which ties make wider than it needs to be. An addition to
    /// the format.
    #[serde(rename = "candidateWinRateCI", default, skip_serializing_if = "Option::is_none")]
    pub candidate_win_rate_ci: Option<Interval>,
    /// The share of cases whose orders agree, of those that were asked in both.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub consistency: Option<f64>,
    /// The parts of the comparison, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub dimensions: BTreeMap<String, DimensionSummary>,
    /// What the judge used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
}

/// What one part of the comparisons comes to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DimensionSummary {
    /// The cases with a preference in it.
    pub compared: usize,
    /// Of those, the ones where the candidate is better.
    pub candidate_wins: usize,
    /// Of those, the ones where the baseline is better.
    pub baseline_wins: usize,
    /// Of those, the ones where neither is.
    pub ties: usize,
    /// Wins and half the ties over compared cases.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub candidate_win_rate: Option<f64>,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn entries_name_their_judge_and_keep_its_own_options_apart() {
        for (entry, judge, reps, options) in [
            (json!("preference"), "preference", 1, json!({})),
            (json!("mst/pairwise-judge/preference"), "preference", 1, json!({})),
            (
                json!({ "type": "acme/pairwise-judge/x", "reps": 2, "model": "m" }),
                "acme/pairwise-judge/x",
                2,
                json!({ "model": "m" }),
            ),
            (
                json!({ "type": "preference", "options": { "reference": false } }),
                "preference",
                1,
                json!({ "reference": false }),
            ),
        ] {
            let read = PairwiseSetting::read(&entry).expect("an entry");
            assert_eq!(
                (read.judge.as_str(), read.reps, Value::Object(read.options)),
                (judge, reps, options),
                "{entry}"
            );
        }
    }
}
