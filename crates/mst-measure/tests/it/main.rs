//! Numbers against values made by other programs, and whole results and summaries.

#![expect(clippy::unwrap_used, reason = "a helper of tests fails the test")]
#![expect(clippy::needless_pass_by_value, reason = "a `json!` value reads best where it is used")]

mod history;
mod judges;
mod metrics;
mod previous;
mod rubric;
mod run;
mod statistics;
mod stats;
mod summaries;
