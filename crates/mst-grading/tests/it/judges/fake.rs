//! A judge whose options say what it answers, and what asks it.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use mst_ext::{Judge, JudgeContext, JudgeDefinition, JudgeFault};
use mst_grading::judge::{BindFault, BoundJudge, Cancelled, JudgePlace, judge_input, judge_trial};
use mst_model::{
    EvalCase, GraderScore, JudgeEntry, JudgeInput, JudgeScore, JudgeSetting, Scrubbed, Scrubber, TrialRecord, judges_of,
};
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

/// Answers with `options.answers[rep]`, the last one again and again. An answer is a `JudgeScore`, `{ "fault": text }`, or
/// `"hang"`; a score `"NaN"` is not a number.
pub(crate) struct Fake {
    pub(crate) name: &'static str,
    pub(crate) version: Option<&'static str>,
    pub(crate) requires: &'static [&'static str],
    pub(crate) settings: Option<Value>,
    /// Whether `options.criteria` has one criterion an entry, which decides alone.
    pub(crate) splits_criteria: bool,
    pub(crate) asks_model: bool,
    /// The scope of each call, in order.
    pub(crate) calls: Mutex<Vec<String>>,
    /// What it was given last.
    pub(crate) seen: Mutex<Option<JudgeInput>>,
}

impl Default for Fake {
    fn default() -> Self {
        Self {
            name: "acme/judge/fake",
            version: Some("1"),
            requires: &[],
            settings: None,
            splits_criteria: false,
            asks_model: true,
            calls: Mutex::default(),
            seen: Mutex::default(),
        }
    }
}

#[async_trait]
impl Judge for Fake {
    fn definition(&self) -> JudgeDefinition {
        JudgeDefinition {
            name: self.name.to_owned(),
            description: "says what it is told to".to_owned(),
            requires: self.requires.iter().map(|path| (*path).to_owned()).collect(),
            options: json!({ "type": "object" }),
            version: self.version.map(str::to_owned),
        }
    }

    fn parse(&self, options: &Map<String, Value>) -> Result<Map<String, Value>, String> {
        if options.contains_key("wrong") {
            return Err("wrong is no option".to_owned());
        }
        let mut parsed = options.clone();
        parsed.entry("effort").or_insert("low".into());
        Ok(parsed)
    }

    fn criterion_options(&self, options: &Map<String, Value>, id: &str) -> Option<Map<String, Value>> {
        let mine = |one: &Value| one["id"] == id;
        let only: Vec<Value> = options
            .get("criteria")?
            .as_array()?
            .iter()
            .filter(|one| mine(one))
            .map(|one| one["text"].clone())
            .collect();
        let mut alone = options.clone();
        alone.shift_remove("answers");
        alone.insert("criteria".to_owned(), only.into());
        self.splits_criteria.then_some(alone)
    }

    fn settings(&self) -> Option<Value> {
        self.settings.clone()
    }

    fn calls_model(&self) -> bool {
        self.asks_model
    }

    async fn preflight(&self, options: &Map<String, Value>) -> Result<(), JudgeFault> {
        match options.get("key").and_then(Value::as_str) {
            Some(key) => Err(JudgeFault::Credentials(format!("Set {key}."))),
            None => Ok(()),
        }
    }

    async fn evaluate(
        &self,
        input: &JudgeInput,
        options: &Map<String, Value>,
        context: &JudgeContext,
    ) -> Result<JudgeScore, JudgeFault> {
        let scope = context.scope.as_str().to_owned();
        let rep: usize = scope.rsplit('/').next().unwrap().parse().unwrap();
        self.calls.lock().unwrap().push(scope);
        *self.seen.lock().unwrap() = Some(input.clone());
        let answers = options["answers"].as_array().unwrap();
        let mut answer = answers[rep.min(answers.len() - 1)].clone();
        if answer == "hang" {
            std::future::pending::<()>().await;
        }
        if let Some(fault) = answer.get("fault").and_then(Value::as_str) {
            let usage = answer.get("usage").map(|usage| serde_json::from_value(usage.clone()).unwrap());
            let why = fault.to_owned();
            return Err(match usage {
                Some(usage) => JudgeFault::Unusable { why, usage: Box::new(usage) },
                None => JudgeFault::Failed(why),
            });
        }
        let is_nan = answer["score"] == "NaN";
        if is_nan {
            answer.as_object_mut().unwrap().shift_remove("score");
        }
        let mut score: JudgeScore = serde_json::from_value(answer).unwrap();
        if is_nan {
            score.score = Some(f64::NAN);
        }
        Ok(score)
    }
}

