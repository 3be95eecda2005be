//! What a judge's answers come to.

use std::sync::Arc;

use serde_json::{Value, json};

use super::fake::{Fake, answers, ask_in, case, word};

#[tokio::test]
async fn the_mean_score_is_compared_with_the_threshold_at_12_decimals() {
    for (scores, threshold, want, mean) in [
        (vec![0.7], json!({}), "pass", 0.7),
        (vec![0.69], json!({}), "fail", 0.69),
        (vec![0.5], json!({ "threshold": 0.5 }), "pass", 0.5),
        (vec![0.0], json!({ "threshold": 0.0 }), "pass", 0.0),
        // 0.1 + 0.2 + 0.6 is 0.9 only when rounded.
        (vec![0.1, 0.2, 0.6], json!({ "threshold": 0.3 }), "pass", 0.3),
        (vec![1.0, 0.3], json!({}), "fail", 0.65),
    ] {
        let given: Vec<Value> = scores.iter().map(|score| json!({ "score": score })).collect();
        let score = answers(given.into(), threshold).await;
        assert_eq!((word(&score), score.score), (want, Some(mean)), "{scores:?}");
        assert_eq!(score.details.is_some(), want == "fail", "{scores:?}: {:?}", score.details);
    }
}

#[tokio::test]
async fn the_judges_own_verdict_goes_before_the_threshold_and_a_tie_fails() {
    for (own, want) in [
        (vec![(Some(true), 0.0)], "pass"),
        (vec![(Some(false), 1.0)], "fail"),
        (vec![(Some(true), 0.0), (Some(true), 0.0), (Some(false), 1.0)], "pass"),
        (vec![(Some(true), 1.0), (Some(false), 1.0)], "fail"),
        (vec![(Some(true), 0.0), (None, 0.0), (None, 0.0)], "pass"),
    ] {
        let given: Vec<Value> = own
            .iter()
            .map(|(pass, score)| pass.map_or(json!({ "score": score }), |pass| json!({ "score": score, "pass": pass })))
            .collect();
        let score = answers(given.into(), json!({})).await;
        assert_eq!(word(&score), want, "{own:?}");
    }
    let contradiction = answers(json!([{ "pass": true, "score": 0 }]), json!({})).await;
    let shown = contradiction.details.unwrap();
    assert_eq!(shown, "the judge's own verdict is a pass, and the score 0 is below the threshold 0.7");
}

#[tokio::test]
async fn a_skip_ends_the_reps_and_keeps_all_but_the_score() {
    let fake = Arc::new(Fake::default());
    let usage = json!({ "inputTokens": 10, "outputTokens": 1 });
    let entry = json!({ "reps": 3, "answers": [
        { "score": 0.2, "usage": usage },
        { "skipped": true, "score": 9, "reasoning": "no port in it", "usage": usage, "metadata": { "a": 1 }, "model": "m" },
        { "score": 1 },
    ] });
    let score = ask_in(&fake, &case(json!({})), entry).await;
    assert_eq!(fake.calls.lock().unwrap().len(), 2);
    assert_eq!((word(&score), score.score, score.scores), ("skipped", None, None));
    assert_eq!(score.reasoning.as_deref(), Some("no port in it"));
    assert_eq!(score.metadata, Some(json!({ "a": 1 })));
    assert_eq!(score.usage.unwrap().input_tokens, Some(20));
    assert_eq!(score.judge_model.as_deref(), Some("m"));
}

#[tokio::test]
async fn unknown_reps_are_left_out_and_a_judge_is_unknown_only_when_every_rep_is() {
    let unknown = json!({ "unknown": true, "reasoning": "the transcript does not show it" });
    for (given, want, mean) in [
        (json!([unknown]), "unknown", None),
        (json!([unknown, unknown]), "unknown", None),
        (json!([unknown, { "score": 1 }, unknown]), "pass", Some(1.0)),
        (json!([unknown, { "score": 0 }]), "fail", Some(0.0)),
        (json!([{ "unknown": true, "score": 0 }, { "score": 0.8 }]), "pass", Some(0.8)),
        (json!([{ "unknown": true, "pass": false, "score": 0 }, { "pass": true, "score": 1 }]), "pass", Some(1.0)),
    ] {
        let score = answers(given.clone(), json!({})).await;
        assert_eq!((word(&score), score.score), (want, mean), "{given}");
    }
    let score = answers(json!([unknown]), json!({})).await;
    assert_eq!(score.reasoning.as_deref(), Some("the transcript does not show it"));
}

