//! What a row says of its own run.

use mst_measure::history::{CaseFacts, JudgedTrial, RowBuilder, TrialFacts};
use mst_model::{Phase, RowSource, RunRecord, RunStatus, Summary, Usage};
use serde_json::{Value, json};

fn record(collect: &str, grade: &str) -> RunRecord {
    serde_json::from_value(json!({
        "format": "mst.run/v1", "kind": "run", "runId": "20261007T182504Z-7f3c2a", "evalName": "e", "configId": "e",
        "contentHash": "c", "createdAt": "2026-10-07T18:25:04.000Z", "mst": { "version": "0.1.0" },
        "variants": [
            { "name": "base", "client": "api", "model": "m", "clientOptions": { "token": "hmac:12", "deep": { "effort": 1 } } },
            { "name": "new", "client": "api", "model": "m", "clientOptions": { "token": "hmac:34", "deep": { "effort": 1 } } },
        ],
        "datasets": [{ "name": "d", "caseCount": 2, "contentHash": "h" }], "partial": false,
        "redactStoredResponses": true, "optionKey": "k", "runner": { "name": "local", "shards": 1 },
        "phases": { "collect": collect, "grade": grade },
    }))
    .expect("a record")
}

fn summary() -> Summary {
    let metrics = json!({ "passed_rate": 0.5, "trial_pass_rate": 0.75, "cost_usd_mean": 0.01, "input_tokens_mean": 100.0,
        "output_tokens_mean": 20.0, "tool_count_mean": 2.0, "mcp_call_count_mean": 1.5 });
    let pairwise = json!({ "baseline": "base", "candidate": "new", "unmatched": { "baselineOnly": [], "candidateOnly": [] },
        "cases": [], "summary": [{ "judge": "preference", "compared": 4, "candidateWins": 2, "baselineWins": 1, "ties": 1,
            "skipped": 0, "errors": 0, "candidateWinRate": 0.625, "candidateWinRateCI": { "lower": 0.2, "upper": 0.9 } }] });
    let variant = |name: &str| {
        json!({ "name": name, "servers": [], "result": { "total": 3, "passed": 1, "failed": 1, "durationMs": 1.0 },
            "metrics": metrics, "costSource": "mixed", "unpricedModels": ["x"] })
    };
    let mut new = variant("new");
    new["pairwise"] = pairwise;
    serde_json::from_value(json!({ "format": "mst.run/v1", "kind": "summary", "runId": "20261007T182504Z-7f3c2a",
        "configId": "e", "contentHash": "c", "timestamp": "2026-10-07T18:25:04.000Z", "durationMs": 1.0, "configName": "e",
        "variants": [variant("base"), new], "metrics": {} }))
    .expect("a summary")
}

fn trial(pass: bool, seconds: f64, score: f64) -> TrialFacts {
    TrialFacts {
        pass: Some(pass),
        duration_ms: Some(seconds * 1000.0),
        usage: Some(Usage {
            cache_read_input_tokens: Some(10),
            cache_creation_input_tokens: Some(4),
            ..Usage::default()
        }),
        judges: vec![JudgedTrial {
            judge: "rubric".to_owned(),
            identity: Some("one".to_owned()),
            pass: Some(score >= 0.7),
            score: Some(score),
        }],
        apps: vec!["Desk 1".to_owned()],
        ..TrialFacts::default()
    }
}

fn case(id: &str, pass: Option<bool>, trials: Vec<TrialFacts>) -> CaseFacts {
    CaseFacts {
        id: id.into(),
        variant: "new".into(),
        pass,
        is_incomplete: pass.is_none(),
        is_regression: id == "guard",
        wanted: Some(2),
        trials,
    }
}

fn broken() -> TrialFacts {
    TrialFacts { is_infrastructure: true, duration_ms: Some(90_000.0), ..TrialFacts::default() }
}

fn cases() -> Vec<CaseFacts> {
    let errored =
        TrialFacts { pass: Some(false), client_errored: true, duration_ms: Some(3000.0), ..TrialFacts::default() };
    vec![
        case("b", Some(false), vec![trial(true, 1.0, 0.2), errored]),
        case("a", Some(true), vec![trial(true, 1.0, 0.5), trial(true, 2.0, 0.9)]),
        case("guard", Some(true), vec![trial(true, 1.0, 1.0), trial(true, 1.0, 1.0)]),
        case("open", None, vec![trial(true, 1.0, 1.0), broken()]),
    ]
}

fn built(record: &RunRecord, summary: Option<&Summary>, cases: &[CaseFacts]) -> Value {
    let mut builder = RowBuilder::new(record, summary);
    for case in cases {
        builder.add(case);
    }
    let row = builder.finish(RowSource { run: "r".to_owned(), summary: None, builder: 1 });
    serde_json::to_value(row).expect("JSON")
}

