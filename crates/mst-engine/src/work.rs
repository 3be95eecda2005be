//! What is left to collect: the plan's trials, without those that a resumed run keeps.

use std::collections::BTreeSet;

use mst_config::{Plan, PlannedBatch, PlannedCase};
use mst_model::VariantName;
use mst_store::TrialKey;

/// One trial to collect: indices into a batch of the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WorkItem {
    /// The case's index in [`PlannedBatch::cases`].
    pub(crate) case: usize,
    /// The trial, from 0.
    pub(crate) trial: u32,
}

/// Returns a batch's trials that are not kept, in the order of cases and trials.
pub(crate) fn batch_work(variant: &VariantName, batch: &PlannedBatch, kept: &BTreeSet<TrialKey>) -> Vec<WorkItem> {
    let mut work = Vec::new();
    for (case, planned) in batch.cases.iter().enumerate() {
        for trial in 0..planned.trials {
            let key = TrialKey { variant: variant.clone(), case_id: planned.id.clone(), trial };
            if kept.is_empty() || !kept.contains(&key) {
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
