//! Juries.

use std::sync::Arc;

use mst_grading::judge::BindFault;
use serde_json::{Value, json};

use super::fake::{Fake, ask_in, bind, case, word};

/// Asks a jury whose members give one answer each.
async fn jury(members: &[Value]) -> mst_model::GraderScore {
    let seats: Vec<Value> = members
        .iter()
        .enumerate()
        .map(|(index, answer)| {
            let mut answer = answer.clone();
            answer["model"] = format!("m{index}").into();
            json!({ "model": format!("m{index}"), "answers": [answer] })
        })
        .collect();
    ask_in(&Arc::new(Fake::default()), &case(json!({})), json!({ "jury": seats, "answers": [] })).await
}

fn one(short: char) -> Value {
    let usage = json!({ "outputTokens": 1 });
    match short {
        'P' => json!({ "score": 1, "usage": usage, "reasoning": "yes" }),
        'p' => json!({ "score": 0.75, "usage": usage }),
        'F' => json!({ "score": 0, "usage": usage }),
        '?' => json!({ "unknown": true, "usage": usage }),
        '-' => json!({ "skipped": true, "usage": usage }),
        other => json!({ "fault": format!("broken {other}") }),
    }
}

#[tokio::test]
async fn the_majority_of_the_members_that_passed_or_failed_decides() {
    for (members, want, mean) in [
        ("PPF", "pass", Some(0.666_666_666_667)),
        ("PFF", "fail", Some(0.333_333_333_333)),
        ("PF", "unknown", Some(0.5)),
        ("P??", "pass", Some(1.0)),
        ("F-?", "fail", Some(0.0)),
        ("pP-", "pass", Some(0.875)),
        ("??", "unknown", None),
        ("?-", "unknown", None),
        ("--", "skipped", None),
    ] {
        let answers: Vec<Value> = members.chars().map(one).collect();
        let score = jury(&answers).await;
        assert_eq!((word(&score), score.score), (want, mean), "{members}");
        assert_eq!(score.usage.unwrap().output_tokens, Some(members.len() as u64), "{members}");
        let words: String = score
            .jury
            .unwrap()
            .iter()
            .map(|one| match (one.skipped, one.unknown, one.pass) {
                (Some(true), None, false) => '-',
                (None, Some(true), false) => '?',
                (None, None, true) => 'P',
                (None, None, false) => 'F',
                _ => panic!("a member that says two things: {one:?}"),
            })
            .collect();
        assert_eq!(words, members.replace('p', "P"));
    }
}

#[tokio::test]
async fn a_score_of_a_jury_records_its_members_and_lists_their_models() {
    let score = jury(&[one('P'), one('F'), one('P')]).await;
    assert_eq!(score.judge_model.as_deref(), Some("m0, m1, m2"));
    assert_eq!(
        score.reasoning.as_deref(),
        Some("jury member 1 (m0): pass. yes\njury member 2 (m1): fail\njury member 3 (m2): pass. yes")
    );
    assert_eq!(score.details.as_deref(), Some("2 of 3 members pass"));
    let members = score.jury.unwrap();
    assert_eq!(members[1].judge_model.as_deref(), Some("m1"));
    assert_eq!((members[1].pass, members[1].score), (false, Some(0.0)));
    assert_ne!(members[0].judge_identity, members[1].judge_identity);
}

#[tokio::test]
async fn a_member_that_fails_to_run_fails_the_score_and_is_named() {
    let score = jury(&[one('P'), one('x'), one('y'), one('P')]).await;
    assert_eq!((word(&score), score.error.as_deref()), ("error", Some("jury member 2 (m1): broken x")));
    assert_eq!(score.usage.unwrap().output_tokens, Some(2), "what the others used was spent");
}

