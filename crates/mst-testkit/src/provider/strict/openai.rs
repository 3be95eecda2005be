//! OpenAI's rules for functions, in the Responses and the Chat Completions form, and what Azure adds.
//!
//! From the API references (names; "a max of 128 functions"), the guides to function calling and structured outputs (strict
//! mode), Azure's page on function calling (descriptions), and the texts of 400 answers.

use serde_json::Value;

use super::{Rules, known_keys, list, names, schema, text};

/// The most functions of a request: "Expected an array with maximum length 128".
const MOST_TOOLS: usize = 128;

/// The longest description on Azure, in characters. OpenAI itself lifted that limit in 2025.
const LONGEST_ON_AZURE: usize = 1024;

/// What must not stand at a schema's root, by the API's own words.
const NOT_AT_ROOT: [&str; 5] = ["oneOf", "anyOf", "allOf", "enum", "not"];

/// Kinds of tools of the Responses form that are not functions; programs send them, and nothing here looks into them.
const HOSTED: [&str; 6] = ["custom", "tool_search", "web_search", "local_shell", "image_generation", "namespace"];

/// Checks the tools.
pub(super) fn check(rules: Rules, tools: &Value) -> Result<(), String> {
    let tools = list(tools, "tools")?;
    if rules != Rules::Chat && tools.len() > MOST_TOOLS {
        return Err(format!(
            "Invalid 'tools': array too long. Expected an array with maximum length {MOST_TOOLS}, but got an array with \
             length {} instead.",
            tools.len()
        ));
    }
    let mut seen = Vec::with_capacity(tools.len());
    for (at, tool) in tools.iter().enumerate() {
        let place = format!("tools[{at}]");
        let kind = text(tool, "type", &place)?;
        if rules == Rules::Responses && HOSTED.contains(&kind) {
            continue;
        }
        if kind != "function" {
            return Err(format!("{place}.type: unknown"));
        }
        let (function, place) = if rules == Rules::Responses {
            known_keys(tool, &["type", "name", "description", "parameters", "strict"], &place)?;
            (tool, place)
        } else {
            known_keys(tool, &["type", "function"], &place)?;
            let function =
                tool.get("function").ok_or_else(|| format!("Missing required parameter: '{place}.function'"))?;
            known_keys(function, &["name", "description", "parameters", "strict"], &place)?;
            (function, format!("{place}.function"))
        };
        check_function(rules, function, &place)?;
        seen.push(text(function, "name", &place)?);
    }
    names::check_unique(seen.into_iter())
}

fn check_function(rules: Rules, function: &Value, place: &str) -> Result<(), String> {
    let name = text(function, "name", place)?;
    names::check(name, 64, "_-").map_err(|why| format!("Invalid '{place}.name': {why}"))?;
    if let Some(description) = function.get("description") {
        let length = description.as_str().ok_or_else(|| format!("{place}.description: not a text"))?.chars().count();
        if rules == Rules::Azure && length > LONGEST_ON_AZURE {
            return Err(format!(
                "Invalid '{place}.description': string too long. Expected a string with maximum length \
                 {LONGEST_ON_AZURE}, but got a string with length {length} instead."
            ));
        }
    }
    let Some(parameters) = function.get("parameters") else { return Ok(()) };
    let invalid = |why: &str| format!("Invalid schema for function '{name}': {why}");
    if parameters.get("type").and_then(Value::as_str) != Some("object") {
        return Err(invalid("schema must be a JSON Schema of 'type: \"object\"'"));
    }
    if NOT_AT_ROOT.iter().any(|key| parameters.get(key).is_some()) {
        return Err(invalid(
            "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level.",
        ));
    }
    if parameters.get("properties").is_none() {
        return Err(invalid("object schema missing properties"));
    }
    schema::check(parameters, "()").map_err(|why| invalid(&why))?;
    arrays_have_items(parameters, "()").map_err(|why| invalid(&why))?;
    // The Responses form is strict unless it says otherwise; the Chat form is not.
    let strict = function.get("strict").and_then(Value::as_bool).unwrap_or(rules == Rules::Responses);
    if strict { check_strict(parameters, "()").map_err(|why| invalid(&why)) } else { Ok(()) }
}

/// Every array says what it holds: "array schema missing items".
fn arrays_have_items(schema: &Value, place: &str) -> Result<(), String> {
    match schema {
        Value::Object(fields) => {
            let is_array = fields.get("type").is_some_and(|kind| kind == "array");
            if is_array && !fields.contains_key("items") {
                return Err(format!("In context={place}, array schema missing items."));
            }
            for (key, value) in
                fields.iter().filter(|(key, _)| !matches!(key.as_str(), "enum" | "const" | "default" | "examples"))
            {
                arrays_have_items(value, &format!("{place}/{key}"))?;
            }
            Ok(())
        }
        Value::Array(list) => list.iter().try_for_each(|one| arrays_have_items(one, place)),
        _ => Ok(()),
    }
}

/// Strict mode: every object closed, every property required.
fn check_strict(schema: &Value, place: &str) -> Result<(), String> {
    let Some(fields) = schema.as_object() else { return Ok(()) };
    if let Some(properties) = fields.get("properties").and_then(Value::as_object) {
        if fields.get("additionalProperties") != Some(&Value::Bool(false)) {
            return Err(format!(
                "In context={place}, 'additionalProperties' is required to be supplied and to be false."
            ));
        }
        let required = fields.get("required").and_then(Value::as_array);
        for (name, property) in properties {
            if !required.is_some_and(|names| names.iter().any(|one| one == name)) {
                return Err(format!(
                    "In context={place}, 'required' is required to be supplied and to be an array including every key in properties. Missing '{name}'."
                ));
            }
            check_strict(property, &format!("{place}/{name}"))?;
        }
    }
    fields.get("items").map_or(Ok(()), |items| check_strict(items, &format!("{place}/items")))
}
