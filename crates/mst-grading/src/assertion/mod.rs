//! The four assertions of a dataset. Each is a pure function of what was recorded.

use mst_model::Evidence;

pub(crate) mod contains_text;
pub(crate) mod matches_pattern;
pub(crate) mod tool_call_count;
pub(crate) mod tools_triggered;

/// Returns why a trial's events prove nothing about tool calls; `None` when they do.
pub(crate) fn evidence_gap(evidence: Option<Evidence>) -> Option<String> {
    let found = match evidence {
        Some(Evidence::Structured) => return None,
        Some(Evidence::Observed) => "the client's evidence is observed",
        Some(Evidence::None) => "the client's evidence is none",
        None => "the client declares no evidence",
    };
    Some(format!("tool calls are graded on structured evidence only; {found}"))
}
