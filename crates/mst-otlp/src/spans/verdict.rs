//! A grader's verdict on a trial, as the conventions' event `gen_ai.evaluation.result`.

use mst_model::{GraderName, GraderScore, Timestamp};
use opentelemetry_proto::tonic::trace::v1::span::Event;

use super::attributes::Attributes;
use super::span::nanos;

/// Makes the event. With `content`, it has the grader's reason, which may quote the trial.
pub(super) fn verdict_event(grader: &GraderName, score: &GraderScore, at: Timestamp, content: bool) -> Event {
    let label = if score.skipped == Some(true) {
        "skipped"
    } else if score.error.is_some() {
        "no_verdict"
    } else if score.unknown == Some(true) {
        "unknown"
    } else if score.pass {
        "pass"
    } else {
        "fail"
    };
    let mut attributes = Attributes::default();
    attributes
        .text("gen_ai.evaluation.name", grader.as_str())
        .text("gen_ai.evaluation.score.label", label)
        .number("gen_ai.evaluation.score.value", score.score)
        .text_of("mst.judge.model", score.judge_model.as_deref())
        .text_of("mst.judge.identity", score.judge_identity.as_deref());
    if score.error.is_some() && score.skipped != Some(true) {
        attributes.text("error.type", "no_verdict");
    }
    if let Some(reason) = score.reasoning.as_ref().or(score.details.as_ref()).filter(|_| content) {
        attributes.content("gen_ai.evaluation.explanation", &serde_json::Value::String(reason.clone()));
    }
    Event {
        time_unix_nano: nanos(at),
        name: "gen_ai.evaluation.result".to_owned(),
        attributes: attributes.into_vec(),
        dropped_attributes_count: 0,
    }
}
