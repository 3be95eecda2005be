//! Tokens and cost: one meaning for each field, whatever the provider counts.

use mst_testkit::provider::Usage;
use mst_testkit::{Mode, Reply, Script, ToolCall};
use serde_json::{Value, json};

use crate::eval::{Eval, case};
use crate::wire;

const PRICE: [(&str, f64); 4] = [("input", 3.0), ("output", 15.0), ("cacheRead", 0.3), ("cacheWrite", 3.75)];

fn pricing(models: &[&str]) -> Value {
    let price: Value =
        PRICE.iter().map(|(key, rate)| ((*key).to_owned(), json!(rate))).collect::<serde_json::Map<_, _>>().into();
    models.iter().map(|model| ((*model).to_owned(), price.clone())).collect::<serde_json::Map<_, _>>().into()
}

fn close(value: &Value, expected: f64) -> bool {
    value.as_f64().is_some_and(|value| (value - expected).abs() < 1e-9)
}

#[test]
fn fc37_cached_and_reasoning_tokens_are_counted_alike() {
    let used = |uncached, written| Usage {
        input: uncached,
        output: 50,
        cache_read: 1568,
        cache_write: written,
        reasoning: 30,
    };
    let script = Script::strict()
        .model("claude-x", Reply::text("Part p-1 is in bin 7.").with_usage(Usage { reasoning: 0, ..used(4, 200) }))
        .model("gpt-x", Reply::text("Part p-1 is in bin 7.").with_usage(used(200, 0)))
        .model("gemini-x", Reply::text("Part p-1 is in bin 7.").with_usage(used(200, 0)))
        .model("mistral-x", Reply::text("Part p-1 is in bin 7.").with_usage(used(200, 0)));
    let eval = Eval::new(script);
    let models = ["claude-x", "gpt-x", "gemini-x", "mistral-x"];
    let variants: Value = models.iter().map(|model| json!({ "name": model, "model": model })).collect();
    let more = json!({ "variants": variants, "pricing": pricing(&models), "metrics": ["input_tokens_uncached", "cache_read_tokens"] });
    eval.write(
        &json!({ "parts": eval.stdio("parts", Mode::Plain) }),
        &json!([case("bin", json!({ "containsText": "bin 7" }))]),
        &more,
    );
    let dir = eval.run(0);
    let summary = dir.summary();
    for (number, (model, total, uncached, cost)) in [
        ("claude-x", 1772.0, 4, 0.001_982_4),
        ("gpt-x", 1768.0, 200, 0.001_820_4),
        ("gemini-x", 1768.0, 200, 0.001_820_4),
        ("mistral-x", 1768.0, 200, 0.001_820_4),
    ]
    .into_iter()
    .enumerate()
    {
        let variant = &summary["variants"][number];
        assert_eq!(variant["name"], model);
        let metrics = &variant["metrics"];
        assert!(
            close(&metrics["input_tokens_mean"], total) && close(&metrics["output_tokens_mean"], 50.0),
            "{model}: {metrics}"
        );
        assert!(close(&metrics["cost_usd_mean"], cost), "{model}: {metrics}");
        assert!(
            close(&metrics["input_tokens_uncached_mean"], f64::from(uncached))
                && close(&metrics["cache_read_tokens_mean"], 1568.0),
            "{model}: {metrics}"
        );
        assert_eq!(variant["costSource"], "pricing", "{model}");
        assert!(variant["result"].get("totalJudgeUsage").is_none(), "{model}");
        let usage = &dir.trial_of(Some(model), "bin")["transcript"]["modelCalls"][0]["usage"];
        let counts = ["inputTokens", "cacheReadInputTokens", "outputTokens"].map(|key| usage[key].as_i64());
        assert_eq!(counts, [Some(uncached.into()), Some(1568), Some(50)], "{model}");
        if model != "claude-x" {
            assert_eq!(usage["reasoningOutputTokens"], 30, "{model}");
        }
    }
}

#[test]
fn fc37_no_usage_is_no_metric_in_any_form() {
    let mut eval = Eval::new(Script::strict().always("Case", Reply::text("bin 7").without_usage()));
    wire::with_google_login(&mut eval);
    let wires = wire::all(&eval.provider);
    let more = json!({ "variants": wire::variants(&wires), "pricing": pricing(&["claude-x", "gpt-x", "gemini-x"]) });
    eval.write(&json!({}), &json!([case("bin", json!({ "containsText": "bin 7" }))]), &more);
    let dir = eval.run(0);
    for variant in dir.summary()["variants"].as_array().expect("variants") {
        for key in ["input_tokens_mean", "output_tokens_mean", "cost_usd_mean"] {
            assert!(variant["metrics"].get(key).is_none(), "{}: {}", variant["name"], variant["metrics"]);
        }
    }
}

#[test]
fn fc37_usage_of_an_attempt_that_failed_later_is_kept() {
    let first = Reply::tool(ToolCall::ending("lookup", json!({ "id": "p-1" }))).with_usage(Usage {
        input: 1_000,
        output: 10,
        ..Usage::default()
    });
    let eval = Eval::new(Script::strict().on("Case", [first, Reply::status(400, "context_length_exceeded")]));
    let more = json!({ "pricing": pricing(&["claude-x"]) });
    eval.write(&json!({ "parts": eval.stdio("parts", Mode::Plain) }), &json!([case("bin", json!({}))]), &more);
    eval.run_with(&[]);
    let trial = eval.newest().trial("bin");
    let stored = json!([trial["clientUsage"], trial["transcript"]["usage"], trial["transcript"]["modelCalls"]]);
    assert!(stored.to_string().contains("1000"), "{stored}");
}
