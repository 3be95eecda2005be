//! The run directory (`mst.run/v1`): layout, readers and writers.
//!
//! One place knows every path ([`EvalLayout`], [`RunLayout`]), one function writes every file ([`write_atomic`]), and one
//! type writes a run ([`RunWriter`]), under the run's lock. Reads keep what this version does not know ([`Doc`]) and refuse
//! what would have to be guessed. Nothing here asks for the time or the environment: both come in as values.

mod atomic;
mod cases;
mod closed;
mod doc;
mod earlier;
mod error;
mod head;
mod history;
mod journal;
mod judge_cache;
mod latest;
mod layout;
mod lock;
mod lookup;
mod migrate;
mod noted;
mod option_key;
mod outcomes;
mod read;
mod reader;
mod recorded;
mod result_store;
mod results;
mod resume;
mod sync;
mod tape;
mod view;
mod writer;

pub use atomic::{check_writable, to_bytes, write_atomic, write_below, write_out, write_with};
pub use doc::Doc;
pub use earlier::{FoundPrevious, PreviousRuns, read_side};
pub use error::StoreError;
pub use history::{HistoryUpdate, build_history, update_history};
pub use judge_cache::{JudgeCache, JudgeCacheKey, UnusableEntry};
pub use layout::{EvalLayout, RunLayout, TrialKey};
pub use lookup::{find_run, last_regrade, list_runs};
pub use option_key::OptionKey;
pub use outcomes::{CaseOutcome, OutcomeScore, TrialOutcome};
pub use reader::{Graders, RunReader, read_latest, trial_number};
pub use recorded::{bare_url, record_server};
pub use result_store::{
    Fetched, FileResultStore, FileStore, StoredEval, StoredRunError, UploadAs, Uploaded, stored_evals, sweep_fetches,
    unavailable_result_stores,
};
pub use results::ResultsFile;
pub use resume::{PlannedTrials, Saved, SavedTrials};
pub use sync::SyncBatch;
pub use tape::{TapeError, TapeHeader, TapeReader, TapeWriter};
pub use writer::{Eligible, Finished, RunWriter};
