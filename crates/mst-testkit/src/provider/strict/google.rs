//! Gemini's rules: the reference of `Tool`, `FunctionDeclaration` and `Schema` (a subset of OpenAPI 3.0), and the texts of
//! its 400 answers.

use serde_json::Value;

use super::{known_keys, list, names, schema, text};

/// The most declarations of a request, by the page on function calling of Vertex AI.
const MOST_TOOLS: usize = 512;

/// Every field of `Schema`.
const FIELDS: [&str; 22] = [
    "type",
    "format",
    "title",
    "description",
    "nullable",
    "enum",
    "maxItems",
    "minItems",
    "properties",
    "required",
    "minProperties",
    "maxProperties",
    "minLength",
    "maxLength",
    "pattern",
    "example",
    "anyOf",
    "propertyOrdering",
    "default",
    "items",
    "minimum",
    "maximum",
];

const TYPES: [&str; 6] = ["string", "number", "integer", "boolean", "array", "object"];

/// How deep a schema may nest before the API refuses it. Not published; what is refused in practice is far below.
const DEEPEST: usize = 64;

/// Checks the tools.
pub(super) fn check(tools: &Value) -> Result<(), String> {
    let mut names = Vec::new();
    for (at, tool) in list(tools, "tools")?.iter().enumerate() {
        let place = format!("GenerateContentRequest.tools[{at}]");
        known_keys(tool, &["functionDeclarations"], &place)?;
        for (at, declared) in list(&tool["functionDeclarations"], &place)?.iter().enumerate() {
            let place = format!("{place}.function_declarations[{at}]");
            names.push(declaration(declared, &place)?);
        }
    }
    if names.len() > MOST_TOOLS {
        return Err(format!("at most {MOST_TOOLS} function declarations are supported, got {}", names.len()));
    }
    names::check_unique(names.into_iter())
}

fn declaration<'a>(declared: &'a Value, place: &str) -> Result<&'a str, String> {
    known_keys(declared, &["name", "description", "parameters", "parametersJsonSchema"], place)?;
    let name = text(declared, "name", place)?;
    let starts = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    if !starts || names::check(name, 64, "_.:-").is_err() {
        return Err(format!(
            "{place}.name: Invalid function name. Must start with a letter or an underscore. Must be alphameric (a-z, A-Z, \
             0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 64."
        ));
    }
    text(declared, "description", place)?;
    match (declared.get("parameters"), declared.get("parametersJsonSchema")) {
        (Some(_), Some(_)) => Err(format!("{place}: parameters and parametersJsonSchema are exclusive")),
        (Some(parameters), None) => {
            if parameters.get("type").and_then(Value::as_str).map(str::to_lowercase).as_deref() != Some("object") {
                return Err(format!("{place}.parameters: schema should be of type OBJECT"));
            }
            subset(parameters, &format!("{place}.parameters"), 0)?;
            Ok(name)
        }
        (None, Some(parameters)) => {
            schema::check(parameters, &format!("{place}.parametersJsonSchema"))?;
            Ok(name)
        }
        (None, None) => Ok(name),
    }
}

/// Checks a `Schema`.
fn subset(schema: &Value, place: &str, depth: usize) -> Result<(), String> {
    known_keys(schema, &FIELDS, place)?;
    if depth > DEEPEST {
        return Err(format!("{place}: nested too deep"));
    }
    let kind = schema.get("type").map(|kind| kind.as_str().unwrap_or_default().to_lowercase());
    if let Some(kind) = &kind
        && !TYPES.contains(&kind.as_str())
    {
        return Err(format!("{place}.type: {} is no type", schema["type"]));
    }
    let branches = schema.get("anyOf").map(|branches| list(branches, place)).transpose()?;
    if kind.is_none() && branches.is_none_or(Vec::is_empty) {
        return Err(format!("{place}: should have a type or anyOf"));
    }
    for (at, branch) in branches.into_iter().flatten().enumerate() {
        subset(branch, &format!("{place}.any_of[{at}]"), depth + 1)?;
    }
    let kind = kind.as_deref().unwrap_or_default();
    values(schema, kind, place)?;
    format(schema, kind, place)?;
    match (kind, schema.get("items")) {
        ("array", None) => return Err(format!("{place}.items: missing field.")),
        (_, Some(items)) => subset(items, &format!("{place}.items"), depth + 1)?,
        (_, None) => {}
    }
    properties(schema, kind, place, depth)
}

fn values(schema: &Value, kind: &str, place: &str) -> Result<(), String> {
    let Some(values) = schema.get("enum") else { return Ok(()) };
    if kind != "string" {
        return Err(format!("{place}.enum: only allowed for STRING type"));
    }
    let values = list(values, place)?;
    match values.iter().position(|value| value.as_str().is_none_or(str::is_empty)) {
        Some(at) => Err(format!("{place}.enum[{at}]: cannot be empty")),
        None if values.is_empty() => Err(format!("{place}.enum: cannot be empty")),
        None => Ok(()),
    }
}

fn format(schema: &Value, kind: &str, place: &str) -> Result<(), String> {
    let Some(format) = schema.get("format") else { return Ok(()) };
    let known: &[&str] = match kind {
        "string" => &["enum", "date-time"],
        "number" => &["float", "double"],
        "integer" => &["int32", "int64"],
        _ => &[],
    };
    if format.as_str().is_some_and(|format| known.contains(&format)) {
        return Ok(());
    }
    Err(format!("{place}.format: only {known:?} are supported for {} type", kind.to_uppercase()))
}

fn properties(schema: &Value, kind: &str, place: &str, depth: usize) -> Result<(), String> {
    let known = schema.get("properties").and_then(Value::as_object);
    match known {
        Some(known) if known.is_empty() => {
            return Err(format!("{place}.properties: should be non-empty for OBJECT type"));
        }
        Some(_) if kind != "object" => return Err(format!("{place}.properties: only allowed for OBJECT type")),
        None if schema.get("properties").is_some() => return Err(format!("{place}.properties: not a map")),
        _ => {}
    }
    for (at, name) in schema.get("required").and_then(Value::as_array).into_iter().flatten().enumerate() {
        let is_there = name.as_str().is_some_and(|name| known.is_some_and(|known| known.contains_key(name)));
        if !is_there {
            return Err(format!("{place}.required[{at}]: property is not defined"));
        }
    }
    for (name, property) in known.into_iter().flatten() {
        subset(property, &format!("{place}.properties[{name}]"), depth + 1)?;
    }
    Ok(())
}
