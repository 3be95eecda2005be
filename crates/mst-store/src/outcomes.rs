//! Reads what the cases of a run came to, one case at a time: `results.json` holds every transcript, and none is kept.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash as _, Hasher as _};

use indexmap::IndexMap;
use mst_measure::stats::Passes;
use mst_model::{CaseId, Ending, GraderName, Usage, VariantName};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::error::StoreError;
use crate::reader::RunReader;

/// A case of `results.json` without its transcripts and texts.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CaseOutcome {
    /// The case.
    pub id: CaseId,
    /// The variant.
    pub variant: VariantName,
    /// Whether the case passed; absent in an ungraded run.
    #[serde(default)]
    pub pass: Option<bool>,
    /// Whether the case is neither passed nor failed.
    #[serde(default)]
    pub incomplete: Option<bool>,
    /// What was asked for.
    pub request: Map<String, Value>,
    /// The case's tags.
    #[serde(default)]
    pub tags: Option<Vec<String>>,
    /// The last trial's scores.
    #[serde(default)]
    pub scores: IndexMap<GraderName, OutcomeScore>,
    /// Each trial, when the case has several.
    #[serde(default)]
    pub trial_results: Option<Vec<TrialOutcome>>,
    /// How many attempts were infrastructure failures, where an older run does not say how its only trial ended.
    #[serde(default)]
    pub infrastructure_error_count: Option<u32>,
    /// How the only trial ended, when the case has one; absent in an older run.
    #[serde(default)]
    pub ending: Option<Ending>,
    /// What went wrong.
    #[serde(default)]
    pub error: Option<String>,
    /// Why a grader gave no verdict.
    #[serde(default)]
    pub grading_error: Option<String>,
    /// Its time, in milliseconds.
    #[serde(default)]
    pub duration_ms: Option<f64>,
    /// What the client used.
    #[serde(default)]
    pub client_usage: Option<Usage>,
    /// What the client said of itself.
    #[serde(default)]
    pub client_metadata: Option<Value>,
}

impl CaseOutcome {
    /// Returns each trial's verdict (`None` is neither passed nor failed) and scores.
    pub fn trials(&self) -> Vec<(Option<bool>, &IndexMap<GraderName, OutcomeScore>)> {
        match &self.trial_results {
            Some(trials) => trials.iter().map(|trial| (trial.verdict(), &trial.scores)).collect(),
            None => vec![(self.verdict(), &self.scores)],
        }
    }

    /// Returns whether the case passed; `None` when it is incomplete.
    pub fn verdict(&self) -> Option<bool> {
        self.pass.filter(|_| self.incomplete != Some(true))
    }

    /// Returns how its counted trials ended.
    pub fn passes(&self) -> Passes {
        let counted = self.trials().into_iter().filter_map(|(pass, _)| pass);
        counted.fold(Passes::default(), |passes, pass| Passes {
            passed: passes.passed + u64::from(pass),
            counted: passes.counted + 1,
        })
    }

    /// Returns a number that is another when the case asks or expects something else. It holds for one process alone.
    pub fn question(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        for key in ["input", "assertions", "reference", "expected", "passThreshold"] {
            self.request.get(key).map(Value::to_string).hash(&mut hasher);
        }
        hasher.finish()
    }
}

/// What a comparison needs of a trial.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TrialOutcome {
    /// Whether it passed.
    #[serde(default)]
    pub pass: Option<bool>,
    /// Its scores.
    #[serde(default)]
    pub scores: IndexMap<GraderName, OutcomeScore>,
    /// Whether it was an infrastructure failure, as an older run says it.
    #[serde(default)]
    pub is_infrastructure_error: Option<bool>,
    /// How it ended; absent in an older run.
    #[serde(default)]
    pub ending: Option<Ending>,
    /// What went wrong.
    #[serde(default)]
    pub error: Option<String>,
    /// Why a grader gave no verdict.
    #[serde(default)]
    pub grading_error: Option<String>,
    /// Its time, in milliseconds.
    #[serde(default)]
    pub duration_ms: Option<f64>,
    /// What the client used.
    #[serde(default)]
    pub client_usage: Option<Usage>,
    /// What the client said of itself.
    #[serde(default)]
    pub client_metadata: Option<Value>,
}

impl TrialOutcome {
    /// Returns whether it passed; `None` when it is neither passed nor failed.
    pub fn verdict(&self) -> Option<bool> {
        self.pass.filter(|_| !self.is_infrastructure())
    }

