//! What is left to collect: the plan's trials, without those that a resumed run keeps.

use mst_config::{Plan, PlannedBatch, PlannedCase};

use crate::attempt::Place;
use crate::kept::KeptTrials;

/// One trial to collect: indices into a batch of the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WorkItem {
    /// The case's index in [`PlannedBatch::cases`].
    pub(crate) case: usize,
    /// The trial, from 0.
    pub(crate) trial: u32,
}

/// The trials of a variant's batch that are not kept, in the order of cases and trials: found one by one, so that a
/// hundred thousand of them take no memory.
#[derive(Clone, Debug)]
pub(crate) struct BatchWork {
    /// Where the next one is looked for.
    next: Place,
    left: usize,
}

impl BatchWork {
    /// Finds how many there are.
    pub(crate) fn new(plan: &Plan, variant: usize, batch: usize, kept: &KeptTrials) -> Self {
        let planned = planned_cases(&plan.variants[variant].batches[batch..=batch]).map(|case| case.trials as usize);
        let left = planned.sum::<usize>() - kept.len_of(variant, batch);
        Self { next: Place { variant, batch, case: 0, trial: 0 }, left }
    }

    /// Returns how many are left.
    pub(crate) fn len(&self) -> usize {
        self.left
    }

    /// Returns whether none is.
    pub(crate) fn is_empty(&self) -> bool {
        self.left == 0
    }

    /// Takes the next one; `plan` and `kept` are those it was made with.
    pub(crate) fn take(&mut self, plan: &Plan, kept: &KeptTrials) -> Option<WorkItem> {
        let cases = &plan.variants[self.next.variant].batches[self.next.batch].cases;
        while let Some(case) = cases.get(self.next.case) {
            while self.next.trial < case.trials {
                let place = self.next;
                self.next.trial += 1;
                if kept.is_empty() || !kept.contains(place) {
                    self.left -= 1;
                    return Some(WorkItem { case: place.case, trial: place.trial });
                }
            }
            self.next = Place { case: self.next.case + 1, trial: 0, ..self.next };
        }
        None
    }
}

/// Returns how many trials a plan has.
pub(crate) fn planned_trials(plan: &Plan) -> usize {
    plan.variants.iter().flat_map(|variant| planned_cases(&variant.batches)).map(|case| case.trials as usize).sum()
}

/// Returns the cases of some batches, batch by batch.
pub(crate) fn planned_cases(batches: &[PlannedBatch]) -> impl Iterator<Item = &PlannedCase> {
    batches.iter().flat_map(|batch| &batch.cases)
}
