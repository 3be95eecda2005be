//! A trial as spans: its own, its model calls, and below each what the call asked for.

use indexmap::IndexMap;
use mst_model::{Ending, GraderName, GraderScore, Transcript, TrialRecord, VariantRecord};
use opentelemetry_proto::tonic::trace::v1::Span;
use opentelemetry_proto::tonic::trace::v1::span::SpanKind;

use super::attributes::Attributes;
use super::ids::{SpanId, below};
use super::model_call::{add_usage, model_span};
use super::span::{Period, Place, fail, span};
use super::tool_call::event_span;
use super::verdict::verdict_event;

/// A stored trial with what its graders said.
#[derive(Clone, Debug)]
pub struct GradedTrial {
    /// The trial.
    pub trial: TrialRecord,
    /// Its scores.
    pub scores: IndexMap<GraderName, GraderScore>,
    /// Whether it passed; `None` when it is neither passed nor failed.
    pub pass: Option<bool>,
}

impl GradedTrial {
    /// Returns when the trial ran; `None` when the record does not tell, as of one whose client never ran.
    pub(super) fn period(&self) -> Option<Period> {
        let transcript = self.trial.transcript.as_ref()?;
        Period::of(transcript.started_at, transcript.completed_at, Some(self.trial.duration_ms))
    }

    /// Makes the trial's own span.
    pub(super) fn own_span(&self, place: Place, period: Period, content: bool) -> Span {
        let Self { trial, scores, pass } = self;
        let mut attributes = Attributes::default();
        attributes
            .text("mst.run.id", trial.run_id.as_str())
            .text("mst.variant", trial.variant.as_str())
            .text("mst.case.id", trial.case_id.as_str())
            .text("mst.dataset", &trial.dataset_name)
            .count("mst.trial", Some(u64::from(trial.trial)))
            .flag("mst.trial.pass", *pass);
        let usage = trial.client_usage.as_ref().or_else(|| trial.transcript.as_ref()?.usage.as_ref());
        attributes.number("mst.trial.cost_usd", usage.and_then(mst_model::Usage::cost_usd));
        let failure = failure(trial);
        attributes.text_of("error.type", failure.as_ref().map(|(kind, _)| kind.clone()));
        let calls = trial.transcript.as_ref().map_or(0, untimed);
        attributes.count("mst.trial.untimed", (calls > 0).then_some(calls));
        if let Some(usage) = usage.filter(|_| trial.transcript.as_ref().is_none_or(|t| t.model_calls.is_none())) {
            // Where model calls have spans, their tokens are counted there and must not be counted twice.
            add_usage(&mut attributes, usage);
        }
        let mut made = span(place, format!("trial {}", trial.trial), SpanKind::Internal, period, attributes);
        made.events = scores.iter().map(|(name, score)| verdict_event(name, score, period.end, content)).collect();
        if let Some((_, message)) = failure {
            fail(&mut made, if content { message } else { String::new() });
        }
        made
    }

    /// Makes the spans below the trial's own: those whose times are known.
    pub(super) fn spans_below(&self, own: Place, variant: Option<&VariantRecord>, content: bool) -> Vec<Span> {
        let Some(transcript) = &self.trial.transcript else { return Vec::new() };
        let mut made = Vec::new();
        let mut asked_by: IndexMap<&str, SpanId> = IndexMap::new();
        for (at, call) in transcript.model_calls.iter().flatten().enumerate() {
            let Some(period) = Period::of(call.started_at, call.completed_at, duration_of(call.usage.as_ref())) else {
                continue;
            };
            let place = Place { id: below(own.id, "model", at), parent: Some(own.id), ..own };
            for id in &call.tool_call_ids {
                asked_by.entry(id).or_insert(place.id);
            }
            made.push(model_span(place, call, period, variant, content));
        }
        for (at, event) in transcript.events.iter().enumerate() {
            let Some(period) = Period::of(event.started_at, event.completed_at, event.duration_ms) else { continue };
            let asker = event.id.as_deref().and_then(|id| asked_by.get(id).copied());
            let place = Place { id: below(own.id, "event", at), parent: Some(asker.unwrap_or(own.id)), ..own };
            made.push(event_span(place, event, period, &self.trial, variant, content));
        }
        made
    }
}

fn duration_of(usage: Option<&mst_model::Usage>) -> Option<f64> {
    usage.and_then(|usage| usage.duration_api_ms.or(usage.duration_ms))
}

/// Counts the model calls and events that have no span, because nothing says when they were.
fn untimed(transcript: &Transcript) -> u64 {
    let calls = transcript.model_calls.iter().flatten();
    let calls =
        calls.filter(|call| Period::of(call.started_at, call.completed_at, duration_of(call.usage.as_ref())).is_none());
    let events = transcript.events.iter();
    let events = events.filter(|event| Period::of(event.started_at, event.completed_at, event.duration_ms).is_none());
    (calls.count() + events.count()) as u64
}

/// Returns what kind of failure a trial ended in and what was said of it. A trial that its graders failed ran as it should.
fn failure(trial: &TrialRecord) -> Option<(String, String)> {
    match &trial.ending {
        Ending::Infrastructure { broke, reason, .. } => {
            let kind = serde_json::to_value(broke).ok().and_then(|kind| kind.as_str().map(str::to_owned));
            Some((kind.unwrap_or_else(|| "infrastructure".to_owned()), reason.clone()))
        }
        Ending::Trial => trial.client_error().map(|error| ("client_error".to_owned(), error.to_owned())),
    }
}
