//! Which tools can destroy something, as far as their declaration shows.

use mst_llm::words;
use mst_mcp::ListedTool;
use serde_json::Value;

/// Verbs that mean, as a word of a tool's name, that a call can destroy something. Published in `docs/gradable.md`.
pub(crate) const DESTRUCTIVE_VERBS: [&str; 28] = [
    "archive",
    "ban",
    "cancel",
    "clear",
    "close",
    "deactivate",
    "delete",
    "destroy",
    "disable",
    "discard",
    "drop",
    "erase",
    "kill",
    "overwrite",
    "prune",
    "purge",
    "remove",
    "reset",
    "restore",
    "revert",
    "revoke",
    "rollback",
    "terminate",
    "trash",
    "truncate",
    "uninstall",
    "unpublish",
    "wipe",
];

/// Tells whether a tool is destructive: `destructiveHint: true`, or a destructive verb in its name where neither that hint
/// nor `readOnlyHint` is given; never with `readOnlyHint: true`.
///
/// A hint that is neither true nor false is not given.
pub(crate) fn is_destructive(tool: &ListedTool) -> bool {
    let hint = |name: &str| {
        tool.raw().get("annotations").and_then(|annotations| annotations.get(name)).and_then(Value::as_bool)
    };
    match (hint("readOnlyHint"), hint("destructiveHint")) {
        (Some(true), _) | (Some(false), None) => false,
        (_, Some(destructive)) => destructive,
        (None, None) => has_destructive_verb(tool.name()),
    }
}

/// Tells whether a word of a name is a destructive verb.
pub(crate) fn has_destructive_verb(name: &str) -> bool {
    words(name).iter().any(|word| DESTRUCTIVE_VERBS.contains(&word.as_str()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::surface::Surface;

    #[test]
    fn hints_count_before_names_and_read_only_before_all() {
        for (name, annotations, want) in [
            ("wipe", json!(null), true),
            ("deleteUser", json!({}), true),
            ("delete_user", json!({ "title": "Delete" }), true),
            ("deleted_users", json!({}), false),
            ("get_user", json!({}), false),
            ("get_user", json!({ "destructiveHint": true }), true),
            ("delete_user", json!({ "destructiveHint": false }), false),
            ("delete_user", json!({ "readOnlyHint": false }), false),
            ("delete_user", json!({ "readOnlyHint": true, "destructiveHint": true }), false),
            ("delete_user", json!({ "readOnlyHint": "true" }), true),
            ("delete_user", json!({ "destructiveHint": null }), true),
            ("delete_user", json!([]), true),
        ] {
            let surface = Surface::of(json!([{ "name": name, "annotations": annotations }]));
            assert_eq!(is_destructive(&surface.tools[0]), want, "{name} {annotations}");
        }
    }
}
