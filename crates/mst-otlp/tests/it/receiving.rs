//! The receiver: what is taken, in which form, and where its limits are.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
use mst_otlp::{Limits, Receiver};
use opentelemetry_proto::tonic::collector::logs::v1::ExportLogsServiceRequest;
use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use opentelemetry_proto::tonic::collector::trace::v1::{ExportTraceServiceRequest, ExportTraceServiceResponse};
use prost::Message as _;
use serde_json::{Value, json};

const PROTOBUF: &str = "application/x-protobuf";

/// Two spans as OTLP/JSON.
fn traces() -> Value {
    json!({ "resourceSpans": [{
        "resource": { "attributes": [{ "key": "service.name", "value": { "stringValue": "agent" } }] },
        "scopeSpans": [{ "spans": [
            { "traceId": "5b8efff798038103d269b633813fc60c", "spanId": "eee19b7ec3c1b174", "name": "chat m-1", "kind": 3,
              "startTimeUnixNano": "1791050531000000000", "endTimeUnixNano": "1791050532500000000",
              "status": { "code": 2, "message": "quota of user x" },
              "attributes": [
                  { "key": "gen_ai.request.model", "value": { "stringValue": "m-1" } },
                  { "key": "gen_ai.usage.input_tokens", "value": { "intValue": "12" } },
                  { "key": "gen_ai.input.messages", "value": { "stringValue": "where is p-1?" } },
              ],
              "events": [{ "name": "exception", "timeUnixNano": "1791050532000000000",
                  "attributes": [{ "key": "exception.message", "value": { "stringValue": "no such file /x" } }] }] },
            { "traceId": "5b8efff798038103d269b633813fc60c", "spanId": "eee19b7ec3c1b175",
              "parentSpanId": "eee19b7ec3c1b174", "name": "tool", "kind": 1,
              "startTimeUnixNano": "1791050531000000000", "endTimeUnixNano": "1791050531000000000" },
        ] }],
    }] })
}

/// A log record and a metric as agents report them, as OTLP/JSON.
fn logs() -> Value {
    json!({ "resourceLogs": [{ "scopeLogs": [{ "logRecords": [
        { "timeUnixNano": "1791050531000000000", "severityText": "INFO", "body": { "stringValue": "agent.user_prompt" },
          "attributes": [
              { "key": "event.name", "value": { "stringValue": "user_prompt" } },
              { "key": "prompt", "value": { "stringValue": "where is p-1?" } },
              { "key": "prompt_length", "value": { "stringValue": "13" } },
          ] },
    ] }] }] })
}

fn metrics() -> Value {
    json!({ "resourceMetrics": [{ "scopeMetrics": [{ "metrics": [
        { "name": "agent.token.usage", "unit": "tokens", "sum": { "aggregationTemporality": 1, "isMonotonic": true, "dataPoints": [
            { "timeUnixNano": "1791050531000000000", "asInt": "7",
              "attributes": [{ "key": "type", "value": { "stringValue": "input" } }, { "key": "user.email", "value": { "stringValue": "x@y" } }] },
            { "timeUnixNano": "1791050531000000000", "asDouble": 0.5 },
        ] } },
    ] }] }] })
}

async fn post(url: String, kind: &str, gzip: bool, body: Vec<u8>) -> reqwest::Response {
    let client = reqwest::Client::builder().no_proxy().build().expect("a client");
    let mut request = client.post(url).header("content-type", kind);
    let body = if gzip {
        request = request.header("content-encoding", "gzip");
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(&body).expect("memory takes it");
        encoder.finish().expect("memory takes it")
    } else {
        body
    };
    request.body(body).send().await.expect("the receiver answers")
}

fn protobuf<T: prost::Message + serde::de::DeserializeOwned>(value: Value) -> Vec<u8> {
    serde_json::from_value::<T>(value).expect("OTLP/JSON").encode_to_vec()
}

