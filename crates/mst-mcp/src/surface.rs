//! A server's tool surface, exactly as the server sent it.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// What a server declares: its tools with every field it sent, known or not.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolSurface {
    /// The listed tools, in the server's order, each once.
    pub tools: Vec<ListedTool>,
    /// The server's instructions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
    /// The names of tools that were listed more than once, each once; the first of them counts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub listed_twice: Vec<String>,
    /// Faults of the listing that did not stop it, such as a tool listed twice or an empty cursor.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// One listed tool: the JSON object as sent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ListedTool(Map<String, Value>);

impl ListedTool {
    /// Wraps a listed object; `None` without a `name` that is a text.
    pub fn new(raw: Map<String, Value>) -> Option<Self> {
        raw.get("name").is_some_and(Value::is_string).then_some(Self(raw))
    }

    /// Returns the tool's name.
    pub fn name(&self) -> &str {
        self.0.get("name").and_then(Value::as_str).unwrap_or_default()
    }

    /// Returns the description.
    pub fn description(&self) -> Option<&str> {
        self.0.get("description").and_then(Value::as_str)
    }

    /// Returns the input schema as declared.
    pub fn input_schema(&self) -> Option<&Value> {
        self.0.get("inputSchema")
    }

    /// Returns the output schema as declared.
    pub fn output_schema(&self) -> Option<&Value> {
        self.0.get("outputSchema")
    }

    /// Returns what a client sends a model about the tool: its name, description and input schema, where declared.
    pub fn definition(&self) -> Map<String, Value> {
        ["name", "description", "inputSchema"]
            .into_iter()
            .filter_map(|key| Some((key.to_owned(), self.0.get(key)?.clone())))
            .collect()
    }

    /// Returns the whole object.
    pub fn raw(&self) -> &Map<String, Value> {
        &self.0
    }

    /// Returns whether the tool is read-only: `readOnlyHint: true` and not `destructiveHint: true`.
    ///
    /// An absent, mistyped or contradictory hint counts as a write.
    pub fn is_read_only(&self) -> bool {
        let hint = |name: &str| self.0.get("annotations").and_then(|annotations| annotations.get(name));
        hint("readOnlyHint") == Some(&Value::Bool(true))
            && !matches!(hint("destructiveHint"), Some(hint) if *hint != Value::Bool(false))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn fc11_only_a_plain_true_that_nothing_contradicts_is_read_only() {
        for (annotations, want) in [
            (json!({ "readOnlyHint": true }), true),
            (json!({ "readOnlyHint": true, "destructiveHint": false }), true),
            (json!({ "readOnlyHint": true, "openWorldHint": true, "title": "x" }), true),
            (json!({ "readOnlyHint": true, "destructiveHint": true }), false),
            (json!({ "readOnlyHint": true, "destructiveHint": "false" }), false),
            (json!({ "readOnlyHint": true, "destructiveHint": null }), false),
            (json!({ "readOnlyHint": false }), false),
            (json!({ "readOnlyHint": "true" }), false),
            (json!({ "readOnlyHint": 1 }), false),
            (json!({ "readOnlyHint": null }), false),
            (json!({ "readOnlyHint": [] }), false),
            (json!({ "readOnlyHint": [true] }), false),
            (json!({ "readOnlyHint": { "readOnlyHint": true } }), false),
            (json!({ "readonlyHint": true }), false),
            (json!({ "annotations": { "readOnlyHint": true } }), false),
            (json!({}), false),
            (json!([{ "readOnlyHint": true }]), false),
            (json!("readOnlyHint"), false),
            (json!(true), false),
            (json!(null), false),
        ] {
            let raw = json!({ "name": "t", "annotations": annotations });
            let tool = ListedTool::new(raw.as_object().expect("an object").clone()).expect("it has a name");
            assert_eq!(tool.is_read_only(), want, "{annotations}");
        }
        // A hint beside the annotations is none.
        let raw = json!({ "name": "t", "readOnlyHint": true });
        assert!(!ListedTool::new(raw.as_object().expect("an object").clone()).expect("a name").is_read_only());
    }
}
