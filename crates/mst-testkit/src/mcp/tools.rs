//! The tools that the fakes list, and declarations that other modes build on.

use serde_json::{Value, json};

/// Declares a read-only tool.
pub(super) fn tool(name: &str, description: &str, schema: Value) -> Value {
    let mut tool = json!({"name": name, "description": description, "inputSchema": null,
        "annotations": {"readOnlyHint": true, "destructiveHint": false}});
    tool["inputSchema"] = schema;
    tool
}

/// Declares a tool with one required string.
pub(super) fn one_string(name: &str, description: &str, argument: &str) -> Value {
    tool(
        name,
        description,
        json!({"type": "object", "properties": {argument: {"type": "string"}}, "required": [argument]}),
    )
}

/// The tool of the field cases.
pub(super) fn lookup() -> Value {
    one_string("lookup", "Look up one part by its id and return its bin.", "id")
}

/// Returns its text.
pub(super) fn echo() -> Value {
    one_string("echo", "Repeat a text.", "text")
}

/// `lookup` whose id becomes a header.
pub(super) fn lookup_with_header(header: &str) -> Value {
    let mut tool = lookup();
    tool["inputSchema"]["properties"]["id"]["x-mcp-header"] = json!(header);
    tool
}

/// `echo` whose text becomes a header.
pub(super) fn echo_with_header(header: &str) -> Value {
    let mut tool = echo();
    tool["inputSchema"]["properties"]["text"]["x-mcp-header"] = json!(header);
    tool
}

/// A tool without arguments.
pub(super) fn ping() -> Value {
    tool("ping", "Say whether the parts store is open.", json!({"type": "object", "properties": {}}))
}

/// `lookup` with the output schema of the result forms.
pub(super) fn lookup_with_output() -> Value {
    let mut tool = lookup();
    tool["outputSchema"] = json!({"type": "object", "properties": {"bin": {"type": "integer"}}, "required": ["bin"]});
    tool
}

/// `lookup` with fields that no specification has.
pub(super) fn lookup_with_extras() -> Value {
    let mut tool = lookup();
    tool["title"] = json!("Part lookup");
    tool["x-vendor"] = json!({"tier": 2, "tags": ["a", null]});
    tool["icons"] = json!([{"src": "data:image/png;base64,AA==", "x-shape": "round"}]);
    tool["annotations"]["x-cost"] = json!(0.5);
    tool["_meta"] = json!({"example.invalid/version": 3});
    tool["inputSchema"]["x-form"] = json!({"order": ["id"]});
    tool
}

/// Tools whose annotations say, leave out, contradict or mistype whether they write.
pub(super) fn write_hints() -> Vec<Value> {
    let declared = |name: &str, description: &str, annotations: Value| {
        let mut tool = one_string(name, description, "note");
        tool["annotations"] = annotations;
        tool
    };
    let mut save = declared("save_note", "Save a note.", Value::Null);
    if let Some(object) = save.as_object_mut() {
        object.shift_remove("annotations");
    }
    vec![
        list_notes(),
        save,
        declared("wipe", "Wipe a note.", json!({"readOnlyHint": true, "destructiveHint": true})),
        declared("peek", "Peek at a note.", json!({"readOnlyHint": "true"})),
    ]
}

/// Lists notes, and only reads.
pub(super) fn list_notes() -> Value {
    let mut tool = tool("list_notes", "List the notes.", json!({"type": "object", "properties": {}}));
    tool["annotations"] = json!({"readOnlyHint": true});
    tool
}

/// Appears late, and writes.
pub(super) fn purge() -> Value {
    json!({"name": "purge", "description": "Delete all notes.", "inputSchema": {"type": "object", "properties": {}},
        "annotations": {"readOnlyHint": false, "destructiveHint": true}})
}
