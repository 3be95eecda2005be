//! A judge, a fake provider and a trial.

use std::collections::BTreeMap;
use std::sync::Arc;

use mst_ext::{Judge, JudgeContext, JudgeFault, PairwiseJudge};
use mst_judges::{JudgeDeps, built_in, built_in_pairwise};
use mst_llm::LlmConnector;
use mst_model::{
    CaseId, Clock, JudgeInput, JudgeScore, PairwiseAnswer, PairwiseInput, Tape, TapeScope, Timestamp, VariantName,
};
use mst_testkit::{FakeProvider, Script};
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

/// The models that stand for the providers, by their names alone.
pub(crate) const MODELS: [&str; 3] = ["claude-x", "gpt-x", "gemini-x"];

/// A clock for tests, which stands still.
struct StillClock;

impl Clock for StillClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(1_750_000_000_000).expect("in range")
    }
}

/// What a judge is asked with.
pub(crate) struct Bench {
    pub(crate) provider: FakeProvider,
    pub(crate) env: BTreeMap<String, String>,
    pub(crate) cancel: CancellationToken,
}

impl Bench {
    /// Starts a provider that answers by a script.
    pub(crate) fn new(script: Script) -> Self {
        let provider = FakeProvider::start_now(script);
        let env = [
            ("ANTHROPIC_API_KEY", "sk-test-anthropic".to_owned()),
            ("ANTHROPIC_BASE_URL", provider.anthropic_url()),
            ("OPENAI_API_KEY", "sk-test-openai".to_owned()),
            ("OPENAI_BASE_URL", provider.openai_url()),
            ("GOOGLE_GENERATIVE_AI_API_KEY", "sk-test-google".to_owned()),
            ("GOOGLE_GENERATIVE_AI_BASE_URL", provider.google_url()),
        ];
        let env = env.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        Self { provider, env, cancel: CancellationToken::new() }
    }

    /// Returns a judge.
    pub(crate) fn judge(&self, name: &str, tape: Option<Tape>) -> Arc<dyn Judge> {
        let judges = built_in(self.deps(tape));
        judges.into_iter().find(|judge| judge.definition().name == name).expect("the judge is built in")
    }

    fn deps(&self, tape: Option<Tape>) -> JudgeDeps {
        let llm = LlmConnector::new(&self.env, Arc::new(StillClock)).with_tape(tape);
        JudgeDeps { llm, env: Arc::new(self.env.clone()) }
    }

    /// Returns the pairwise judge `preference`.
    pub(crate) fn preference(&self) -> Arc<dyn PairwiseJudge> {
        built_in_pairwise(self.deps(None)).remove(0)
    }

    /// Has two trials of a case compared.
    pub(crate) async fn compare(&self, options: &Value, input: &Value) -> Result<PairwiseAnswer, JudgeFault> {
        let judge = self.preference();
        let options = judge.parse(&object(options)).expect("the options are right");
        judge.preflight(&options).await?;
        let input: PairwiseInput = serde_json::from_value(input.clone()).expect("the input is one");
        let scope = TapeScope::pairwise("identity", &VariantName::from("v"), &CaseId::from("c"), 0, 0, false);
        judge.compare(&input, &options, &JudgeContext { scope, cancel: self.cancel.clone() }).await
    }

    /// Asks a judge about a trial.
    pub(crate) async fn ask(&self, name: &str, options: &Value, input: &Value) -> Result<JudgeScore, JudgeFault> {
        self.ask_taped(name, options, input, None).await
    }

    /// Asks a judge about a trial, with a tape before the provider.
    pub(crate) async fn ask_taped(
        &self,
        name: &str,
        options: &Value,
        input: &Value,
        tape: Option<Tape>,
    ) -> Result<JudgeScore, JudgeFault> {
        let judge = self.judge(name, tape);
        let options = judge.parse(&object(options)).expect("the options are right");
        judge.preflight(&options).await?;
        let input: JudgeInput = serde_json::from_value(input.clone()).expect("the input is one");
        let scope = TapeScope::judge("identity", &VariantName::from("v"), &CaseId::from("c"), 0, 0);
        judge.evaluate(&input, &options, &JudgeContext { scope, cancel: self.cancel.clone() }).await
    }
}

/// Returns the options that make a judge ask a model.
pub(crate) fn options_for(name: &str, model: &str) -> Value {
    let mut options = json!({ "model": model });
    match name {
        "rubric" => options["rubric"] = json!("correctness"),
        "criteria" => {
            options["criteria"] = json!([
                { "id": "right-bin", "text": "The answer gives bin 12." },
                { "id": "names-part", "text": "The answer names the part.", "required": false },
            ]);
        }
        _ => {}
    }
    options
}

/// Returns a case and a good trial of it.
pub(crate) fn good() -> Value {
    json!({
        "case": {
            "id": "c",
            "input": { "prompt": "Which bin is part p-1 in?" },
            "expected": { "answer": "It is in bin 12 (reference)." },
            "tags": [],
            "metadata": {},
        },
        "trial": {
            "response": "Part p-1 is in bin 12.",
            "text": "Part p-1 is in bin 12.",
            "evidence": "structured",
            "events": [{
                "kind": "tool_call", "source": "mcp", "name": "lookup", "server": "parts",
                "arguments": { "id": "p-1" }, "output": "{\"bin\":12}",
            }],
        },
    })
}

pub(crate) fn object(value: &Value) -> Map<String, Value> {
    value.as_object().expect("an object").clone()
}