#[tokio::test]
async fn criteria_take_the_members_majority_and_are_optional_only_when_all_say_so() {
    let with = |criteria: Value| json!({ "criteria": criteria });
    let score = jury(&[
        with(json!([{ "id": "a", "verdict": "pass" }, { "id": "b", "verdict": "fail", "required": false }])),
        with(json!([{ "id": "a", "verdict": "pass" }, { "id": "b", "verdict": "fail" }])),
        with(json!([{ "id": "a", "verdict": "fail" }, { "id": "c", "verdict": "pass", "required": false }])),
    ])
    .await;
    let found: Vec<Value> = score
        .criteria
        .unwrap()
        .into_iter()
        .map(|one| json!([one.id.clone(), one.verdict, one.is_required()]))
        .collect();
    assert_eq!(found, [json!(["a", "pass", true]), json!(["b", "fail", true]), json!(["c", "pass", false])]);
    assert!(!score.pass, "two of three members fail it");
}

#[tokio::test]
async fn a_criterions_identity_is_the_set_of_every_members() {
    let seat = |model: &str, answer: Value| json!({ "model": model, "answers": [answer] });
    let pass = json!({ "criteria": [{ "id": "a", "verdict": "pass" }] });
    let all = |second: Value| {
        json!({ "criteria": [{ "id": "a", "text": "A?" }], "answers": [],
        "jury": [seat("m", pass.clone()), seat("n", second)] })
    };
    let fake = || Arc::new(Fake { splits_criteria: true, ..Fake::default() });
    let both = ask_in(&fake(), &case(json!({})), all(pass.clone())).await;
    let one_skips = ask_in(&fake(), &case(json!({})), all(json!({ "skipped": true }))).await;
    let of = |score: &mst_model::GraderScore| score.criteria.as_ref().unwrap()[0].identity.clone().unwrap();
    assert_eq!(of(&both), of(&one_skips), "a member that skips does not change it");
    let of_member = both.jury.as_ref().unwrap()[0].criteria.as_ref().unwrap()[0].identity.clone().unwrap();
    assert_ne!(of(&both), of_member);
}

#[test]
fn the_order_of_members_does_not_change_the_identity_and_two_cannot_be_the_same() {
    let of = |members: Value| bind(Fake::default(), json!({ "jury": members, "answers": [], "model": "base" }));
    let (a, b) = (json!({ "model": "a" }), json!({ "model": "b" }));
    let one = of(json!([a, b])).unwrap();
    assert_eq!(one.identity(), of(json!([b, a])).unwrap().identity());
    assert_ne!(one.identity(), of(json!([a])).unwrap().identity());
    assert_eq!(one.models(), ["a", "b"]);
    // The second differs in nothing that decides: its effort is the default.
    let same = of(json!([a, b, { "model": "a", "effort": "low" }])).unwrap_err();
    assert_eq!(same, BindFault::EqualMembers { judge: "acme/judge/fake".to_owned(), first: 1, second: 3 });
    let wrong = of(json!([a, { "model": "b", "wrong": 1 }])).unwrap_err();
    assert_eq!(wrong.to_string(), "judge \"acme/judge/fake\", jury member 2 (b): wrong is no option");
}

#[tokio::test]
async fn members_have_the_entrys_threshold_and_reps() {
    let fake = Arc::new(Fake::default());
    let seat = |model: &str| json!({ "model": model, "answers": [{ "score": 0.5 }, { "score": 0.7 }] });
    let entry = json!({ "jury": [seat("a"), seat("b")], "answers": [], "reps": 2, "threshold": 0.6 });
    let score = ask_in(&fake, &case(json!({})), entry).await;
    assert_eq!((word(&score), score.score), ("pass", Some(0.6)));
    assert_eq!(fake.calls.lock().unwrap().len(), 4);
}

#[tokio::test]
async fn every_member_is_checked_before_anything_is_spent() {
    let bound =
        bind(Fake::default(), json!({ "answers": [], "jury": [{ "model": "a" }, { "model": "b", "key": "B_KEY" }] }));
    let fault = bound.unwrap().preflight().await.unwrap_err();
    assert_eq!(fault.to_string(), "jury member 2 (b): Set B_KEY.");
}
