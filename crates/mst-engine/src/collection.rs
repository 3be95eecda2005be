//! What a run collects with, shared by everything that takes part in it.

use std::sync::Arc;

use mst_model::{RunId, Scrubber};
use tokio::sync::Semaphore;

use crate::bind::BoundPlan;
use crate::deps::{RunDeps, RunOptions, Stop};
use crate::kept::KeptTrials;

/// What every batch of a run collects with.
pub(crate) struct Collection {
    pub(crate) bound: BoundPlan,
    pub(crate) deps: RunDeps,
    pub(crate) options: RunOptions,
    pub(crate) stop: Stop,
    pub(crate) run_id: RunId,
    pub(crate) scrubber: Scrubber,
    /// Trials that a resumed run keeps.
    pub(crate) kept: KeptTrials,
    /// Room for trials, over all batches of the variant that runs.
    pub(crate) room: Arc<Semaphore>,
}
