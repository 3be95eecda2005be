//! The pairwise judge `preference`.

use mst_ext::JudgeFault;
use mst_model::Preferred;
use mst_testkit::{Reply, Script};
use serde_json::{Value, json};

use crate::bench::{Bench, MODELS, good, object};

/// Returns a good trial as the baseline and one without a record as the candidate.
fn pair() -> Value {
    let Value::Object(mut good) = good() else { unreachable!("an input is an object") };
    let baseline = good.remove("trial").expect("an input has a trial");
    let mut candidate = baseline.clone();
    candidate["response"] = json!("It is in bin 14.");
    candidate["text"] = json!("It is in bin 14.");
    candidate["events"] = json!([]);
    candidate["evidence"] = json!("none");
    json!({ "case": good["case"], "baseline": baseline, "candidate": candidate })
}

#[tokio::test]
async fn a_comparison_is_answered_through_every_wire_form() {
    for (model, provider) in MODELS.into_iter().zip(["anthropic", "openai", "google"]) {
        for (word, want) in [("A", Preferred::Baseline), ("B", Preferred::Candidate), ("tie", Preferred::Tie)] {
            let reply = Reply::text(json!({ "preferred": word, "reasoning": "r" }).to_string());
            let bench = Bench::new(Script::strict().always("", reply));
            let answer = bench.compare(&json!({ "model": model }), &pair()).await.expect("a preference");
            assert_eq!((answer.preference, answer.reasoning.as_deref()), (Some(want), Some("r")));
            assert_eq!((answer.provider.as_deref(), answer.model.as_deref()), (Some(provider), Some(model)));
            assert_eq!(answer.usage.and_then(|usage| usage.input_tokens), Some(100));
        }
    }
    let automatic = Bench::new(Script::automatic());
    let answer = automatic.compare(&json!({}), &pair()).await.expect("a preference");
    assert_eq!(answer.preference, Some(Preferred::Tie));
}

#[tokio::test]
async fn a_comparison_shows_the_baseline_first_and_what_each_record_lacks() {
    let bench = Bench::new(Script::automatic());
    bench.compare(&json!({}), &pair()).await.expect("a preference");
    let text = bench.provider.views()[0].last_user_text().to_owned();
    let (_, shown) = text.split_once("\n\n<<<").expect("the material follows the question");
    insta::assert_snapshot!(format!("<<<{shown}"), @r#"
    <<<request 577922bfd7ea296f>>>
    Which bin is part p-1 in?
    <<<end of request 577922bfd7ea296f>>>
    <<<reference 577922bfd7ea296f>>>
    It is in bin 12 (reference).
    <<<end of reference 577922bfd7ea296f>>>
    <<<calls_A 577922bfd7ea296f>>>
    {"n":1,"tool":"parts.lookup","arguments":{"id":"p-1"},"result":"{\"bin\":12}"}
    <<<end of calls_A 577922bfd7ea296f>>>
    <<<answer_A 577922bfd7ea296f>>>
    Part p-1 is in bin 12.
    <<<end of answer_A 577922bfd7ea296f>>>
    <<<answer_B 577922bfd7ea296f>>>
    It is in bin 14.
    <<<end of answer_B 577922bfd7ea296f>>>

    About assistant B. Note: the program that ran the assistant does not report tool calls, so none can be shown. That does not mean that none were made.

    Think first, then end with the one JSON object in the form you were told.
    "#);
}

#[tokio::test]
async fn the_reference_can_be_hidden() {
    let bench = Bench::new(Script::automatic());
    for (options, shown) in [(json!({}), true), (json!({ "reference": false }), false)] {
        bench.compare(&options, &pair()).await.expect("a preference");
        let text = bench.provider.views().pop().expect("it was asked").last_user_text().to_owned();
        assert_eq!(text.contains("(reference)"), shown);
        assert!(!text.contains("there is no reference answer"));
    }
}

#[tokio::test]
async fn an_unreadable_comparison_is_asked_for_once_more_and_a_cut_one_is_not() {
    for (reply, calls, want) in [
        (
            Reply::text(r#"{"preferred":"both"}"#),
            2,
            "the answer of claude-x is no verdict, also when asked again: its preferred is \"both\", not A, B or tie",
        ),
        (
            Reply::text(r#"Say {"preferred":"A"}? No: {"pref"#).with_finish_reason("max_tokens"),
            1,
            "the answer of claude-x was cut off at maxTokens (4096)",
        ),
    ] {
        let bench = Bench::new(Script::strict().always("", reply));
        let fault = bench.compare(&json!({ "model": "claude-x" }), &pair()).await.expect_err("no preference");
        assert!(matches!(&fault, JudgeFault::Unusable { .. }), "{fault:?}");
        assert_eq!((fault.to_string().as_str(), bench.provider.requests().len()), (want, calls));
    }
}

#[test]
fn its_schema_and_its_reader_refuse_the_same() {
    let judge = Bench::new(Script::strict()).preference();
    let definition = judge.definition();
    let validator = jsonschema::validator_for(&definition.options).expect("the schema is one");
    for (options, fits) in [
        (json!({}), true),
        (json!({ "reference": false, "model": "m", "effort": "low" }), true),
        (json!({ "reference": "no" }), false),
        (json!({ "swapPositions": false }), false),
    ] {
        assert_eq!(validator.is_valid(&options), fits, "{options}");
        assert_eq!(judge.parse(&object(&options)).is_ok(), fits, "{options}");
    }
    assert_eq!(definition.name, "preference");
    assert!(definition.version.is_some_and(|version| version.starts_with("v1-") && version.len() == 15));
    assert!(judge.swaps_positions());
}