pub(crate) fn case(more: Value) -> EvalCase {
    let mut case = json!({ "id": "c/1", "input": "Which bin?" });
    case.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    serde_json::from_value(case).unwrap()
}

pub(crate) fn trial(more: Value) -> Scrubbed<TrialRecord> {
    let mut trial = json!({
        "format": "mst.run/v1", "kind": "trial", "runId": "20261003T180211Z-a3f9c1", "variant": "default",
        "caseId": "c/1", "datasetName": "parts", "trial": 2, "durationMs": 5.0, "infrastructureError": false,
        "ending": { "kind": "trial" },
        "transcript": { "events": [], "finalText": "Bin 7.", "evidence": "structured" },
    });
    trial.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let trial: TrialRecord = serde_json::from_value(trial).unwrap();
    Scrubber::new([], []).scrub(trial)
}

/// Returns the setting of an entry's options (and `reps`, `threshold`, `jury`, `reference`) in a case.
pub(crate) fn setting_in(case: &EvalCase, entry: Value) -> JudgeSetting {
    let mut fields = json!({ "type": "acme/judge/fake" });
    fields.as_object_mut().unwrap().extend(entry.as_object().unwrap().clone());
    judges_of(case, &[JudgeEntry::read(&fields).unwrap()]).pop().unwrap()
}

pub(crate) fn setting(entry: Value) -> JudgeSetting {
    setting_in(&case(json!({})), entry)
}

pub(crate) fn bind(fake: Fake, entry: Value) -> Result<BoundJudge, BindFault> {
    BoundJudge::bind(&setting(entry), Arc::new(fake))
}

/// Asks a fake about a trial of a case.
pub(crate) async fn ask_in(fake: &Arc<Fake>, case: &EvalCase, entry: Value) -> GraderScore {
    let setting = setting_in(case, entry);
    let bound = BoundJudge::bind(&setting, Arc::<Fake>::clone(fake)).unwrap();
    let input = judge_input(case, &setting, &trial(json!({})));
    ask_bound(&bound, &input, &CancellationToken::new()).await.unwrap()
}

pub(crate) async fn ask_bound(
    bound: &BoundJudge,
    input: &JudgeInput,
    cancel: &CancellationToken,
) -> Result<GraderScore, Cancelled> {
    let (variant, case_id) = ("default".into(), "c/1".into());
    judge_trial(bound, input, JudgePlace { variant: &variant, case_id: &case_id, trial: 2 }, cancel).await
}

/// Asks a fake with these answers, one a rep.
pub(crate) async fn answers(answers: Value, more: Value) -> GraderScore {
    let mut entry = json!({ "reps": answers.as_array().unwrap().len(), "answers": answers });
    entry.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    ask_in(&Arc::new(Fake::default()), &case(json!({})), entry).await
}

/// Returns a score's verdict in a word.
pub(crate) fn word(score: &GraderScore) -> &'static str {
    match (score.error.is_some(), score.skipped, score.unknown, score.pass) {
        (true, None, None, false) => "error",
        (false, Some(true), None, true) => "skipped",
        (false, None, Some(true), false) => "unknown",
        (false, None, None, true) => "pass",
        (false, None, None, false) => "fail",
        _ => panic!("a score that says two things: {score:?}"),
    }
}
