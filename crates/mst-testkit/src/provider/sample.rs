//! Arguments for a tool, made up from its schema and the text that asks for it.

use serde_json::{Map, Value, json};

/// How deep a schema is followed; recursive schemas end here.
const DEPTH: usize = 6;

/// Makes arguments that satisfy a simple schema: required properties, or all when none is required.
pub(crate) fn arguments(schema: &Value, text: &str) -> Value {
    let value = sample(schema, schema, text, DEPTH);
    if value.is_object() { value } else { json!({}) }
}

fn sample(root: &Value, schema: &Value, text: &str, depth: usize) -> Value {
    if depth == 0 {
        return Value::Null;
    }
    for key in ["const", "default"] {
        if let Some(value) = schema.get(key) {
            return value.clone();
        }
    }
    if let Some(first) = schema.pointer("/enum/0").or_else(|| schema.pointer("/examples/0")) {
        return first.clone();
    }
    if let Some(target) =
        schema.get("$ref").and_then(Value::as_str).and_then(|path| root.pointer(path.strip_prefix('#')?))
    {
        return sample(root, target, text, depth - 1);
    }
    match kind_of(schema).as_str() {
        "object" => object(root, schema, text, depth),
        "array" => match schema.get("items") {
            Some(items) => json!([sample(root, items, text, depth - 1)]),
            None => json!([]),
        },
        "integer" => schema.get("minimum").cloned().unwrap_or_else(|| json!(1)),
        "number" => schema.get("minimum").cloned().unwrap_or_else(|| json!(1.5)),
        "boolean" => json!(true),
        "null" => Value::Null,
        _ => json!(word_for(schema, text)),
    }
}

/// The schema's type in lower case; the first one that is not null when several are allowed.
fn kind_of(schema: &Value) -> String {
    let named = match schema.get("type") {
        Some(Value::String(kind)) => Some(kind.as_str()),
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).find(|kind| *kind != "null"),
        _ => None,
    };
    match named {
        Some(kind) => kind.to_ascii_lowercase(),
        None if ["properties", "anyOf", "allOf", "oneOf"].iter().any(|key| schema.get(key).is_some()) => {
            "object".to_owned()
        }
        None => "string".to_owned(),
    }
}

fn object(root: &Value, schema: &Value, text: &str, depth: usize) -> Value {
    let mut filled = Map::new();
    for branch in ["anyOf", "oneOf"] {
        if let Some(Value::Object(part)) =
            schema.pointer(&format!("/{branch}/0")).map(|part| sample(root, part, text, depth - 1))
        {
            filled.extend(part);
        }
    }
    for part in schema.get("allOf").and_then(Value::as_array).into_iter().flatten() {
        if let Value::Object(part) = sample(root, part, text, depth - 1) {
            filled.extend(part);
        }
    }
    let required: Vec<&str> =
        schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    for (name, property) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
        if required.is_empty() || required.contains(&name.as_str()) {
            filled.insert(name.clone(), sample(root, property, text, depth - 1));
        }
    }
    Value::Object(filled)
}

/// Picks a word of the text that looks like an identifier (`p-1`, `ABC42`), else the whole text.
fn word_for(schema: &Value, text: &str) -> String {
    let words = text.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
    let identifier = words.into_iter().find(|word| word.chars().any(|c| c.is_ascii_digit()));
    let limit = schema.get("maxLength").and_then(Value::as_u64).map_or(200, |limit| limit as usize);
    identifier.unwrap_or(text).chars().take(limit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fills_arguments_from_the_schema() {
        let part = json!({"type": "object", "properties": {"id": {"type": "string"}, "note": {"type": "string"}}, "required": ["id"]});
        let node = json!({"type": "object", "properties": {"root": {"$ref": "#/$defs/node"}},
            "$defs": {"node": {"type": "object", "properties": {"children": {"type": "array", "items": {"$ref": "#/$defs/node"}}}}}});
        let any =
            json!({"type": "object", "anyOf": [{"properties": {"url": {"type": "string"}}, "required": ["url"]}]});
        assert_eq!(arguments(&part, "Which bin is part p-1 in?"), json!({"id": "p-1"}));
        assert!(arguments(&node, "x").is_object());
        assert_eq!(arguments(&any, "go"), json!({"url": "go"}));
        assert_eq!(arguments(&Value::Null, "go"), json!({}));
        assert_eq!(arguments(&json!({"properties": {"n": {"type": ["null", "integer"]}}}), "x"), json!({"n": 1}));
    }
}