#[tokio::test]
async fn spans_logs_and_metrics_come_in_every_form_and_part_what_may_quote() {
    let receiver = Receiver::start(Limits::default()).await.expect("a port");
    let mut seen = Vec::new();
    for (form, gzip) in
        [(PROTOBUF, false), (PROTOBUF, true), ("application/json; charset=utf-8", false), ("application/json", true)]
    {
        let inbox = receiver.open(format!("secret-{}", seen.len()));
        let root = inbox.endpoint().to_owned();
        let is_json = form.starts_with("application/json");
        let bodies = [
            (
                "traces",
                if is_json {
                    traces().to_string().into_bytes()
                } else {
                    protobuf::<ExportTraceServiceRequest>(traces())
                },
            ),
            (
                "logs",
                if is_json { logs().to_string().into_bytes() } else { protobuf::<ExportLogsServiceRequest>(logs()) },
            ),
            (
                "metrics",
                if is_json {
                    metrics().to_string().into_bytes()
                } else {
                    protobuf::<ExportMetricsServiceRequest>(metrics())
                },
            ),
        ];
        for (signal, body) in bodies {
            let response = post(format!("{root}/v1/{signal}"), form, gzip, body).await;
            assert_eq!(response.status(), 200, "{signal} as {form}");
            let text = response.text().await.expect("a body");
            assert_eq!(text, if is_json { "{}" } else { "" });
        }
        seen.push(inbox.close().expect("something was reported").beside(None));
    }
    assert!(seen.iter().all(|one| *one == seen[0]), "the form makes no difference");
    insta::assert_json_snapshot!(seen[0]);
    let kept = seen[0]["host"].to_string();
    for quoted in ["where is p-1", "quota of user", "no such file", "x@y"] {
        assert!(!kept.contains(quoted), "{quoted} may quote, so it is content: {kept}");
    }
}

#[tokio::test]
async fn what_is_over_a_limit_is_refused_by_name_and_counted() {
    let limits = Limits { request_bytes: 4000, bytes: 6000, items: 3 };
    let receiver = Receiver::start(limits).await.expect("a port");
    let inbox = receiver.open("t".to_owned());
    let url = format!("{}/v1/traces", inbox.endpoint());
    let body = protobuf::<ExportTraceServiceRequest>(traces());
    assert_eq!(post(url.clone(), PROTOBUF, false, body.clone()).await.status(), 200);
    let partial = post(url.clone(), PROTOBUF, false, body.clone()).await;
    let answer = ExportTraceServiceResponse::decode(partial.bytes().await.expect("a body")).expect("protobuf");
    assert_eq!(answer.partial_success.map(|partial| partial.rejected_spans), Some(1), "three items are kept");
    let json = post(url.clone(), "application/json", false, traces().to_string().into_bytes()).await;
    let json: Value = serde_json::from_str(&json.text().await.expect("a body")).expect("JSON");
    assert_eq!(json["partialSuccess"]["rejectedSpans"], "2");
    let large = vec![b' '; 4001];
    for (gzip, kind, body, status) in [
        (false, PROTOBUF, large.clone(), 413),
        // Small on the way, large when it is read.
        (true, PROTOBUF, large, 413),
        (false, PROTOBUF, b"\xff\xff\xff".to_vec(), 400),
        (false, "application/json", b"{\"resourceSpans\": 5}".to_vec(), 400),
        (false, "text/plain", Vec::new(), 415),
    ] {
        assert_eq!(post(url.clone(), kind, gzip, body).await.status(), status, "{kind} gzip {gzip}");
    }
    let kept = inbox.close().expect("something was reported");
    assert_eq!((kept.spans.len(), kept.refused), (3, 3));
}

#[tokio::test]
async fn a_path_is_open_while_its_trial_runs_and_nobody_else_s_is() {
    let receiver = Receiver::start(Limits::default()).await.expect("a port");
    let (one, two) = (receiver.open("one".to_owned()), receiver.open("two".to_owned()));
    assert!(one.endpoint().starts_with("http://127.0.0.1:"));
    let body = || protobuf::<ExportTraceServiceRequest>(traces());
    assert_eq!(post(format!("{}/v1/traces", one.endpoint()), PROTOBUF, false, body()).await.status(), 200);
    for path in ["other/v1/traces", "one/v1/profiles", "one", ""] {
        let url = one.endpoint().replace("/one", &format!("/{path}"));
        assert_eq!(post(url, PROTOBUF, false, body()).await.status(), 404, "{path}");
    }
    let (closed, dropped) = (format!("{}/v1/traces", one.endpoint()), format!("{}/v1/traces", two.endpoint()));
    assert_eq!(one.close().map(|telemetry| telemetry.spans.len()), Some(2));
    drop(two);
    for url in [closed, dropped] {
        assert_eq!(post(url, PROTOBUF, false, body()).await.status(), 404);
    }
    assert_eq!(receiver.open("three".to_owned()).close(), None, "nothing was reported");
}

#[tokio::test]
async fn a_program_gets_variables_that_lead_here_and_nowhere_else() {
    let receiver = Receiver::start(Limits::default()).await.expect("a port");
    let inbox = receiver.open("t".to_owned());
    let variables = inbox.variables();
    assert_eq!(variables["OTEL_EXPORTER_OTLP_ENDPOINT"], inbox.endpoint());
    assert_eq!(variables["OTEL_EXPORTER_OTLP_LOGS_ENDPOINT"], format!("{}/v1/logs", inbox.endpoint()));
    let leaks: Vec<_> =
        variables.iter().filter(|(name, value)| name.contains("HEADERS") && !value.is_empty()).collect();
    assert!(leaks.is_empty(), "{leaks:?}");
}
