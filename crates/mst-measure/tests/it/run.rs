//! A run to summarise, written in a few words.

use indexmap::IndexMap;
use mst_measure::{
    CaseInput, CaseRows, JoinedTrial, ListedMetric, SummaryInput, VariantInput, VariantTally, case_result, price_trial,
    row, summarise,
};
use mst_model::{
    CaseResult, EvalCase, GraderName, GraderScore, ModelPrice, RunRecord, Summary, TrialRecord, VariantName,
};
use serde_json::{Value, json};

/// One trial with its scores.
pub(crate) type Scored = (TrialRecord, IndexMap<GraderName, GraderScore>);

/// A case of a variant with its trials.
pub(crate) struct Case {
    pub(crate) case: EvalCase,
    pub(crate) trials: u32,
    pub(crate) pass_threshold: f64,
    pub(crate) model: Option<&'static str>,
    pub(crate) scored: Vec<Scored>,
}

/// A run.
pub(crate) struct Run {
    pub(crate) graded: bool,
    pub(crate) record: RunRecord,
    pub(crate) pricing: IndexMap<String, ModelPrice>,
    pub(crate) listed: Vec<ListedMetric>,
    pub(crate) variants: Vec<(VariantName, Vec<Case>)>,
}

pub(crate) const RUN_ID: &str = "20261003T180211Z-a3f9c1";

impl Run {
    pub(crate) fn new(variants: Vec<(&str, Vec<Case>)>) -> Self {
        let names: Vec<Value> = variants
            .iter()
            .map(|(name, _)| json!({ "name": name, "servers": [{ "label": "parts", "transport": "stdio", "command": "parts" }] }))
            .collect();
        let record = json!({
            "format": "mst.run/v1", "kind": "run", "runId": RUN_ID, "evalName": "parts", "configId": "parts",
            "contentHash": "a".repeat(64), "createdAt": "2026-10-03T18:02:11.000Z", "finishedAt": "2026-10-03T18:02:20.000Z",
            "mst": { "version": "0.1.0" }, "baseline": names[0]["name"], "variants": names,
            "datasets": [{ "name": "parts", "caseCount": variants[0].1.len(), "contentHash": "b".repeat(64) }],
            "partial": false, "redactStoredResponses": false, "runner": { "name": "local", "shards": 1 },
            "phases": { "collect": "complete", "grade": "complete" },
        });
        Self {
            graded: true,
            record: serde_json::from_value(record).unwrap(),
            pricing: IndexMap::new(),
            listed: Vec::new(),
            variants: variants.into_iter().map(|(name, cases)| (VariantName::from(name), cases)).collect(),
        }
    }

    /// Lists metrics as a config does, under their own names.
    pub(crate) fn listing(mut self, metrics: &[&str]) -> Self {
        self.listed = metrics
            .iter()
            .map(|name| ListedMetric { metric: (*name).to_owned(), name: (*name).to_owned(), judge: None })
            .collect();
        self
    }

    /// Prices every trial, as a run does before it stores them.
    pub(crate) fn priced(mut self, model: &str, price: ModelPrice) -> Self {
        self.pricing.insert(model.to_owned(), price);
        for case in self.variants.iter_mut().flat_map(|(_, cases)| cases) {
            for (trial, _) in &mut case.scored {
                price_trial(trial, case.model, &self.pricing);
            }
        }
        self
    }

    pub(crate) fn summary(&self) -> Summary {
        let tallies: Vec<VariantTally> = self
            .variants
            .iter()
            .map(|(_, cases)| {
                let mut tally = VariantTally::new(self.listed.clone(), self.pricing.clone());
                for case in cases {
                    tally.add(&CaseRows {
                        trials: case.trials,
                        pass_threshold: case.pass_threshold,
                        model: case.model.map(str::to_owned),
                        judge_models: vec!["gpt-judge".to_owned()],
                        rows: case.scored.iter().map(|(trial, scores)| row(trial, scores, self.graded)).collect(),
                    });
                }
                tally
            })
            .collect();
        let variants: Vec<VariantInput<'_>> = tallies
            .iter()
            .zip(&self.record.variants)
            .map(|(tally, record)| VariantInput { record, tally, pairwise: None })
            .collect();
        summarise(&SummaryInput { run: &self.record, duration_ms: 9000.0, graded: self.graded, variants: &variants })
    }

    pub(crate) fn results(&self) -> Vec<CaseResult> {
        let every = self.variants.iter().flat_map(|(variant, cases)| cases.iter().map(move |case| (variant, case)));
        every.map(|(variant, case)| case.result(variant, self.graded)).collect()
    }
}

