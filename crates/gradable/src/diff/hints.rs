//! Hints: what a tool says that it may do.

use mst_mcp::ListedTool;
use serde_json::Value;

use super::change::Changes;

const POINTER: &str = "/annotations";

/// Compares the hints of a tool.
pub(super) fn compare(old: &ListedTool, new: &ListedTool, changes: &mut Changes) {
    for name in ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] {
        let (before, after) = (hint(old, name), hint(new, name));
        if before == after {
            continue;
        }
        let what = match (name, before, after) {
            ("destructiveHint", Some(true), _) => "destructive-hint-lost",
            ("readOnlyHint", Some(true), _) => "read-only-hint-lost",
            ("readOnlyHint", _, Some(true)) => "read-only-hint-given",
            _ => "hint-changed",
        };
        let said = |hint: Option<bool>| hint.map_or("absent".to_owned(), |hint| hint.to_string());
        changes.risky(what, POINTER, format!("{name:?} was {}, it is {} now", said(before), said(after)));
    }
}

fn hint(tool: &ListedTool, name: &str) -> Option<bool> {
    tool.raw().get("annotations")?.get(name).and_then(Value::as_bool)
}
