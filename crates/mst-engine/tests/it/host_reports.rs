//! What a client reports of itself over OpenTelemetry is stored with its trial, and only there.

use std::path::Path;
use std::sync::{Arc, Mutex};

use mst_engine::Stop;
use mst_model::TrialRecord;
use mst_store::{EvalLayout, RunReader, TrialKey};
use serde_json::{Value, json};

use crate::scripted::{Scripted, Turn, plan, run};

/// A span of an agent as OTLP/JSON, which quotes what the trial was about.
fn span(prompt: &str) -> Value {
    json!({ "resourceSpans": [{
        "resource": { "attributes": [{ "key": "service.name", "value": { "stringValue": "agent" } }] },
        "scopeSpans": [{ "spans": [{
            "traceId": "5b8efff798038103d269b633813fc60c", "spanId": "eee19b7ec3c1b174", "name": "chat", "kind": 3,
            "startTimeUnixNano": "1791050531000000000", "endTimeUnixNano": "1791050532500000000",
            "attributes": [
                { "key": "gen_ai.usage.input_tokens", "value": { "intValue": "12" } },
                { "key": "gen_ai.input.messages", "value": { "stringValue": format!("asked {prompt}") } },
            ],
        }] }],
    }] })
}

/// A client whose agent posts a span in each trial, to where the trial's environment says.
fn agent(endpoints: &Arc<Mutex<Vec<String>>>) -> Scripted {
    let endpoints = Arc::clone(endpoints);
    let mut client = Scripted::new(|prompt| Turn::says(prompt).taking(20));
    client.reports = Some(Arc::new(move |prompt, env| {
        let url = env.get("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT").cloned();
        endpoints.lock().expect("no test panics while it holds it").push(url.clone().unwrap_or_default());
        url.map(|url| (url, span(prompt)))
    }));
    client
}

fn stored(folder: &Path, case: &str) -> TrialRecord {
    let eval = EvalLayout::new(folder);
    let runs = mst_store::list_runs(&eval).expect("the runs");
    let reader = RunReader::open(eval.run(&runs[0])).expect("a run");
    reader.trial_view(&TrialKey::new("default", case, 0)).expect("a trial")
}

#[tokio::test(flavor = "multi_thread")]
async fn each_trial_has_what_its_own_agent_reported() {
    let folder = tempfile::tempdir().unwrap();
    let endpoints = Arc::default();
    run(plan(&["one", "two", "three"], 3), agent(&endpoints), folder.path(), Stop::default()).await.unwrap();
    for case in ["one", "two", "three"] {
        let telemetry = stored(folder.path(), case).client_telemetry.expect("it reported");
        assert_eq!(
            telemetry,
            json!({
                "host": { "spans": [{
                    "name": "chat", "service": "agent", "traceId": "5b8efff798038103d269b633813fc60c",
                    "spanId": "eee19b7ec3c1b174", "kind": "client", "startedAt": "2026-10-03T18:02:11.000Z",
                    "completedAt": "2026-10-03T18:02:12.500Z", "attributes": { "gen_ai.usage.input_tokens": 12 },
                }] },
                "content": { "host": { "spans": { "0": {
                    "attributes": { "gen_ai.input.messages": format!("asked {case}") },
                } } } },
            })
        );
    }
    let mut urls = endpoints.lock().unwrap().clone();
    assert!(urls.iter().all(|url| url.starts_with("http://127.0.0.1:") && url.ends_with("/v1/traces")), "{urls:?}");
    urls.sort();
    urls.dedup();
    assert_eq!(urls.len(), 3, "a path of its own for each trial");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_redacted_run_keeps_the_counts_and_drops_what_may_quote() {
    let folder = tempfile::tempdir().unwrap();
    let mut plan = plan(&["one"], 1);
    plan.redact_stored_responses = true;
    run(plan, agent(&Arc::default()), folder.path(), Stop::default()).await.unwrap();
    let telemetry = stored(folder.path(), "one").client_telemetry.expect("it reported");
    assert_eq!(telemetry["host"]["spans"][0]["attributes"], json!({ "gen_ai.usage.input_tokens": 12 }));
    assert_eq!(telemetry.get("content"), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_starts_no_program_has_no_telemetry_of_one() {
    let folder = tempfile::tempdir().unwrap();
    run(plan(&["one"], 1), Scripted::new(Turn::says), folder.path(), Stop::default()).await.unwrap();
    assert_eq!(stored(folder.path(), "one").client_telemetry, None);
}
