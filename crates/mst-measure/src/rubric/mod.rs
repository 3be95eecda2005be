//! The scoring method of `gradable`, version 1: from what a judge did with each task to a grade.
//!
//! Every step counts in exact fractions and nothing is rounded on the way; a stored number is the double nearest to the exact
//! value, and a grade is that of the exact total. So whoever computes a report again gets the same digits, and a total of
//! exactly 80 is a B whatever a sum of doubles would say (ADR 0016).

mod economics;
mod exact;
mod fault;
mod grade;
mod interval;
mod limits;
mod metrics;
mod score;

pub use economics::{DefinitionCount, ResponseSizes, economics};
pub use fault::RubricFault;
pub use grade::{grade_of_points, shown_points, shown_total};
pub use interval::{RESAMPLES, score_interval};
pub use metrics::{harness, harness_metrics};
pub use score::{ScoreInput, rubric_score, severity_weight};
