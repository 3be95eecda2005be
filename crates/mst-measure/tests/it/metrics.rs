//! Every metric of the format, its key and its value.

use indexmap::IndexMap;
use mst_measure::{ListedMetric, metric_entries};
use mst_model::{CatalogEntry, GraderName, GraderScore, ModelPrice};
use serde_json::{Value, json};

use crate::run::{Case, Run, Scored, broken, graded};

const PRICE: ModelPrice = ModelPrice { input: 100.0, output: 200.0, cache_read: None, cache_write: None };

/// A trial with something of everything to measure. `n` tells two of them apart.
fn whole(n: u64, pass: bool) -> Scored {
    let (mut trial, mut scores) = graded(pass, &Value::Null);
    let search =
        json!({ "kind": "tool_search", "source": "builtin", "name": "find", "results": [{ "name": "lookup" }] });
    let read = json!({ "kind": "tool_call", "source": "builtin", "name": "Read" });
    let skill = json!({ "kind": "skill", "source": "builtin", "name": "triage" });
    let called = json!({ "kind": "tool_call", "source": "mcp", "server": "parts", "name": "lookup" });
    let transcript = trial.transcript.as_mut().unwrap();
    let events = if n == 0 { json!([search, called, skill]) } else { json!([read, skill, search, called]) };
    transcript.events = serde_json::from_value(events).unwrap();
    transcript.final_text = Some(if n == 0 { "bin 7".to_owned() } else { "It is in\nbin 7.".to_owned() });
    trial.client_usage = serde_json::from_value(json!({
        "inputTokens": 100 * (n + 1), "cacheReadInputTokens": 10, "cacheCreationInputTokens": 20, "outputTokens": 50,
        "durationApiMs": 500.0 * (n + 1) as f64,
    }))
    .unwrap();
    trial.duration_ms = 1000.0 * (n + 1) as f64;
    let load = json!({ "name": "w", "uri": "skill://w", "server": "docs", "kind": "skill", "via": "read_skill",
        "verified": n == 0, "afterToolCalls": n });
    trial.skill_loads = serde_json::from_value(json!([load])).unwrap();
    trial.write_record = serde_json::from_value(
        json!({ "writes": [], "unreported": vec![1; n as usize], "unrecorded": [1], "unclassified": [] }),
    )
    .unwrap();
    let writes = GraderScore {
        write_evidence: Some(if n == 0 { "requested" } else { "called" }.to_owned()),
        ..GraderScore::passed()
    };
    scores.insert("writes".into(), writes);
    for (judge, score) in [("tool-use", 1.0), ("own", 0.5)] {
        let usage = json!({ "inputTokens": 30, "outputTokens": 5, "estimatedCostUsd": 0.004 });
        let given = GraderScore {
            score: Some(score),
            judge_name: Some(judge.to_owned()),
            usage: serde_json::from_value(usage).unwrap(),
            pass: score > 0.7,
            ..GraderScore::default()
        };
        scores.insert(GraderName::new(format!("judge.{judge}")), given);
    }
    (trial, scores)
}

/// Two cases with one trial each; beside the second a broken attempt, which counts in no mean.
fn run() -> Run {
    let mut second =
        Case::new("b", 1, 1.0, vec![whole(1, true), broken(&json!({ "inputTokens": 9999, "outputTokens": 1 }))]);
    second.pass_threshold = 0.5;
    let mut run = Run::new(vec![("default", vec![Case::new("a", 1, 1.0, vec![whole(0, true)]), second])]);
    run = run.priced("claude-x", PRICE);
    run.listed = metric_entries().iter().map(listed).collect();
    run
}

fn listed(entry: &CatalogEntry) -> ListedMetric {
    let judge = entry.name.ends_with("_for").then(|| "tool-use".to_owned());
    ListedMetric { metric: entry.name.clone(), name: entry.name.clone(), judge }
}

/// What each metric of [`run`] is reported as, and its value.
fn wanted() -> IndexMap<&'static str, (&'static str, Value)> {
    IndexMap::from([
        // A judge fails each case, and the second has a broken attempt beside: it is incomplete.
        ("passed", ("passed_rate", json!(0.0))),
        ("trial_pass", ("trial_pass_rate", json!(0.0))),
        ("tool_count", ("tool_count_mean", json!(1.5))),
        ("mcp_call_count", ("mcp_call_count_mean", json!(1.0))),
        ("builtin_event_count", ("builtin_event_count_mean", json!(2.5))),
        ("first_tool", ("first_tool", json!(["parts.lookup", "Read"]))),
        ("is_no_action", ("is_no_action_rate", json!(0.0))),
        ("tool_search_hit", ("tool_search_hit_rate", json!(1.0))),
        ("input_tokens", ("input_tokens_mean", json!(180.0))),
        ("input_tokens_uncached", ("input_tokens_uncached_mean", json!(150.0))),
        ("output_tokens", ("output_tokens_mean", json!(50.0))),
        ("cache_read_tokens", ("cache_read_tokens_mean", json!(10.0))),
        ("cache_creation_tokens", ("cache_creation_tokens_mean", json!(20.0))),
        // 180 tokens in, the cache's at the input's rate, and 50 out.
        ("cost_usd", ("cost_usd_mean", json!(0.028))),
        ("duration_s", ("duration_s_mean", json!(1.5))),
        ("duration_api_s", ("duration_api_s_mean", json!(0.75))),
        ("response_success", ("response_success_rate", json!(1.0))),
        ("response_len", ("response_len_mean", json!(10.0))),
        ("response_words", ("response_words_mean", json!(3.5))),
        ("skill_loaded", ("skill_loaded_rate", json!(0.5))),
        ("skill_before_tool", ("skill_before_tool_rate", json!(0.5))),
        ("skill_verification_failed", ("skill_verification_failed_rate", json!(0.5))),
        ("write_case_passed", ("write_case_passed_rate", json!(0.0))),
        ("write_evidence", ("write_evidence", json!("called"))),
        ("unreported_writes", ("unreported_writes_mean", json!(0.5))),
        ("unrecorded_writes", ("unrecorded_writes_mean", json!(1.0))),
        ("unclassified_calls", ("unclassified_calls_mean", json!(0.0))),
        ("judge_pass", ("judge_pass_rate", json!(0.0))),
        ("judge_score", ("judge_score", json!({ "tool-use": 1.0, "own": 0.5 }))),
        ("judge_name", ("judge_name", json!(["tool-use", "own"]))),
        ("judge_pass_for", ("judge_pass_for_rate", json!(1.0))),
        ("judge_score_for", ("judge_score_for_mean", json!(1.0))),
        ("judge_cost_usd", ("judge_cost_usd_mean", json!(0.008))),
        ("judge_input_tokens", ("judge_input_tokens_mean", json!(60.0))),
        ("judge_output_tokens", ("judge_output_tokens_mean", json!(10.0))),
    ])
}

