//! The JSON Schemas of a scan's report and of the record of a failed scan.
//!
//! They are stricter than the types: an optional key is left out and never `null`, and a whole report names the judge of
//! every stage, which a failed scan may not have reached.

use mst_model::{FailedScan, ScanReport};
use serde_json::{Value, json};

use crate::schema::stored;

/// Returns the schema of `gradable.report/v1`.
pub(crate) fn report() -> Value {
    let mut schema = stored::<ScanReport>();
    drop_optional_nulls(&mut schema);
    if let Some(Value::Array(required)) = schema.pointer_mut("/$defs/JudgeBlock/required") {
        required.push(json!("stages"));
    }
    schema["$defs"]["StageJudges"]["required"] = json!(["tasks", "defects", "confusability", "selection"]);
    schema
}

/// Returns the schema of `gradable.failed/v1`.
pub(crate) fn failed() -> Value {
    let mut schema = stored::<FailedScan>();
    drop_optional_nulls(&mut schema);
    schema
}

/// Takes `null` out of every key that may be left out.
fn drop_optional_nulls(schema: &mut Value) {
    let Value::Object(object) = schema else {
        if let Value::Array(items) = schema {
            items.iter_mut().for_each(drop_optional_nulls);
        }
        return;
    };
    let required = object.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    if let Some(Value::Object(properties)) = object.get_mut("properties") {
        let optional = properties.iter_mut().filter(|(name, _)| !required.contains(&json!(name)));
        optional.for_each(|(_, property)| drop_null(property));
    }
    object.values_mut().for_each(drop_optional_nulls);
}

fn drop_null(property: &mut Value) {
    let Value::Object(property) = property else { return };
    if let Some(Value::Array(types)) = property.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = types.as_slice() {
            property["type"] = only.clone();
        }
    }
    if let Some(Value::Array(branches)) = property.get_mut("anyOf") {
        branches.retain(|branch| *branch != json!({ "type": "null" }));
        if let [Value::Object(only)] = branches.as_slice() {
            let only = only.clone();
            property.shift_remove("anyOf");
            property.extend(only);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    #[test]
    fn only_keys_that_have_to_be_there_may_be_null() {
        let report = super::report();
        let chosen = &report["$defs"]["TaskResult"];
        assert_eq!(chosen["properties"]["chosenTool"]["type"], json!(["string", "null"]));
        assert!(chosen["required"].as_array().is_some_and(|keys| keys.contains(&json!("chosenTool"))));
        let economics = &report["$defs"]["Economics"]["properties"];
        assert_eq!(economics["avgResponseTokens"]["type"], "number");
        assert_eq!(economics["responseSource"]["$ref"], "#/$defs/ResponseSource");
    }

    #[test]
    fn every_object_refuses_keys_that_it_does_not_know() {
        for schema in [super::report(), super::failed()] {
            let definitions = schema["$defs"].as_object().into_iter().flatten();
            for (name, definition) in definitions.chain([(&"root".to_owned(), &schema)]) {
                if definition["type"] == "object" {
                    assert_eq!(definition["additionalProperties"], Value::Bool(false), "{name}");
                }
            }
        }
    }
}
