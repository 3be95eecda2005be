//! Criteria that decide a judge, and those that do not.

use std::sync::Arc;

use mst_model::CriterionVerdict;
use serde_json::{Value, json};

use super::fake::{Fake, answers, ask_in, bind, case, word};

/// Reads `id:verdict` and `id:verdict?` (optional) as criteria.
fn criteria(short: &str) -> Value {
    let one = |text: &str| {
        let (id, verdict) = text.split_once(':').unwrap();
        match verdict.strip_suffix('?') {
            Some(verdict) => json!({ "id": id, "verdict": verdict, "required": false }),
            None => json!({ "id": id, "verdict": verdict }),
        }
    };
    short.split_whitespace().map(one).collect::<Vec<_>>().into()
}

fn short(score: &mst_model::GraderScore) -> String {
    let one = |criterion: &mst_model::Criterion| {
        let verdict = match criterion.verdict {
            CriterionVerdict::Pass => "pass",
            CriterionVerdict::Fail => "fail",
            CriterionVerdict::Unknown => "unknown",
        };
        format!("{}:{verdict}{}", criterion.id, if criterion.is_required() { "" } else { "?" })
    };
    score.criteria.iter().flatten().map(one).collect::<Vec<_>>().join(" ")
}

#[tokio::test]
async fn required_criteria_decide_in_place_of_pass_unknown_score_and_threshold() {
    for (given, want, share) in [
        ("a:pass b:pass", "pass", Some(1.0)),
        ("a:pass b:fail", "fail", Some(0.5)),
        ("a:unknown b:fail", "fail", Some(0.0)),
        ("a:pass b:unknown", "unknown", Some(0.5)),
        ("a:pass b:fail?", "pass", Some(1.0)),
        ("a:pass b:unknown?", "pass", Some(1.0)),
        ("a:fail b:pass?", "fail", Some(0.0)),
        ("a:pass b:pass c:fail", "fail", Some(0.666_666_666_667)),
    ] {
        for own in [json!({ "score": 0.1, "pass": false }), json!({ "unknown": true, "score": 1 }), json!({})] {
            let mut answer = own.clone();
            answer["criteria"] = criteria(given);
            let score = answers(json!([answer]), json!({ "threshold": 1 })).await;
            assert_eq!((word(&score), score.score), (want, share), "{given} with {own}");
            assert_eq!(short(&score), given);
        }
    }
}

#[tokio::test]
async fn without_a_required_criterion_the_judges_own_verdict_decides() {
    for (own, want) in [
        (json!({ "score": 0.9 }), "pass"),
        (json!({ "score": 0.9, "pass": false }), "fail"),
        (json!({ "unknown": true }), "unknown"),
        (json!({}), "error"),
    ] {
        let mut answer = own.clone();
        answer["criteria"] = criteria("a:fail? b:unknown?");
        let score = answers(json!([answer]), json!({})).await;
        assert_eq!(word(&score), want, "{own}");
        assert_eq!(short(&score), if want == "error" { "" } else { "a:fail? b:unknown?" });
    }
}

#[tokio::test]
async fn over_reps_each_criterions_majority_wins_and_a_tie_is_unknown() {
    for (reps, want, joined) in [
        (vec!["a:pass", "a:pass", "a:fail"], "pass", "a:pass"),
        (vec!["a:pass", "a:fail"], "unknown", "a:unknown"),
        (vec!["a:unknown", "a:fail"], "fail", "a:fail"),
        (vec!["a:unknown", "a:unknown"], "unknown", "a:unknown"),
        (vec!["a:pass b:fail", "a:fail b:fail"], "fail", "a:unknown b:fail"),
        (vec!["a:pass", "b:pass a:pass?"], "pass", "a:pass b:pass"),
        (vec!["a:fail? b:pass", "a:fail? b:pass"], "pass", "a:fail? b:pass"),
    ] {
        let given: Vec<Value> = reps.iter().map(|rep| json!({ "criteria": criteria(rep) })).collect();
        let score = answers(given.into(), json!({})).await;
        assert_eq!((word(&score), short(&score).as_str()), (want, joined), "{reps:?}");
    }
}

#[tokio::test]
async fn reasoning_and_sub_scores_are_the_criterias_and_an_unknown_one_has_no_sub_score() {
    let given = json!([{ "score": 1, "reasoning": "own", "subScores": { "own": { "score": 1 } }, "criteria": [
        { "id": "port", "text": "Names the port.", "verdict": "pass", "reasoning": "7341" },
        { "id": "tone", "verdict": "unknown", "reasoning": "no tone" },
        { "id": "file", "verdict": "fail", "required": false },
    ] }]);
    let score = answers(given, json!({})).await;
    assert_eq!(score.reasoning.as_deref(), Some("port: pass. 7341\ntone: unknown. no tone\nfile: fail"));
    assert_eq!(
        serde_json::to_value(&score.sub_scores).unwrap(),
        json!({ "file": { "score": 0.0, "pass": false }, "port": { "score": 1.0, "pass": true, "reasoning": "7341" } })
    );
    assert_eq!(score.criteria.unwrap()[0].text.as_deref(), Some("Names the port."));
}

#[tokio::test]
async fn a_judge_that_skips_keeps_the_criteria_its_reps_listed_each_unknown() {
    let given = json!([
        { "criteria": criteria("a:pass b:fail?") },
        { "skipped": true, "reasoning": "enough", "criteria": criteria("c:pass") },
    ]);
    let score = answers(given, json!({})).await;
    assert_eq!((word(&score), short(&score).as_str()), ("skipped", "a:unknown b:unknown? c:unknown"));
}

#[tokio::test]
async fn a_criterions_id_has_no_hash_and_is_listed_once() {
    for (ids, what) in [
        ("a#b:pass", "a criterion's id is \"a#b\"; it may not be empty or have a \"#\""),
        (":pass", "a criterion's id is \"\"; it may not be empty or have a \"#\""),
        ("a:pass a:fail", "the criterion \"a\" is listed twice"),
    ] {
        let score = answers(json!([{ "score": 1, "criteria": criteria(ids) }]), json!({})).await;
        assert_eq!(score.error.as_deref(), Some(what), "{ids}");
    }
}

#[tokio::test]
async fn a_criterions_identity_is_the_judges_unless_its_own_options_decide_it() {
    let list = json!([{ "id": "a", "text": "A?" }, { "id": "b", "text": "B?" }]);
    let entry = json!({ "criteria": list, "answers": [{ "criteria": criteria("a:pass b:pass") }] });
    let whole = ask_in(&Arc::new(Fake::default()), &case(json!({})), entry.clone()).await;
    for criterion in whole.criteria.as_ref().unwrap() {
        assert_eq!(criterion.identity, whole.judge_identity);
    }

    let splits = || Fake { splits_criteria: true, ..Fake::default() };
    let alone = ask_in(&Arc::new(splits()), &case(json!({})), entry).await;
    let ids: Vec<_> = alone.criteria.unwrap().into_iter().map(|criterion| criterion.identity.unwrap()).collect();
    assert_ne!(ids[0], ids[1]);
    let of = |list: Value| {
        bind(splits(), json!({ "criteria": list, "answers": [] })).unwrap().criterion_identity("a").unwrap()
    };
    assert_eq!(of(json!([{ "id": "a", "text": "A?" }])), ids[0], "the same criterion in another list");
    assert_ne!(of(json!([{ "id": "a", "text": "Another A?" }])), ids[0]);
}
