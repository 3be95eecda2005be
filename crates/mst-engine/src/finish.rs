//! Writing the run as it stands: results joined from the run's own files, the summary, `run.json`, and at the end, last,
//! `latest.json`.

use std::collections::BTreeSet;
use std::sync::Arc;

use indexmap::IndexMap;
use mst_config::{Plan, PlannedMetric};
use mst_grading::{GradeInput, KnownTools, PatternThreads, ToolMatch, match_tools};
use mst_measure::{
    CaseInput, CaseRows, JoinedTrial, ListedMetric, SummaryInput, TrialRow, VariantInput, VariantTally, case_result,
    lacks_verdict, row, summarise,
};
use mst_model::{
    CaseResult, Ending, GraderName, GraderScore, Phase, RunRecord, Scrubbed, Summary, Timestamp, TrialRecord,
};
use mst_store::{Eligible, Graders, RunReader, StoreError};
use tokio::runtime::Handle;

use crate::answers::AnswerSizes;
use crate::attempt::Place;
use crate::collection::Collection;
use crate::dispatch::Dispatcher;
use crate::incomplete::{IncompleteCase, IncompleteCases};
use crate::outcome::{Failure, RunOutcome, Shortfall};
use crate::pairwise::Compared;
use crate::processors::in_order;
use crate::work::planned_trials;

/// The most failures that an outcome names.
const NAMED_FAILURES: usize = 50;

/// What the cases of a run came to, gathered while they are joined.
#[derive(Default)]
pub(crate) struct Tally {
    failed_cases: usize,
    failures: Vec<Failure>,
    incomplete: IncompleteCases,
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
pub(crate) async fn finish(mut dispatcher: Dispatcher) -> Result<RunOutcome, StoreError> {
    let collection = Arc::clone(&dispatcher.collection);
    let graded = collection.options.grade;
    dispatcher.open_writer()?;
    let whole = dispatcher.finished.len() == collection.bound.plan.variants.len();
    let listed = listed_metrics(&collection.bound.plan);
    let (tallies, mut tally) = dispatcher.write_results(&collection.bound.plan, &listed)?;
    let complete = whole && !tally.missing;
    let compared = if complete { dispatcher.compare().await? } else { Compared::default() };
    tally.compared(&compared);
    let interrupted = collection.stop.starting.is_cancelled();
    let end = End {
        collect: if complete { Phase::Complete } else { Phase::Partial },
        grade: match (graded, tally.ungraded, complete) {
            (false, ..) => Phase::Skipped,
            (true, false, true) => Phase::Complete,
            _ => Phase::Partial,
        },
        at: Some(dispatcher.ended_at(collection.deps.clock.now())),
    };
    let (record, summary) = dispatcher.write_end(end, &tallies, &compared)?;
    let eligible = complete && end.grade == Phase::Complete && !record.partial;
    let trials = (dispatcher.saved + collection.kept.len(), planned_trials(&collection.bound.plan));
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
        budget: collection.rooms.reached().cloned(),
        interrupted,
        is_latest: done.is_latest,
        judges: judge_models(&collection),
    })
}

impl Dispatcher {
    /// Returns when the run ended: one that is only graded to its end has ended when it was collected.
    fn ended_at(&mut self, now: Timestamp) -> Timestamp {
        let collection = Arc::clone(&self.collection);
        let is_regrade = self.writer().record().graded_from.is_some();
        let stored = collection.regraded.as_ref().filter(|_| !is_regrade);
        stored.and_then(|stored| stored.record.finished_at).unwrap_or(now)
    }

    /// Writes the run as it stands while it goes on.
    pub(crate) fn checkpoint(&mut self) -> Result<(), StoreError> {
        let collection = Arc::clone(&self.collection);
        let grade = self.phase_of_grading();
        let listed = listed_metrics(&collection.bound.plan);
        let (tallies, _) = self.write_results(&collection.bound.plan, &listed)?;
        self.write_end(End { collect: Phase::Partial, grade, at: None }, &tallies, &Compared::default())?;
        Ok(())
    }

