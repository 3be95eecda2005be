//! Grading beside the saving: assertions on threads of their own and a few at a time, so that a pattern that runs for ever
//! holds up neither the saving of other trials nor their start; then the judges, of as many trials at once as are collected
//! at once.

use std::sync::Arc;

use indexmap::IndexMap;
use mst_grading::{GradeInput, Graded, PatternThreads, grade_trial};
use mst_measure::{TrialRow, row};
use mst_model::{EvalCase, GraderName, GraderScore, Scrubbed, TrialRecord};
use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use tokio::task::{JoinError, JoinSet};
use tokio_util::sync::CancellationToken;

use crate::attempt::Place;
use crate::collection::Collection;
use crate::judges::Unjudged;
use crate::ready::ReadyBatch;
use crate::rooms::Piece;
use crate::spent::Spent;

/// How many trials' assertions are graded at once. Most of them wait for a pattern's thread when that many are.
const AT_ONCE: usize = 16;

/// How many trials are under way for each one that is judged: the next is ready when one is done, whatever the disk does.
const AHEAD: usize = 2;

/// A trial on its way through the graders.
pub(crate) struct Ungraded {
    pub(crate) place: Place,
    /// The record in full, before response redaction.
    pub(crate) record: Scrubbed<TrialRecord>,
    /// What its batch's readiness check found.
    pub(crate) ready: Arc<ReadyBatch>,
    /// The scores that it has from an earlier part of the run.
    pub(crate) earlier: IndexMap<GraderName, GraderScore>,
    /// Whether the observer is to be told when it is done: not of a trial that an earlier part of the run saved.
    pub(crate) is_new: bool,
}

/// A trial that was graded, or is of a kind that is not.
pub(crate) struct Done {
    pub(crate) place: Place,
    pub(crate) record: Scrubbed<TrialRecord>,
    /// What the graders said; `None` of a trial that is not graded.
    pub(crate) graded: Option<Graded>,
    /// Whether grading changed the record: a grader had no verdict, or has one now.
    pub(crate) is_noted: bool,
    pub(crate) row: TrialRow,
    /// The scores that it has from an earlier part of the run.
    pub(crate) earlier: IndexMap<GraderName, GraderScore>,
    pub(crate) is_new: bool,
    /// What its judges used now.
    pub(crate) spent: Spent,
}

impl Done {
    /// Makes what is known of a trial that is not graded: of an ungraded run, or an infrastructure failure.
    pub(crate) fn without_grades(trial: Ungraded, collection: &Collection) -> Self {
        let row = row(trial.record.get(), &IndexMap::new(), collection.options.grade);
        let Ungraded { place, record, earlier, is_new, .. } = trial;
        Self { place, record, graded: None, is_noted: false, row, earlier, is_new, spent: Spent::default() }
    }
}

/// The trials that are being graded.
pub(crate) struct Grading {
    desk: Desk,
    running: JoinSet<Result<Done, JoinError>>,
    at_once: usize,
    /// How many of them an earlier part of the run saved. They may wait for the budget, and so they take no room from new
    /// ones, which the budget waits for.
    kept: usize,
}

/// What trials are graded with.
#[derive(Clone)]
struct Desk {
    collection: Arc<Collection>,
    patterns: PatternThreads,
    /// Room for assertions.
    asserting: Arc<Semaphore>,
    /// Room for judges.
    judging: Arc<Semaphore>,
}

impl Grading {
    /// Makes a place to grade a run's trials.
    pub(crate) fn new(collection: Arc<Collection>, patterns: PatternThreads) -> Self {
        let plan = &collection.bound.plan;
        let judged = (plan.concurrency as usize).clamp(1, Semaphore::MAX_PERMITS / AHEAD);
        let at_once = if plan.has_judges { AT_ONCE + judged * AHEAD } else { AT_ONCE };
        let (asserting, judging) = (Arc::new(Semaphore::new(AT_ONCE)), Arc::new(Semaphore::new(judged)));
        Self { desk: Desk { collection, patterns, asserting, judging }, running: JoinSet::new(), at_once, kept: 0 }
    }

    /// Returns whether another new trial may be graded now.
    pub(crate) fn has_room(&self) -> bool {
        self.running.len() - self.kept < self.at_once
    }

