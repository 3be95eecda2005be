//! What is said of failures.

use mst_model::CapabilityFinding;
use serde_json::Value;

use super::facts::{Facts, ToolFacts};
use super::{finding, state_of};
use crate::parameters::parameters;

/// Tools say when they fail, in their description or as a part of what they return.
pub(super) fn errors(facts: &Facts<'_>) -> CapabilityFinding {
    let telling = facts.named(tells);
    let reason =
        format!("{} of {} tools say when they fail, or return errors as data", telling.len(), facts.tools.len());
    finding("actionable_error_semantics", state_of(telling.len(), facts.tools.len()), telling, reason)
}

fn tells(tool: &ToolFacts<'_>) -> bool {
    let phrases = [
        "fails if",
        "fails when",
        "fail if",
        "fail when",
        "error if",
        "error when",
        "errors if",
        "errors when",
        "errors:",
        "error code",
        "error message",
        "on failure",
        "throws",
        "raises",
        "if it fails",
        "returns an error",
        "not found",
    ];
    let returned = |schema: &Value| {
        let names = parameters(Some(schema));
        names.iter().any(|one| {
            matches!(one.name, "error" | "errors" | "errorCode" | "error_code" | "errorMessage" | "error_message")
        })
    };
    phrases.iter().any(|phrase| tool.description.contains(phrase)) || tool.tool.output_schema().is_some_and(returned)
}
