//! The parameters that an input schema names.

use serde_json::Value;

/// How many references and branches are followed from the root of a schema.
const BUDGET: usize = 200;
/// How deep they are followed.
const DEEPEST: usize = 8;

/// A parameter as its schema declares it.
#[derive(Clone, Debug)]
pub(crate) struct Parameter<'a> {
    /// Its name.
    pub(crate) name: &'a str,
    /// What it takes: its schema, and the schemas that this refers to or offers, in that order.
    pub(crate) schemas: Vec<&'a Value>,
    /// Whether the tool, or one of the ways to call it, needs it.
    pub(crate) required: bool,
}

impl<'a> Parameter<'a> {
    /// Returns the first value of a keyword in its schemas.
    pub(crate) fn keyword(&self, key: &str) -> Option<&'a Value> {
        self.schemas.iter().find_map(|schema| schema.get(key))
    }

    /// Returns its type, by the first schema that says one which is not `null`.
    pub(crate) fn kind(&self) -> &'a str {
        let named = self.schemas.iter().filter_map(|schema| match schema.get("type") {
            Some(Value::String(kind)) => Some(kind.as_str()),
            Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).find(|kind| *kind != "null"),
            _ => None,
        });
        named.into_iter().find(|kind| *kind != "null").unwrap_or_default()
    }

    /// Returns the values that it takes, where they are listed.
    pub(crate) fn choices(&self) -> &'a [Value] {
        self.keyword("enum").and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }
}

/// Returns the parameters of a schema: those of its root and of what the root refers to, joins or offers.
pub(crate) fn parameters(schema: Option<&Value>) -> Vec<Parameter<'_>> {
    let Some(document) = schema else { return Vec::new() };
    let mut budget = BUDGET;
    let roots = reached(document, document, &mut budget);
    let required: Vec<&str> =
        roots.iter().filter_map(|root| root.get("required")?.as_array()).flatten().filter_map(Value::as_str).collect();
    let mut found: Vec<Parameter<'_>> = Vec::new();
    for (name, property) in roots.iter().filter_map(|root| root.get("properties")?.as_object()).flatten() {
        let schemas = reached(property, document, &mut budget);
        match found.iter_mut().find(|known| known.name == name) {
            Some(known) => known.schemas.extend(schemas),
            None => found.push(Parameter { name, schemas, required: required.contains(&name.as_str()) }),
        }
    }
    found
}

/// Returns a schema with those that it refers to, joins or offers.
fn reached<'a>(schema: &'a Value, document: &'a Value, budget: &mut usize) -> Vec<&'a Value> {
    let mut all = Vec::new();
    reach(schema, document, 0, budget, &mut all);
    all
}

fn reach<'a>(schema: &'a Value, document: &'a Value, depth: usize, budget: &mut usize, all: &mut Vec<&'a Value>) {
    if depth > DEEPEST || *budget == 0 || all.iter().any(|known| std::ptr::eq(*known, schema)) {
        return;
    }
    *budget -= 1;
    all.push(schema);
    let reference = schema.get("$ref").and_then(Value::as_str).and_then(|reference| reference.strip_prefix('#'));
    if let Some(target) = reference.and_then(|pointer| document.pointer(pointer)) {
        reach(target, document, depth + 1, budget, all);
    }
    for branch in ["allOf", "anyOf", "oneOf"].iter().filter_map(|key| schema.get(key)?.as_array()).flatten() {
        reach(branch, document, depth + 1, budget, all);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn names(schema: &Value) -> Vec<String> {
        let mark = |one: &Parameter<'_>| format!("{}{}", one.name, if one.required { "!" } else { "" });
        parameters(Some(schema)).iter().map(mark).collect()
    }

    #[test]
    fn fc12_parameters_are_found_where_they_are_declared() {
        let node = json!({ "properties": { "child": { "$ref": "#/$defs/n" } }, "required": ["child"] });
        for (schema, want) in [
            (json!({ "properties": { "a": {}, "b": {} }, "required": ["b"] }), vec!["a", "b!"]),
            (json!({ "$ref": "#/$defs/n", "$defs": { "n": node } }), vec!["child!"]),
            (
                json!({ "anyOf": [{ "properties": { "u": {} }, "required": ["u"] }, { "properties": { "f": {} } }] }),
                vec!["u!", "f"],
            ),
            (json!({ "allOf": [{ "$ref": "#" }, { "properties": { "m": {} } }] }), vec!["m"]),
            (json!(true), vec![]),
            (json!({ "properties": [], "required": 7 }), vec![]),
        ] {
            assert_eq!(names(&schema), want, "{schema}");
        }
    }

    #[test]
    fn what_a_parameter_takes_is_read_through_references() {
        let schema = json!({
            "properties": { "mode": { "anyOf": [{ "type": "null" }, { "$ref": "#/$defs/m" }] } },
            "$defs": { "m": { "type": "string", "enum": ["a", "b"] } },
        });
        let found = parameters(Some(&schema));
        assert_eq!((found[0].kind(), found[0].choices().len()), ("string", 2));
    }
}
