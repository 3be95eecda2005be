//! JSON Schema as such: draft 2020-12's meta-schema, and references that lead somewhere.

use serde_json::Value;

/// Checks a schema.
pub(super) fn check(schema: &Value, place: &str) -> Result<(), String> {
    if let Err(error) = jsonschema::draft202012::meta::validate(schema) {
        return Err(format!("{place}: JSON schema is invalid. It must match JSON Schema draft 2020-12: {error}"));
    }
    walk(schema, schema, place)
}

/// Follows every reference. Draft 4's words are no schema words of 2020-12, but a reader that knows them trips over them.
fn walk(schema: &Value, root: &Value, place: &str) -> Result<(), String> {
    match schema {
        Value::Object(fields) => {
            if let Some(reference) = fields.get("$ref").and_then(Value::as_str) {
                let target = reference.strip_prefix('#').and_then(|pointer| root.pointer(pointer));
                if target.is_none() {
                    return Err(format!("{place}: can't resolve reference {reference}"));
                }
            }
            for (key, value) in
                fields.iter().filter(|(key, _)| !matches!(key.as_str(), "enum" | "const" | "default" | "examples"))
            {
                walk(value, root, &format!("{place}.{key}"))?;
            }
            Ok(())
        }
        Value::Array(list) => list.iter().try_for_each(|one| walk(one, root, place)),
        _ => Ok(()),
    }
}
