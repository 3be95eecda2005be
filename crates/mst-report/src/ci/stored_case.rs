//! A case of `results.json` as far as a report of tests needs it: no transcript, no answer.

use indexmap::IndexMap;
use mst_model::{CaseId, Ending, GraderName, VariantName};
use serde::Deserialize;

use super::case_end::{CaseEnd, CaseVerdict, Lack};

/// The most characters of a reason that are kept: a grader may quote an answer of megabytes.
const LONGEST: usize = 8_000;

/// A case of `results.json` without its transcripts.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StoredCase {
    id: CaseId,
    dataset_name: String,
    variant: VariantName,
    #[serde(default)]
    pass: Option<bool>,
    #[serde(default)]
    incomplete: Option<bool>,
    duration_ms: f64,
    // Of a case with one trial, these are that trial's. Flattening them would keep the transcript while reading.
    #[serde(default)]
    error: Option<String>,
    #[serde(default)]
    grading_error: Option<String>,
    #[serde(default)]
    ending: Option<Ending>,
    #[serde(default)]
    scores: IndexMap<GraderName, StoredScore>,
    #[serde(default)]
    trial_results: Option<Vec<StoredTrial>>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct StoredTrial {
    #[serde(default)]
    pass: Option<bool>,
    #[serde(default)]
    error: Option<String>,
    #[serde(default)]
    grading_error: Option<String>,
    #[serde(default)]
    ending: Option<Ending>,
    #[serde(default)]
    scores: IndexMap<GraderName, StoredScore>,
}

#[derive(Clone, Debug, Deserialize)]
struct StoredScore {
    pass: bool,
    #[serde(default)]
    details: Option<String>,
    #[serde(default)]
    reasoning: Option<String>,
    #[serde(default)]
    skipped: Option<bool>,
    #[serde(default)]
    error: Option<String>,
}

impl StoredCase {
    /// Returns what the case came to.
    pub fn end(self) -> CaseEnd {
        let complete_pass = self.pass.filter(|_| self.incomplete != Some(true));
        let trials = self.trial_results.unwrap_or_else(|| {
            vec![StoredTrial {
                pass: complete_pass,
                error: self.error,
                grading_error: self.grading_error,
                ending: self.ending,
                scores: self.scores,
            }]
        });
        let verdict = match complete_pass {
            Some(true) => CaseVerdict::Passed,
            Some(false) => failed(&trials),
            None => lacking(&trials),
        };
        CaseEnd {
            verdict,
            passed: trials.iter().filter(|trial| trial.pass == Some(true)).count(),
            counted: trials.iter().filter(|trial| trial.pass.is_some()).count(),
            id: self.id,
            variant: self.variant,
            dataset: self.dataset_name,
            seconds: self.duration_ms / 1000.0,
            known: None,
            place: None,
        }
    }
}

/// Returns what the first trial that failed says.
fn failed(trials: &[StoredTrial]) -> CaseVerdict {
    let said = trials.iter().filter(|trial| trial.pass == Some(false)).find_map(StoredTrial::failure);
    let (by, why) = said.unwrap_or_else(|| ("client".to_owned(), "did not pass".to_owned()));
    CaseVerdict::Failed { by, why: shortened(&why) }
}

/// Returns what the first trial that does not count says.
fn lacking(trials: &[StoredTrial]) -> CaseVerdict {
    let said = trials.iter().find_map(|trial| match &trial.ending {
        Some(Ending::Infrastructure { reason, .. }) => Some((Lack::Infrastructure, reason.clone())),
        _ => trial.ungraded().map(|why| (Lack::Verdict, why)),
    });
    let (lack, why) = said.unwrap_or_else(|| (Lack::Trial, "a trial is missing".to_owned()));
    CaseVerdict::None { lack, why: shortened(&why) }
}