impl Case {
    pub(crate) fn new(id: &str, trials: u32, pass_threshold: f64, scored: Vec<Scored>) -> Self {
        let case = json!({ "id": id, "input": "Find it.", "expected": { "answer": "bin 7", "more": 1 } });
        let mut scored = scored;
        for (number, (trial, _)) in scored.iter_mut().enumerate() {
            trial.case_id = id.into();
            trial.trial = u32::try_from(number).unwrap();
        }
        let case = serde_json::from_value(case).unwrap();
        Self { case, trials, pass_threshold, model: Some("claude-x"), scored }
    }

    pub(crate) fn result(&self, variant: &VariantName, graded: bool) -> CaseResult {
        let joined: Vec<JoinedTrial<'_>> = self
            .scored
            .iter()
            .map(|(record, scores)| JoinedTrial {
                record,
                scores,
                tool_precision: None,
                tool_recall: None,
                tool_call_trace: None,
            })
            .collect();
        case_result(&CaseInput {
            case: &self.case,
            dataset_name: "parts",
            variant,
            client: "api",
            model: self.model,
            trials: self.trials,
            pass_threshold: self.pass_threshold,
            graded,
            joined: &joined,
        })
    }
}

fn trial(ending: &Value, transcript: Value) -> TrialRecord {
    let record = json!({
        "format": "mst.run/v1", "kind": "trial", "runId": RUN_ID, "variant": "default", "caseId": "case",
        "datasetName": "parts", "trial": 0, "durationMs": 1500.0, "ending": ending, "transcript": transcript,
        "infrastructureError": ending["kind"] == "infrastructure",
    });
    serde_json::from_value(record).unwrap()
}

fn score(pass: bool) -> IndexMap<GraderName, GraderScore> {
    let score = if pass { GraderScore::passed() } else { GraderScore::failed("missing") };
    IndexMap::from([(GraderName::from("textContains"), score)])
}

/// A trial with one tool call that passed or failed, and its usage.
pub(crate) fn graded(pass: bool, usage: &Value) -> Scored {
    let call = json!({ "kind": "tool_call", "source": "mcp", "server": "parts", "name": "lookup", "arguments": {} });
    let transcript = json!({ "events": [call], "finalText": "bin 7", "evidence": "structured" });
    let mut trial = trial(&json!({ "kind": "trial" }), transcript);
    trial.client_usage = serde_json::from_value(usage.clone()).unwrap();
    (trial, score(pass))
}

/// A trial with a verdict of each of its judges (`P`, `F`, `?`, `-`, or `E` for none), by name.
pub(crate) fn judged(verdicts: &[(&str, char, f64)]) -> Scored {
    let (mut trial, mut scores) = graded(true, &Value::Null);
    for (name, verdict, score) in verdicts {
        let usage = serde_json::from_value(json!({ "inputTokens": 100, "outputTokens": 10 })).unwrap();
        let given = GraderScore {
            pass: matches!(verdict, 'P' | '-'),
            score: matches!(verdict, 'P' | 'F').then_some(*score),
            unknown: (*verdict == '?').then_some(true),
            skipped: (*verdict == '-').then_some(true),
            error: (*verdict == 'E').then(|| "500".to_owned()),
            judge_name: Some((*name).to_owned()),
            usage: (*verdict != '-').then_some(usage),
            ..GraderScore::default()
        };
        if *verdict == 'E' {
            trial.grading_error = Some(format!("judge.{name}: 500"));
            trial.error = Some(format!("Not graded: judge.{name}: 500"));
        }
        scores.insert(GraderName::new(format!("judge.{name}")), given);
    }
    (trial, scores)
}

/// A trial that broke around its client after one paid call.
pub(crate) fn broken(usage: &Value) -> Scored {
    let ending = json!({ "kind": "infrastructure", "broke": "network", "retryable": true, "reason": "gone" });
    let mut trial = trial(&ending, json!({ "events": [], "error": "gone", "evidence": "structured" }));
    trial.error = Some("gone".to_owned());
    trial.client_usage = serde_json::from_value(usage.clone()).unwrap();
    (trial, IndexMap::new())
}

/// A trial on which the grader `regex` gave no verdict.
pub(crate) fn ungraded() -> Scored {
    let (mut trial, scores) = graded(true, &Value::Null);
    trial.grading_error = Some("regex: timed out".to_owned());
    trial.error = Some("Not graded: regex: timed out".to_owned());
    (trial, scores)
}

/// A trial whose client refused, graded as usual.
pub(crate) fn refused() -> Scored {
    let mut trial = trial(
        &json!({ "kind": "trial" }),
        json!({ "events": [], "finalText": "", "error": "the model refused", "evidence": "structured" }),
    );
    trial.error = Some("the model refused".to_owned());
    (trial, score(true))
}
