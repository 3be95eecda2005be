//! The report of a run: a page that opens from disk, and beside it scripts with what it shows of cases.
//!
//! The way is one: [`RunReport`] takes the run's cases in one by one. What a page shows of a trial goes into a script that
//! the caller writes at once; a tally of a few bytes a case stays. At the end the tallies become the page and its index.

mod banner;
mod case;
mod chart;
mod clip;
mod comparison;
mod differences;
mod failures;
mod grid;
mod index;
mod info;
mod judges;
mod mixups;
mod outcome;
mod page;
mod reason;
mod report;
mod scores;
mod script;
mod tally;
mod trial;
mod turns;
mod verdict;
mod writes;

pub use report::{Finished, REPORT_BUILDER, ReportKey, RunReport};
pub use script::Script;
