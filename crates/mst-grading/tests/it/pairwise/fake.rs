//! A pairwise judge whose options say what it answers.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use mst_ext::{JudgeContext, JudgeDefinition, JudgeFault, PairwiseJudge};
use mst_grading::judge::JudgePlace;
use mst_grading::pairwise::{BoundPairwiseJudge, compare_case};
use mst_model::{JudgeTrial, PairwiseAnswer, PairwiseInput, PairwiseSetting, Preference};
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

/// Answers by `options.forward[rep]` or `options.swapped[rep]`, or with an object of those by the case's id: `A`, `B` or
/// `tie` as a model says it, `{ "fault": text }`, or a whole answer.
pub(crate) struct Fake {
    pub(crate) swaps: bool,
    pub(crate) version: Option<&'static str>,
    pub(crate) requires: &'static [&'static str],
    pub(crate) scopes: Mutex<Vec<String>>,
    /// The text of the trial that was shown first, of each call.
    pub(crate) firsts: Mutex<Vec<String>>,
}

impl Default for Fake {
    fn default() -> Self {
        Self { swaps: true, version: Some("1"), requires: &[], scopes: Mutex::default(), firsts: Mutex::default() }
    }
}

#[async_trait]
impl PairwiseJudge for Fake {
    fn definition(&self) -> JudgeDefinition {
        JudgeDefinition {
            name: "acme/pairwise-judge/fake".to_owned(),
            description: "prefers what it is told to".to_owned(),
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

    fn swaps_positions(&self) -> bool {
        self.swaps
    }

    async fn preflight(&self, options: &Map<String, Value>) -> Result<(), JudgeFault> {
        match options.get("key").and_then(Value::as_str) {
            Some(key) => Err(JudgeFault::Credentials(format!("Set {key}."))),
            None => Ok(()),
        }
    }

    async fn compare(
        &self,
        input: &PairwiseInput,
        options: &Map<String, Value>,
        context: &JudgeContext,
    ) -> Result<PairwiseAnswer, JudgeFault> {
        let scope = context.scope.as_str().to_owned();
        let (rest, order) = scope.rsplit_once('/').unwrap();
        let rep: usize = rest.rsplit('/').next().unwrap().parse().unwrap();
        let order = order.to_owned();
        self.firsts.lock().unwrap().push(input.baseline.text.clone());
        let answers = options.get(&input.case.id).map_or_else(|| &options[&order], |of_case| &of_case[&order]);
        let answer = answers[rep].clone();
        self.scopes.lock().unwrap().push(scope);
        if let Some(fault) = answer.get("fault").and_then(Value::as_str) {
            return Err(JudgeFault::Failed(fault.to_owned()));
        }
        let Some(word) = answer.as_str() else { return Ok(serde_json::from_value(answer).unwrap()) };
        let preference = match word {
            "A" => "baseline",
            "B" => "candidate",
            _ => "tie",
        };
        let usage = json!({ "inputTokens": 10 });
        let given = json!({ "preference": preference, "reasoning": format!("{word} wins"), "usage": usage, "model": "claude-y" });
        Ok(serde_json::from_value(given).unwrap())
    }
}

pub(crate) fn observed(text: &str) -> JudgeTrial {
    serde_json::from_value(json!({ "response": text, "text": text, "events": [] })).unwrap()
}

pub(crate) fn bind(fake: &Arc<Fake>, options: Value) -> BoundPairwiseJudge {
    let mut entry = json!({ "type": "acme/pairwise-judge/fake" });
    entry.as_object_mut().unwrap().extend(options.as_object().unwrap().clone());
    BoundPairwiseJudge::bind(&PairwiseSetting::read(&entry).unwrap(), Arc::<Fake>::clone(fake)).unwrap()
}

pub(crate) async fn compare(fake: &Arc<Fake>, options: Value) -> Preference {
    let input = json!({
        "case": { "id": "c", "input": { "prompt": "Which bin?" }, "expected": { "answer": "7" }, "tags": [], "metadata": {} },
        "baseline": observed("old"), "candidate": observed("new"),
    });
    let input: PairwiseInput = serde_json::from_value(input).unwrap();
    let (variant, case_id) = ("next".into(), "c".into());
    let place = JudgePlace { variant: &variant, case_id: &case_id, trial: 1 };
    compare_case(&bind(fake, options), &input, place, &CancellationToken::new()).await.unwrap()
}
