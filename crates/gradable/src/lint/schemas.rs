//! Schemas: what is missing in them, what contradicts, and where their references lead.

use mst_mcp::ListedTool;
use serde_json::{Map, Value};

use super::findings::Findings;
use super::references::{References, Target};
use super::rule::Rule;
use super::walk::{Role, Spot, walk};
use crate::parameters::{Parameter, parameters};

/// The types of JSON Schema.
const TYPES: [&str; 7] = ["null", "boolean", "object", "array", "number", "string", "integer"];
/// Keywords that say what a value may be without a type.
const INSTEAD_OF_TYPE: [&str; 13] = [
    "type",
    "enum",
    "const",
    "$ref",
    "$dynamicRef",
    "anyOf",
    "oneOf",
    "allOf",
    "not",
    "if",
    "properties",
    "items",
    "prefixItems",
];
/// Pairs of keywords of which the first must not exceed the second.
const RANGES: [(&str, &str); 5] = [
    ("minimum", "maximum"),
    ("exclusiveMinimum", "exclusiveMaximum"),
    ("minLength", "maxLength"),
    ("minItems", "maxItems"),
    ("minProperties", "maxProperties"),
];
/// Keywords at the root of an input schema that providers refuse.
const COMBINATORS: [&str; 5] = ["anyOf", "oneOf", "allOf", "not", "if"];

/// Looks at a tool's schemas.
pub(super) fn tool(tool: &ListedTool, found: &mut Findings) {
    match tool.input_schema() {
        Some(schema @ Value::Object(root)) => {
            input_root(root, schema, found);
            inside(schema, "/inputSchema", found);
        }
        Some(_) => found.add(Rule::NoInputSchema, "/inputSchema", "the input schema is not an object"),
        None => found.add(Rule::NoInputSchema, "/inputSchema", "there is no input schema"),
    }
    if let Some(schema) = tool.output_schema() {
        if describes_nothing(schema) {
            let message = "the output schema names nothing that the tool returns";
            found.add(Rule::DescribesNothing, "/outputSchema", message);
        }
        inside(schema, "/outputSchema", found);
    }
}

fn input_root(root: &Map<String, Value>, schema: &Value, found: &mut Findings) {
    if root.get("type") != Some(&Value::String("object".to_owned())) {
        let message = match root.get("type") {
            Some(kind) => format!("the root has the type {kind}; MCP wants \"object\""),
            None => "the root has no type; MCP wants \"object\"".to_owned(),
        };
        found.add(Rule::RootNotObject, "/inputSchema", message);
    }
    let combinators: Vec<&str> = COMBINATORS.into_iter().filter(|key| root.contains_key(*key)).collect();
    if !combinators.is_empty() {
        let message = format!("{} at the root, which some providers refuse", combinators.join(" and "));
        found.add(Rule::RootCombinator, "/inputSchema", message);
    }
    let closed = root.contains_key("properties") || root.get("additionalProperties") == Some(&Value::Bool(false));
    if !closed && parameters(Some(schema)).is_empty() {
        let message = "the input schema names no parameter and takes everything; a tool without parameters says \
                       \"additionalProperties\": false";
        found.add(Rule::DescribesNothing, "/inputSchema", message);
    }
}

/// Tells whether an output schema says nothing about what comes back.
fn describes_nothing(schema: &Value) -> bool {
    let Value::Object(root) = schema else { return true };
    let told = ["items", "prefixItems", "enum", "const", "$ref", "patternProperties"];
    let values =
        root.get("additionalProperties").is_some_and(|rest| rest.as_object().is_some_and(|rest| !rest.is_empty()));
    let plain = root.get("type").and_then(Value::as_str).is_some_and(|kind| kind != "object" && kind != "array");
    let named = parameters(Some(schema));
    !values && !plain && !told.iter().any(|key| root.contains_key(*key)) && (named.is_empty() || is_wrapper(&named))
}

