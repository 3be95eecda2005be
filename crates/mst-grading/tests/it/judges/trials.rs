//! What a judge is given, when it is not asked, and what a missing verdict makes of its trial.

use std::sync::Arc;

use mst_grading::Graded;
use mst_grading::judge::{Cancelled, judge_input, skip_of_errored};
use mst_model::GraderScore;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::fake::{Fake, ask_bound, ask_in, bind, case, setting_in, trial, word};

#[tokio::test]
async fn without_an_input_that_it_needs_a_judge_is_not_asked() {
    for (expected, asked) in [
        (json!({ "expected": { "criteria": { "tone": "kind" } } }), true),
        (json!({ "expected": { "criteria": 0 } }), true),
        (json!({ "expected": { "criteria": false } }), true),
        (json!({ "expected": { "criteria": {} } }), false),
        (json!({ "expected": { "criteria": [] } }), false),
        (json!({ "expected": { "criteria": "" } }), false),
        (json!({ "expected": { "criteria": null } }), false),
        (json!({ "expected": {} }), false),
        (json!({}), false),
    ] {
        let fake = Arc::new(Fake { requires: &["trial.text", "case.expected.criteria"], ..Fake::default() });
        let score = ask_in(&fake, &case(expected.clone()), json!({ "answers": [{ "score": 1 }] })).await;
        assert_eq!(fake.calls.lock().unwrap().len(), usize::from(asked), "{expected}");
        assert_eq!(word(&score), if asked { "pass" } else { "skipped" }, "{expected}");
        if !asked {
            assert!(score.reasoning.unwrap().contains("case.expected.criteria"));
        }
    }
    let fake = Arc::new(Fake { requires: &["candidate.artifactsDir"], ..Fake::default() });
    let score = ask_in(&fake, &case(json!({})), json!({ "answers": [{ "score": 1 }] })).await;
    assert_eq!(
        score.reasoning.as_deref(),
        Some("Not asked: it needs candidate.artifactsDir, which is missing or empty.")
    );
}

#[test]
fn a_judge_is_given_the_case_as_written_and_the_whole_trial() {
    let case = case(json!({
        "expected": { "answer": "bin 7", "criteria": { "tone": "kind" }, "more": [1] }, "tags": ["t"], "metadata": { "k": 1 },
    }));
    let given = |entry: Value| {
        let record = trial(json!({
            "writeRecord": { "planned": [] }, "artifacts": "artifacts/default/c/2", "clientUsage": { "inputTokens": 4 },
            "transcript": {
                "events": [{ "kind": "tool_call", "source": "mcp", "name": "find", "server": "parts", "output": "7" }],
                "finalText": "Bin 7.", "evidence": "structured", "messages": [{ "role": "user" }],
            },
        }));
        serde_json::to_value(judge_input(&case, &setting_in(&case, entry), &record)).unwrap()
    };
    insta::assert_json_snapshot!(given(json!({})));
    assert_eq!(given(json!({ "reference": { "bin": 8 } }))["case"]["expected"]["answer"], json!({ "bin": 8 }));
}

#[tokio::test]
async fn each_rep_has_a_scope_of_its_own_on_a_tape() {
    let fake = Arc::new(Fake::default());
    let score = ask_in(&fake, &case(json!({})), json!({ "reps": 2, "answers": [{ "score": 1 }] })).await;
    let identity = score.judge_identity.unwrap();
    assert_eq!(
        *fake.calls.lock().unwrap(),
        [format!("{identity}/default/c%2F1/2/0"), format!("{identity}/default/c%2F1/2/1")]
    );
}

#[tokio::test]
async fn a_run_that_ends_records_nothing_of_a_judge_that_was_not_done() {
    let bound = bind(Fake::default(), json!({ "answers": ["hang"] })).unwrap();
    let case = case(json!({}));
    let input = judge_input(&case, &setting_in(&case, json!({})), &trial(json!({})));
    let cancel = CancellationToken::new();
    let asking = ask_bound(&bound, &input, &cancel);
    let stop = async {
        tokio::task::yield_now().await;
        cancel.cancel();
    };
    assert_eq!(tokio::join!(asking, stop).0, Err(Cancelled));
}

#[test]
fn a_trial_whose_client_errored_is_not_shown_to_a_judge_that_asks_a_model() {
    let asks = bind(Fake::default(), json!({ "answers": [] })).unwrap();
    let score = skip_of_errored(&asks).unwrap();
    assert_eq!(word(&score), "skipped");
    assert!(score.reasoning.unwrap().contains("the client had an error"));
    let counts = bind(Fake { asks_model: false, ..Fake::default() }, json!({ "answers": [] })).unwrap();
    assert_eq!(skip_of_errored(&counts), None);
}

#[test]
fn fc22_a_missing_verdict_is_a_grading_error_and_neither_a_pass_nor_a_fail() {
    let skipped = || GraderScore { skipped: Some(true), ..GraderScore::passed() };
    let none = |why: &str| GraderScore::no_verdict(why);
    let noted = |scores: Vec<(&str, GraderScore)>| {
        let mut graded = Graded::default();
        for (name, score) in scores {
            graded.add_judge(name, score);
        }
        let mut record = trial(json!({})).into_inner();
        graded.note_on(&mut record);
        assert_eq!(record.grading_error, graded.grading_error);
        (record.grading_error, record.error)
    };
    let some = |text: &str| Some(text.to_owned());
    for (scores, grading_error, error) in [
        (vec![("a", GraderScore::passed()), ("b", skipped())], None, None),
        (vec![("rubric", none("500"))], some("judge.rubric: 500"), some("Not graded: judge.rubric: 500")),
        (vec![("a", none("1")), ("b", none("2"))], some("judge.a: 1"), some("Not graded: judge.a: 1")),
        // Another grader failed the trial: the fail stands, and the verdict is still missing.
        (vec![("a", none("1")), ("b", GraderScore::failed("no"))], some("judge.a: 1"), None),
        (
            vec![("a", none("1")), ("b", GraderScore { skipped: Some(true), ..GraderScore::failed("no") })],
            some("judge.a: 1"),
            some("Not graded: judge.a: 1"),
        ),
    ] {
        assert_eq!(noted(scores.clone()), (grading_error, error), "{scores:?}");
    }
}
