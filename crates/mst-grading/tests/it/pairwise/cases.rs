//! One case, compared.

use std::sync::Arc;

use mst_grading::pairwise::BoundPairwiseJudge;
use mst_model::{PairwiseSetting, Preferred};
use serde_json::{Value, json};

use super::fake::{Fake, bind, compare};

#[tokio::test]
async fn fc24_both_orders_are_asked_and_a_judge_that_follows_the_order_gives_a_tie() {
    use Preferred::{Baseline, Candidate, Tie};
    for (forward, swapped, want, consistent) in [
        (json!(["A"]), json!(["A"]), Tie, false),
        (json!(["B"]), json!(["B"]), Tie, false),
        (json!(["A"]), json!(["B"]), Baseline, true),
        (json!(["B"]), json!(["A"]), Candidate, true),
        (json!(["tie"]), json!(["tie"]), Tie, true),
        // A tie and a win are as many: no side has the most.
        (json!(["tie"]), json!(["A"]), Tie, false),
        (json!(["A"]), json!(["tie"]), Tie, false),
        (json!(["B", "B"]), json!(["A", "B"]), Candidate, false),
        (json!(["B", "tie", "B"]), json!(["A", "tie", "A"]), Candidate, true),
        (json!(["B", "A", "tie"]), json!(["B", "A", "tie"]), Tie, true),
        (json!(["B", "A"]), json!(["tie", "A"]), Candidate, true),
    ] {
        let fake = Arc::new(Fake::default());
        let reps = forward.as_array().unwrap().len();
        let options = json!({ "reps": reps, "forward": forward, "swapped": swapped });
        let found = compare(&fake, options.clone()).await;
        assert_eq!((found.preference, found.consistent), (Some(want), Some(consistent)), "{options}");
        assert_eq!(fake.scopes.lock().unwrap().len(), 2 * reps);
        assert_eq!(found.usage.unwrap().input_tokens, Some(20 * reps as u64));
        assert_eq!(found.model.as_deref(), Some("claude-y"));
    }
}

#[tokio::test]
async fn the_trials_change_places_and_each_call_has_a_scope_of_its_own() {
    let fake = Arc::new(Fake::default());
    let found = compare(&fake, json!({ "reps": 2, "forward": ["A", "A"], "swapped": ["B", "B"] })).await;
    assert_eq!(*fake.firsts.lock().unwrap(), ["old", "old", "new", "new"]);
    let identity = found.judge_identity.unwrap();
    let want = ["0/forward", "1/forward", "0/swapped", "1/swapped"].map(|end| format!("{identity}/next/c/1/{end}"));
    assert_eq!(*fake.scopes.lock().unwrap(), want);
}

