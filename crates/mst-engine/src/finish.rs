//! Writing the run as it stands: results joined from the run's own files, the summary, `run.json`, and at the end, last,
//! `latest.json`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use indexmap::IndexMap;
use mst_config::{Plan, PlannedBatch, PlannedCase};
use mst_measure::{
    CaseInput, CaseRows, JoinedTrial, ListedMetric, SummaryInput, TrialRow, VariantInput, case_result, lacks_verdict,
    summarise,
};
use mst_model::{CaseResult, Ending, GraderName, GraderScore, Phase, RunRecord, Summary, Timestamp, TrialRecord};
use mst_store::{Eligible, Graders, RunReader, StoreError, TrialKey};

use crate::dispatch::{Dispatcher, GradeNote};
use crate::outcome::{Failure, Incomplete, RunOutcome, Shortfall};
use crate::work::planned_trials;

/// The most failures that an outcome names.
const NAMED_FAILURES: usize = 50;

/// What the cases of a run came to, gathered while they are joined.
#[derive(Default)]
pub(crate) struct Tally {
    failed_cases: usize,
    failures: Vec<Failure>,
    incomplete: Vec<Incomplete>,
    shortfalls: BTreeSet<Shortfall>,
    ungraded: bool,
    missing: bool,
}

/// How a run ended.
#[derive(Clone, Copy)]
pub(crate) struct End {
    pub(crate) collect: Phase,
    pub(crate) grade: Phase,
    pub(crate) at: Option<Timestamp>,
}

/// Writes a run's end and says what it came to.
pub(crate) fn finish(mut dispatcher: Dispatcher) -> Result<RunOutcome, StoreError> {
    let collection = Arc::clone(&dispatcher.collection);
    let now = collection.deps.clock.now();
    let interrupted = collection.stop.starting.is_cancelled();
    let graded = collection.options.grade;
    dispatcher.open_writer()?;
    let whole = dispatcher.finished.len() == collection.bound.plan.variants.len();
    let partial_grade = if graded { Phase::Partial } else { Phase::Skipped };
    let first = End { collect: Phase::Partial, grade: partial_grade, at: Some(now) };
    let (_, tally) = dispatcher.write_results()?;
    let complete = whole && !tally.missing;
    let end = End {
        collect: if complete { Phase::Complete } else { Phase::Partial },
        grade: match (graded, tally.ungraded, complete) {
            (false, ..) => Phase::Skipped,
            (true, false, true) => Phase::Complete,
            _ => Phase::Partial,
        },
        ..first
    };
    let (record, summary) = dispatcher.write_end(end)?;
    let eligible = complete && end.grade == Phase::Complete && !record.partial;
    let kept = collection.kept.iter().filter(|key| !dispatcher.rows.contains_key(*key)).count();
    let trials = (dispatcher.rows.len() + kept, planned_trials(&collection.bound.plan));
    let writer = dispatcher.writer.take().expect("opened above");
    let done = writer.finish(if eligible { Eligible::Yes } else { Eligible::No })?;
    Ok(RunOutcome {
        directory: done.run.root().to_owned(),
        record,
        summary,
        failed_cases: tally.failed_cases,
        failures: tally.failures,
        incomplete: tally.incomplete,
        shortfalls: tally.shortfalls,
        trials,
        interrupted,
        is_latest: done.is_latest,
    })
}

impl Dispatcher {
    /// Writes the run as it stands while it goes on.
    pub(crate) fn checkpoint(&mut self) -> Result<(), StoreError> {
        let grade = if self.collection.options.grade { Phase::Partial } else { Phase::Skipped };
        self.write_results()?;
        self.write_end(End { collect: Phase::Partial, grade, at: None })?;
        Ok(())
    }

