//! Arguments for a tool, from what a request names, else whatever its schema allows.

use serde_json::{Map, Value, json};

use super::clues::Clues;

/// How deep a filler follows nested objects that are required.
const DEEPEST: usize = 8;

/// How many values fillers make for one call. A schema of a few kilobytes can ask for millions.
const MOST_VALUES: usize = 2_000;

/// Names of parameters that take the request itself.
const FREE_TEXT: [&str; 8] = ["query", "q", "search", "question", "prompt", "input", "text", "message"];

/// Fills the arguments of a tool: required ones always, optional ones only where the request names them.
///
/// `schema` is in normal form: an object with `properties`, references only into its `$defs`.
pub(super) fn arguments(schema: &Value, request: &str) -> Map<String, Value> {
    let mut clues = Clues::of(request);
    let defs = schema.get("$defs").unwrap_or(&Value::Null);
    let no_properties = Map::new();
    let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&no_properties);
    let required: Vec<&str> =
        schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    let is_required = |name: &str| required.contains(&name);
    let mut found: Map<String, Value> = Map::new();
    let mut left = MOST_VALUES;
    // Values given by name first, whoever wants them; then required parameters take what is left, then optional ones.
    for (name, declared) in properties {
        if let Some(value) = by_name(name, &kind_of(declared, defs), &mut clues) {
            found.insert(name.clone(), value);
        }
    }
    for wanted in [true, false] {
        for (name, declared) in properties.iter().filter(|(name, _)| is_required(name) == wanted) {
            if found.contains_key(name) {
                continue;
            }
            let declared = kind_of(declared, defs);
            if let Some(value) = by_kind(name, &declared, &mut clues, wanted) {
                found.insert(name.clone(), value);
            } else if wanted {
                found.insert(name.clone(), filler(&declared, defs, 0, &mut left));
            }
        }
    }
    properties.keys().filter_map(|name| Some((name.clone(), found.remove(name)?))).collect()
}

/// A property's schema with its reference followed, its first alternative taken and its type made one word.
fn kind_of(schema: &Value, defs: &Value) -> Map<String, Value> {
    let mut fields = schema.as_object().cloned().unwrap_or_default();
    for _ in 0..DEEPEST {
        let target = fields
            .get("$ref")
            .and_then(Value::as_str)
            .and_then(|reference| defs.get(reference.strip_prefix("#/$defs/")?))
            .or_else(|| {
                let branches = ["anyOf", "oneOf", "allOf"].iter().find_map(|key| fields.get(*key)?.as_array())?;
                branches.iter().find(|branch| branch.get("type").is_none_or(|kind| kind != "null"))
            })
            .and_then(Value::as_object)
            .cloned();
        let Some(target) = target else { break };
        for key in ["$ref", "anyOf", "oneOf", "allOf"] {
            fields.shift_remove(key);
        }
        for (key, value) in target {
            fields.entry(key).or_insert(value);
        }
    }
    if let Some(Value::Array(kinds)) = fields.get("type") {
        let kind = kinds.iter().find(|kind| *kind != "null").cloned().unwrap_or_default();
        fields.insert("type".to_owned(), kind);
    }
    fields
}

fn word<'a>(fields: &'a Map<String, Value>, key: &str) -> &'a str {
    fields.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn choices(fields: &Map<String, Value>) -> impl Iterator<Item = &Value> {
    fields.get("enum").and_then(Value::as_array).into_iter().flatten()
}

/// A value that the request gives by the parameter's name, or one of its listed values that the request names.
fn by_name(name: &str, fields: &Map<String, Value>, clues: &mut Clues<'_>) -> Option<Value> {
    if let Some(value) = clues.named(name).and_then(|text| typed(&text, fields)) {
        return Some(value);
    }
    choices(fields).find(|choice| choice.as_str().is_some_and(|text| clues.has(text))).cloned()
}

