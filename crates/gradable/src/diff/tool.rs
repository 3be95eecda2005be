//! One tool before and after.

use mst_mcp::ListedTool;
use serde_json::Value;

use super::change::{Change, Changes};
use super::hints;
use super::schema::{self, Direction};

/// Returns what changed in a tool, the worst first.
pub(super) fn compare(old: &ListedTool, new: &ListedTool) -> Vec<Change> {
    if old.raw() == new.raw() {
        return Vec::new();
    }
    let mut changes = Changes::of(new.name());
    changes.text("description-changed", "/description", "the description", (old.description(), new.description()));
    input(old, new, &mut changes);
    output(old, new, &mut changes);
    hints::compare(old, new, &mut changes);
    rest(old, new, &mut changes);
    let mut list = changes.list;
    list.sort_by_key(|change| change.kind);
    list
}

fn input(old: &ListedTool, new: &ListedTool, changes: &mut Changes) {
    let none = Value::Bool(true);
    let schemas = (old.input_schema().unwrap_or(&none), new.input_schema().unwrap_or(&none));
    schema::compare(schemas, "/inputSchema", Direction::Input, changes);
}

fn output(old: &ListedTool, new: &ListedTool, changes: &mut Changes) {
    let pointer = "/outputSchema";
    match (old.output_schema(), new.output_schema()) {
        (None, None) => {}
        (Some(_), None) => changes.breaking("output-schema-removed", pointer, "the output schema is gone"),
        (None, Some(_)) => changes.neutral("output-schema-added", pointer, "there is an output schema now"),
        (Some(old), Some(new)) => schema::compare((old, new), pointer, Direction::Output, changes),
    }
}

/// Notes that other fields differ: none of them reaches a model's choice.
fn rest(old: &ListedTool, new: &ListedTool, changes: &mut Changes) {
    let known = ["name", "description", "inputSchema", "outputSchema", "annotations"];
    let mut keys: Vec<&String> = old.raw().keys().chain(new.raw().keys()).collect();
    keys.sort_unstable();
    keys.dedup();
    for key in keys.into_iter().filter(|key| !known.contains(&key.as_str())) {
        if old.raw().get(key) != new.raw().get(key) {
            changes.neutral("other-field", &format!("/{key}"), format!("{key:?} changed"));
        }
    }
    let title = |tool: &ListedTool| tool.raw().get("annotations").and_then(|all| all.get("title")).cloned();
    if title(old) != title(new) {
        changes.neutral("other-field", "/annotations/title", "the title changed");
    }
}