/// Tells whether the only thing named is the wrapper that frameworks put around an answer, with nothing said of the answer.
fn is_wrapper(named: &[Parameter<'_>]) -> bool {
    let [only] = named else { return false };
    let saying =
        ["description", "enum", "const", "items", "properties", "anyOf", "oneOf", "format", "pattern", "examples"];
    only.name == "result" && !saying.iter().any(|key| only.keyword(key).is_some())
}

/// Looks at a schema and at every schema in it.
fn inside(schema: &Value, pointer: &str, found: &mut Findings) {
    let references = References::of(schema);
    let is_input = pointer == "/inputSchema";
    walk(schema, pointer, &mut |spot| {
        if let (true, Role::Property(name)) = (is_input, spot.role) {
            typeless(name, spot, found);
        }
        let Value::Object(object) = spot.schema else { return };
        if is_input {
            itemless(object, spot, found);
        }
        kinds(object, spot, found);
        values(object, spot, found);
        ranges(object, spot, found);
        required(object, spot, found);
        old_keywords(object, spot, found);
        reference(object, &references, spot, found);
    });
}

fn typeless(name: &str, spot: Spot<'_, '_>, found: &mut Findings) {
    let says = |object: &Map<String, Value>| INSTEAD_OF_TYPE.iter().any(|key| object.contains_key(*key));
    if *spot.schema != Value::Bool(false) && !spot.schema.as_object().is_some_and(says) {
        found.add(Rule::MissingType, spot.pointer, format!("{name:?} has no type"));
    }
}

fn itemless(object: &Map<String, Value>, spot: Spot<'_, '_>, found: &mut Findings) {
    let is_list = object.get("type") == Some(&Value::String("array".to_owned()));
    if is_list && !object.contains_key("items") && !object.contains_key("prefixItems") {
        found.add(Rule::MissingItems, spot.pointer, "a list that does not say what its items are");
    }
}

/// Returns the types that a schema names.
fn named_types(object: &Map<String, Value>) -> Vec<&str> {
    match object.get("type") {
        Some(Value::String(kind)) => vec![kind],
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

fn kinds(object: &Map<String, Value>, spot: Spot<'_, '_>, found: &mut Findings) {
    let named = named_types(object);
    if let Some(kind) = named.iter().find(|kind| !TYPES.contains(kind)) {
        found.add(Rule::Contradiction, spot.pointer, format!("{kind:?} is not a type of JSON Schema"));
    } else if object.contains_key("type") && named.is_empty() {
        found.add(Rule::Contradiction, spot.pointer, "the type is not a name, nor a list of names");
    }
    for (key, of) in [("properties", "object"), ("items", "array")] {
        let Some(first) = named.first().filter(|_| object.contains_key(key) && !named.contains(&of)) else { continue };
        found.add(
            Rule::Contradiction,
            spot.pointer,
            format!("{key:?} says something of an {of}, the type is {first:?}"),
        );
    }
}

/// Tells whether a value is of a type.
fn is_of(value: &Value, kind: &str) -> bool {
    match kind {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "object" => value.is_object(),
        "array" => value.is_array(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|number| number.fract() == 0.0),
        _ => true,
    }
}

fn values(object: &Map<String, Value>, spot: Spot<'_, '_>, found: &mut Findings) {
    let named = named_types(object);
    let fits = |value: &Value| named.is_empty() || named.iter().any(|kind| is_of(value, kind));
    let kind = || named.join(" or ");
    let choices = object.get("enum").and_then(Value::as_array);
    if choices.is_some_and(Vec::is_empty) {
        found.add(Rule::Contradiction, spot.pointer, "\"enum\" lists nothing, so no value is right");
    }
    if let Some(value) = choices.into_iter().flatten().find(|value| !fits(value)) {
        found.add(
            Rule::Contradiction,
            spot.pointer,
            format!("\"enum\" lists {}, the type is {}", short(value), kind()),
        );
    }
    for key in ["const", "default"] {
        if let Some(value) = object.get(key).filter(|value| !fits(value)) {
            // A default of `null` says "none" in many generators, whatever the type.
            if !(key == "default" && value.is_null()) {
                found.add(
                    Rule::Contradiction,
                    spot.pointer,
                    format!("{key:?} is {}, the type is {}", short(value), kind()),
                );
            }
        }
    }
    let outside = |default: &&Value| !default.is_null() && choices.is_some_and(|choices| !choices.contains(default));
    if let Some(default) = object.get("default").filter(outside).filter(|value| fits(value)) {
        found.add(Rule::Contradiction, spot.pointer, format!("the default {} is not in \"enum\"", short(default)));
    }
}

fn short(value: &Value) -> String {
    let text = value.to_string();
    let mut short: String = text.chars().take(40).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    mst_cli::printable(&short)
}

fn ranges(object: &Map<String, Value>, spot: Spot<'_, '_>, found: &mut Findings) {
    for (low, high) in RANGES {
        let bound = |key: &str| object.get(key).and_then(Value::as_f64);
        if let (Some(least), Some(most)) = (bound(low), bound(high))
            && least > most
        {
            found.add(
                Rule::Contradiction,
                spot.pointer,
                format!("{low:?} is {least} and {high:?} {most}, so no value is right"),
            );
        }
    }
}

fn required(object: &Map<String, Value>, spot: Spot<'_, '_>, found: &mut Findings) {
    let Some(Value::Array(required)) = object.get("required") else { return };
    // Another keyword may declare it, and a part of a schema speaks of what the whole declares.
    let elsewhere = COMBINATORS.iter().chain(&["$ref", "patternProperties"]).any(|key| object.contains_key(*key));
    let Some(Value::Object(properties)) = object.get("properties") else { return };
    if elsewhere || spot.role == Role::Part && properties.is_empty() {
        return;
    }
    for name in required.iter().filter_map(Value::as_str).filter(|name| !properties.contains_key(*name)) {
        found.add(Rule::UndeclaredRequired, spot.pointer, format!("{name:?} is required and not declared"));
    }
}

fn old_keywords(object: &Map<String, Value>, spot: Spot<'_, '_>, found: &mut Findings) {
    let old = ["exclusiveMinimum", "exclusiveMaximum", "required"];
    for key in old.into_iter().filter(|key| object.get(*key).is_some_and(Value::is_boolean)) {
        let message = format!("{key:?} is true or false, as old drafts have it");
        found.add(Rule::OldKeyword, spot.pointer, message);
    }
}

fn reference(object: &Map<String, Value>, references: &References<'_>, spot: Spot<'_, '_>, found: &mut Findings) {
    let Some(reference) = object.get("$ref").and_then(Value::as_str) else { return };
    match references.target(reference) {
        Target::Inside => {}
        Target::Nowhere => {
            found.add(Rule::UnresolvedReference, spot.pointer, format!("{reference:?} leads to nothing in the schema"));
        }
        Target::Elsewhere => {
            let message = format!("{reference:?} leads out of the schema; clients fetch nothing");
            found.add(Rule::RemoteReference, spot.pointer, message);
        }
    }
}