#[test]
fn a_row_holds_what_a_variant_measured() {
    let row = built(&record("complete", "complete"), Some(&summary()), &cases());
    assert_eq!((&row["status"], &row["caseIds"]), (&json!("incomplete"), &json!(["a", "b", "guard", "open"])));
    let variant = &row["variants"]["new"];
    assert_eq!(variant["cases"], json!({ "b": [1, 2], "a": [2, 2], "guard": [2, 2] }));
    assert_eq!((&variant["failedCases"], &variant["regressionCases"]), (&json!(["b"]), &json!(["guard"])));
    assert_eq!((&variant["incomplete"], &variant["apps"]), (&json!(1), &json!(["Desk 1"])));
    assert_eq!(
        variant["judged"],
        json!([{ "judge": "rubric", "identity": "one", "cases": ["a", "b", "guard", "open"] }])
    );
    let measures = &variant["measures"];
    // The headline is that of the capability cases: shares 0.5 and 1.
    assert_eq!((&measures["headline"]["rate"], &measures["headline"]["cases"]), (&json!(0.75), &json!(2)));
    assert_eq!(measures["headline"]["method"], "wilson-cases");
    // Each case's last trial that is no infrastructure failure: the errored one has no verdict of a judge.
    assert_eq!(measures["judges"]["rubric"], json!({ "passRate": 1.0, "score": 2.9 / 3.0, "verdicts": 3 }));
    let pairwise = json!({ "baseline": "base", "wins": 2, "ties": 1, "losses": 1, "winRate": 0.625,
        "winRateCI": { "lower": 0.2, "upper": 0.9 } });
    assert_eq!(measures["pairwise"]["preference"], pairwise);
    for (key, want) in [
        ("passRate", json!(0.5)),
        ("trialPassRate", json!(0.75)),
        ("costUsd", json!(0.01)),
        ("costSource", json!("mixed")),
        ("unpricedModels", json!(["x"])),
        ("inputTokens", json!(100.0)),
        ("outputTokens", json!(20.0)),
        ("cacheReadTokens", json!(10.0)),
        ("cacheCreationTokens", json!(4.0)),
        ("durationS", json!(1.0)),
        ("toolCalls", json!(2.0)),
        ("mcpCalls", json!(1.5)),
        ("trials", json!(8)),
        ("infrastructureFailures", json!(1)),
        ("clientErrors", json!(1)),
    ] {
        assert_eq!(measures[key], want, "{key}");
    }
    // Times 1, 1, 1, 1, 1, 2, 3: at 0.95 of the way between the first and the last.
    assert!((measures["durationP95S"].as_f64().expect("a time") - 2.7).abs() < 1e-9, "{measures}");
}

#[test]
fn a_status_follows_from_the_phases_and_the_cases() {
    let whole = &cases()[..3];
    for (collect, grade, cases, want) in [
        ("complete", "complete", whole, RunStatus::Complete),
        ("complete", "complete", &cases()[..], RunStatus::Incomplete),
        ("complete", "partial", whole, RunStatus::Incomplete),
        ("partial", "partial", whole, RunStatus::Incomplete),
        ("complete", "skipped", whole, RunStatus::Ungraded),
        ("partial", "skipped", whole, RunStatus::Ungraded),
        ("failed", "partial", whole, RunStatus::Failed),
    ] {
        let row = built(&record(collect, grade), Some(&summary()), cases);
        assert_eq!(row["status"], want.as_str(), "{collect} {grade}");
        let rated = row["variants"]["new"]["measures"].get("passRate").is_some();
        assert_eq!(rated, !matches!(want, RunStatus::Ungraded | RunStatus::Failed), "{collect} {grade}");
        assert_eq!(row["phases"]["collect"], serde_json::to_value(phase(collect)).expect("JSON"));
    }
}

fn phase(word: &str) -> Phase {
    serde_json::from_value(json!(word)).expect("a phase")
}

#[test]
fn a_setup_s_hash_is_that_of_all_its_parts_and_hashed_values_stand_apart() {
    let row = built(&record("complete", "complete"), None, &[]);
    let (base, new) = (&row["variants"]["base"], &row["variants"]["new"]);
    assert_eq!(base["setup"]["options"], new["setup"]["options"], "a hashed value counts by its name");
    assert_eq!(
        (&new["setup"]["hashedOptions"], &new["setup"]["optionKey"]),
        (&json!({ "/token": "hmac:34" }), &json!("k"))
    );
    assert_ne!(base["setupHash"], new["setupHash"]);
    let mut other = record("complete", "complete");
    other.variants[1].model = Some("n".to_owned());
    assert_ne!(built(&other, None, &[])["variants"]["new"]["setupHash"], new["setupHash"]);
}
