//! Records as spans: pure functions of what is stored.

mod attributes;
mod ids;
mod model_call;
mod run_trace;
mod span;
mod tool_call;
mod trial;
mod verdict;

pub(crate) use attributes::Attributes;
pub use run_trace::RunTrace;
pub use trial::GradedTrial;
