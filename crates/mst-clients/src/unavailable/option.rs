//! A client option as data, and the JSON Schema that options make together.

use serde_json::{Map, Value, json};

/// One option.
pub(super) struct ClientOption {
    name: &'static str,
    schema: Value,
    omitted: Omitted,
}

/// What leaving an option out means.
pub(super) enum Omitted {
    /// It cannot be left out.
    Required,
    /// This value.
    Default(Value),
    /// Something that depends on the machine, in words.
    Described(&'static str),
    /// Nothing is set.
    NotSet,
}

/// Makes an option.
pub(super) fn option(name: &'static str, schema: Value, omitted: Omitted) -> ClientOption {
    ClientOption { name, schema, omitted }
}

/// Returns the schema (draft 2020-12) of some options. A default in words stands under `x-defaultDescription`.
pub(super) fn options_schema(options: &[ClientOption]) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for ClientOption { name, schema, omitted } in options {
        let mut schema = schema.clone();
        match omitted {
            Omitted::Required => required.push(*name),
            Omitted::Default(value) => schema["default"] = value.clone(),
            Omitted::Described(text) => schema["x-defaultDescription"] = json!(text),
            Omitted::NotSet => {}
        }
        properties.insert((*name).to_owned(), schema);
    }
    let mut schema = json!({ "type": "object", "properties": properties, "additionalProperties": false });
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema
}

/// The schema of a text.
pub(super) fn text() -> Value {
    json!({ "type": "string", "minLength": 1 })
}

/// The schema of a count or a time in milliseconds.
pub(super) fn whole() -> Value {
    json!({ "type": "integer", "minimum": 1 })
}

/// The schema of a yes or no.
pub(super) fn flag() -> Value {
    json!({ "type": "boolean" })
}

/// The schema of a list of texts.
pub(super) fn texts() -> Value {
    json!({ "type": "array", "items": { "type": "string" } })
}

/// The schema of one of some words.
pub(super) fn one_of(words: &[&str]) -> Value {
    json!({ "type": "string", "enum": words })
}

/// The option `env`, which all of these clients take.
pub(super) fn env() -> ClientOption {
    let schema = json!({ "type": "object", "additionalProperties": { "type": "string" } });
    option("env", schema, Omitted::Described("the inherited environment alone"))
}
