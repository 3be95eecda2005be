//! What is offered to each provider, under that provider's own rules: real servers' tools, and tools as no server should
//! list them.

use std::collections::BTreeSet;
use std::sync::Arc;

use mst_llm::{declared_tools, most_tools};
use mst_mcp::{ListedTool, ToolSurface};
use mst_model::{Provider, ServerLabel, ToolMetadata};
use mst_testkit::provider::{Rules, check_tools};
use serde_json::{Map, Value, json};

use super::super::offer::Offer;
use super::super::skills::SkillTools;

fn rules(provider: Provider) -> Option<Rules> {
    match provider {
        Provider::Anthropic | Provider::VertexAnthropic => Some(Rules::Anthropic),
        Provider::OpenAi => Some(Rules::Responses),
        Provider::Azure => Some(Rules::Azure),
        Provider::Google => Some(Rules::Google),
        Provider::Offline => None,
        _ => Some(Rules::Chat),
    }
}

/// Offers some tools to every provider; returns what is refused.
fn refused(tools: &[Value]) -> Vec<String> {
    let mut names = BTreeSet::new();
    let listed = tools.iter().filter_map(|tool| ListedTool::new(tool.as_object()?.clone()));
    let tools: Vec<ListedTool> = listed.filter(|tool| names.insert(tool.name().to_owned())).collect();
    let label = ServerLabel::from("under_test");
    let surface = Arc::new(ToolSurface { tools, ..ToolSurface::default() });
    let offer = Offer::new(&[(&label, &surface)], &ToolMetadata::default(), &SkillTools::default())
        .expect("tools can be offered");
    let mut refused = Vec::new();
    for provider in Provider::ALL {
        let Some(rules) = rules(provider) else { continue };
        // More than a provider takes is refused by the client itself.
        for part in offer.tools().chunks(most_tools(provider).unwrap_or(usize::MAX)) {
            if let Err(why) = check_tools(rules, &declared_tools(provider, part)) {
                refused.push(format!("{provider}: {why}"));
            }
        }
    }
    refused
}

#[test]
#[ignore = "needs the shared folder"]
#[expect(clippy::disallowed_methods, reason = "the one setting of a test that needs others' files")]
fn no_provider_refuses_the_tools_of_a_real_server() {
    let shared = std::env::var("MST_SHARED").expect("MST_SHARED names the folder with surfaces/");
    let mut problems = Vec::new();
    let mut files = 0;
    for entry in fs_err::read_dir(std::path::Path::new(&shared).join("surfaces")).expect("the folder with surfaces") {
        let path = entry.expect("an entry").path();
        let text = fs_err::read_to_string(&path).expect("a readable file");
        let Ok(Value::Object(surface)) = serde_json::from_str(&text) else { continue };
        let Some(tools) = surface.get("tools").and_then(Value::as_array).filter(|tools| !tools.is_empty()) else {
            continue;
        };
        files += 1;
        problems.extend(refused(tools).into_iter().map(|why| format!("{}: {why}", path.display())));
    }
    assert!(files > 50, "{files} surfaces");
    assert!(problems.is_empty(), "{} refused:\n{}", problems.len(), problems.join("\n"));
}

fn tool(name: &str, schema: &Value) -> Value {
    json!({ "name": name, "description": "", "inputSchema": schema })
}

