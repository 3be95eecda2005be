//! Joining results beside the grading: in the plan's order, each case once, as soon as its trials and those of the cases
//! before it are graded. When the last trial is graded, little is left to be joined.

use std::collections::HashMap;
use std::sync::Arc;
use std::thread::JoinHandle;

use mst_config::{Plan, PlannedMetric};
use mst_grading::{KnownTools, PatternThreads};
use mst_measure::{ListedMetric, VariantTally};
use mst_store::{Graders, ResultsFile, RunReader, StoreError};
use tokio::runtime::Handle;

use crate::answers::AnswerSizes;
use crate::attempt::Place;
use crate::collection::Collection;
use crate::dispatch::Dispatcher;
use crate::join::{JoinedCase, Sources};
use crate::processors::in_order;
use crate::tally::Tally;

/// How many cases in a row are ready before a thread is started for them.
const WORTH_A_THREAD: usize = 64;

/// How many cases a thread joins before it gives back what it has: whoever waits for it waits for so many.
const AT_ONCE: usize = 512;

/// The results as far as they are joined.
pub(crate) struct Results {
    file: ResultsFile,
    /// What each variant's cases came to, baseline first.
    pub(crate) variants: Vec<VariantTally>,
    /// What all of them came to.
    pub(crate) tally: Tally,
}

/// How far the joining is.
#[derive(Default)]
pub(crate) struct Joining {
    state: State,
    /// The variant that is joined, as an index of the plan.
    variant: usize,
    /// Its cases in their order, as indices of batches and their cases; empty until the first of them is ready.
    order: Vec<(usize, usize)>,
    /// How many of them are joined, or being joined.
    taken: usize,
    /// How many of them are ready, from the first.
    ready: usize,
    /// How many trials are graded of each case that is not ready.
    graded: HashMap<(usize, usize, usize), u32>,
    /// How long the answers were of a redacted run's trials that are not joined.
    pub(crate) answers: AnswerSizes,
}

/// Where the results are.
#[derive(Default)]
enum State {
    #[default]
    NotBegun,
    Here(Box<Results>),
    /// A thread joins cases.
    Away(Thread),
}

/// A thread that joins cases. Dropped, it is waited for, so that its file does not outlive the run.
struct Thread(Option<JoinHandle<Result<Box<Results>, StoreError>>>);

impl Thread {
    fn is_done(&self) -> bool {
        self.0.as_ref().is_none_or(JoinHandle::is_finished)
    }

    /// Waits for it.
    fn join(mut self) -> Result<Box<Results>, StoreError> {
        let panicked = |_| StoreError::Io(std::io::Error::other("the joining of results ended badly"));
        self.0.take().expect("it is joined once").join().map_err(panicked)?
    }
}

impl Drop for Thread {
    fn drop(&mut self) {
        if let Some(handle) = self.0.take() {
            let _of_a_run_that_failed = handle.join();
        }
    }
}

impl Joining {
    /// Notes that a trial is graded, or that its run grades none.
    pub(crate) fn note_graded(&mut self, place: Place) {
        *self.graded.entry((place.variant, place.batch, place.case)).or_default() += 1;
    }

    /// Finds how many cases are ready.
    fn look(&mut self, plan: &Plan) {
        if self.order.is_empty() {
            self.order = cases_in_order(plan, self.variant);
        }
        while let Some((batch, case)) = self.order.get(self.ready).copied() {
            let trials = plan.variants[self.variant].batches[batch].cases[case].trials;
            let key = (self.variant, batch, case);
            if self.graded.get(&key) != Some(&trials) {
                break;
            }
            self.graded.remove(&key);
            self.ready += 1;
        }
    }

    /// Takes the next cases, so many at most, with what only this process knows of them.
    fn take(&mut self, most: usize) -> Vec<Unjoined> {
        let end = self.ready.min(self.taken.saturating_add(most));
        let cases = &self.order[self.taken..end];
        self.taken = end;
        let places =
            cases.iter().map(|(batch, case)| Place { variant: self.variant, batch: *batch, case: *case, trial: 0 });
        places.map(|first| Unjoined { first, answers: self.answers.take(first) }).collect()
    }

    /// Goes to the next variant.
    fn next_variant(&mut self) {
        self.variant += 1;
        self.order.clear();
        (self.taken, self.ready) = (0, 0);
    }
}

/// A case that is to be joined.
struct Unjoined {
    first: Place,
    answers: Vec<Option<mst_measure::AnswerSize>>,
}

/// What cases of a variant are joined with.
struct Desk {
    collection: Arc<Collection>,
    reader: RunReader,
    graders: Graders,
    patterns: PatternThreads,
    known: KnownTools,
}

impl Desk {
    /// Joins cases, with every processor, and adds them to the results.
    fn join(&self, cases: &[Unjoined], results: &mut Results, handle: &Handle) -> Result<(), StoreError> {
        let collection = &self.collection;
        let sources = Sources {
            collection,
            reader: &self.reader,
            graders: &self.graders,
            patterns: &self.patterns,
            known: &self.known,
        };
        let Results { file, variants, tally } = results;
        let numbers = variants.last_mut().expect("a variant is begun before its cases");
        in_order(
            cases,
            |case| handle.block_on(sources.join(case.first, &case.answers)),
            |joined: Result<JoinedCase, StoreError>| {
                let joined = joined?;
                // A run that stopped when it was decided has the cases that were finished by then.
                if collection.decided.is_cancelled() && joined.records.len() < joined.wanted as usize {
                    return Ok(());
                }
                numbers.add(&joined.rows);
                tally.add(&joined, collection.options.grade);
                file.add(collection.scrubber.scrub(joined.result).into_inner())
            },
        )
    }
}

