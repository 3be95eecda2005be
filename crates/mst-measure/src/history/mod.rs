//! An eval's history: what one run comes to as a row, and how the rows stand to each other.
//!
//! A row is built from its run alone ([`RowBuilder`]), a case at a time. [`trace`] then says what the rows say together:
//! their order, which grading of a collection is shown, eras, changes, and what got better or worse since the run before.

mod differences;
mod facts;
mod line;
mod options;
mod order;
mod row;
mod setup;

pub use facts::{CaseFacts, JudgedTrial, TrialFacts};
pub use line::trace;
pub use row::{ROW_VERSION, RowBuilder, run_status};