/// A value of the right kind that no other parameter has taken.
fn by_kind(name: &str, fields: &Map<String, Value>, clues: &mut Clues<'_>, is_required: bool) -> Option<Value> {
    if choices(fields).next().is_some() || fields.contains_key("const") {
        return None;
    }
    match word(fields, "type") {
        "integer" | "number" => {
            if !is_required && !clues.has(name) {
                return None;
            }
            let text = clues.next_number(|text| typed(text, fields).is_some())?;
            typed(&text, fields)
        }
        "array" => {
            let quoted = if word_of_items(fields) == "string" { clues.all_quoted() } else { Vec::new() };
            (!quoted.is_empty()).then(|| json!(quoted))
        }
        "string" | "" => string(name, fields, clues, is_required),
        _ => None,
    }
}

fn word_of_items(fields: &Map<String, Value>) -> &str {
    fields.get("items").and_then(|items| items.get("type")).and_then(Value::as_str).unwrap_or("string")
}

fn string(name: &str, fields: &Map<String, Value>, clues: &mut Clues<'_>, is_required: bool) -> Option<Value> {
    let fits = |text: &str| typed(text, fields).is_some();
    let is_about = |marks: &[&str]| marks.iter().any(|mark| word(fields, "format") == *mark || clues_name(name, mark));
    let found = if is_about(&["uri", "url", "link"]) {
        clues.next_id(|id| id.contains("://") && fits(id))
    } else if is_about(&["email", "mail"]) {
        clues.next_id(|id| id.contains('@') && fits(id))
    } else {
        None
    };
    let found = found.or_else(|| clues.next_quoted()).or_else(|| clues.next_id(fits)).filter(|text| fits(text));
    let found = found.or_else(|| {
        let takes_request = is_required && FREE_TEXT.contains(&name.to_lowercase().as_str());
        takes_request.then(|| clues.text().to_owned()).filter(|text| fits(text))
    });
    found.map(Value::String)
}

fn clues_name(name: &str, mark: &str) -> bool {
    super::words::words(name).iter().any(|word| word == mark)
}