    /// Writes `results.json`: the finished variants' cases, joined from the files. Returns how many there are.
    fn write_results(&mut self) -> Result<(usize, Tally), StoreError> {
        let collection = Arc::clone(&self.collection);
        let plan = &collection.bound.plan;
        let reader = self.writer().reader()?;
        let mut tally = Tally::default();
        let places: Vec<(usize, &PlannedBatch, &PlannedCase)> = self
            .finished
            .iter()
            .flat_map(|variant| cases_in_order(plan, *variant).map(|(b, c)| (*variant, b, c)))
            .collect();
        let writer = self.writer.as_mut().expect("opened before anything is saved");
        let notes = &self.notes;
        let sources = Sources { reader: &reader, graders: reader.graders()?, notes, graded: collection.options.grade };
        let cases = places.iter().map(|(variant, batch, planned)| join_case(plan, *variant, batch, planned, &sources));
        let mut count = 0;
        writer.save_results_from(cases.map(|joined| {
            let joined = joined?;
            count += 1;
            tally.add(&joined, collection.options.grade);
            Ok(collection.scrubber.scrub(joined.result).into_inner())
        }))?;
        Ok((count, tally))
    }

    /// Writes `summary.json` and then `run.json`.
    fn write_end(&mut self, end: End) -> Result<(RunRecord, Summary), StoreError> {
        let collection = Arc::clone(&self.collection);
        let plan = &collection.bound.plan;
        let record = self.make_record(end.collect, end.grade, end.at);
        let until = end.at.unwrap_or_else(|| collection.deps.clock.now());
        let listed: Vec<Vec<ListedMetric>> =
            self.finished.iter().map(|variant| listed_metrics(plan, *variant)).collect();
        let rows: Vec<Vec<CaseRows>> =
            self.finished.iter().map(|variant| case_rows(plan, *variant, &self.rows)).collect();
        let variants: Vec<VariantInput<'_>> = record
            .variants
            .iter()
            .zip(&listed)
            .zip(&rows)
            .map(|((record, listed), cases)| VariantInput { record, listed, cases })
            .collect();
        let summary = summarise(&SummaryInput {
            run: &record,
            duration_ms: (until.as_millis() - record.created_at.as_millis()).max(0) as f64,
            graded: collection.options.grade,
            pricing: &plan.pricing,
            variants: &variants,
        });
        self.writer().save_summary(&summary)?;
        self.writer().save_run_record(record.clone())?;
        Ok((record, summary))
    }
}

struct Sources<'a> {
    reader: &'a RunReader,
    graders: Graders,
    notes: &'a BTreeMap<TrialKey, GradeNote>,
    graded: bool,
}

/// A case's result with the records it was joined from.
struct Joined {
    result: CaseResult,
    records: Vec<TrialRecord>,
    scores: Vec<IndexMap<GraderName, GraderScore>>,
    wanted: u32,
}

fn join_case(
    plan: &Plan,
    variant: usize,
    batch: &PlannedBatch,
    planned: &PlannedCase,
    sources: &Sources<'_>,
) -> Result<Joined, StoreError> {
    let name = &plan.variants[variant].name;
    let dataset = &plan.datasets[batch.dataset];
    let keys: Vec<TrialKey> =
        (0..planned.trials).map(|trial| TrialKey::new(name.clone(), planned.id.clone(), trial)).collect();
    let mut records: Vec<TrialRecord> = Vec::new();
    let mut scores: Vec<IndexMap<GraderName, GraderScore>> = Vec::new();
    let mut found: Vec<&TrialKey> = Vec::new();
    for key in keys.iter().filter(|key| sources.reader.layout().trial(key).is_file()) {
        records.push(sources.reader.trial(key)?.into_view());
        let stored = sources.reader.scores_of(key, &sources.graders)?;
        scores.push(stored.into_iter().map(|(grader, score)| (grader, score.into_view().score)).collect());
        found.push(key);
    }
    let joined: Vec<JoinedTrial<'_>> = records
        .iter()
        .zip(&scores)
        .zip(&found)
        .map(|((record, scores), key)| {
            let note = sources.notes.get(*key);
            JoinedTrial {
                record,
                scores,
                tool_precision: note.and_then(|note| note.precision),
                tool_recall: note.and_then(|note| note.recall),
                tool_call_trace: note.and_then(|note| note.trace.as_ref()),
            }
        })
        .collect();
    let result = case_result(&CaseInput {
        case: &dataset.cases[planned.case],
        dataset_name: &dataset.record.name,
        variant: name,
        client: &batch.client.name,
        model: batch.client.model.as_deref(),
        trials: planned.trials,
        pass_threshold: planned.pass_threshold,
        graded: sources.graded,
        joined: &joined,
    });
    Ok(Joined { result, records, scores, wanted: planned.trials })
}

