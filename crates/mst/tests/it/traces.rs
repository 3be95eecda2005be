//! The trace of a run at a collector: sent when the run has ended, and never a reason for it to fail.

use std::time::{Duration, Instant};

use mst_testkit::{CollectedSpan, CollectorAnswer, FakeCollector, Finished, Mode, Reply};
use serde_json::{Value, json};

use crate::eval::{Eval, case, lookup};

/// An eval of one case whose runs go to a collector.
fn traced(collector: &FakeCollector) -> Eval {
    let mut eval = Eval::passing();
    eval.env.set_variable("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url());
    eval
}

/// Returns the span that a name begins with.
#[track_caller]
fn span<'a>(spans: &'a [CollectedSpan], name: &str) -> &'a CollectedSpan {
    let found = spans.iter().find(|span| span.name.starts_with(name));
    found.unwrap_or_else(|| panic!("no {name} in {:?}", spans.iter().map(|span| &span.name).collect::<Vec<_>>()))
}

/// Returns a stored time in nanoseconds since 1970.
fn nanos(time: &Value) -> u64 {
    let time: mst_model::Timestamp = serde_json::from_value(time.clone()).expect("a stored time");
    u64::try_from(time.as_millis()).expect("after 1970") * 1_000_000
}

/// Returns what was said of the trace on stderr.
fn told(finished: &Finished) -> String {
    let lines = finished.stderr.lines().filter(|line| line.contains("collector") || line.starts_with("Trace"));
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn a_run_s_trace_arrives_with_parents_times_and_content_that_the_run_keeps() {
    let collector = FakeCollector::start([]);
    let eval = traced(&collector);
    let (finished, run) = eval.run_expecting(&[], 0);
    let spans = collector.spans();
    assert_eq!(
        told(&finished),
        format!("Trace {}: {} spans sent to {}/v1/traces.", spans[0].trace, spans.len(), collector.url())
    );
    let chain =
        ["run parts-eval", "case bin", "trial 0", "chat claude-x", "tools/call lookup"].map(|name| span(&spans, name));
    for pair in chain.windows(2) {
        assert_eq!(pair[1].parent, pair[0].id, "{} is below {}", pair[1].name, pair[0].name);
        assert!(pair[1].start >= pair[0].start && pair[1].end >= pair[1].start);
    }
    assert_eq!(chain[0].parent, "");
    let trial = run.trial("bin");
    let event = &trial["transcript"]["events"][0];
    assert_eq!((chain[4].start, chain[4].end), (nanos(&event["startedAt"]), nanos(&event["completedAt"])));
    assert_eq!(chain[2].start, nanos(&trial["transcript"]["startedAt"]));
    assert_eq!(chain[0].start, nanos(&run.run()["createdAt"]));
    assert_eq!(chain[4].attributes["gen_ai.tool.call.arguments"]["id"], "p-1");
    assert_eq!(chain[4].attributes["mcp.method.name"], "tools/call");
    assert_eq!(chain[2].attributes["mst.trial.pass"], true);
    assert_eq!(chain[2].events[0].1["gen_ai.evaluation.name"], "toolsTriggered");
    // What was sent is what an export gives, and a resume of the whole run sends the same spans.
    collector.forget();
    eval.mst(&["export", "otlp", &run.id(), "--output-dir", "out", "--endpoint", &collector.url()]).expect_code(0);
    assert_eq!(collector.spans(), spans);
}

#[test]
fn a_redacted_run_sends_no_content_and_a_regrade_links_to_what_it_graded() {
    let collector = FakeCollector::start([]);
    let eval = traced(&collector);
    let servers = json!({ "parts": eval.stdio("parts", Mode::Plain) });
    eval.write_config(&servers, &json!({ "redactStoredResponses": true }));
    eval.run(0);
    let text = format!("{:?}", collector.spans());
    for quoted in ["bin 7", "p-1", "messages", "call.arguments", "call.result"] {
        assert!(!text.contains(quoted), "{quoted}");
    }
    collector.forget();
    eval.write_config(&servers, &json!({}));
    let run = eval.run(0);
    let collected = collector.spans();
    collector.forget();
    eval.mst(&["grade", &run.id(), "--config", "eval.json", "--output-dir", "out"]).expect_code(0);
    let graded = collector.spans();
    assert_eq!(
        graded.iter().map(|span| span.name.as_str()).collect::<Vec<_>>(),
        ["trial 0", "case bin", "grade parts-eval"]
    );
    let trial = span(&collected, "trial 0");
    assert_eq!(graded[0].links, [(trial.trace.clone(), trial.id.clone())]);
    assert_ne!(graded[0].trace, trial.trace);
}

#[test]
fn whatever_a_collector_does_the_run_is_what_it_was_and_is_not_held_up() {
    let refused = |status| CollectorAnswer::Refused(status, None, "no \u{1b}[31mway".to_owned());
    let slow = CollectorAnswer::Slow(Duration::from_secs(30));
    for (answers, want) in [
        (vec![refused(403)], "answered 403: no \\u{1b}[31mway; 0 spans had arrived, of 1 of 1 trial"),
        (vec![refused(500)], "answered 500"),
        (vec![refused(503), refused(503), refused(503)], "answered 503"),
        (vec![slow], "did not answer in time"),
        (vec![CollectorAnswer::Partial(3, "too old".to_owned())], "rejected 3 of"),
    ] {
        let collector = FakeCollector::start(answers);
        let mut eval = traced(&collector);
        eval.env.set_variable("OTEL_EXPORTER_OTLP_TIMEOUT", "1500");
        eval.env.set_variable("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer%20planted-header");
        let started = Instant::now();
        let (finished, _) = eval.run_expecting(&[], 0);
        assert!(started.elapsed() < Duration::from_secs(15), "{:?}", started.elapsed());
        let told = told(&finished);
        assert!(told.starts_with("warning: the collector at http://127.0.0.1") && told.contains(want), "{told}");
        assert!(!finished.stderr.contains("planted-header"), "{}", finished.stderr);
        assert_eq!(collector.requests()[0].headers["authorization"], "Bearer planted-header");
    }
    let mut eval = Eval::passing();
    eval.env.set_variable("OTEL_EXPORTER_OTLP_ENDPOINT", "http://user:planted-pw@127.0.0.1:9");
    let (finished, _) = eval.run_expecting(&["--json"], 0);
    assert!(finished.json().is_object(), "stdout is one value");
    assert!(
        told(&finished).contains("http://127.0.0.1:9/v1/traces: no connection could be made"),
        "{}",
        finished.stderr
    );
    assert!(!finished.stderr.contains("planted-pw"));
    eval.env.set_variable("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc");
    let (finished, _) = eval.run_expecting(&[], 0);
    assert!(finished.stderr.contains("no trace was sent: OTEL_EXPORTER_OTLP_PROTOCOL is grpc"), "{}", finished.stderr);
}

#[test]
fn nothing_is_sent_where_it_is_turned_off_or_replayed() {
    let collector = FakeCollector::start([]);
    let mut eval = traced(&collector);
    eval.run_expecting(&["--record", "run.tape"], 0);
    assert_eq!(collector.requests().len(), 1);
    collector.forget();
    eval.run_expecting(&["--replay", "run.tape"], 0);
    for (name, value) in [("OTEL_SDK_DISABLED", "true"), ("OTEL_TRACES_EXPORTER", "none")] {
        eval.env.set_variable(name, value);
        eval.run(0);
        eval.env.remove_variable(name);
    }
    assert_eq!(collector.requests().len(), 0);
    eval.run(0);
    assert_eq!(collector.requests().len(), 1);
}

#[test]
fn a_provider_that_fails_is_an_error_in_the_trace_and_the_batch_sends_each_run() {
    let collector = FakeCollector::start([]);
    let eval = traced(&collector);
    eval.provider.set_script(mst_testkit::Script::strict().on("Case", [Reply::status(400, "bad request")]));
    eval.write(&json!({ "parts": eval.stdio("parts", Mode::Plain) }), &json!([case("bin", lookup())]), &json!({}));
    let finished = eval.mst(&["batch", "--configs", "eval.json"]);
    assert_ne!(finished.code, Some(0), "{}", finished.stderr);
    let spans = collector.spans();
    let trial = span(&spans, "trial 0");
    assert!(trial.error.is_some(), "{trial:?}");
    assert!(trial.attributes.contains_key("error.type"), "{trial:?}");
}