#[tokio::test]
async fn an_invalid_score_is_an_error_and_not_a_result() {
    for (given, what) in [
        (json!({ "reasoning": "good" }), "the judge returned no score"),
        (json!({ "pass": true }), "the judge returned no score"),
        (json!({ "score": 9 }), "the score is 9, not a number from 0 to 1"),
        (json!({ "score": -0.01 }), "the score is -0.01, not a number from 0 to 1"),
        (json!({ "score": "NaN" }), "the score is NaN, not a number from 0 to 1"),
        (json!({ "score": 9, "unknown": true }), "the score is 9, not a number from 0 to 1"),
        (
            json!({ "score": 1, "subScores": { "tone": { "score": 1.5 } } }),
            "the sub-score \"tone\" is 1.5, not a number from 0 to 1",
        ),
        (json!({ "fault": "the endpoint said 500" }), "the endpoint said 500"),
    ] {
        let score = answers(json!([given]), json!({})).await;
        assert_eq!((word(&score), score.error.as_deref(), score.score), ("error", Some(what), None), "{given}");
        assert_eq!(score.judge_name.as_deref(), Some("acme/judge/fake"));
        assert!(score.judge_identity.is_some());
    }
}

#[tokio::test]
async fn one_rep_without_a_verdict_leaves_the_judge_without_one() {
    let score = answers(json!([{ "score": 1 }, { "fault": "429" }, { "score": 1 }]), json!({})).await;
    assert_eq!((word(&score), score.error.as_deref()), ("error", Some("429")));
}

#[tokio::test]
async fn usage_is_summed_over_reps_and_that_of_unusable_answers_is_not_lost() {
    let usage = json!({ "inputTokens": 10, "outputTokens": 2, "totalCostUsd": 0.5 });
    let score = answers(
        json!([{ "score": 1, "usage": usage, "provider": "openai", "model": "m" }, { "score": 1, "usage": usage }]),
        json!({}),
    )
    .await;
    assert_eq!(
        serde_json::to_value(score.usage).unwrap(),
        json!({ "inputTokens": 20, "outputTokens": 4, "totalCostUsd": 1.0 })
    );
    assert_eq!((score.judge_provider.as_deref(), score.judge_model.as_deref()), (Some("openai"), Some("m")));
    let broken = answers(json!([{ "score": 1, "usage": usage }, { "fault": "unreadable", "usage": usage }]), json!({}));
    assert_eq!(broken.await.usage.unwrap().input_tokens, Some(20));
    let invalid = answers(json!([{ "score": 7, "usage": usage }]), json!({})).await;
    assert_eq!(invalid.usage.unwrap().input_tokens, Some(10));
    assert_eq!(answers(json!([{ "score": 1 }]), json!({})).await.usage, None, "unreported, not 0");
}

#[tokio::test]
async fn reps_that_differ_by_more_than_0_2_are_marked() {
    for (given, std_dev, high) in [
        (json!([{ "score": 1 }]), None, None),
        (json!([{ "score": 0.4 }, { "score": 0 }]), Some(0.2), None),
        (json!([{ "score": 0.5 }, { "score": 0 }]), Some(0.25), Some(true)),
        (json!([{ "score": 1 }, { "score": 1 }, { "score": 1 }]), Some(0.0), None),
        (json!([{ "score": 1 }, { "unknown": true }]), None, None),
    ] {
        let score = answers(given.clone(), json!({})).await;
        assert_eq!((score.score_std_dev, score.high_variance), (std_dev, high), "{given}");
        assert_eq!(score.scores.is_some(), std_dev.is_some(), "{given}");
    }
}

#[tokio::test]
async fn what_a_judge_says_beside_its_verdict_is_kept() {
    let given = json!([
        { "score": 0, "reasoning": "wrong", "metadata": 1, "subScores": { "a": { "score": 0, "pass": false } } },
        { "score": 1, "reasoning": "right", "metadata": 2, "subScores": {
            "a": { "score": 1, "pass": true, "reasoning": "fits" }, "b": { "score": 0.5 } } },
        { "score": 1, "reasoning": "right again", "subScores": { "a": { "score": 1, "pass": true } } },
    ]);
    let score = answers(given, json!({ "threshold": 0.6 })).await;
    assert_eq!((word(&score), score.reasoning.as_deref()), ("pass", Some("right")));
    assert_eq!(score.metadata, Some(json!(2)));
    assert_eq!(
        serde_json::to_value(score.sub_scores).unwrap(),
        json!({ "a": { "score": 0.666_666_666_667, "pass": true, "reasoning": "fits" }, "b": { "score": 0.5 } })
    );
}