impl StoredTrial {
    /// Returns what found that the trial failed, and what it says: the client's own error, else the first grader.
    fn failure(&self) -> Option<(String, String)> {
        let is_fail = |score: &StoredScore| !score.pass && score.error.is_none() && score.skipped != Some(true);
        let grader = self.scores.iter().find(|(_, score)| is_fail(score)).map(|(grader, score)| {
            let said: Vec<&str> = score.details.iter().chain(&score.reasoning).map(String::as_str).collect();
            let why = if said.is_empty() { "did not pass".to_owned() } else { said.join(": ") };
            (grader.to_string(), why)
        });
        // With a grading error beside it, the trial's error may be only that.
        let own = self.error.clone().filter(|_| self.grading_error.is_none() || grader.is_none());
        own.map(|error| ("client".to_owned(), error)).or(grader)
    }

    fn ungraded(&self) -> Option<String> {
        let open = || self.scores.iter().find_map(|(name, score)| Some(format!("{name}: {}", score.error.as_ref()?)));
        self.grading_error.clone().or_else(open)
    }
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}… ({} more characters)", &text[..end], text[end..].chars().count()),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn end(more: &Value) -> CaseEnd {
        let mut case = json!({ "id": "c", "datasetName": "parts", "variant": "v", "source": "client", "request": {},
            "durationMs": 1500.0, "scores": {}, "transcript": { "events": [], "finalText": "long" } });
        for (key, value) in more.as_object().unwrap().clone() {
            case[key] = value;
        }
        serde_json::from_value::<StoredCase>(case).unwrap().end()
    }

    #[test]
    fn a_case_says_what_it_came_to_and_why() {
        let gone = json!({ "kind": "infrastructure", "broke": "network", "retryable": true, "reason": "gone" });
        let failed = |by: &str, why: &str| CaseVerdict::Failed { by: by.to_owned(), why: why.to_owned() };
        let none = |lack: Lack, why: &str| CaseVerdict::None { lack, why: why.to_owned() };
        for (more, want) in [
            (json!({ "pass": true }), CaseVerdict::Passed),
            (
                json!({ "pass": false, "scores": { "regex": { "pass": true },
                    "judge.tone": { "pass": false, "details": "0.2 < 0.5", "reasoning": "rude" } } }),
                failed("judge.tone", "0.2 < 0.5: rude"),
            ),
            (json!({ "pass": false, "error": "out of turns" }), failed("client", "out of turns")),
            (
                json!({ "pass": false, "error": "Not graded: regex: slow", "gradingError": "regex: slow",
                    "scores": { "textContains": { "pass": false, "details": "no" } } }),
                failed("textContains", "no"),
            ),
            (json!({ "pass": false, "incomplete": true, "ending": gone }), none(Lack::Infrastructure, "gone")),
            (
                json!({ "pass": false, "incomplete": true, "gradingError": "judge.tone: down" }),
                none(Lack::Verdict, "judge.tone: down"),
            ),
            (
                json!({ "pass": false, "incomplete": true,
                    "trialResults": [{ "pass": true, "ending": { "kind": "trial" } }] }),
                none(Lack::Trial, "a trial is missing"),
            ),
            (
                json!({ "pass": false, "trialResults": [{ "pass": true, "ending": { "kind": "trial" } },
                    { "pass": false, "ending": { "kind": "trial" }, "error": "stuck" }] }),
                failed("client", "stuck"),
            ),
        ] {
            assert_eq!(end(&more).verdict, want, "{more}");
        }
    }

    #[test]
    fn trials_are_counted_and_a_long_reason_is_cut() {
        let why = "é".repeat(LONGEST + 5);
        let case = end(&json!({ "pass": false, "trialResults": [{ "pass": true }, { "pass": null },
            { "pass": false, "scores": { "regex": { "pass": false, "details": why } } }] }));
        assert_eq!((case.passed, case.counted, case.seconds), (1, 2, 1.5));
        let CaseVerdict::Failed { why, .. } = case.verdict else { panic!("{:?}", case.verdict) };
        assert!(why.ends_with("é… (5 more characters)"), "{}", &why[why.len() - 40..]);
    }
}
