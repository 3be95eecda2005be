//! What a run is given: code behind names, the clock, the environment, and how it may be stopped.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use mst_ext::Registry;
use mst_mcp::ServerPool;
use mst_model::{Clock, ReplayRecord, Seed};
use mst_store::PreviousRuns;
use tokio_util::sync::CancellationToken;

use crate::budget_limit::Budget;

/// What a run works with.
#[derive(Clone)]
pub struct RunDeps {
    /// Names bound to code.
    pub registry: Arc<Registry>,
    /// Connections to servers, shared with the `api` client.
    pub pool: Arc<ServerPool>,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Random bytes for the run's id.
    pub seed: Seed,
    /// The environment with the secrets file over it.
    pub env: Arc<BTreeMap<String, String>>,
    /// The version that `run.json` records.
    pub version: String,
    /// Where the run before is found that a finished run is compared with; `None` is the eval's own directory.
    pub previous: Option<Arc<dyn PreviousRuns>>,
}

/// How a run was asked for.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// The eval's directory, which holds `runs/` and `latest.json`.
    pub output_dir: PathBuf,
    /// The run to complete: a directory, an id or a short form.
    pub resume: Option<String>,
    /// Whether trials are graded.
    pub grade: bool,
    /// How long to wait before each further check of a server that is not ready.
    pub readiness_delays: Vec<Duration>,
    /// `MST_OPTION_KEY`, when set.
    pub option_key: Option<String>,
    /// The tape that answers in place of models and servers, when one does. No credential is looked for then.
    pub replay: Option<ReplayRecord>,
    /// The folder that keeps judges' verdicts, when one does.
    pub judge_cache: Option<PathBuf>,
    /// Whether the run stops as soon as the comparison of its two variants is decided.
    pub stop_when_decided: bool,
    /// What the run may use before it stops.
    pub budget: Budget,
}

/// How a run is stopped: first politely, then firmly.
#[derive(Clone, Debug, Default)]
pub struct Stop {
    /// Ends when no further trial may start; trials under way go on and are saved.
    pub starting: CancellationToken,
    /// Ends when trials under way must end too; what they had is not kept.
    pub running: CancellationToken,
}
