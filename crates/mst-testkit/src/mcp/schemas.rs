//! Input schemas that are valid JSON Schema and that some provider refuses.

use serde_json::{Value, json};

use super::tools::{lookup, tool};

/// `lookup` and seven tools: a reference, a recursion, a reference at the root, `anyOf` at the root, a broken output
/// schema, `allOf` with a condition, and a reference to another host.
pub(super) fn tools() -> Vec<Value> {
    let team =
        json!({"type": "object", "properties": {"team": {"type": "string", "description": "the team's short name"}}});
    let node = json!({"type": "object", "properties": {"title": {"type": "string"}, "children": {"type": "array", "items": {"$ref": "#/$defs/node"}}}});
    let part = json!({"type": "object", "properties": {"part": {"type": "string", "description": "part id"}}, "required": ["part"]});
    let branch = |name: &str| {
        let description = format!("the {name} to read");
        json!({"properties": {name: {"type": "string", "description": description}}, "required": [name]})
    };
    let plain = json!({"type": "object", "properties": {"id": {"type": "string"}}});
    let mut broken_output = tool("t_out", "Has an output schema that refers to nowhere.", plain);
    broken_output["outputSchema"] = json!({"type": "object", "properties": {"x": {"$ref": "#/$defs/Nowhere"}}});
    vec![
        lookup(),
        tool(
            "t_ref",
            "Refers to a definition.",
            json!({"type": "object", "properties": {"q": {"$ref": "#/$defs/Q"}}, "required": ["q"], "$defs": {"Q": team}}),
        ),
        tool(
            "t_rec",
            "Refers to itself.",
            json!({"type": "object", "properties": {"root": {"$ref": "#/$defs/node"}}, "$defs": {"node": node}}),
        ),
        tool("t_root", "Is a reference at its root.", json!({"$ref": "#/$defs/In", "$defs": {"In": part}})),
        tool("t_any", "Takes one of two.", json!({"type": "object", "anyOf": [branch("url"), branch("file")]})),
        broken_output,
        tool(
            "t_all",
            "Has a condition.",
            json!({"type": "object", "allOf": [
            {"properties": {"mode": {"type": "string", "enum": ["a", "b"]}}},
            {"if": {"properties": {"mode": {"const": "a"}}}, "then": {"properties": {"depth": {"type": "integer"}}}}]}),
        ),
        tool(
            "t_far",
            "Refers to another host.",
            json!({"type": "object", "properties": {
            "s": {"$ref": "https://example.invalid/s.json"}, "kept": {"type": "string"}}}),
        ),
    ]
}
