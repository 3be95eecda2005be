//! Numbers: what trials, cases, variants and runs come to. Pure functions of what is stored.
//!
//! The way is one: a stored trial and its scores become a [`TrialRow`]; the rows of a case are counted by [`case_count`] and
//! go into a [`VariantTally`], whose size does not depend on how many there were; and [`summarise`] makes `summary.json` of
//! the tallies. [`case_result`] joins the same trials and scores for `results.json`. Both
//! count by [`trial_verdict`], the one place that says whether a trial passed.

pub mod agreement;
mod case_count;
pub mod compare;
mod family;
pub mod history;
mod judge_scores;
mod judge_table;
mod metric;
mod pairwise;
pub mod previous;
mod price;
mod results;
mod row;
pub mod rubric;
pub mod stats;
mod summary;
mod verdict;

pub use case_count::{CaseCount, case_count};
pub use family::is_same_family;
pub use judge_scores::{JudgeReading, judge_readings, judge_scores};
pub use judge_table::{JudgeRow, JudgeTable, MemberRow, VerdictCounts};
pub use metric::{ListedMetric, Measure, metric_entries};
pub use pairwise::{ComparedSides, pairwise, pairwise_summary};
pub use price::{estimate_cost, price_trial};
pub use results::{CaseInput, JoinedTrial, case_result};
pub use row::{AnswerSize, Measures, TrialRow, WriteEvidence, row};
pub use summary::{CaseRows, SummaryInput, VariantInput, VariantTally, summarise};
pub use verdict::{TrialVerdict, client_errored, lacks_verdict, trial_verdict};
