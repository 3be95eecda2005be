//! What every provider demands of a schema, checked over schemas that servers really send.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::adapt;
use crate::wire::WireForm;

const FORMS: [WireForm; 4] = [WireForm::Anthropic, WireForm::Responses, WireForm::Chat, WireForm::Gemini];

const ROOT_REFUSED: [&str; 10] = ["anyOf", "oneOf", "allOf", "not", "if", "then", "else", "enum", "const", "$ref"];

const GEMINI_KEYS: [&str; 21] = [
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
    "default",
    "items",
    "minimum",
    "maximum",
];

/// What any provider refuses.
fn problems(schema: &Value) -> Vec<String> {
    let mut found = Vec::new();
    if schema.get("type") != Some(&json!("object")) || !schema.get("properties").is_some_and(Value::is_object) {
        found.push("the root is no object with properties".to_owned());
    }
    found.extend(ROOT_REFUSED.iter().filter(|key| schema.get(**key).is_some()).map(|key| format!("root has {key}")));
    for reference in super::normalize::references(schema) {
        let pointer = reference.strip_prefix('#').unwrap_or("not local");
        if schema.pointer(pointer).is_none() {
            found.push(format!("{reference} leads nowhere"));
        }
    }
    let definitions = schema.get("$defs").and_then(Value::as_object).into_iter().flatten();
    for reference in definitions.flat_map(|(_, definition)| super::normalize::references(definition)) {
        if schema.pointer(reference.trim_start_matches('#')).is_none() {
            found.push(format!("{reference} leads nowhere"));
        }
    }
    found.extend(required_without_property(schema));
    found
}

fn required_without_property(schema: &Value) -> Vec<String> {
    let names = schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    names
        .filter(|name| schema.get("properties").is_none_or(|known| known.get(*name).is_none()))
        .map(|name| format!("required {name} has no property"))
        .collect()
}

/// What Gemini's `parameters` refuse.
fn gemini_problems(schema: &Value) -> Vec<String> {
    let Value::Object(fields) = schema else { return vec![format!("{schema} is no schema")] };
    let mut found: Vec<String> =
        fields.keys().filter(|key| !GEMINI_KEYS.contains(&key.as_str())).map(|key| format!("unknown {key}")).collect();
    let kind = fields.get("type").and_then(Value::as_str).unwrap_or_default();
    if fields.get("type").is_some_and(|kind| !kind.is_string()) {
        found.push("type is a list".to_owned());
    }
    if (kind == "array") != fields.contains_key("items") {
        found.push(format!("items with type {kind}"));
    }
    if fields.get("enum").is_some_and(|values| {
        kind != "string" || !values.as_array().is_some_and(|values| values.iter().all(Value::is_string))
    }) {
        found.push("an enum that is not of texts".to_owned());
    }
    if fields.contains_key("properties") && kind != "object" {
        found.push(format!("properties with type {kind}"));
    }
    found.extend(required_without_property(schema));
    let nested = fields.get("properties").and_then(Value::as_object).into_iter().flat_map(Map::values);
    let nested =
        nested.chain(fields.get("items")).chain(fields.get("anyOf").and_then(Value::as_array).into_iter().flatten());
    found.extend(nested.flat_map(gemini_problems));
    found
}

fn check(form: WireForm, schema: &Value) -> (Value, Vec<String>) {
    let (adapted, changes) = adapt(form, schema);
    let changes = changes.into_list();
    let mut found = problems(&adapted);
    if form == WireForm::Gemini {
        found.extend(gemini_problems(&adapted));
    }
    assert!(found.is_empty(), "{form:?} {schema}\n→ {adapted}\n{found:?}");
    (adapted, changes)
}

