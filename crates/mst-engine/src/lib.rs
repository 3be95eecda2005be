//! A run: write modes, readiness, sessions, collection, grading, saving.
//!
//! [`run`] takes a [`Plan`](mst_config::Plan), which is data, and binds its names to code through the
//! [`Registry`](mst_ext::Registry) alone. Each stage hands a new type to the next: `Plan` → [`BoundPlan`] (write modes) →
//! [`ReadyBatch`] (servers checked) → scrubbed trials → saved and graded trials → the run's results and summary.
//!
//! One task, the dispatcher, owns the run's directory and all its state; everything else sends it messages. The clock,
//! random bytes and the environment come in as values. What happens is told to an [`Observer`], which cannot fail the run.

mod ahead;
mod answers;
mod attempt;
mod bind;
mod budget;
mod budget_check;
mod budget_limit;
mod carried;
mod collect;
mod collection;
mod deps;
mod dispatch;
mod error;
mod event;
mod finish;
mod from_disk;
mod grade;
mod grading;
mod host;
mod incomplete;
mod join;
mod joining;
mod judges;
mod kept;
mod kin;
mod ledger;
mod message;
mod outcome;
mod pairwise;
mod previous;
mod processors;
mod ready;
mod record;
mod resume;
mod resume_grading;
mod rooms;
mod run;
mod secrets;
mod spent;
mod tally;
mod throttling;
mod unlisted;
mod uses;
mod verdict_cache;
mod watching;
mod work;

pub use bind::BoundPlan;
pub use budget_check::{BudgetFault, check_budget};
pub use budget_limit::{Budget, BudgetLimit, BudgetReached};
pub use deps::{RunDeps, RunOptions, Stop};
pub use error::RunError;
pub use event::{NullObserver, Observer, RunEvent, TrialState};
pub use grade::{GradeOptions, grade, graded_selection};
pub use incomplete::{IncompleteCase, IncompleteCases, IncompleteReason};
pub use judges::{JudgeCheck, check_judges};
pub use outcome::{Failure, RunOutcome, Shortfall};
pub use ready::ReadyBatch;
pub use resume::stored_selection;
pub use run::run;
pub use secrets::{scrubber, scrubber_of_servers};
