//! The order of graders, missing verdicts, and what is never graded.

use std::time::Duration;

use mst_grading::{Graded, PatternThreads};
use mst_model::{Broke, Ending};
use serde_json::json;

use crate::field_cases::{Trial, event};

#[tokio::test]
async fn graders_come_in_a_fixed_order() {
    let assertions = json!({
        "toolCallCount": { "exact": 1 },
        "toolsTriggered": { "calls": [{ "name": "lookup" }] },
        "matchesPattern": "^Part",
        "containsText": ["bin 7"],
    });
    let graded =
        Trial::new(assertions, json!([event("lookup", json!({}))])).answer("Part p-1 is in bin 7.").grade().await;
    let names: Vec<&str> = graded.scores.keys().map(mst_model::GraderName::as_str).collect();
    assert_eq!(names, ["textContains", "regex", "toolsTriggered", "toolCallCount"]);
    assert!(graded.scores.values().all(|score| score.pass));
    assert_eq!((graded.tool_precision, graded.tool_recall), (Some(1.0), Some(1.0)));
}

#[tokio::test]
async fn a_runaway_pattern_is_a_missing_verdict_and_no_fail() {
    let assertions = json!({
        "containsText": "aaa",
        "matchesPattern": "^(a+)+$",
        "toolsTriggered": { "calls": [{ "name": "lookup", "arguments": { "q": { "$pattern": "^(a+)+$" } } }] },
    });
    let runaway = format!("{}!", "a".repeat(200));
    let mut trial = Trial::new(assertions, json!([event("lookup", json!({ "q": runaway }))])).answer(&runaway);
    trial.patterns = PatternThreads::new(2, Duration::from_millis(100));
    let graded = trial.grade().await;
    assert_eq!(graded.scores.len(), 1, "only the text has a verdict: {:?}", graded.scores);
    assert_eq!(
        graded.grading_error.as_deref(),
        Some("regex: patterns were not done after 0.1 s; toolsTriggered: patterns were not done after 0.1 s")
    );
    let mut record = trial.record.clone();
    graded.note_on(&mut record);
    assert_eq!(record.grading_error, graded.grading_error);
    assert!(record.error.as_deref().unwrap().starts_with("Not graded: regex: "));

    trial.case.assertions.as_mut().unwrap().matches_pattern = None;
    trial.case.assertions.as_mut().unwrap().tools_triggered = None;
    trial.record = record;
    let again = trial.grade().await;
    again.note_on(&mut trial.record);
    assert_eq!((trial.record.grading_error, trial.record.error), (None, None), "a later grading takes it back");
}

#[tokio::test]
async fn a_fail_beside_a_missing_verdict_stays_a_fail() {
    let graded = Trial::new(json!({ "containsText": "x", "matchesPattern": "(" }), json!([])).answer("y").grade().await;
    assert!(graded.grading_error.as_deref().unwrap().starts_with("regex: /(/ is not a valid pattern"));
    let mut record = Trial::new(json!({}), json!([])).record;
    graded.note_on(&mut record);
    assert!(record.grading_error.is_some());
    assert_eq!(record.error, None, "the trial failed, so it is not called ungraded");
}

#[tokio::test]
async fn infrastructure_failures_and_cases_without_assertions_have_no_scores() {
    let mut broken = Trial::new(json!({ "containsText": "x" }), json!([]));
    broken.record.ending = Ending::retryable(Broke::Network, "gone");
    assert_eq!(broken.grade().await, Graded::default());
    assert_eq!(Trial::new(json!({}), json!([])).grade().await, Graded::default());
}