/// Reads a text as a value of the declared kind; `None` when it is none or out of bounds.
fn typed(text: &str, fields: &Map<String, Value>) -> Option<Value> {
    if let Some(choice) = choices(fields).find(|choice| plain(choice).eq_ignore_ascii_case(text)) {
        return Some(choice.clone());
    }
    if choices(fields).next().is_some() {
        return None;
    }
    let bound = |key: &str| fields.get(key).and_then(Value::as_f64);
    match word(fields, "type") {
        kind @ ("integer" | "number") => {
            let value: Value = if kind == "integer" {
                json!(text.parse::<i64>().ok()?)
            } else {
                json!(text.parse::<f64>().ok().filter(|number| number.is_finite())?)
            };
            let number = value.as_f64()?;
            let is_inside = bound("minimum").is_none_or(|least| number >= least)
                && bound("maximum").is_none_or(|most| number <= most);
            is_inside.then_some(value)
        }
        "boolean" => match text.to_ascii_lowercase().as_str() {
            "true" | "yes" | "on" => Some(json!(true)),
            "false" | "no" | "off" => Some(json!(false)),
            _ => None,
        },
        "array" => (word_of_items(fields) == "string").then(|| json!([text])),
        "object" | "null" => None,
        _ => {
            let length = text.chars().count() as f64;
            let is_inside = bound("minLength").is_none_or(|least| length >= least)
                && bound("maxLength").is_none_or(|most| length <= most);
            is_inside.then(|| json!(text))
        }
    }
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// A value that the schema allows and the request does not name.
fn filler(fields: &Map<String, Value>, defs: &Value, depth: usize, left: &mut usize) -> Value {
    *left = left.saturating_sub(1);
    let examples = fields.get("examples").and_then(Value::as_array);
    let given = ["const", "default"]
        .iter()
        .find_map(|key| fields.get(*key))
        .or_else(|| choices(fields).next())
        .or_else(|| fields.get("example"))
        .or_else(|| examples.and_then(|examples| examples.first()));
    if let Some(value) = given {
        return value.clone();
    }
    let bound = |key: &str| fields.get(key).and_then(Value::as_f64);
    match word(fields, "type") {
        "integer" => json!(least(fields).ceil() as i64),
        "number" => json!(least(fields)),
        "boolean" => json!(false),
        "null" => Value::Null,
        "array" => {
            let item = kind_of(fields.get("items").unwrap_or(&Value::Null), defs);
            let count = if depth < DEEPEST && *left > 0 {
                bound("minItems").unwrap_or(0.0).clamp(0.0, 16.0) as usize
            } else {
                0
            };
            (0..count).map(|_| filler(&item, defs, depth + 1, left)).collect()
        }
        "object" if depth < DEEPEST && *left > 0 => {
            let properties = fields.get("properties").and_then(Value::as_object);
            let required = fields.get("required").and_then(Value::as_array).into_iter().flatten();
            let filled = required.filter_map(Value::as_str).filter_map(|name| {
                let declared = kind_of(properties?.get(name)?, defs);
                if *left == 0 {
                    return None;
                }
                Some((name.to_owned(), filler(&declared, defs, depth + 1, left)))
            });
            Value::Object(filled.collect())
        }
        "object" => json!({}),
        _ => json!(text_filler(word(fields, "format"), bound("minLength"), bound("maxLength"))),
    }
}

/// The smallest number that the bounds allow; 0 when there are none.
fn least(fields: &Map<String, Value>) -> f64 {
    let bound = |key: &str| fields.get(key).and_then(Value::as_f64);
    let above = bound("exclusiveMinimum").map(|bound| bound.floor() + 1.0);
    let below = bound("maximum").or_else(|| bound("exclusiveMaximum").map(|bound| bound.ceil() - 1.0));
    bound("minimum").or(above).unwrap_or_else(|| below.map_or(0.0, |most| most.min(0.0)))
}

fn text_filler(format: &str, shortest: Option<f64>, longest: Option<f64>) -> String {
    let text = match format {
        "date" => "2025-01-01",
        "time" => "00:00:00Z",
        "date-time" => "2025-01-01T00:00:00Z",
        "email" => "user@example.com",
        "uri" | "url" => "https://example.com/",
        "uuid" => "00000000-0000-0000-0000-000000000000",
        _ => {
            let longest = longest.unwrap_or(f64::MAX).clamp(0.0, 4096.0) as usize;
            let length = (shortest.unwrap_or(0.0).clamp(0.0, 4096.0) as usize).max(4).min(longest);
            return "text".chars().cycle().take(length).collect();
        }
    };
    text.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_schema_that_asks_for_millions_of_values_gets_some() {
        let mut defs = Map::new();
        for level in 0..8 {
            let names: Vec<String> = (0..10).map(|at| format!("p{at}")).collect();
            let next = json!({ "$ref": format!("#/$defs/l{}", level + 1) });
            let properties: Map<String, Value> = names.iter().map(|name| (name.clone(), next.clone())).collect();
            defs.insert(format!("l{level}"), json!({ "type": "object", "properties": properties, "required": names }));
        }
        let schema = json!({ "properties": { "x": { "$ref": "#/$defs/l0" } }, "required": ["x"], "$defs": defs });
        let made = serde_json::to_string(&arguments(&schema, "do it")).expect("JSON").len();
        assert!((100..200_000).contains(&made), "{made}");
    }

    #[test]
    fn arguments_come_from_the_request_and_else_from_the_schema() {
        let rows = [
            (
                json!({"properties": {"id": {"type": "string"}}, "required": ["id"]}),
                "Which bin is part p-1 in?",
                json!({"id": "p-1"}),
            ),
            (
                json!({"properties": {"title": {"type": "string"}, "count": {"type": "integer"}, "note": {"type": "string"}}, "required": ["title", "count"]}),
                "Make 3 of \"blue box\"",
                json!({"title": "blue box", "count": 3}),
            ),
            (
                json!({"properties": {"unit": {"enum": ["celsius", "fahrenheit"]}, "city": {"type": "string"}}, "required": ["city"]}),
                "weather, city=Paris, in Fahrenheit",
                json!({"unit": "fahrenheit", "city": "Paris"}),
            ),
            (
                json!({"properties": {"limit": {"type": "integer", "minimum": 1, "maximum": 5}, "page": {"type": "integer"}}, "required": ["limit"]}),
                "limit 50 page 7",
                json!({"limit": 1, "page": 50}),
            ),
            (
                json!({"properties": {"query": {"type": "string"}}, "required": ["query"]}),
                "all red things",
                json!({"query": "all red things"}),
            ),
            (
                json!({"properties": {"a": {"type": "string", "minLength": 6}, "b": {"type": "number", "exclusiveMinimum": 2}, "c": {"type": "boolean"},
                    "d": {"const": 9}, "e": {"type": ["null", "string"], "default": "x"}, "f": {"type": "array", "minItems": 2, "items": {"type": "integer"}},
                    "g": {"$ref": "#/$defs/g"}, "h": {"type": "string", "format": "date"}, "i": {"enum": [2, 3]}, "j": {"type": "string", "examples": ["ex"]}},
                    "required": ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"],
                    "$defs": {"g": {"type": "object", "properties": {"k": {"type": "string"}, "l": {}}, "required": ["k"]}}}),
                "go",
                json!({"a": "textte", "b": 3.0, "c": false, "d": 9, "e": "x", "f": [0, 0], "g": {"k": "text"}, "h": "2025-01-01", "i": 2, "j": "ex"}),
            ),
            (
                json!({"properties": {"url": {"type": "string"}, "to": {"type": "string"}}, "required": ["to", "url"]}),
                "send a-1 to https://x.y/z?b=1 please",
                json!({"url": "https://x.y/z?b=1", "to": "a-1"}),
            ),
            (json!({"properties": {"on": {"type": "boolean"}}}), "on: yes", json!({"on": true})),
            (
                json!({"properties": {"tags": {"type": "array", "items": {"type": "string"}}}}),
                "'a' and 'b'",
                json!({"tags": ["a", "b"]}),
            ),
            (json!({}), "p-1", json!({})),
        ];
        for (schema, request, want) in rows {
            assert_eq!(Value::Object(arguments(&schema, request)), want, "{request}");
        }
    }

    #[test]
    fn schemas_without_an_end_are_filled_anyway() {
        let schema = json!({"properties": {"n": {"$ref": "#/$defs/n"}}, "required": ["n"],
            "$defs": {"n": {"type": "object", "properties": {"n": {"$ref": "#/$defs/n"}}, "required": ["n"]}}});
        assert!(arguments(&schema, "go").contains_key("n"));
        let loops = json!({"properties": {"n": {"$ref": "#/$defs/n"}}, "required": ["n"], "$defs": {"n": {"$ref": "#/$defs/n"}}});
        assert_eq!(Value::Object(arguments(&loops, "go")), json!({"n": "text"}));
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn no_request_breaks_the_filling(request in "[a-zA-Z0-9 '\"`“”=:,.?@/#İß\\-\u{1F600}]{0,60}") {
            let schema = json!({"properties": {
                "a": {"type": "string"}, "i": {"type": "integer"}, "n": {"type": "number", "minimum": 2}, "b": {"type": "boolean"},
                "l": {"type": "array", "items": {"type": "string"}}, "e": {"enum": ["a b", 1]}, "u": {"type": "string", "format": "uri"}},
                "required": ["a", "i", "n", "b", "l", "e"]});
            let filled = arguments(&schema, &request);
            prop_assert_eq!(&filled, &arguments(&schema, &request));
            prop_assert!(filled["a"].is_string() && filled["i"].is_i64() && filled["n"].as_f64() >= Some(2.0));
            prop_assert!(filled["b"].is_boolean() && filled["l"].is_array());
            prop_assert!(filled["e"] == "a b" || filled["e"] == 1);
        }
    }
}
