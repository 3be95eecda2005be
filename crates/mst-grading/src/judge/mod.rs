//! The judge machine: it has judges asked, and makes one verdict of what they answer.
//!
//! A judge answers once, for one trial. Everything else is here: how often it is asked, what its answers come to, when it
//! is not asked at all, a jury of several models, and the identity under which a verdict is recorded.

mod answer;
mod ask;
mod bound;
mod criteria;
pub(crate) mod identity;
mod input;
mod jury;
pub(crate) mod opinion;
pub(crate) mod requires;
pub(crate) mod source;

pub use ask::{Cancelled, JudgePlace, judge_grader, judge_trial, skip_of_errored};
pub use bound::{BindFault, BoundJudge};
pub use input::{judge_case, judge_input, observed_trial};