#[test]
fn no_provider_refuses_tools_as_no_server_should_list_them() {
    let properties = |properties: Value| json!({ "type": "object", "properties": properties });
    let long = "n".repeat(200);
    let deep = (0..40).fold(json!({ "type": "string" }), |inner, _| properties(json!({ "in": inner })));
    let wide: Map<String, Value> =
        (0..500).map(|at| (format!("p{at}"), json!({ "enum": [at, null, "x", ""] }))).collect();
    let odd: Vec<(&str, Value)> = vec![
        ("no schema", Value::Null),
        ("a list", json!([])),
        ("only a dialect", json!({ "$schema": "http://json-schema.org/draft-07/schema#" })),
        ("a string", json!({ "type": "string" })),
        ("two types", json!({ "type": ["object", "null"] })),
        (
            "root anyOf",
            json!({ "anyOf": [{ "required": ["a"] }, { "required": ["b"] }], "properties": { "a": {}, "b": {} } }),
        ),
        ("root enum", json!({ "type": "object", "enum": [{}] })),
        ("root not", json!({ "type": "object", "not": { "required": ["a"] } })),
        ("dangling", properties(json!({ "a": { "$ref": "#/$defs/Nowhere" }, "b": { "$ref": "other.json" } }))),
        (
            "recursive",
            json!({ "$ref": "#/definitions/N", "definitions": { "N": { "type": "object", "properties": {
            "next": { "$ref": "#/definitions/N" }, "all": { "type": "array", "items": { "$ref": "#" } } } } } }),
        ),
        (
            "draft 4",
            properties(json!({ "n": { "type": "integer", "minimum": 0, "exclusiveMinimum": true, "id": "#n" },
            "list": { "type": "array", "items": [{ "type": "string" }, { "type": "number" }], "additionalItems": false } })),
        ),
        (
            "draft 3",
            json!({ "type": "object", "properties": { "a": { "type": "any", "required": true }, "b": { "type": "string", "divisibleBy": 2, "extends": {} } } }),
        ),
        (
            "wrong values",
            json!({ "type": "object", "required": "a", "properties": { "a": { "type": 3, "enum": "x", "minimum": "1",
            "description": 7, "pattern": 1, "format": [] }, "b": null, "c": [], "d": "string" } }),
        ),
        (
            "required twice",
            json!({ "type": "object", "required": ["a", "a", "ghost"], "properties": { "a": { "type": "string" } } }),
        ),
        (
            "arrays",
            properties(
                json!({ "a": { "type": "array" }, "b": { "type": ["array", "null"] }, "c": { "items": { "type": "array" } },
            "d": { "type": "array", "prefixItems": [{ "type": "number" }], "items": false } }),
            ),
        ),
        (
            "odd names",
            properties(
                json!({ "a b": {}, "filter[id]": {}, "filter(id)": {}, "$where": {}, "é": {}, "": {}, (long.as_str()): {} }),
            ),
        ),
        (
            "odd enums",
            properties(json!({ "a": { "enum": [1, "1", null, true, [], {}] }, "b": { "type": "string", "enum": [""] },
            "c": { "const": 5 }, "d": { "type": "integer", "enum": [1, 2] }, "e": { "enum": [] } })),
        ),
        (
            "formats",
            properties(
                json!({ "a": { "type": "string", "format": "uuid" }, "b": { "type": "integer", "format": "uint8" },
            "c": { "type": "number", "format": "int32" } }),
            ),
        ),
        (
            "nested empties",
            properties(json!({ "a": { "type": "object" }, "b": { "type": "object", "properties": {} },
            "c": { "type": "object", "additionalProperties": { "type": "string" } }, "d": {}, "e": true, "f": false })),
        ),
        (
            "conditions",
            json!({ "type": "object", "properties": { "a": { "type": "string" } }, "if": { "properties": { "a": { "const": "x" } } },
            "then": { "required": ["b"] }, "else": { "properties": { "b": {} } }, "dependentRequired": { "a": ["b"] },
            "patternProperties": { "^x": {} }, "propertyNames": { "pattern": "^[a-z]+$" }, "unevaluatedProperties": false }),
        ),
        ("deep", deep),
        ("wide", json!({ "type": "object", "properties": wide })),
    ];
    let mut problems = Vec::new();
    for (name, schema) in &odd {
        problems.extend(refused(&[tool("t", schema)]).into_iter().map(|why| format!("{name}: {why}")));
    }
    let names = [
        "",
        " ",
        "1st",
        "-x",
        "a.b",
        "a__b",
        "a/b",
        "检索",
        "search\u{200b}",
        "a b",
        "a:b",
        &long,
        "_",
        "search",
        "Search",
    ];
    let named: Vec<Value> = names.iter().map(|name| tool(name, &json!({ "type": "object" }))).collect();
    problems.extend(refused(&named));
    let mut described = tool("long", &json!({ "type": "object" }));
    described["description"] = json!("é".repeat(5_000));
    problems.extend(refused(&[described, json!({ "name": "bare" })]));
    assert!(problems.is_empty(), "{} refused:\n{}", problems.len(), problems.join("\n"));
}