    /// Writes `results.json`: the finished variants' cases, joined from the files. Returns what each variant came to.
    fn write_results<'a>(
        &mut self,
        plan: &'a Plan,
        listed: &'a [Vec<ListedMetric>],
    ) -> Result<(Vec<VariantTally<'a>>, Tally), StoreError> {
        let collection = Arc::clone(&self.collection);
        let reader = self.writer().reader()?;
        let graders = reader.graders()?;
        let mut file = self.writer().begin_results()?;
        let mut tally = Tally::default();
        let mut variants = Vec::new();
        for variant in self.finished.iter().copied() {
            let sources = Sources {
                collection: &collection,
                reader: &reader,
                graders: &graders,
                answers: &self.answers,
                patterns: &self.patterns,
                known: self.known_tools(variant),
            };
            let mut numbers = VariantTally::new(&listed[variant], &plan.pricing);
            let firsts = cases_in_order(plan, variant).into_iter();
            let firsts: Vec<Place> = firsts.map(|(batch, case)| Place { variant, batch, case, trial: 0 }).collect();
            let (handle, sources) = (Handle::current(), &sources);
            in_order(
                &firsts,
                |first| handle.block_on(sources.join(*first)),
                |joined| {
                    let joined = joined?;
                    numbers.add(&joined.rows);
                    tally.add(&joined, collection.options.grade);
                    file.add(collection.scrubber.scrub(joined.result).into_inner())
                },
            )?;
            variants.push(numbers);
        }
        self.writer().finish_results(file)?;
        Ok((variants, tally))
    }

    /// Writes `summary.json` and then `run.json`.
    fn write_end(
        &mut self,
        end: End,
        tallies: &[VariantTally<'_>],
        compared: &Compared,
    ) -> Result<(RunRecord, Summary), StoreError> {
        let collection = Arc::clone(&self.collection);
        let record = self.make_record(end.collect, end.grade, end.at);
        // How long a run took is how long it collected.
        let collected = collection.regraded.as_ref().and_then(|stored| stored.collected_at);
        let until = collected.or(end.at).unwrap_or_else(|| collection.deps.clock.now());
        let variants: Vec<VariantInput<'_>> = record
            .variants
            .iter()
            .zip(tallies)
            .zip(&self.finished)
            .map(|((record, tally), variant)| VariantInput { record, tally, pairwise: compared.of(*variant) })
            .collect();
        let summary = summarise(&SummaryInput {
            run: &record,
            duration_ms: (until.as_millis() - record.created_at.as_millis()).max(0) as f64,
            graded: collection.options.grade,
            variants: &variants,
        });
        self.writer().save_summary(&summary)?;
        self.writer().save_run_record(record.clone())?;
        Ok((record, summary))
    }
}

/// What a variant's cases are joined from.
struct Sources<'a> {
    collection: &'a Collection,
    reader: &'a RunReader,
    graders: &'a Graders,
    answers: &'a AnswerSizes,
    patterns: &'a PatternThreads,
    /// The tools that the variant's servers listed.
    known: KnownTools,
}

/// A case's result with the records it was joined from.
struct Joined {
    result: CaseResult,
    records: Vec<TrialRecord>,
    scores: Vec<IndexMap<GraderName, GraderScore>>,
    wanted: u32,
    rows: CaseRows,
}

/// A trial as stored, with what is found again from it.
struct StoredTrial {
    record: Scrubbed<TrialRecord>,
    scores: IndexMap<GraderName, GraderScore>,
    tools: Option<ToolMatch>,
    row: TrialRow,
}

impl Sources<'_> {
    /// Reads a trial with its scores; `None` when it is not there.
    async fn trial(&self, place: Place) -> Result<Option<StoredTrial>, StoreError> {
        let plan = &self.collection.bound.plan;
        let graded = self.collection.options.grade;
        let key = place.key(plan);
        let Some(record) = self.reader.find_trial(&key)? else { return Ok(None) };
        let record = self.collection.scrubber.scrub(record);
        let stored = self.reader.score_views(&key, self.graders)?;
        let scores = stored.into_iter().map(|(grader, score)| (grader, score.score)).collect();
        let case = place.case(plan);
        let input = GradeInput {
            case: &case,
            trial: &record,
            tool_map: &plan.variants[place.variant].tool_map,
            known_tools: &self.known,
            quote_answers: false,
            patterns: self.patterns,
        };
        let tools = if graded { match_tools(input).await } else { None };
        let row = row(record.get(), &scores, graded).with_answer(self.answers.get(place));
        Ok(Some(StoredTrial { record, scores, tools, row }))
    }

    /// Joins a case's trials; `first` is the place of its first one.
    async fn join(&self, first: Place) -> Result<Joined, StoreError> {
        let plan = &self.collection.bound.plan;
        let batch = &plan.variants[first.variant].batches[first.batch];
        let planned = first.planned(plan);
        let mut stored = Vec::new();
        for trial in 0..planned.trials {
            stored.extend(self.trial(Place { trial, ..first }).await?);
        }
        let trials: Vec<JoinedTrial<'_>> = stored.iter().map(StoredTrial::joined).collect();
        let case = first.case(plan);
        let result = case_result(&CaseInput {
            case: &case,
            dataset_name: first.dataset_name(plan),
            variant: &plan.variants[first.variant].name,
            client: &batch.client.name,
            model: batch.client.model.as_deref(),
            trials: planned.trials,
            pass_threshold: planned.pass_threshold,
            graded: self.collection.options.grade,
            joined: &trials,
        });
        let mut rows = Vec::with_capacity(stored.len());
        let (mut records, mut scores) = (Vec::with_capacity(stored.len()), Vec::with_capacity(stored.len()));
        for trial in stored {
            records.push(trial.record.into_inner());
            scores.push(trial.scores);
            rows.push(trial.row);
        }
        let model = batch.client.priced_model.clone();
        let judge_models = self.collection.judges.models_of(&case, &plan.variants[first.variant]);
        let rows =
            CaseRows { trials: planned.trials, pass_threshold: planned.pass_threshold, model, judge_models, rows };
        Ok(Joined { result, records, scores, wanted: planned.trials, rows })
    }
}