#[test]
fn fc12_every_form_gets_a_root_object_and_keeps_every_field() {
    let one = |key: &str| json!({"type": "object", "properties": {key: {"type": "string", "description": format!("the {key} to read")}}, "required": [key]});
    let rows = [
        (
            "plain",
            json!({"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}),
            vec!["id"],
            false,
        ),
        (
            "ref",
            json!({"type": "object", "properties": {"q": {"$ref": "#/$defs/Q"}}, "required": ["q"],
                "$defs": {"Q": {"type": "object", "properties": {"team": {"type": "string", "description": "the team's short name"}}}}}),
            vec!["team", "the team's short name"],
            false,
        ),
        (
            "recursion",
            json!({"type": "object", "properties": {"root": {"$ref": "#/$defs/node"}},
                "$defs": {"node": {"type": "object", "properties": {"title": {"type": "string"}, "children": {"type": "array", "items": {"$ref": "#/$defs/node"}}}}}}),
            vec!["children", "title"],
            false,
        ),
        (
            "root ref",
            json!({"$ref": "#/$defs/In", "$defs": {"In": {"type": "object", "properties": {"part": {"type": "string", "description": "part id"}}, "required": ["part"]}}}),
            vec!["part", "part id"],
            true,
        ),
        (
            "root anyOf",
            json!({"type": "object", "anyOf": [one("url"), one("file")]}),
            vec!["url", "file", "the url to read", "the file to read"],
            true,
        ),
        (
            "root allOf",
            json!({"type": "object", "allOf": [{"properties": {"mode": {"type": "string", "enum": ["a", "b"]}}},
                {"if": {"properties": {"mode": {"const": "a"}}}, "then": {"properties": {"depth": {"type": "integer"}}}}]}),
            vec!["mode", "depth"],
            true,
        ),
        (
            "remote",
            json!({"type": "object", "properties": {"s": {"$ref": "https://example.invalid/s.json"}, "kept": {"type": "string"}}}),
            vec!["kept", "\"s\""],
            true,
        ),
    ];
    for (name, schema, kept, changed) in rows {
        for form in FORMS {
            let (adapted, changes) = check(form, &schema);
            let text = adapted.to_string();
            for word in &kept {
                assert!(text.contains(word), "{name} {form:?} lost {word}: {text}");
            }
            assert!(!text.contains("example.invalid"), "{text}");
            assert!(form == WireForm::Gemini || changes.is_empty() != changed, "{name} {form:?}: {changes:?}");
        }
    }
}

#[test]
fn what_a_provider_takes_is_sent_as_it_was_declared() {
    let schema = json!({"type": "object", "description": "d", "properties": {
        "$ref": {"type": "string"}, "a": {"anyOf": [{"type": "string"}, {"type": "null"}]}, "b": {"$ref": "#/$defs/b"}},
        "required": ["$ref"], "additionalProperties": false, "$defs": {"b": {"enum": [1]}}});
    assert_eq!(check(WireForm::Anthropic, &schema), (schema, vec![]));
}

#[test]
fn what_all_branches_require_is_required() {
    let schema = json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a", "ghost"], "oneOf": [
        {"properties": {"b": {"type": "string"}, "c": {"type": "string"}}, "required": ["b", "c"]},
        {"properties": {"b": {"type": "integer"}}, "required": ["b"]}]});
    let (adapted, _) = check(WireForm::Anthropic, &schema);
    assert_eq!(
        adapted,
        json!({"type": "object", "properties": {"a": {"type": "string"},
            "b": {"anyOf": [{"type": "string"}, {"type": "integer"}]}, "c": {"type": "string"}}, "required": ["a", "b"]})
    );
}