    /// Returns whether another trial may be graded now that an earlier part of the run saved.
    pub(crate) fn has_room_for_kept(&self) -> bool {
        self.running.len() < self.at_once
    }

    /// Returns whether nothing is being graded.
    pub(crate) fn is_idle(&self) -> bool {
        self.running.is_empty()
    }

    /// Starts to grade a trial.
    pub(crate) fn start(&mut self, trial: Ungraded) {
        self.kept += usize::from(!trial.is_new);
        self.running.spawn(self.desk.clone().grade(trial));
    }

    /// Waits for the next trial that is done; `None` when none is under way.
    pub(crate) async fn next(&mut self) -> Option<Result<Done, JoinError>> {
        let done = self.running.join_next().await?.flatten();
        self.kept -= usize::from(done.as_ref().is_ok_and(|done| !done.is_new));
        Some(done)
    }
}

/// A trial behind its assertions.
struct Asserted {
    trial: Ungraded,
    case: EvalCase,
    graded: Graded,
}

impl Desk {
    /// Runs a trial through its case's graders.
    async fn grade(self, trial: Ungraded) -> Result<Done, JoinError> {
        if !self.collection.options.grade || trial.record.get().ending.is_infrastructure() {
            return Ok(Done::without_grades(trial, &self.collection));
        }
        let Asserted { trial, case, graded } = self.assert(trial).await?;
        let (graded, spent) = self.judge(&trial, &case, graded).await;
        let Ungraded { place, record, earlier, is_new, .. } = trial;
        let is_noted = graded.grading_error.is_some() || record.get().grading_error.is_some();
        let record = if is_noted {
            record.map(|mut trial| {
                graded.note_on(&mut trial);
                trial
            })
        } else {
            record
        };
        let row = row(record.get(), &graded.scores, true);
        Ok(Done { place, record, graded: Some(graded), is_noted, row, earlier, is_new, spent })
    }

    /// Runs a trial through its case's assertions, on a thread where they may take their time.
    async fn assert(&self, trial: Ungraded) -> Result<Asserted, JoinError> {
        let _room = self.asserting.acquire().await.expect("it is never closed");
        let (collection, patterns) = (Arc::clone(&self.collection), self.patterns.clone());
        let handle = Handle::current();
        let work = move || {
            let plan = &collection.bound.plan;
            let case = trial.place.case(plan);
            let input = GradeInput {
                case: &case,
                trial: &trial.record,
                tool_map: &plan.variants[trial.place.variant].tool_map,
                known_tools: &trial.ready.tools,
                quote_answers: !plan.redact_stored_responses,
                patterns: &patterns,
            };
            let graded = handle.block_on(grade_trial(input));
            Asserted { trial, case, graded }
        };
        tokio::task::spawn_blocking(work).await
    }

    /// Has a trial's judges asked, when there is room.
    async fn judge(&self, trial: &Ungraded, case: &EvalCase, graded: Graded) -> (Graded, Spent) {
        let plan = &self.collection.bound.plan;
        if case.judges.is_empty() && plan.variants[trial.place.variant].judges.is_empty() {
            return (graded, Spent::default());
        }
        let stop = &self.collection.stop;
        let unjudged =
            Unjudged { plan, place: trial.place, case, record: &trial.record, graded, earlier: &trial.earlier };
        // The budget let a new trial begin with its judges. It is asked before there is room, so that nobody waits for it
        // in the room of one that it waits for.
        let is_let_in = trial.is_new
            || !self.collection.judges.are_to_be_asked(&unjudged)
            || stop.starting.run_until_cancelled(self.collection.rooms.leave(Piece::verdicts(trial.place))).await
                == Some(true);
        if !is_let_in {
            let never = CancellationToken::new();
            never.cancel();
            return self.collection.judges.ask(unjudged, &never).await;
        }
        // A run that stops asks no further judge; those that are asked have until trials under way are cut off, too.
        let room = stop.starting.run_until_cancelled(self.judging.acquire()).await;
        let cancel = if room.is_some() { &stop.running } else { &stop.starting };
        self.collection.judges.ask(unjudged, cancel).await
    }
}
