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

/// Returns the trials of a variant's batch that are not kept, in the order of cases and trials.
pub(crate) fn batch_work(plan: &Plan, variant: usize, batch: usize, kept: &KeptTrials) -> Vec<WorkItem> {
    let mut work = Vec::new();
    for (case, planned) in plan.variants[variant].batches[batch].cases.iter().enumerate() {
        for trial in 0..planned.trials {
            if kept.is_empty() || !kept.contains(Place { variant, batch, case, trial }) {
                work.push(WorkItem { case, trial });
            }
        }
    }
    work
}

/// Returns how many trials a plan has.
pub(crate) fn planned_trials(plan: &Plan) -> usize {
    plan.variants.iter().flat_map(|variant| planned_cases(&variant.batches)).map(|case| case.trials as usize).sum()
}

/// Returns the cases of some batches, batch by batch.
pub(crate) fn planned_cases(batches: &[PlannedBatch]) -> impl Iterator<Item = &PlannedCase> {
    batches.iter().flat_map(|batch| &batch.cases)
}