#[test]
fn gemini_gets_its_own_subset() {
    let schema = json!({"type": "object", "properties": {
        "a": {"type": ["string", "null"], "format": "email", "description": "mail"},
        "b": {"const": 5}, "c": {"oneOf": [{"const": "x"}, {"const": "y"}]}, "d": {}, "e": true,
        "f": {"type": "array"}, "g": {"type": "object", "additionalProperties": {"type": "string"}},
        "h": {"type": "object", "properties": {"i": {"type": "string"}}, "anyOf": [{"required": ["i"]}, {"properties": {"j": {"type": "number"}}}]},
        "m": {"enum": ["", "x"]}, "k": {"allOf": [{"type": "string"}, {"minLength": 2}]}, "l": {"type": "integer", "exclusiveMinimum": 0, "enum": [1, 2]}}});
    let (adapted, changes) = check(WireForm::Gemini, &schema);
    let at = |pointer: &str| adapted.pointer(&format!("/properties/{pointer}")).cloned().unwrap_or_default();
    assert_eq!(at("a"), json!({"type": "string", "description": "mail (Format: email)", "nullable": true}));
    assert_eq!(at("b"), json!({"type": "integer", "description": "One of: 5"}));
    assert_eq!(at("c"), json!({"anyOf": [{"type": "string", "enum": ["x"]}, {"type": "string", "enum": ["y"]}]}));
    assert_eq!(at("g"), json!({"type": "object"}));
    assert_eq!(at("h/anyOf/0"), json!({"type": "object", "required": ["i"], "properties": {"i": {"type": "string"}}}));
    assert_eq!(at("m"), json!({"type": "string", "enum": ["x"]}));
    assert_eq!(at("k"), json!({"type": "string", "minLength": 2}));
    assert_eq!(
        changes,
        [
            "values that are not texts went into descriptions",
            "an empty text among listed values was left out",
            "allOf was merged",
            "exclusiveMinimum was left out"
        ]
    );
}

#[test]
fn schemas_that_have_no_end_are_cut() {
    let many: Map<String, Value> = (0..12)
        .map(|name| {
            let fields: Map<String, Value> =
                (0..12).map(|to| (format!("p{to}"), json!({"$ref": format!("#/$defs/d{to}")}))).collect();
            (format!("d{name}"), json!({"type": "object", "properties": fields}))
        })
        .collect();
    for schema in [
        json!({"$ref": "#"}),
        json!({"anyOf": [{"$ref": "#"}, {"$ref": "#"}, {"$ref": "#"}]}),
        json!({"allOf": [{"$ref": "#/allOf/0"}]}),
        json!({"properties": {"a": {"allOf": [{"$ref": "#/properties/a"}, {"$ref": "#/properties/a"}]}}}),
        json!({"properties": {"a": {"$ref": "#/$defs/d0"}}, "$defs": many}),
        json!({"properties": {"a": {"$ref": "#/definitions/b%20c"}}, "definitions": {"b c": {"type": "string"}}}),
        json!(null),
        json!([1]),
        json!({"type": "string", "properties": 5, "required": "x", "enum": []}),
        json!({"properties": {"a": {"type": "any", "required": true, "items": [{"type": "string"}], "exclusiveMinimum": true}}}),
    ] {
        for form in FORMS {
            assert!(check(form, &schema).0.to_string().len() < 2_000_000);
        }
    }
}

fn any_schema() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!(true)),
        Just(json!(null)),
        Just(json!("object")),
        Just(json!(["string", "null"])),
        Just(json!([])),
        Just(json!({})),
        Just(json!("#")),
        Just(json!("#/properties/a")),
        Just(json!("#/$defs/b")),
        Just(json!("https://example.invalid/")),
        Just(json!(-1.5)),
    ];
    let key = prop::sample::select(vec![
        "type",
        "properties",
        "required",
        "items",
        "anyOf",
        "oneOf",
        "allOf",
        "not",
        "if",
        "then",
        "$ref",
        "$defs",
        "enum",
        "const",
        "a",
        "b",
        "description",
        "prefixItems",
        "format",
        "additionalProperties",
        "dependentSchemas",
    ]);
    leaf.prop_recursive(5, 64, 6, move |inner| {
        prop_oneof![
            prop::collection::vec((key.clone(), inner.clone()), 0..6).prop_map(|fields| {
                Value::Object(fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
            }),
            prop::collection::vec(inner, 0..4).prop_map(Value::Array),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_json_becomes_a_schema_that_providers_take(schema in any_schema()) {
        for form in FORMS {
            check(form, &schema);
        }
    }
}
