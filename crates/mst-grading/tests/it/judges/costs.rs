//! What judges cost: estimated from the eval's prices, model by model, where the judge reports no cost.

use indexmap::IndexMap;
use mst_grading::judge::judge_input;
use mst_model::{ModelPrice, Usage};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::fake::{Fake, ask_bound, bind, case, setting, trial};

const USAGE: Usage = Usage {
    input_tokens: Some(100),
    output_tokens: Some(10),
    reasoning_output_tokens: None,
    cache_read_input_tokens: Some(1000),
    cache_creation_input_tokens: None,
    total_cost_usd: None,
    estimated_cost_usd: None,
    duration_ms: None,
    duration_api_ms: None,
};

fn pricing() -> IndexMap<String, ModelPrice> {
    let price = |input, output| ModelPrice { input, output, cache_read: None, cache_write: None };
    IndexMap::from([("m0".to_owned(), price(1.0, 10.0)), ("m1".to_owned(), price(2.0, 20.0))])
}

/// Asks a judge with an entry of its own, and returns its reported and its estimated cost.
async fn cost(entry: Value) -> (Option<f64>, Option<f64>) {
    let fake = Fake::default();
    let input = judge_input(&case(json!({})), &setting(entry.clone()), &trial(json!({})));
    let bound = bind(fake, entry.clone()).unwrap();
    let plain = ask_bound(&bound, &input, &CancellationToken::new()).await.unwrap();
    let bound = bind(Fake::default(), entry).unwrap().priced(&pricing());
    let score = ask_bound(&bound, &input, &CancellationToken::new()).await.unwrap();
    assert_eq!(score.judge_identity, plain.judge_identity, "a price changes nobody's identity");
    assert_eq!(plain.usage.and_then(|usage| usage.estimated_cost_usd), None);
    let usage = score.usage.unwrap();
    (usage.total_cost_usd, usage.estimated_cost_usd)
}

#[tokio::test]
async fn a_judge_costs_what_its_model_is_priced_at_unless_it_reports_a_cost() {
    let answer = json!({ "score": 1, "usage": USAGE });
    let reported = json!({ "score": 1, "usage": { "inputTokens": 100, "outputTokens": 10, "totalCostUsd": 0.5 } });
    // 1100 tokens in and 10 out: cache reads are at the input's rate when they have none of their own.
    let (m0, m1) = (1200e-6, 2400e-6);
    let member = |model: &str, answer: &Value| json!({ "model": model, "answers": [answer] });
    for (what, entry, want) in [
        ("alone", member("m0", &answer), (None, Some(m0))),
        ("over reps", json!({ "model": "m1", "reps": 2, "answers": [answer] }), (None, Some(2.0 * m1))),
        ("reported", member("m0", &reported), (Some(0.5), None)),
        ("a model without a price", member("other", &answer), (None, None)),
        ("no model", json!({ "answers": [answer] }), (None, None)),
        ("a jury", json!({ "jury": [member("m0", &answer), member("m1", &answer)] }), (None, Some(m0 + m1))),
        (
            "a jury of which one reports",
            json!({ "jury": [member("m0", &reported), member("m1", &answer)] }),
            (Some(0.5), Some(m1)),
        ),
        (
            "a jury whose cost is known in part is of unknown cost",
            json!({ "jury": [member("m0", &answer), member("other", &answer)] }),
            (None, None),
        ),
    ] {
        let (reported, estimated) = cost(entry).await;
        let is_near = |got: Option<f64>, want: Option<f64>| match (got, want) {
            (Some(got), Some(want)) => (got - want).abs() < 1e-12,
            (got, want) => got == want,
        };
        assert!(is_near(reported, want.0) && is_near(estimated, want.1), "{what}: {reported:?}, {estimated:?}");
    }
}
