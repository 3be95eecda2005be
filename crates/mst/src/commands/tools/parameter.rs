//! A tool's parameters in a few words each.

use serde_json::Value;

use crate::commands::one_line::one_line;

/// The most values of an enumeration that are shown.
const MOST_VALUES: usize = 6;

/// One parameter of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Parameter<'a> {
    pub(crate) name: &'a str,
    pub(crate) kind: String,
    pub(crate) required: bool,
    pub(crate) description: Option<&'a str>,
}

/// Returns the parameters that an input schema names at its root.
pub(crate) fn parameters(schema: Option<&Value>) -> Vec<Parameter<'_>> {
    let properties = schema.and_then(|schema| schema.get("properties")).and_then(Value::as_object);
    let required = schema.and_then(|schema| schema.get("required")).and_then(Value::as_array);
    properties
        .into_iter()
        .flatten()
        .map(|(name, property)| Parameter {
            name,
            kind: kind(property),
            required: required.is_some_and(|names| names.iter().any(|one| one.as_str() == Some(name))),
            description: property.get("description").and_then(Value::as_str),
        })
        .collect()
}

/// Returns what a value must be, in a few words.
fn kind(schema: &Value) -> String {
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        let more = if values.len() > MOST_VALUES { " | …" } else { "" };
        let shown: Vec<String> =
            values.iter().take(MOST_VALUES).map(|value| one_line(&value.to_string(), 40)).collect();
        return format!("{}{more}", shown.join(" | "));
    }
    if let Some(value) = schema.get("const") {
        return one_line(&value.to_string(), 40);
    }
    match schema.get("type") {
        Some(Value::String(name)) if name == "array" => match schema.get("items") {
            Some(items @ Value::Object(_)) => format!("list of {}", kind(items)),
            _ => "list".to_owned(),
        },
        Some(Value::String(name)) => one_line(name, 40),
        Some(Value::Array(names)) => {
            names.iter().filter_map(Value::as_str).map(|name| one_line(name, 20)).collect::<Vec<_>>().join(" | ")
        }
        _ => "any".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn parameters_are_named_with_what_they_take() {
        let schema = json!({
            "properties": {
                "id": { "type": "string", "description": "The id." },
                "unit": { "enum": ["c", "f"] },
                "tags": { "type": "array", "items": { "type": ["string", "null"] } },
                "free": true,
            },
            "required": ["id", "unit"],
        });
        let found: Vec<String> = parameters(Some(&schema))
            .iter()
            .map(|one| format!("{} {} {} {:?}", one.name, one.kind, one.required, one.description))
            .collect();
        assert_eq!(
            found,
            [
                "id string true Some(\"The id.\")",
                "unit \"c\" | \"f\" true None",
                "tags list of string | null false None",
                "free any false None",
            ]
        );
    }

    #[test]
    fn a_schema_that_is_none_has_no_parameters() {
        let schemas =
            [json!(true), json!([]), json!({ "properties": [] }), json!({ "properties": { "a": 1 }, "required": 7 })];
        for schema in schemas {
            assert!(parameters(Some(&schema)).iter().all(|one| one.kind == "any" && !one.required), "{schema}");
        }
        assert_eq!(parameters(None), []);
    }
}
