//! Grading beside the saving: on threads of their own and a few at a time, so that a pattern that runs for ever holds up
//! neither the saving of other trials nor their start.

use std::sync::Arc;

use indexmap::IndexMap;
use mst_grading::{GradeInput, Graded, PatternThreads, grade_trial};
use mst_measure::{TrialRow, row};
use mst_model::{Scrubbed, TrialRecord};
use tokio::runtime::Handle;
use tokio::task::{JoinError, JoinSet};

use crate::attempt::Place;
use crate::collection::Collection;
use crate::ready::ReadyBatch;

/// How many trials are graded at once. Most of them wait for a pattern's thread when that many are.
const AT_ONCE: usize = 16;

/// A trial on its way through the graders.
pub(crate) struct Ungraded {
    pub(crate) place: Place,
    /// The record in full, before response redaction.
    pub(crate) record: Scrubbed<TrialRecord>,
    /// What its batch's readiness check found.
    pub(crate) ready: Arc<ReadyBatch>,
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
    pub(crate) is_new: bool,
}

impl Done {
    /// Makes what is known of a trial that is not graded: of an ungraded run, or an infrastructure failure.
    pub(crate) fn without_grades(trial: Ungraded, collection: &Collection) -> Self {
        let row = row(trial.record.get(), &IndexMap::new(), collection.options.grade);
        let Ungraded { place, record, is_new, .. } = trial;
        Self { place, record, graded: None, is_noted: false, row, is_new }
    }
}

/// The trials that are being graded.
pub(crate) struct Grading {
    collection: Arc<Collection>,
    patterns: PatternThreads,
    running: JoinSet<Done>,
}

impl Grading {
    /// Makes a place to grade a run's trials.
    pub(crate) fn new(collection: Arc<Collection>, patterns: PatternThreads) -> Self {
        Self { collection, patterns, running: JoinSet::new() }
    }

    /// Returns whether another trial may be graded now.
    pub(crate) fn has_room(&self) -> bool {
        self.running.len() < AT_ONCE
    }

    /// Returns whether nothing is being graded.
    pub(crate) fn is_idle(&self) -> bool {
        self.running.is_empty()
    }

    /// Starts to grade a trial.
    pub(crate) fn start(&mut self, trial: Ungraded) {
        let (collection, patterns) = (Arc::clone(&self.collection), self.patterns.clone());
        let handle = Handle::current();
        self.running.spawn_blocking(move || handle.block_on(grade(&collection, &patterns, trial)));
    }

    /// Waits for the next trial that is done; `None` when none is under way.
    pub(crate) async fn next(&mut self) -> Option<Result<Done, JoinError>> {
        self.running.join_next().await
    }
}

/// Runs a trial through its case's graders.
async fn grade(collection: &Collection, patterns: &PatternThreads, trial: Ungraded) -> Done {
    if !collection.options.grade || trial.record.get().ending.is_infrastructure() {
        return Done::without_grades(trial, collection);
    }
    let Ungraded { place, record, ready, is_new } = trial;
    let plan = &collection.bound.plan;
    let case = place.case(plan);
    let input = GradeInput {
        case: &case,
        trial: &record,
        tool_map: &plan.variants[place.variant].tool_map,
        known_tools: &ready.tools,
        quote_answers: !plan.redact_stored_responses,
        patterns,
    };
    let graded = grade_trial(input).await;
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
    Done { place, record, graded: Some(graded), is_noted, row, is_new }
}