fn is_near(got: &Value, want: &Value) -> bool {
    match (got.as_f64(), want.as_f64()) {
        (Some(got), Some(want)) => (got - want).abs() < 1e-12,
        _ => got == want,
    }
}

#[test]
fn every_metric_has_its_key_and_its_value() {
    let summary = run().summary();
    let (metrics, wanted) = (&summary.variants[0].metrics, wanted());
    for entry in metric_entries() {
        let (key, value) = wanted.get(entry.name.as_str()).unwrap_or_else(|| panic!("{} is in no row", entry.name));
        let got = metrics.get(*key).unwrap_or_else(|| panic!("{key} has no value"));
        assert!(is_near(got, value), "{key} is {got}, not {value}");
    }
    assert_eq!((wanted.len(), metrics.len()), (metric_entries().len(), metric_entries().len()));
    assert_eq!(summary.variants[0].unavailable_metrics, Vec::<String>::new());
}

#[test]
fn every_metric_is_unavailable_and_not_zero_where_nothing_is_known() {
    let (mut silent, scores) = graded(true, &Value::Null);
    silent.transcript = None;
    let mut run = Run::new(vec![("default", vec![Case::new("a", 1, 1.0, vec![(silent, scores)])])]);
    run.listed = metric_entries().iter().map(listed).collect();
    let variant = run.summary().variants.remove(0);
    let known: Vec<&str> = variant.metrics.keys().map(String::as_str).collect();
    // That it passed, how long it took, and that the client had no error is known of any trial.
    assert_eq!(known, ["passed_rate", "trial_pass_rate", "duration_s_mean", "response_success_rate"]);
    assert_eq!(variant.unavailable_metrics.len(), metric_entries().len() - known.len());
}

#[test]
fn a_metric_is_reported_under_the_name_that_its_config_gives() {
    let mut run = run();
    run.listed = [("response_words", "words", None), ("judge_pass_for", "judge_own_pass", Some("own"))]
        .map(|(metric, name, judge): (&str, &str, Option<&str>)| ListedMetric {
            metric: metric.to_owned(),
            name: name.to_owned(),
            judge: judge.map(str::to_owned),
        })
        .to_vec();
    let metrics = run.summary().variants.remove(0).metrics;
    assert_eq!((&metrics["words_mean"], &metrics["judge_own_pass_rate"]), (&json!(3.5), &json!(0.0)));
    assert!(!metrics.contains_key("response_words_mean"));
}

#[test]
fn a_case_is_priced_at_its_own_model_and_a_judge_at_its() {
    let usage = json!({ "inputTokens": 1000, "outputTokens": 0 });
    let case = |id: &str, model: &'static str, scored: Scored| {
        let mut case = Case::new(id, 1, 1.0, vec![scored]);
        case.model = Some(model);
        case
    };
    let cheap = ModelPrice { input: 1.0, ..PRICE };
    let (judged, dear, free) = (whole(0, true), graded(true, &usage), graded(true, &usage));
    let cases = vec![case("judged", "cheap", judged), case("dear", "dear", dear), case("free", "unknown", free)];
    let run =
        Run::new(vec![("default", cases)]).priced("cheap", cheap).priced("gpt-judge", cheap).priced("dear", PRICE);
    let variant = serde_json::to_value(run.summary().variants.remove(0)).unwrap();
    // 130 tokens at 1, 50 at 200; 1000 at 100. The third has no price and is left out.
    let wanted = f64::midpoint(130e-6 + 0.01, 0.1);
    assert!(is_near(&variant["metrics"]["cost_usd_mean"], &json!(wanted)), "{variant:#}");
    let priced: Vec<&String> = variant["pricing"].as_object().unwrap().keys().collect();
    assert_eq!(priced, ["gpt-judge", "cheap", "dear"], "what was used, of judges too, and nothing else");
    assert_eq!((&variant["unpricedModels"], &variant["costSource"]), (&json!(["unknown"]), &json!("pricing")));
}
