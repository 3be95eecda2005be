//! Results and summaries of whole runs.

use mst_model::{ModelPrice, Selection};
use serde_json::{Value, json};

use crate::run::{Case, Run, broken, graded, refused, ungraded};

const PRICE: ModelPrice = ModelPrice { input: 3.0, output: 15.0, cache_read: Some(0.3), cache_write: Some(3.75) };

fn tokens(input: u64, output: u64) -> Value {
    json!({ "inputTokens": input, "outputTokens": output })
}

fn json_of(value: &impl serde::Serialize) -> Value {
    serde_json::to_value(value).unwrap()
}

fn two_variants() -> Run {
    let one = tokens(100, 10);
    Run::new(vec![
        (
            "base",
            vec![
                Case::new("a", 2, 0.5, vec![graded(true, &one), graded(false, &one)]),
                Case::new("b", 1, 1.0, vec![refused()]),
                Case::new("c", 2, 1.0, vec![graded(true, &tokens(400, 40)), broken(&tokens(7, 1))]),
            ],
        ),
        (
            "next",
            vec![
                Case::new("a", 2, 0.5, vec![graded(true, &one), graded(true, &one)]),
                Case::new("b", 1, 1.0, vec![graded(true, &one)]),
                Case::new("c", 2, 1.0, vec![graded(true, &one), ungraded()]),
            ],
        ),
    ])
    .listing(&["response_success", "duration_api_s", "first_tool", "write_evidence"])
}

