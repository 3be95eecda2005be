//! What a run collects with, shared by everything that takes part in it.

use std::sync::Arc;

use mst_model::{RunId, Scrubber};
use tokio_util::sync::CancellationToken;

use crate::bind::BoundPlan;
use crate::deps::{RunDeps, RunOptions, Stop};
use crate::grade::StoredRun;
use crate::host::HostReports;
use crate::judges::Judges;
use crate::kept::KeptTrials;
use crate::ledger::Uses;
use crate::pairwise::PairwiseJudges;
use crate::rooms::RoomDesk;
use crate::throttling::Throttling;

/// What every batch of a run collects with.
pub(crate) struct Collection {
    pub(crate) bound: BoundPlan,
    pub(crate) deps: RunDeps,
    pub(crate) options: RunOptions,
    pub(crate) stop: Stop,
    /// Ends when the comparison that is watched is decided: no further trial starts, and the run ends with what is finished.
    pub(crate) decided: CancellationToken,
    pub(crate) run_id: RunId,
    pub(crate) scrubber: Scrubber,
    /// The judges of the run, bound.
    pub(crate) judges: Judges,
    /// The pairwise judges of the run, bound.
    pub(crate) pairwise: PairwiseJudges,
    /// The stored run, when its trials are graded and none is collected.
    pub(crate) regraded: Option<StoredRun>,
    /// Trials that a resumed run keeps.
    pub(crate) kept: KeptTrials,
    /// What clients report of themselves.
    pub(crate) host: HostReports,
    /// Where trials ask for room.
    pub(crate) rooms: RoomDesk,
    /// What the trials of each batch use, by variant and batch.
    pub(crate) uses: Vec<Vec<Uses>>,
    /// What providers refused so far.
    pub(crate) throttling: Arc<Throttling>,
}
