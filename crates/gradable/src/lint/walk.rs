//! The walk through a schema: each schema inside it, and what it stands for there.

use serde_json::Value;

use super::findings::deeper;

/// Keywords that hold one schema.
const ONE: [&str; 10] = [
    "additionalProperties",
    "contains",
    "propertyNames",
    "not",
    "if",
    "then",
    "else",
    "additionalItems",
    "unevaluatedItems",
    "unevaluatedProperties",
];
/// Keywords that hold a list of schemas.
const LISTS: [&str; 4] = ["allOf", "anyOf", "oneOf", "prefixItems"];
/// Keywords that hold schemas by name.
const NAMED: [&str; 5] = ["patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"];

/// What a schema stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role<'a> {
    /// The whole.
    Root,
    /// A property.
    Property(&'a str),
    /// Anything else.
    Part,
}

/// A schema inside a schema.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spot<'a, 'p> {
    pub(super) schema: &'a Value,
    /// The JSON Pointer of the schema.
    pub(super) pointer: &'p str,
    pub(super) role: Role<'a>,
}

/// Visits a schema and every schema inside it. What is data there (`enum`, `default`, `examples`) is none.
pub(super) fn walk<'a>(schema: &'a Value, pointer: &str, visit: &mut dyn FnMut(Spot<'a, '_>)) {
    step(schema, pointer, Role::Root, visit);
}

fn step<'a>(schema: &'a Value, pointer: &str, role: Role<'a>, visit: &mut dyn FnMut(Spot<'a, '_>)) {
    if !schema.is_object() && !schema.is_boolean() {
        return;
    }
    visit(Spot { schema, pointer, role });
    let Value::Object(object) = schema else { return };
    for (key, value) in object {
        let inner = || deeper(pointer, key);
        match (key.as_str(), value) {
            ("properties", Value::Object(properties)) => {
                let inner = inner();
                for (name, property) in properties {
                    step(property, &deeper(&inner, name), Role::Property(name), visit);
                }
            }
            ("items", Value::Array(_)) => list(value, &inner(), visit),
            ("items", _) => step(value, &inner(), Role::Part, visit),
            (key, Value::Array(_)) if LISTS.contains(&key) => list(value, &inner(), visit),
            (key, Value::Object(named)) if NAMED.contains(&key) => {
                let inner = inner();
                for (name, part) in named {
                    step(part, &deeper(&inner, name), Role::Part, visit);
                }
            }
            // `additionalProperties: false` and the like say yes or no and describe nothing more.
            (key, Value::Object(_)) if ONE.contains(&key) => step(value, &inner(), Role::Part, visit),
            _ => {}
        }
    }
}

fn list<'a>(schemas: &'a Value, pointer: &str, visit: &mut dyn FnMut(Spot<'a, '_>)) {
    for (at, schema) in schemas.as_array().into_iter().flatten().enumerate() {
        step(schema, &format!("{pointer}/{at}"), Role::Part, visit);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::walk;

    #[test]
    fn data_is_not_taken_for_schemas() {
        let schema = json!({
            "properties": { "enum": { "enum": [{ "type": 1 }], "default": { "properties": { "x": {} } } }, "a/b": true },
            "$defs": { "n": { "items": [{}, false], "not": {} } },
            "additionalProperties": false,
            "dependencies": { "a": ["b"] },
        });
        let mut seen = Vec::new();
        walk(&schema, "/s", &mut |spot| seen.push(spot.pointer.to_owned()));
        let right = [
            "/s",
            "/s/properties/enum",
            "/s/properties/a~1b",
            "/s/$defs/n",
            "/s/$defs/n/items/0",
            "/s/$defs/n/items/1",
            "/s/$defs/n/not",
        ];
        assert_eq!(seen, right);
    }
}