#[test]
fn a_summary_counts_complete_cases_and_measures_every_trial() {
    insta::assert_json_snapshot!(two_variants().summary(), @r#"
    {
      "format": "mst.run/v1",
      "kind": "summary",
      "runId": "20261003T180211Z-a3f9c1",
      "configId": "parts",
      "contentHash": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
      "timestamp": "2026-10-03T18:02:11.000Z",
      "durationMs": 9000.0,
      "configName": "parts",
      "variants": [
        {
          "name": "base",
          "servers": [
            {
              "label": "parts",
              "transport": "stdio",
              "command": "parts"
            }
          ],
          "result": {
            "total": 3,
            "passed": 1,
            "failed": 1,
            "durationMs": 7500.0,
            "totalClientUsage": {
              "inputTokens": 607,
              "outputTokens": 61
            }
          },
          "metrics": {
            "passed_rate": 0.5,
            "trial_pass_rate": 0.25,
            "tool_count_mean": 0.6666666666666666,
            "mcp_call_count_mean": 0.6666666666666666,
            "builtin_event_count_mean": 0.0,
            "input_tokens_mean": 250.0,
            "output_tokens_mean": 25.0,
            "duration_s_mean": 1.5,
            "response_success_rate": 0.6666666666666666,
            "first_tool": [
              "parts.lookup",
              "parts.lookup"
            ]
          },
          "evidence": "structured",
          "unavailableMetrics": [
            "duration_api_s",
            "write_evidence"
          ]
        },
        {
          "name": "next",
          "servers": [
            {
              "label": "parts",
              "transport": "stdio",
              "command": "parts"
            }
          ],
          "result": {
            "total": 3,
            "passed": 2,
            "failed": 0,
            "durationMs": 7500.0,
            "totalClientUsage": {
              "inputTokens": 400,
              "outputTokens": 40
            }
          },
          "metrics": {
            "passed_rate": 1.0,
            "trial_pass_rate": 1.0,
            "tool_count_mean": 1.0,
            "mcp_call_count_mean": 1.0,
            "builtin_event_count_mean": 0.0,
            "input_tokens_mean": 100.0,
            "output_tokens_mean": 10.0,
            "duration_s_mean": 1.5,
            "response_success_rate": 1.0,
            "first_tool": [
              "parts.lookup",
              "parts.lookup",
              "parts.lookup"
            ]
          },
          "evidence": "structured",
          "unavailableMetrics": [
            "duration_api_s",
            "write_evidence"
          ]
        }
      ],
      "metrics": {
        "total": 4,
        "passed": 3,
        "failed": 1,
        "passRate": 0.75,
        "incomplete": 2,
        "passed_rate": 0.5,
        "trial_pass_rate": 0.25,
        "tool_count_mean": 0.6666666666666666,
        "mcp_call_count_mean": 0.6666666666666666,
        "builtin_event_count_mean": 0.0,
        "input_tokens_mean": 250.0,
        "output_tokens_mean": 25.0,
        "duration_s_mean": 1.5,
        "response_success_rate": 0.6666666666666666,
        "first_tool": [
          "parts.lookup",
          "parts.lookup"
        ]
      },
      "variantDeltas": {
        "next": {
          "passRate": 1.0,
          "passRateDelta": 0.5,
          "trialPassRate": 1.0,
          "trialPassRateDelta": 0.75,
          "metricDeltas": {
            "passed_rate": 0.5,
            "trial_pass_rate": 0.75,
            "tool_count_mean": 0.33333333333333337,
            "mcp_call_count_mean": 0.33333333333333337,
            "builtin_event_count_mean": 0.0,
            "input_tokens_mean": -150.0,
            "output_tokens_mean": -15.0,
            "duration_s_mean": 0.0,
            "response_success_rate": 0.33333333333333337
          },
          "baseline": "base"
        }
      },
      "telemetry": {
        "cases": 6,
        "toolCalls": 8,
        "failedCases": 1,
        "totalClientUsage": {
          "inputTokens": 1007,
          "outputTokens": 101
        }
      }
    }
    "#);
}

#[test]
fn results_join_trials_and_scores() {
    let results = two_variants().results();
    let mut shown = json_of(&results[2]);
    for trial in shown["trialResults"].as_array_mut().unwrap() {
        trial.as_object_mut().unwrap().shift_remove("transcript");
    }
    insta::assert_json_snapshot!(shown, @r#"
    {
      "id": "c",
      "datasetName": "parts",
      "variant": "base",
      "source": "client",
      "pass": false,
      "request": {
        "trials": 2,
        "passThreshold": 1.0,
        "input": "Find it.",
        "reference": "bin 7",
        "client": "api",
        "model": "claude-x",
        "expected": {
          "more": 1
        }
      },
      "error": "gone",
      "scores": {},
      "durationMs": 3000.0,
      "passRate": 1.0,
      "infrastructureErrorRate": 0.5,
      "infrastructureErrorCount": 1,
      "trialResults": [
        {
          "trial": 0,
          "pass": true,
          "scores": {
            "textContains": {
              "pass": true
            }
          },
          "durationMs": 1500.0,
          "ending": {
            "kind": "trial"
          },
          "evidence": "structured",
          "clientUsage": {
            "inputTokens": 400,
            "outputTokens": 40
          }
        },
        {
          "trial": 1,
          "scores": {},
          "durationMs": 1500.0,
          "error": "gone",
          "ending": {
            "kind": "infrastructure",
            "broke": "network",
            "retryable": true,
            "reason": "gone"
          },
          "evidence": "structured",
          "clientUsage": {
            "inputTokens": 7,
            "outputTokens": 1
          }
        }
      ],
      "evidence": "structured",
      "clientUsage": {
        "inputTokens": 407,
        "outputTokens": 41
      },
      "incomplete": true
    }
    "#);
    let several = json_of(&results[0]);
    assert_eq!(several["pass"], true, "half of the trials is enough for a threshold of 0.5");
    assert_eq!(several["passRate"], 0.5);
    assert_eq!(several["passRateCI"]["lower"].as_f64().map(|end| (end * 1e6).round()), Some(94_529.0));
    assert_eq!(several["scores"]["textContains"]["pass"], false, "the last trial's");
    assert!(several.get("transcript").is_none() && several.get("incomplete").is_none());
    let one = json_of(&results[1]);
    assert_eq!(
        (&one["pass"], &one["error"], &one["passRate"]),
        (&json!(false), &json!("the model refused"), &json!(0.0))
    );
    assert!(one.get("trialResults").is_none() && one.get("passRateCI").is_none());
    assert_eq!(one["transcript"]["evidence"], "structured");
}

#[test]
fn fc36_all_pass_one_fails_and_incomplete_are_told_apart() {
    let one = Value::Null;
    for (trial, counts) in [
        (graded(true, &one), json!({ "total": 1, "passed": 1, "failed": 0, "passRate": 1.0 })),
        (graded(false, &one), json!({ "total": 1, "passed": 0, "failed": 1, "passRate": 0.0 })),
        (broken(&one), json!({ "total": 0, "passed": 0, "failed": 0, "incomplete": 1 })),
        (ungraded(), json!({ "total": 0, "passed": 0, "failed": 0, "incomplete": 1 })),
    ] {
        let run = Run::new(vec![("default", vec![Case::new("a", 1, 1.0, vec![trial])])]);
        let metrics = json_of(&run.summary())["metrics"].clone();
        for key in ["total", "passed", "failed", "passRate", "incomplete"] {
            assert_eq!(metrics.get(key), counts.get(key), "{key} of {metrics}");
        }
        let incomplete = run.results()[0].incomplete == Some(true);
        assert_eq!(incomplete, counts.get("incomplete").is_some());
    }
}

#[test]
fn fc37_costs_and_their_source() {
    let anthropic =
        json!({ "inputTokens": 4, "cacheReadInputTokens": 1568, "cacheCreationInputTokens": 200, "outputTokens": 50 });
    let openai =
        json!({ "inputTokens": 200, "cacheReadInputTokens": 1568, "outputTokens": 50, "reasoningOutputTokens": 30 });
    let reported = json!({ "inputTokens": 4, "outputTokens": 50, "totalCostUsd": 0.5 });
    let variant = |usages: &[&Value], model: Option<&'static str>| {
        let trials: Vec<_> = usages.iter().map(|usage| graded(true, usage)).collect();
        let mut case = Case::new("a", u32::try_from(trials.len()).unwrap(), 1.0, trials);
        case.model = model;
        let run = Run::new(vec![("default", vec![case])]).priced("claude-x", PRICE);
        json_of(&run.summary())["variants"][0].clone()
    };
    let near = |value: &Value, want: f64| value.as_f64().is_some_and(|got| (got - want).abs() < 1e-15);

    let v = variant(&[&anthropic], Some("claude-x"));
    assert!(near(&v["metrics"]["cost_usd_mean"], 0.001_982_4), "{v}");
    assert!(near(&v["metrics"]["input_tokens_mean"], 1772.0));
    assert_eq!((&v["costSource"], &v["pricing"]["claude-x"]["cacheWrite"]), (&json!("pricing"), &json!(3.75)));
    let v = variant(&[&openai], Some("claude-x"));
    assert!(near(&v["metrics"]["cost_usd_mean"], 0.001_820_4), "{v}");
    let v = variant(&[&anthropic, &reported], Some("claude-x"));
    assert!(near(&v["metrics"]["cost_usd_mean"], f64::midpoint(0.5, 0.001_982_4)), "{v}");
    assert_eq!(v["costSource"], "mixed");
    let v = variant(&[&reported], Some("other"));
    assert_eq!((&v["costSource"], v.get("unpricedModels")), (&json!("client"), None));
    let v = variant(&[&anthropic], Some("other"));
    assert_eq!((v.get("costSource"), &v["unpricedModels"]), (None, &json!(["other"])));
    assert!(v["metrics"].get("cost_usd_mean").is_none());
    let v = variant(&[&Value::Null], Some("claude-x"));
    for key in ["input_tokens_mean", "output_tokens_mean", "cost_usd_mean"] {
        assert!(v["metrics"].get(key).is_none(), "{key} is unavailable, not 0");
    }
    assert!(v.get("unpricedModels").is_none() && v["result"].get("totalClientUsage").is_none());
}

#[test]
fn fc37_a_failed_attempts_usage_is_kept_and_not_averaged() {
    let run = Run::new(vec![(
        "default",
        vec![Case::new("a", 2, 1.0, vec![graded(true, &tokens(100, 10)), broken(&tokens(7, 1))])],
    )]);
    let variant = json_of(&run.summary())["variants"][0].clone();
    assert_eq!(variant["result"]["totalClientUsage"], tokens(107, 11));
    assert_eq!(variant["metrics"]["input_tokens_mean"], 100.0);
    assert_eq!(json_of(&run.results()[0])["clientUsage"], tokens(107, 11));
}

#[test]
fn an_ungraded_run_has_counts_and_no_verdicts() {
    let mut run = two_variants();
    run.graded = false;
    for (_, scores) in run.variants.iter_mut().flat_map(|(_, cases)| cases).flat_map(|case| &mut case.scored) {
        scores.clear();
    }
    let summary = json_of(&run.summary());
    assert_eq!(summary["metrics"], json!({ "total": 6, "collected": 5, "failedToCollect": 1 }));
    assert_eq!(summary["graded"], false);
    assert!(summary.get("variantDeltas").is_none());
    assert!(summary["variants"][0]["metrics"].get("passed_rate").is_none());
    for result in run.results() {
        assert_eq!((result.pass, result.pass_rate), (None, None));
    }
}

#[test]
fn a_narrowed_run_says_how() {
    let mut run = two_variants();
    run.record.partial = true;
    run.record.selection = Some(Selection { max_cases: Some(3), ..Selection::default() });
    let summary = run.summary();
    assert_eq!(summary.partial, Some(true));
    assert_eq!(summary.selection_hash, Some(mst_model::content_hash(&json!({ "maxCases": 3 }))));
}
