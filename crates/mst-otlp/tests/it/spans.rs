//! Records as spans: names, parents, times, attributes, and what is left out.

use std::fmt::Write as _;

use mst_model::RunRecord;
use mst_otlp::{GradedTrial, RunTrace, Span};
use mst_testkit::CollectedSpan;
use serde_json::{Value, json};

use crate::records::{RUN, graded, run, trial};

/// Returns the spans of a run.
fn spans_of(record: &RunRecord, trials: &[GradedTrial]) -> Vec<CollectedSpan> {
    let mut trace = RunTrace::new(record);
    let mut spans: Vec<Span> = trials.iter().flat_map(|graded| trace.trial(graded)).collect();
    spans.extend(trace.finish());
    spans.into_iter().map(CollectedSpan::from).collect()
}

/// Draws the tree: names below their parents, with what each begins and lasts in milliseconds after the run's begin.
fn tree(spans: &[CollectedSpan]) -> String {
    fn draw(spans: &[CollectedSpan], parent: &str, depth: usize, begin: u64, out: &mut String) {
        let mut below: Vec<_> = spans.iter().filter(|span| span.parent == parent).collect();
        below.sort_by_key(|span| span.start);
        for span in below {
            let millis = |nanos: u64| nanos.saturating_sub(begin) / 1_000_000;
            let (start, end) = (millis(span.start), millis(span.end));
            let error =
                span.error.as_ref().map(|words| format!(" ERROR {words}").trim_end().to_owned()).unwrap_or_default();
            let indent = "  ".repeat(depth);
            writeln!(out, "{indent}{} [{}] {start}-{end}{error}", span.name, span.kind)
                .expect("a string takes any text");
            draw(spans, &span.id, depth + 1, begin, out);
        }
    }
    let begin = spans.iter().map(|span| span.start).min().unwrap_or_default();
    let mut out = String::new();
    draw(spans, "", 0, begin, &mut out);
    out
}

fn named<'a>(spans: &'a [CollectedSpan], name: &str) -> &'a CollectedSpan {
    spans.iter().find(|span| span.name == name).unwrap_or_else(|| panic!("no span {name:?}"))
}

#[test]
fn a_run_is_one_tree_with_stored_times() {
    let mut broken = trial("c-2", 0);
    broken.transcript = None;
    broken.ending = mst_model::Ending::retryable(mst_model::Broke::Provider, "it answered 529");
    let trials = [graded(trial("c-1", 0), Some(true)), graded(trial("c-1", 1), Some(false)), graded(broken, None)];
    let spans = spans_of(&run(&json!({})), &trials);
    insta::assert_snapshot!(tree(&spans), @r"
    run parts [internal] 0-5000
      case c-2 [internal] 0-0
        trial 0 [internal] 0-0 ERROR it answered 529
      case c-1 [internal] 1000-2900
        trial 0 [internal] 1000-1900
          chat claude-x [client] 1010-1200
            tools/call lookup [client] 1210-1250
            tools/call fetch [client] 1260-1300 ERROR
          execute_tool stock [internal] 1300-1310
          chat claude-x [client] 1400-1890
        trial 1 [internal] 2000-2900
          chat claude-x [client] 2010-2200
            tools/call lookup [client] 2210-2250
            tools/call fetch [client] 2260-2300 ERROR
          execute_tool stock [internal] 2300-2310
          chat claude-x [client] 2400-2890
    ");
    assert!(spans.iter().all(|span| span.trace == spans[0].trace && span.trace.len() == 32 && span.id.len() == 16));
    let mut ids: Vec<_> = spans.iter().map(|span| &span.id).collect();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), spans.len(), "every span has an id of its own");
}

#[test]
fn spans_follow_the_conventions() {
    let spans = spans_of(&run(&json!({})), &[graded(trial("c-1", 0), Some(true))]);
    let shown: Vec<Value> = spans
        .iter()
        .map(|span| json!({ "name": span.name, "attributes": span.attributes, "events": span.events }))
        .collect();
    insta::assert_json_snapshot!(shown);
}

#[test]
fn the_same_records_give_the_same_ids_and_another_run_gives_others() {
    let trials = [graded(trial("c-1", 0), Some(true)), graded(trial("c-1", 1), Some(true))];
    let first = spans_of(&run(&json!({})), &trials);
    assert_eq!(first, spans_of(&run(&json!({})), &trials));
    // Verdicts may change: a resumed grading sends the same spans with others.
    let regraded = [graded(trial("c-1", 0), Some(false)), graded(trial("c-1", 1), None)];
    let ids = |spans: &[CollectedSpan]| spans.iter().map(|span| span.id.clone()).collect::<Vec<_>>();
    assert_eq!(ids(&first), ids(&spans_of(&run(&json!({})), &regraded)));
    let other = spans_of(&run(&json!({ "runId": "20261007T182504Z-7f3c2b" })), &trials);
    assert!(ids(&first).iter().all(|id| !ids(&other).contains(id)));
    assert_ne!(first[0].trace, other[0].trace);
}

#[test]
fn a_redacted_run_s_spans_quote_nothing() {
    let mut broken = trial("c-2", 0);
    broken.ending = mst_model::Ending::retryable(mst_model::Broke::ClientApp, "said bin 7 and died");
    let trials = [graded(trial("c-1", 0), Some(true)), graded(broken, None)];
    let spans = spans_of(&run(&json!({ "redactStoredResponses": true })), &trials);
    let text = format!("{spans:?}");
    for quoted in
        ["bin 7", "p-1", "Let me look", "gone", "it quotes", "messages", "arguments", "call.result", "explanation"]
    {
        assert!(!text.contains(quoted), "{quoted}: {text}");
    }
    assert_eq!(named(&spans, "tools/call lookup").attributes["gen_ai.tool.call.id"], "t-1", "ids stay");
    assert!(spans.iter().any(|span| span.error.as_deref() == Some("")), "that something failed stays");
}

#[test]
fn a_regrade_is_a_trace_of_its_own_that_links_to_the_trials_it_graded() {
    let trials = [graded(trial("c-1", 0), Some(false))];
    let collected = spans_of(&run(&json!({})), &trials);
    let id = format!("{RUN}.g2");
    let record = run(&json!({ "runId": id, "gradedFrom": RUN, "finishedAt": "2026-10-09T10:00:00.000Z" }));
    let spans = spans_of(&record, &trials);
    insta::assert_snapshot!(tree(&spans), @r"
    grade parts [internal] 0-0
      case c-1 [internal] 0-0
        trial 0 [internal] 0-0
    ");
    let (regraded, trial) = (named(&spans, "trial 0"), named(&collected, "trial 0"));
    assert_ne!(regraded.trace, trial.trace);
    assert_eq!(regraded.links, [(trial.trace.clone(), trial.id.clone())]);
    assert_eq!(regraded.events.len(), 2);
    assert!(regraded.start > trial.end, "it stands at the time of the grading");
}
