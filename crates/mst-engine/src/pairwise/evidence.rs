//! The trials that are compared: each case's last one, as judges are given it.

use std::collections::HashMap;

use mst_config::Plan;
use mst_grading::judge::observed_trial;
use mst_measure::client_errored;
use mst_model::{JudgeTrial, Scrubbed, TrialRecord};
use mst_store::{RunReader, StoreError};

use crate::attempt::Place;
use crate::collection::Collection;

/// The last trials of a redacted run's cases: what is stored of them has no answers and tool outputs, so that they are kept
/// at hand until they are compared.
#[derive(Debug, Default)]
pub(crate) struct HeldTrials {
    trials: HashMap<(usize, usize, usize), JudgeTrial>,
}

impl HeldTrials {
    /// Keeps a trial if it will be compared.
    pub(crate) fn note(&mut self, collection: &Collection, place: Place, record: &Scrubbed<TrialRecord>) {
        let plan = &collection.bound.plan;
        let is_compared = collection.options.grade && plan.redact_stored_responses && plan.compares();
        if is_compared
            && place == last_trial(plan, place)
            && let Some(trial) = comparable(record)
        {
            self.trials.insert((place.variant, place.batch, place.case), trial);
        }
    }
}

/// Finds trials to compare.
#[derive(Clone, Copy)]
pub(super) struct Evidence<'a> {
    pub(super) collection: &'a Collection,
    pub(super) reader: &'a RunReader,
    pub(super) held: &'a HeldTrials,
}

impl Evidence<'_> {
    /// Returns a trial in full; `None` of one that had an error.
    pub(super) fn trial(&self, place: Place) -> Result<Option<JudgeTrial>, StoreError> {
        let plan = &self.collection.bound.plan;
        if plan.redact_stored_responses {
            return Ok(self.held.trials.get(&(place.variant, place.batch, place.case)).cloned());
        }
        let found = self.reader.find_trial(&place.key(plan))?;
        Ok(found.and_then(|record| comparable(&self.collection.scrubber.scrub(record))))
    }
}

/// Returns the place of the last trial of a place's case.
pub(super) fn last_trial(plan: &Plan, place: Place) -> Place {
    Place { trial: place.planned(plan).trials.saturating_sub(1), ..place }
}

/// Returns a trial as judges are given it, unless its attempt had an error.
fn comparable(record: &Scrubbed<TrialRecord>) -> Option<JudgeTrial> {
    let trial = record.get();
    let errored = trial.ending.is_infrastructure() || client_errored(trial);
    (!errored).then(|| observed_trial(record))
}