impl Tally {
    fn add(&mut self, joined: &Joined, graded: bool) {
        let result = &joined.result;
        let incomplete = result.incomplete == Some(true);
        self.missing |= joined.records.len() < joined.wanted as usize;
        self.ungraded |=
            joined.records.iter().zip(&joined.scores).any(|(record, scores)| lacks_verdict(record, scores));
        self.shortfalls.extend(joined.records.iter().filter_map(Shortfall::of));
        let failed = if graded { result.pass == Some(false) && !incomplete } else { incomplete };
        if failed {
            self.failed_cases += 1;
            if self.failures.len() < NAMED_FAILURES {
                self.failures.push(Failure {
                    variant: result.variant.clone(),
                    case_id: result.id.clone(),
                    why: why_failed(joined),
                });
            }
        }
        if incomplete {
            if joined.records.len() < joined.wanted as usize {
                self.shortfalls.insert(Shortfall::Other);
            }
            self.incomplete.push(why_incomplete(joined));
        }
    }
}

/// Returns what the first trial that did not pass says of itself.
fn why_failed(joined: &Joined) -> String {
    let trials = joined.records.iter().zip(&joined.scores);
    let mut reasons = trials.filter_map(|(record, scores)| {
        if let Some(error) = record.error.as_ref().or(record.transcript.as_ref().and_then(|t| t.error.as_ref())) {
            return Some(error.clone());
        }
        let (grader, score) = scores.iter().find(|(_, score)| !score.pass)?;
        Some(format!("{grader}: {}", score.details.as_deref().unwrap_or("did not pass")))
    });
    reasons.next().unwrap_or_default()
}

fn why_incomplete(joined: &Joined) -> Incomplete {
    let broken = joined.records.iter().find_map(|record| match &record.ending {
        Ending::Infrastructure { reason, retryable, .. } => Some((reason.clone(), *retryable)),
        Ending::Trial => record.grading_error.clone().map(|error| (format!("not graded: {error}"), true)),
    });
    let (reason, retryable) = broken.unwrap_or_else(|| ("a trial is missing".to_owned(), true));
    Incomplete { variant: joined.result.variant.clone(), case_id: joined.result.id.clone(), reason, retryable }
}

/// Returns a variant's cases in the datasets' order, each with its batch.
fn cases_in_order(plan: &Plan, variant: usize) -> impl Iterator<Item = (&PlannedBatch, &PlannedCase)> {
    let mut cases: Vec<_> = plan.variants[variant]
        .batches
        .iter()
        .flat_map(|batch| batch.cases.iter().map(move |case| (batch, case)))
        .collect();
    cases.sort_by_key(|(batch, case)| (batch.dataset, case.case));
    cases.into_iter()
}

fn case_rows(plan: &Plan, variant: usize, rows: &BTreeMap<TrialKey, TrialRow>) -> Vec<CaseRows> {
    let name = &plan.variants[variant].name;
    cases_in_order(plan, variant)
        .map(|(batch, case)| CaseRows {
            id: case.id.clone(),
            trials: case.trials,
            pass_threshold: case.pass_threshold,
            model: batch.client.priced_model.clone(),
            rows: (0..case.trials)
                .filter_map(|trial| rows.get(&TrialKey::new(name.clone(), case.id.clone(), trial)).cloned())
                .collect(),
        })
        .collect()
}

fn listed_metrics(plan: &Plan, variant: usize) -> Vec<ListedMetric> {
    let metrics = plan.variants[variant].metrics.iter();
    metrics.map(|metric| ListedMetric { metric: metric.metric.clone(), name: metric.name.clone() }).collect()
}
