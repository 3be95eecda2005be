//! A run as one trace: run > case > trial > model call > tool call.

use mst_model::{CaseId, Phase, RunRecord, VariantName, VariantRecord};
use opentelemetry_proto::tonic::trace::v1::Span;
use opentelemetry_proto::tonic::trace::v1::span::{Link, SpanKind};

use super::attributes::Attributes;
use super::ids;
use super::span::{Period, Place, fail, span};
use super::trial::GradedTrial;
use crate::hex::hex;

/// A run's trace, made as its trials come: a run of any size needs memory for one trial.
///
/// Every time is a stored one, and every id follows from the ids of the run, variant, case and trial, so that exporting a run
/// again gives the same spans. A regrade has a trace of its own, under its own id: its spans stand at the time when it was
/// graded, carry its verdicts, and link to the trials of the run that collected, whose model and tool calls are not told
/// twice.
#[derive(Debug)]
pub struct RunTrace<'a> {
    record: &'a RunRecord,
    /// Whether spans may quote what was asked and answered.
    content: bool,
    /// The case whose trials come.
    case: Option<OpenCase>,
    /// What the trials took so far.
    seen: Option<Period>,
    trials: Tally,
}

/// A case whose span is not made yet.
#[derive(Debug)]
struct OpenCase {
    variant: VariantName,
    id: CaseId,
    dataset: String,
    period: Period,
    trials: Tally,
}

/// How trials went.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    all: u64,
    passed: u64,
    failed: u64,
}

impl Tally {
    fn add(&mut self, pass: Option<bool>) {
        self.all += 1;
        self.passed += u64::from(pass == Some(true));
        self.failed += u64::from(pass == Some(false));
    }

    fn tell(self, attributes: &mut Attributes) {
        attributes
            .count("mst.trials", Some(self.all))
            .count("mst.trials.passed", Some(self.passed))
            .count("mst.trials.failed", Some(self.failed));
    }
}

impl<'a> RunTrace<'a> {
    /// Begins the trace of a run. Spans quote what was asked and answered only when the run keeps it
    /// (`redactStoredResponses` false).
    pub fn new(record: &'a RunRecord) -> Self {
        let content = !record.redact_stored_responses;
        Self { record, content, case: None, seen: None, trials: Tally::default() }
    }

    /// Returns the trace's id, in hex.
    pub fn id(&self) -> String {
        hex(&ids::trace_of(&self.record.run_id))
    }

    /// Makes the spans of a trial, and of the case before it when the case has ended. The trials of a case come together.
    pub fn trial(&mut self, graded: &GradedTrial) -> Vec<Span> {
        let trial = &graded.trial;
        let run = &self.record.run_id;
        let own = self.graded_at().map(Period::at);
        // What never ran has no time; it stands at the run's begin.
        let period = own.or_else(|| graded.period()).unwrap_or(Period::at(self.record.created_at));
        let mut made = Vec::new();
        if self.case.as_ref().is_none_or(|case| case.variant != trial.variant || case.id != trial.case_id) {
            made.extend(self.end_case());
        }
        let case = self.case.get_or_insert_with(|| OpenCase {
            variant: trial.variant.clone(),
            id: trial.case_id.clone(),
            dataset: trial.dataset_name.clone(),
            period,
            trials: Tally::default(),
        });
        case.trials.add(graded.pass);
        case.period = case.period.with(period);
        self.trials.add(graded.pass);
        let place = Place {
            trace: ids::trace_of(run),
            id: ids::trial_span(run, &trial.variant, &trial.case_id, trial.trial),
            parent: Some(ids::case_span(run, &trial.variant, &trial.case_id)),
        };
        let mut span = graded.own_span(place, period, self.content);
        let mut below = Vec::new();
        if let Some(collecting) = &self.record.graded_from {
            let collected = ids::trial_span(collecting, &trial.variant, &trial.case_id, trial.trial);
            span.links.push(Link {
                trace_id: ids::trace_of(collecting).to_vec(),
                span_id: collected.to_vec(),
                ..Link::default()
            });
        } else {
            below = graded.spans_below(place, self.variant(&trial.variant), self.content);
        }
        self.seen = Some(self.seen.map_or(period, |seen| seen.with(period)));
        made.push(span);
        made.append(&mut below);
        made
    }

    /// Makes the spans of the last case and of the run.
    pub fn finish(mut self) -> Vec<Span> {
        let mut made: Vec<Span> = self.end_case().into_iter().collect();
        let record = self.record;
        let own = if let Some(at) = self.graded_at() {
            Period::at(at)
        } else {
            let end = record.finished_at.unwrap_or(record.created_at);
            let own = Period { start: record.created_at, end: end.max(record.created_at) };
            self.seen.map_or(own, |seen| own.with(seen))
        };
        let mut attributes = Attributes::default();
        attributes
            .text("mst.run.id", record.run_id.as_str())
            .text("mst.eval", &record.eval_name)
            .text("mst.config.hash", &record.content_hash)
            .text("mst.version", &record.mst.version)
            .text_of("mst.run.graded_from", record.graded_from.as_ref().map(mst_model::RunId::as_str))
            .flag("mst.run.partial", Some(record.partial))
            .flag("mst.run.replayed", record.replayed.is_some().then_some(true))
            .texts("mst.variants", record.variants.iter().map(|variant| variant.name.to_string()))
            .texts("mst.datasets", record.datasets.iter().map(|dataset| dataset.name.clone()));
        if record.variants.iter().any(|variant| variant.offline) {
            attributes.flag("mst.run.offline", Some(true));
        }
        self.trials.tell(&mut attributes);
        let run = &record.run_id;
        let place = Place { trace: ids::trace_of(run), id: ids::run_span(run), parent: None };
        let what = if record.graded_from.is_some() { "grade" } else { "run" };
        let mut root = span(place, format!("{what} {}", record.eval_name), SpanKind::Internal, own, attributes);
        if record.phases.collect == Phase::Failed || record.phases.grade == Phase::Failed {
            fail(&mut root, String::new());
        }
        made.push(root);
        made
    }

    fn end_case(&mut self) -> Option<Span> {
        let case = self.case.take()?;
        let run = &self.record.run_id;
        let mut attributes = Attributes::default();
        attributes
            .text("mst.run.id", run.as_str())
            .text("mst.variant", case.variant.as_str())
            .text("mst.case.id", case.id.as_str())
            .text("mst.dataset", &case.dataset);
        if let Some(variant) = self.variant(&case.variant) {
            attributes.text_of("mst.client", variant.client.as_deref()).text_of("mst.model", variant.model.as_deref());
        }
        case.trials.tell(&mut attributes);
        let place = Place {
            trace: ids::trace_of(run),
            id: ids::case_span(run, &case.variant, &case.id),
            parent: Some(ids::run_span(run)),
        };
        Some(span(place, format!("case {}", case.id), SpanKind::Internal, case.period, attributes))
    }

    /// Returns when a regrade was graded; `None` of a run that collected its trials.
    fn graded_at(&self) -> Option<mst_model::Timestamp> {
        let record = self.record;
        record.graded_from.as_ref().map(|_| record.finished_at.unwrap_or(record.created_at))
    }

    fn variant(&self, name: &VariantName) -> Option<&'a VariantRecord> {
        self.record.variants.iter().find(|variant| variant.name == *name)
    }
}
