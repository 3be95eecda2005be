//! Graders over recorded trials: what a case's assertions say of what a client did.
//!
//! Everything here reads a trial that was collected and scrubbed; nothing can reach a server or a client, so that a run
//! and a later regrade cannot grade differently. [`grade_trial`] is the entry. An assertion that cannot come to a
//! verdict (a pattern that runs for ever, a text too long for one) is a grading error of the trial, never a fail.
//! [`judge`] has judges asked.

mod answer;
mod assertion;
mod excerpt;
pub mod judge;
mod no_verdict;
mod observed;
pub mod pairwise;
mod pattern;
mod pattern_threads;
mod tool_map;
mod trial;

pub use no_verdict::NoVerdict;
pub use observed::KnownTools;
pub use pattern_threads::PatternThreads;
pub use trial::{GradeInput, Graded, ToolMatch, assertion_graders, doubtful_calls, grade_trial, match_tools};
