//! Judge identity.

use serde_json::{Value, json};

use super::fake::{Fake, answers, bind};

fn of(fake: Fake, entry: Value) -> String {
    bind(fake, entry).unwrap().identity().to_owned()
}

#[test]
fn the_identity_changes_with_all_that_can_change_how_a_judge_grades_and_with_nothing_else() {
    let base = of(Fake::default(), json!({ "model": "m" }));
    for (what, same) in [
        (json!({ "model": "m", "effort": "low" }), true),
        (json!({ "model": "m", "threshold": 0.7, "reps": 1 }), true),
        (json!({ "model": "m", "reference": "42" }), true),
        (json!({ "options": { "model": "m" } }), true),
        (json!({ "model": "m", "name": "mine" }), true),
        (json!({ "model": "n" }), false),
        (json!({ "model": "m", "effort": "high" }), false),
        (json!({ "model": "m", "threshold": 0.8 }), false),
        (json!({ "model": "m", "reps": 2 }), false),
        (json!({ "model": "m", "jury": [{}] }), false),
    ] {
        assert_eq!(of(Fake::default(), what.clone()) == base, same, "{what}");
    }
    let entry = || json!({ "model": "m" });
    for (what, fake, same) in [
        ("no settings", Fake { settings: Some(json!({})), ..Fake::default() }, true),
        ("settings", Fake { settings: Some(json!({ "strict": true })), ..Fake::default() }, false),
        ("another version", Fake { version: Some("2"), ..Fake::default() }, false),
        ("no version", Fake { version: None, ..Fake::default() }, false),
        ("another judge", Fake { name: "acme/judge/other", ..Fake::default() }, false),
    ] {
        assert_eq!(of(fake, entry()) == base, same, "{what}");
    }
}

#[test]
fn the_identity_is_the_hash_of_canonical_json_and_stays_what_it_was() {
    let entry = || json!({ "model": "m", "threshold": 0.5, "reps": 3 });
    let built_in = Fake { name: "rubric", ..Fake::default() };
    let want = mst_model::sha256_hex(
        br#"{"judge":"mst/judge/rubric","options":{"effort":"low","model":"m"},"reps":3,"threshold":0.5,"version":"1"}"#,
    );
    assert_eq!(of(built_in, entry()), want);
    let jury = bind(Fake::default(), json!({ "jury": [{ "model": "m" }] })).unwrap();
    let alone = of(Fake::default(), json!({ "model": "m" }));
    assert_eq!(jury.identity(), mst_model::sha256_hex(format!(r#"{{"jury":["{alone}"]}}"#).as_bytes()));
}

#[tokio::test]
async fn a_score_says_who_gave_it_and_whether_a_change_would_show() {
    let score = answers(json!([{ "score": 1 }]), json!({})).await;
    let entry = json!({ "answers": [{ "score": 1 }] });
    assert_eq!(score.judge_identity, Some(of(Fake::default(), entry.clone())));
    assert_eq!(score.judge_unversioned, None);
    let bound = bind(Fake { version: None, ..Fake::default() }, entry).unwrap();
    assert!(bound.is_unversioned());
    assert_eq!(bound.version(), None);
}

#[test]
fn settings_that_differ_only_in_how_answers_are_counted_are_checked_once() {
    let key = |entry: Value| bind(Fake::default(), entry).unwrap().preflight_key();
    assert_eq!(
        key(json!({ "model": "m" })),
        key(json!({ "model": "m", "effort": "low", "threshold": 0.1, "reps": 4 }))
    );
    assert_ne!(key(json!({ "model": "m" })), key(json!({ "model": "n" })));
    assert_eq!(
        bind(Fake::default(), json!({ "wrong": 1 })).unwrap_err().to_string(),
        "judge \"acme/judge/fake\": wrong is no option"
    );
}