impl StoredTrial {
    fn joined(&self) -> JoinedTrial<'_> {
        JoinedTrial {
            record: self.record.get(),
            scores: &self.scores,
            tool_precision: self.tools.as_ref().map(|tools| tools.precision),
            tool_recall: self.tools.as_ref().map(|tools| tools.recall),
            tool_call_trace: self.tools.as_ref().map(|tools| &tools.trace),
        }
    }
}

impl Tally {
    /// Notes what the comparisons lack.
    fn compared(&mut self, compared: &Compared) {
        if compared.lacks_preference() {
            self.ungraded = true;
            self.shortfalls.insert(Shortfall::Judge);
        }
    }

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
            let case = IncompleteCase { variant: result.variant.clone(), case_id: result.id.clone() };
            let (reason, retryable) = why_incomplete(joined);
            self.incomplete.add(case, reason, retryable);
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
        let is_fail = |score: &GraderScore| !score.pass && score.error.is_none() && score.skipped != Some(true);
        let (grader, score) = scores.iter().find(|(_, score)| is_fail(score))?;
        let said: Vec<&str> = score.details.iter().chain(&score.reasoning).map(String::as_str).collect();
        let why = if said.is_empty() { "did not pass".to_owned() } else { said.join(": ") };
        Some(format!("{grader}: {why}"))
    });
    reasons.next().unwrap_or_default()
}

/// Returns what the first trial that does not count says, and whether collecting again can help.
fn why_incomplete(joined: &Joined) -> (String, bool) {
    let broken = joined.records.iter().find_map(|record| match &record.ending {
        Ending::Infrastructure { reason, retryable, .. } => Some((reason.clone(), *retryable)),
        Ending::Trial => record.grading_error.clone().map(|error| (format!("not graded: {error}"), true)),
    });
    broken.unwrap_or_else(|| ("a trial is missing".to_owned(), true))
}

/// Returns a variant's cases in the datasets' order, as indices of batches and their cases.
pub(crate) fn cases_in_order(plan: &Plan, variant: usize) -> Vec<(usize, usize)> {
    let batches = &plan.variants[variant].batches;
    let mut cases: Vec<(usize, usize)> =
        batches.iter().enumerate().flat_map(|(at, batch)| (0..batch.cases.len()).map(move |case| (at, case))).collect();
    cases.sort_by_key(|(batch, case)| (batches[*batch].dataset, batches[*batch].cases[*case].case));
    cases
}

/// Returns the judges that variants list, each once, and those that compare variants, with the models that they ask.
fn judge_models(collection: &Collection) -> Vec<(String, Vec<String>)> {
    let mut judges = Vec::new();
    for judge in collection.bound.plan.variants.iter().flat_map(|variant| collection.judges.named(variant)) {
        if !judges.contains(&judge) {
            judges.push(judge);
        }
    }
    judges.extend(collection.pairwise.named(&collection.bound.plan));
    judges
}

/// Returns the metrics that the config lists, for each variant.
fn listed_metrics(plan: &Plan) -> Vec<Vec<ListedMetric>> {
    let listed = |metric: &PlannedMetric| ListedMetric {
        metric: metric.metric.clone(),
        name: metric.name.clone(),
        judge: metric.judge.clone(),
    };
    plan.variants.iter().map(|variant| variant.metrics.iter().map(listed).collect()).collect()
}