impl Dispatcher {
    /// Has a thread join cases that are ready, when they are worth one and none is at it.
    ///
    /// While a server of the variant has not been listed, nothing is joined ahead: what a tool's name means may change.
    pub(crate) fn join_ahead(&mut self) -> Result<(), StoreError> {
        let collection = Arc::clone(&self.collection);
        let plan = &collection.bound.plan;
        let variant = self.joining.variant;
        if variant >= plan.variants.len() || self.writer.is_none() {
            return Ok(());
        }
        self.joining.look(plan);
        let is_worth_it = self.joining.ready - self.joining.taken >= WORTH_A_THREAD;
        let is_away = matches!(&self.joining.state, State::Away(thread) if !thread.is_done());
        if !is_worth_it || is_away || !self.knows_all_tools(variant) {
            return Ok(());
        }
        let mut results = self.results()?;
        self.begin_variant(&mut results);
        let desk = self.desk(variant)?;
        let cases = self.joining.take(AT_ONCE);
        let handle = Handle::current();
        let thread = std::thread::spawn(move || desk.join(&cases, &mut results, &handle).map(|()| results));
        self.joining.state = State::Away(Thread(Some(thread)));
        Ok(())
    }

    /// Joins what is left of the variants that are finished, whatever of them is missing, and saves it; the results go on.
    pub(crate) fn save_results_so_far(&mut self) -> Result<Box<Results>, StoreError> {
        let mut results = self.join_finished()?;
        self.writer().save_results_so_far(&mut results.file)?;
        Ok(results)
    }

    /// Gives results back that go on.
    pub(crate) fn keep(&mut self, results: Box<Results>) {
        self.joining.state = State::Here(results);
    }

    /// Joins what is left of the variants that are finished, whatever of them is missing, and ends `results.json`.
    pub(crate) fn save_results(&mut self) -> Result<(Vec<VariantTally>, Tally), StoreError> {
        let Results { file, variants, tally } = *self.join_finished()?;
        self.writer().finish_results(file)?;
        Ok((variants, tally))
    }

    fn join_finished(&mut self) -> Result<Box<Results>, StoreError> {
        let collection = Arc::clone(&self.collection);
        let plan = &collection.bound.plan;
        let mut results = self.results()?;
        while self.joining.variant < self.finished.len() {
            let variant = self.joining.variant;
            self.joining.look(plan);
            self.joining.ready = self.joining.order.len();
            self.begin_variant(&mut results);
            let cases = self.joining.take(usize::MAX);
            self.desk(variant)?.join(&cases, &mut results, &Handle::current())?;
            self.joining.next_variant();
        }
        Ok(results)
    }

    /// Takes the results, waiting for the thread that has them.
    fn results(&mut self) -> Result<Box<Results>, StoreError> {
        match std::mem::take(&mut self.joining.state) {
            State::NotBegun => {
                let file = self.writer().begin_results()?;
                Ok(Box::new(Results { file, variants: Vec::new(), tally: Tally::default() }))
            }
            State::Here(results) => Ok(results),
            State::Away(thread) => thread.join(),
        }
    }

    /// Begins the variant that is joined, unless it is begun.
    fn begin_variant(&self, results: &mut Results) {
        let variant = self.joining.variant;
        if results.variants.len() <= variant {
            let plan = &self.collection.bound.plan;
            results.variants.push(VariantTally::new(listed_metrics(plan, variant), plan.pricing.clone()));
        }
    }

    fn desk(&mut self, variant: usize) -> Result<Desk, StoreError> {
        let reader = self.writer().reader()?;
        Ok(Desk {
            collection: Arc::clone(&self.collection),
            graders: reader.graders()?,
            reader,
            patterns: self.patterns.clone(),
            known: self.known_tools(variant),
        })
    }

    /// Returns whether what the variant's servers list will not become more.
    fn knows_all_tools(&self, variant: usize) -> bool {
        let planned = &self.collection.bound.plan.variants[variant];
        let known = self.readiness.get(&planned.name).map_or(0, Vec::len);
        self.collection.regraded.is_some() || known >= planned.servers.len()
    }
}

/// Returns a variant's cases in the datasets' order, as indices of batches and their cases.
pub(crate) fn cases_in_order(plan: &Plan, variant: usize) -> Vec<(usize, usize)> {
    let batches = &plan.variants[variant].batches;
    let mut cases: Vec<(usize, usize)> =
        batches.iter().enumerate().flat_map(|(at, batch)| (0..batch.cases.len()).map(move |case| (at, case))).collect();
    cases.sort_by_key(|(batch, case)| (batches[*batch].dataset, batches[*batch].cases[*case].case));
    cases
}

/// Returns the metrics that the config lists for a variant.
fn listed_metrics(plan: &Plan, variant: usize) -> Vec<ListedMetric> {
    let listed = |metric: &PlannedMetric| ListedMetric {
        metric: metric.metric.clone(),
        name: metric.name.clone(),
        judge: metric.judge.clone(),
    };
    plan.variants[variant].metrics.iter().map(listed).collect()
}
