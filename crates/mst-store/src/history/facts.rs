//! A case of `results.json` as a row's builder takes it.

use indexmap::IndexMap;
use mst_measure::compare::SideCase;
use mst_measure::history::{CaseFacts, JudgedTrial, TrialFacts};
use mst_model::{Ending, GraderName, Usage};
use serde_json::Value;

use crate::outcomes::{CaseOutcome, OutcomeScore};

/// Takes from a case what its row needs.
pub(super) fn case_facts(case: &CaseOutcome) -> CaseFacts {
    let trials = match &case.trial_results {
        Some(trials) => trials
            .iter()
            .map(|trial| {
                let end = End {
                    is_infrastructure: trial.is_infrastructure(),
                    error: trial.error.as_deref(),
                    grading_error: trial.grading_error.as_deref(),
                    duration_ms: trial.duration_ms,
                    usage: trial.client_usage.as_ref(),
                    metadata: trial.client_metadata.as_ref(),
                };
                end.facts(trial.verdict(), &trial.scores)
            })
            .collect(),
        None => vec![only_trial(case)],
    };
    CaseFacts {
        id: case.id.clone(),
        variant: case.variant.clone(),
        pass: case.verdict(),
        is_incomplete: case.incomplete == Some(true),
        is_regression: case.tags.as_deref().is_some_and(SideCase::is_guard),
        wanted: case.request.get("trials").and_then(Value::as_u64).and_then(|trials| u32::try_from(trials).ok()),
        trials,
    }
}

/// Takes the trial of a case that has one: what it came to stands in the case itself.
fn only_trial(case: &CaseOutcome) -> TrialFacts {
    let is_infrastructure = match &case.ending {
        Some(ending) => matches!(ending, Ending::Infrastructure { .. }),
        None => case.infrastructure_error_count.is_some_and(|count| count > 0),
    };
    let end = End {
        is_infrastructure,
        error: case.error.as_deref(),
        grading_error: case.grading_error.as_deref(),
        duration_ms: case.duration_ms,
        usage: case.client_usage.as_ref(),
        metadata: case.client_metadata.as_ref(),
    };
    end.facts(case.verdict(), &case.scores)
}

/// How a trial ended, wherever it stands.
struct End<'a> {
    is_infrastructure: bool,
    error: Option<&'a str>,
    grading_error: Option<&'a str>,
    duration_ms: Option<f64>,
    usage: Option<&'a Usage>,
    metadata: Option<&'a Value>,
}

impl End<'_> {
    fn facts(&self, pass: Option<bool>, scores: &IndexMap<GraderName, OutcomeScore>) -> TrialFacts {
        TrialFacts {
            pass: pass.filter(|_| !self.is_infrastructure),
            is_infrastructure: self.is_infrastructure,
            // An error may only repeat why a grader gave no verdict.
            client_errored: self.error.is_some() && self.error != self.grading_error && !self.is_infrastructure,
            duration_ms: self.duration_ms,
            usage: self.usage.cloned(),
            judges: judges(scores),
            apps: self.metadata.and_then(app).into_iter().collect(),
        }
    }
}

/// Returns the client app that a trial's metadata names: `app`, a text or an object with `name` and `version`.
fn app(metadata: &Value) -> Option<String> {
    match metadata.get("app")? {
        Value::String(app) => Some(app.clone()),
        app => {
            let name = app.get("name")?.as_str()?;
            let version = app.get("version").and_then(Value::as_str);
            Some(version.map_or_else(|| name.to_owned(), |version| format!("{name} {version}")))
        }
    }
}

/// Returns what each judge said, whether they stand one by one (`judge.<name>`) or joined under `judge`.
fn judges(scores: &IndexMap<GraderName, OutcomeScore>) -> Vec<JudgedTrial> {
    let judges = scores.iter().flat_map(|(grader, score)| match grader.as_str().strip_prefix("judge.") {
        Some(name) => vec![judged(name, score)],
        None if grader == "judge" => {
            let entries = score.judge_results.as_deref().unwrap_or(std::slice::from_ref(score));
            entries.iter().map(|entry| judged(entry.judge_name.as_deref().unwrap_or("judge"), entry)).collect()
        }
        None => Vec::new(),
    });
    judges.collect()
}

fn judged(judge: &str, score: &OutcomeScore) -> JudgedTrial {
    let counts = score.skipped != Some(true) && score.unknown != Some(true) && score.error.is_none();
    // A judge that was skipped, or failed, gave the case no verdict, so that its identity says nothing of it.
    let gave = score.skipped != Some(true) && score.error.is_none();
    JudgedTrial {
        judge: judge.to_owned(),
        identity: score.judge_identity.clone().filter(|_| gave),
        pass: counts.then_some(score.pass),
        score: score.score.filter(|_| counts),
    }
}
