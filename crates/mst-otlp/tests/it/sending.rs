//! The sender against a collector that takes, rejects, refuses and is silent.

use std::collections::BTreeMap;
use std::time::Duration;

use mst_otlp::{ExportSettings, RunTrace, SendError, Span, TraceSender};
use mst_testkit::{CollectorAnswer, FakeCollector};
use serde_json::json;
use tokio::time::Instant;

use crate::records::{graded, run, trial};

fn spans() -> Vec<Span> {
    let record = run(&json!({}));
    let mut trace = RunTrace::new(&record);
    let mut spans = trace.trial(&graded(trial("c-1", 0), Some(true)));
    spans.extend(trace.finish());
    spans
}

fn sender(collector: &FakeCollector, more: &[(&str, &str)]) -> TraceSender {
    let mut env = BTreeMap::from([("OTEL_EXPORTER_OTLP_ENDPOINT".to_owned(), collector.url())]);
    env.extend(more.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
    let settings = ExportSettings::from_env(&env).expect("every variable has a meaning").expect("an endpoint");
    TraceSender::new(settings).expect("a client")
}

fn soon() -> Instant {
    Instant::now() + Duration::from_secs(20)
}

#[tokio::test]
async fn protobuf_json_and_gzip_arrive_as_the_same_spans() {
    let collector = FakeCollector::start([]);
    for more in [
        &[][..],
        &[("OTEL_EXPORTER_OTLP_PROTOCOL", "http/json")],
        &[("OTEL_EXPORTER_OTLP_COMPRESSION", "gzip")],
        &[("OTEL_EXPORTER_OTLP_PROTOCOL", "http/json"), ("OTEL_EXPORTER_OTLP_COMPRESSION", "gzip")],
    ] {
        let variables =
            [more, &[("OTEL_SERVICE_NAME", "evals"), ("OTEL_EXPORTER_OTLP_HEADERS", "x-key=k%2D1")]].concat();
        let accepted = sender(&collector, &variables).send(spans(), soon()).await.expect("it is taken");
        assert_eq!(accepted.rejected, 0);
    }
    let requests = collector.requests();
    assert_eq!(requests.len(), 4);
    for request in &requests {
        assert_eq!((request.path.as_str(), request.scope.as_str()), ("/v1/traces", "mst"));
        assert_eq!(request.resource["service.name"], "evals");
        assert_eq!(request.headers["x-key"], "k-1");
        assert_eq!(request.spans, requests[0].spans);
        assert!(request.spans.len() > 5);
    }
    let kinds: Vec<_> = requests.iter().map(|request| request.headers["content-type"].as_str()).collect();
    assert_eq!(kinds, ["application/x-protobuf", "application/json", "application/x-protobuf", "application/json"]);
}

#[tokio::test]
async fn what_a_collector_rejects_is_counted_with_its_words() {
    for protocol in ["http/protobuf", "http/json"] {
        let collector = FakeCollector::start([CollectorAnswer::Partial(2, "too old".to_owned())]);
        let sender = sender(&collector, &[("OTEL_EXPORTER_OTLP_PROTOCOL", protocol)]);
        let accepted = sender.send(spans(), soon()).await.expect("it is taken");
        assert_eq!((accepted.rejected, accepted.message.as_deref()), (2, Some("too old")), "{protocol}");
    }
}

#[tokio::test]
async fn what_passes_is_tried_again_and_what_does_not_is_told_at_once() {
    let refused = |status, after| CollectorAnswer::Refused(status, after, "not now".to_owned());
    for (answers, want, requests) in [
        (vec![refused(503, None)], Ok(()), 2),
        (vec![refused(429, Some(1)), refused(502, Some(0))], Ok(()), 3),
        (vec![refused(503, Some(0)), refused(503, Some(0)), refused(503, None)], Err(503), 3),
        // It asks for more time than there is.
        (vec![refused(429, Some(3600))], Err(429), 1),
        (vec![refused(400, None)], Err(400), 1),
        (vec![refused(401, None)], Err(401), 1),
        (vec![refused(307, None)], Err(307), 1),
    ] {
        let shown = format!("{answers:?}");
        let collector = FakeCollector::start(answers);
        let answer = sender(&collector, &[]).send(spans(), soon()).await.map(|_| ());
        let want = want.map_err(|status| SendError::Refused { status, message: Some("not now".to_owned()) });
        assert_eq!((answer, collector.requests().len()), (want, requests), "{shown}");
    }
}

#[tokio::test]
async fn silence_ends_at_the_timeout_and_no_collector_is_told() {
    let collector = FakeCollector::start([CollectorAnswer::Slow(Duration::from_secs(30))]);
    let started = Instant::now();
    let sender = sender(&collector, &[("OTEL_EXPORTER_OTLP_TIMEOUT", "300")]);
    assert_eq!(sender.send(spans(), soon()).await, Err(SendError::Timeout));
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
    drop(collector);
    let gone = sender.send(spans(), soon()).await.expect_err("nobody listens");
    assert_eq!(gone, SendError::Network("no connection could be made"));
}