#[tokio::test]
async fn a_judge_that_takes_care_of_positions_itself_is_asked_in_one_order() {
    let fake = Arc::new(Fake { swaps: false, ..Fake::default() });
    let found = compare(&fake, json!({ "forward": ["A"] })).await;
    assert_eq!((found.preference, found.consistent), (Some(Preferred::Baseline), None));
    assert_eq!(fake.scopes.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn reasoning_comes_from_an_order_that_gave_the_preference_the_forward_one_first() {
    for (forward, swapped, want) in [
        (json!(["A", "B"]), json!(["B", "B"]), "A wins"),
        (json!(["tie", "B"]), json!(["B", "B"]), "Asked with the candidate as A: B wins"),
        (
            json!(["A", "A"]),
            json!(["A", "A"]),
            "The answers do not agree: the baseline is better in 2, the candidate in 2.",
        ),
    ] {
        let found =
            compare(&Arc::new(Fake::default()), json!({ "reps": 2, "forward": forward, "swapped": swapped })).await;
        assert_eq!(found.reasoning.as_deref(), Some(want));
    }
}

#[tokio::test]
async fn strength_and_dimensions_are_those_of_the_answers_that_agree() {
    let answer = |which: &str, strength: f64, marks: [u32; 2]| {
        json!({ "preference": which, "strength": strength, "metadata": { "m": 1 }, "dimensions": {
            "tone": { "preference": which, "strength": strength, "baseline": marks[0], "candidate": marks[1] } } })
    };
    let fake = Arc::new(Fake::default());
    let found = compare(
        &fake,
        json!({ "reps": 2, "forward": [answer("candidate", 0.5, [4, 8]), answer("baseline", 1.0, [9, 3])],
            "swapped": [answer("baseline", 0.7, [9, 5]), answer("baseline", 0.9, [9, 5])] }),
    )
    .await;
    assert_eq!((found.preference, found.strength), (Some(Preferred::Candidate), Some(0.7)));
    assert_eq!(
        serde_json::to_value(found.dimensions).unwrap(),
        json!({ "tone": { "preference": "candidate", "strength": 0.7, "baseline": 5.75, "candidate": 7.25 } })
    );
    assert_eq!(found.metadata, Some(json!({ "m": 1 })));
}

#[tokio::test]
async fn skips_and_errors_are_recorded_and_are_no_preference() {
    let skip = json!({ "skipped": true, "reasoning": "nothing to compare" });
    for (forward, swapped, skipped, error, calls) in [
        (json!([skip]), json!([]), true, None, 1),
        (json!(["A"]), json!([skip]), true, None, 2),
        (json!(["B"]), json!([{ "fault": "500" }]), false, Some("500"), 2),
        (json!([{}]), json!([]), false, Some("the judge returned no preference"), 1),
        (
            json!([{ "preference": "tie", "strength": 2 }]),
            json!([]),
            false,
            Some("the strength is 2, not a number from 0 to 1"),
            1,
        ),
    ] {
        let fake = Arc::new(Fake::default());
        let found = compare(&fake, json!({ "forward": forward, "swapped": swapped })).await;
        assert_eq!((found.preference, found.consistent), (None, None));
        assert_eq!((found.skipped == Some(true), found.error.as_deref()), (skipped, error));
        assert_eq!(fake.scopes.lock().unwrap().len(), calls, "{forward}");
        assert!(found.judge_identity.is_some());
    }
}

#[tokio::test]
async fn without_an_input_that_it_needs_a_pairwise_judge_is_not_asked() {
    for (requires, asked) in [
        (&["case.expected.answer", "baseline.text", "candidate.text"][..], true),
        (&["candidate.artifactsDir"], false),
        (&["case.expected.more"], false),
    ] {
        let fake = Arc::new(Fake { requires, ..Fake::default() });
        let found = compare(&fake, json!({ "forward": ["A"], "swapped": ["B"] })).await;
        assert_eq!(found.skipped, (!asked).then_some(true), "{requires:?}");
        assert_eq!(fake.scopes.lock().unwrap().is_empty(), !asked);
    }
}

#[tokio::test]
async fn the_identity_covers_judge_version_options_and_reps() {
    let of = |fake: Fake, options: Value| bind(&Arc::new(fake), options).identity().to_owned();
    let base = of(Fake::default(), json!({ "model": "m" }));
    assert_eq!(of(Fake::default(), json!({ "model": "m", "effort": "low", "reps": 1 })), base);
    assert_ne!(of(Fake::default(), json!({ "model": "n" })), base);
    assert_ne!(of(Fake::default(), json!({ "model": "m", "reps": 2 })), base);
    assert_ne!(of(Fake { version: None, ..Fake::default() }, json!({ "model": "m" })), base);
    let key = bind(&Arc::new(Fake::default()), json!({ "key": "A_KEY" }));
    assert_eq!(key.preflight().await.unwrap_err().to_string(), "Set A_KEY.");
    let wrong = PairwiseSetting::read(&json!({ "type": "acme/pairwise-judge/fake", "wrong": 1 })).unwrap();
    let refused = BoundPairwiseJudge::bind(&wrong, Arc::new(Fake::default())).unwrap_err();
    assert_eq!(refused.to_string(), "pairwise judge \"acme/pairwise-judge/fake\": wrong is no option");
}
