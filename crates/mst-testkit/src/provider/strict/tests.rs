//! The rules themselves: what is refused, and by whom.

use serde_json::{Value, json};

use super::{Rules, check_tools};

const ALL: [Rules; 5] = [Rules::Anthropic, Rules::Responses, Rules::Chat, Rules::Azure, Rules::Google];

/// Declares a function in a form's own words.
fn declared(rules: Rules, name: &str, description: &str, schema: &Value) -> Value {
    match rules {
        Rules::Anthropic => json!({ "name": name, "description": description, "input_schema": schema }),
        Rules::Responses => {
            json!({ "type": "function", "name": name, "description": description, "parameters": schema, "strict": false })
        }
        Rules::Chat | Rules::Azure => {
            json!({ "type": "function", "function": { "name": name, "description": description, "parameters": schema } })
        }
        Rules::Google => {
            json!({ "functionDeclarations": [{ "name": name, "description": description, "parameters": schema }] })
        }
    }
}

/// Returns which rules refuse a function.
fn refusing(name: &str, description: &str, schema: &Value) -> Vec<Rules> {
    let refuses = |rules: &Rules| check_tools(*rules, &json!([declared(*rules, name, description, schema)])).is_err();
    ALL.into_iter().filter(refuses).collect()
}

#[test]
fn each_provider_refuses_what_it_says_it_refuses() {
    use Rules::{Anthropic, Azure, Chat, Google, Responses};
    let plain = json!({ "type": "object", "properties": { "a": { "type": "string" } } });
    let with = |property: Value| json!({ "type": "object", "properties": { "a": property } });
    assert_eq!(refusing("look_up-1", "d", &plain), []);
    for (name, want) in [
        ("a.b", vec![Anthropic, Responses, Chat, Azure]),
        ("1st", vec![Google]),
        ("a b", ALL.to_vec()),
        ("", ALL.to_vec()),
        (&"n".repeat(65), vec![Responses, Chat, Azure, Google]),
        (&"n".repeat(129), ALL.to_vec()),
    ] {
        assert_eq!(refusing(name, "d", &plain), want, "{name:?}");
    }
    assert_eq!(refusing("t", &"d".repeat(1025), &plain), [Azure]);
    for (schema, want) in [
        (json!({ "properties": { "a": { "type": "string" } } }), ALL.to_vec()),
        (
            json!({ "type": "object", "properties": { "a": { "type": "string" } }, "anyOf": [{ "type": "object" }] }),
            vec![Anthropic, Responses, Chat, Azure],
        ),
        (json!({ "type": "object", "properties": {} }), vec![Google]),
        (json!({ "type": "object" }), vec![Responses, Chat, Azure]),
        (json!({ "type": "object", "properties": { "a<": { "type": "string" } } }), vec![Anthropic]),
        (json!({ "type": "object", "properties": { "a": { "type": "string" } }, "required": ["b"] }), vec![Google]),
        (with(json!({ "type": "array" })), vec![Responses, Chat, Azure, Google]),
        (with(json!({ "type": "integer", "exclusiveMinimum": true })), ALL.to_vec()),
        (with(json!({ "$ref": "#/$defs/x" })), ALL.to_vec()),
        (with(json!({ "type": "any" })), ALL.to_vec()),
        (with(json!({ "type": "integer", "enum": [1] })), vec![Google]),
        (with(json!({ "type": "string", "format": "uuid" })), vec![Google]),
        (with(json!({ "type": "object", "additionalProperties": false })), vec![Google]),
        (with(json!({})), vec![Google]),
    ] {
        assert_eq!(refusing("t", "d", &schema), want, "{schema}");
    }
}

#[test]
fn lists_of_tools_have_limits_and_names_that_differ() {
    let schema = json!({ "type": "object", "properties": { "a": { "type": "string" } } });
    for (rules, most) in [
        (Rules::Responses, Some(128)),
        (Rules::Azure, Some(128)),
        (Rules::Google, Some(512)),
        (Rules::Anthropic, None),
        (Rules::Chat, None),
    ] {
        let tools =
            |count: usize| -> Value { (0..count).map(|at| declared(rules, &format!("t{at}"), "d", &schema)).collect() };
        assert_eq!(check_tools(rules, &tools(most.unwrap_or(2_000))), Ok(()), "{rules:?}");
        if let Some(most) = most {
            assert!(check_tools(rules, &tools(most + 1)).is_err(), "{rules:?}");
        }
        let twice = json!([declared(rules, "t", "d", &schema), declared(rules, "t", "d", &schema)]);
        assert!(check_tools(rules, &twice).is_err(), "{rules:?}");
    }
    let strict = json!([{ "type": "function", "name": "t", "parameters": schema }]);
    let why = check_tools(Rules::Responses, &strict).expect_err("the form is strict by itself");
    assert!(why.contains("additionalProperties"), "{why}");
}