    /// Returns whether it was an infrastructure failure.
    pub fn is_infrastructure(&self) -> bool {
        self.is_infrastructure_error == Some(true) || self.ending.as_ref().is_some_and(Ending::is_infrastructure)
    }
}

/// What a comparison needs of a score.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OutcomeScore {
    /// Whether the trial passed this grader.
    pub pass: bool,
    /// The judge's name in results.
    #[serde(default)]
    pub judge_name: Option<String>,
    /// The judge's identity.
    #[serde(default)]
    pub judge_identity: Option<String>,
    /// The score, 0 to 1.
    #[serde(default)]
    pub score: Option<f64>,
    /// Whether it counts for nothing.
    #[serde(default)]
    pub skipped: Option<bool>,
    /// Whether the judge could not tell.
    #[serde(default)]
    pub unknown: Option<bool>,
    /// Why there is no verdict.
    #[serde(default)]
    pub error: Option<String>,
    /// The score of each rep, when there were several.
    #[serde(default)]
    pub scores: Option<Vec<f64>>,
    /// One entry a judge, where a case has several.
    #[serde(default)]
    pub judge_results: Option<Vec<Self>>,
}

impl RunReader {
    /// Reads `results.json` a case at a time, in its order, without transcripts and texts.
    ///
    /// # Errors
    /// When it is absent, is of another run or format, or is no whole JSON document.
    pub fn each_outcome(&self, mut take: impl FnMut(CaseOutcome)) -> Result<(), StoreError> {
        self.each(|case| {
            take(case);
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn case(fields: Value) -> CaseOutcome {
        let mut case = json!({ "id": "c", "variant": "v", "request": {} });
        let Value::Object(fields) = fields else { unreachable!("a case is an object") };
        case.as_object_mut().expect("an object").extend(fields);
        serde_json::from_value(case).expect("a case")
    }

    #[test]
    fn a_case_s_verdict_and_passes_are_those_of_its_counted_trials() {
        let broke = json!({ "kind": "infrastructure", "broke": "provider", "retryable": true, "reason": "r" });
        for (what, fields, verdict, passed, counted) in [
            ("one trial that passed", json!({ "pass": true }), Some(true), 1, 1),
            ("one that failed", json!({ "pass": false }), Some(false), 0, 1),
            ("one that is incomplete", json!({ "pass": false, "incomplete": true }), None, 0, 0),
            ("an ungraded one", json!({}), None, 0, 0),
            (
                "several",
                json!({ "pass": true, "trialResults": [{ "pass": true }, { "pass": false }, { "pass": true }] }),
                Some(true),
                2,
                3,
            ),
            (
                "one of them an infrastructure failure",
                json!({ "pass": false, "incomplete": true, "trialResults": [{ "pass": true }, { "ending": broke }] }),
                None,
                1,
                1,
            ),
            (
                "an older run's infrastructure failure, which it says failed",
                json!({ "pass": true, "trialResults": [{ "pass": true }, { "pass": false, "isInfrastructureError": true }] }),
                Some(true),
                1,
                1,
            ),
            (
                "one without a verdict",
                json!({ "incomplete": true, "trialResults": [{ "pass": false }, { "gradingError": "judge.x: 500" }] }),
                None,
                0,
                1,
            ),
        ] {
            let case = case(fields);
            assert_eq!((case.verdict(), case.passes()), (verdict, Passes { passed, counted }), "{what}");
        }
    }

    #[test]
    fn a_question_is_another_when_the_case_asks_or_expects_something_else() {
        let asked = |request: Value| case(json!({ "request": request })).question();
        let plain = asked(json!({ "input": "a", "assertions": { "containsText": "b" } }));
        for (request, same) in [
            (json!({ "assertions": { "containsText": "b" }, "input": "a" }), true),
            (json!({ "input": "a", "assertions": { "containsText": "b" }, "client": "api", "trials": 3 }), true),
            (json!({ "input": "b", "assertions": { "containsText": "b" } }), false),
            (json!({ "input": "a", "assertions": { "containsText": "c" } }), false),
            (json!({ "input": "a", "assertions": { "containsText": "b" }, "reference": "r" }), false),
            (json!({ "input": "a", "assertions": { "containsText": "b" }, "passThreshold": 0.5 }), false),
        ] {
            assert_eq!(asked(request.clone()) == plain, same, "{request}");
        }
    }
}
