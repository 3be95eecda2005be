//! Annotations: what a tool says that it may do.

use mst_mcp::ListedTool;
use serde_json::Value;

use super::findings::Findings;
use super::rule::Rule;
use crate::destructive::has_destructive_verb;

const HINTS: [&str; 4] = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"];

/// Looks at a tool's hints.
pub(super) fn tool(tool: &ListedTool, found: &mut Findings) {
    let annotations = tool.raw().get("annotations");
    let hint = |name: &str| annotations.and_then(|annotations| annotations.get(name));
    for name in HINTS {
        if let Some(value) = hint(name).filter(|value| !value.is_boolean()) {
            let message = format!("{name:?} is {}, not true or false, so it says nothing", kind(value));
            found.add(Rule::MistypedHint, format!("/annotations/{name}"), message);
        }
    }
    let said = |name: &str| hint(name).and_then(Value::as_bool);
    let by_name = has_destructive_verb(tool.name());
    match (said("readOnlyHint"), said("destructiveHint")) {
        (Some(true), Some(true)) => {
            let message = "\"readOnlyHint\" and \"destructiveHint\" are both true";
            found.add(Rule::ContradictoryHints, "/annotations", message);
        }
        (Some(true), _) if by_name => {
            let message = "\"readOnlyHint\" is true, and the name has a destructive verb";
            found.add(Rule::ContradictoryHints, "/annotations", message);
        }
        (None, None) if by_name => {
            let message =
                "the name has a destructive verb, and neither \"readOnlyHint\" nor \"destructiveHint\" is given";
            found.add(Rule::UnmarkedDestructive, "/annotations", message);
        }
        _ => {}
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a truth value",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
