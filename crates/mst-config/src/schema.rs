//! The JSON Schemas of the documents, made from their types: what editors use and what the readers here check.

use std::collections::BTreeSet;

use mst_model::{
    Dataset, History, LatestRecord, Manifest, PreferenceRecord, Results, RunRecord, ScoreRecord, Summary, TrialRecord,
};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Value, json};

use crate::draft::EvalDraft;
use crate::key;
use crate::scan_schema;

/// Where the published schemas are.
const BASE: &str = "https://unpkg.com/@gleanwork/mcp-server-tester@2/schema/";

/// A published schema.
#[derive(Clone, Debug, PartialEq)]
pub struct PublishedSchema {
    /// Its path below `schema/`.
    pub path: &'static str,
    /// The schema.
    pub schema: Value,
}

/// Returns every published schema, in the order of their paths.
pub fn published_schemas() -> Vec<PublishedSchema> {
    let publish = |path: &'static str, mut schema: Value| {
        if let Value::Object(root) = &mut schema {
            root.shift_insert(1, "$id".to_owned(), Value::from(format!("{BASE}{path}")));
        }
        PublishedSchema { path, schema }
    };
    vec![
        publish("eval-config.schema.json", eval_config()),
        publish("eval-dataset.schema.json", eval_dataset()),
        publish("gradable.failed.v1.json", scan_schema::failed()),
        publish("gradable.report.v1.json", scan_schema::report()),
        publish("history/v1/history.schema.json", stored::<History>()),
        publish("run/v1/latest.schema.json", stored::<LatestRecord>()),
        publish("run/v1/manifest.schema.json", stored::<Manifest>()),
        publish("run/v1/preference.schema.json", stored::<PreferenceRecord>()),
        publish("run/v1/results.schema.json", stored::<Results>()),
        publish("run/v1/run.schema.json", stored::<RunRecord>()),
        publish("run/v1/score.schema.json", stored::<ScoreRecord>()),
        publish("run/v1/summary.schema.json", stored::<Summary>()),
        publish("run/v1/trial.schema.json", stored::<TrialRecord>()),
    ]
}

/// Returns the schema of an eval config.
pub(crate) fn eval_config() -> Value {
    written::<EvalDraft>()
}

/// Returns the schema of a dataset.
pub(crate) fn eval_dataset() -> Value {
    written::<Dataset>()
}

/// The schema of a document that `mst` writes: as the types say.
pub(crate) fn stored<T: JsonSchema>() -> Value {
    SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<T>().to_value()
}

/// The schema of a document that people write: stricter than the types, because `null` is no way to leave a key out,
/// and without the keys that this version does not have.
fn written<T: JsonSchema>() -> Value {
    let mut schema = SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<T>().to_value();
    drop_nulls(&mut schema);
    bound_integers(&mut schema);
    let root = schema["title"].as_str().unwrap_or_default().to_owned();
    narrow(&root, &mut schema);
    if let Some(Value::Object(defs)) = schema.get_mut("$defs") {
        for (name, definition) in defs {
            narrow(name, definition);
        }
    }
    drop_unused(&mut schema);
    schema
}

/// Gives every whole number the bound of its type, or of what JavaScript keeps exactly.
fn bound_integers(schema: &mut Value) {
    match schema {
        Value::Array(items) => items.iter_mut().for_each(bound_integers),
        Value::Object(object) => {
            let bound = match object.get("format").and_then(Value::as_str) {
                Some("uint32") => Some(u64::from(u32::MAX)),
                Some("uint64") => Some((1 << 53) - 1),
                _ => None,
            };
            if let Some(bound) = bound {
                object.entry("maximum").or_insert_with(|| bound.into());
            }
            object.values_mut().for_each(bound_integers);
        }
        _ => {}
    }
}

/// Takes `null` out of every type, union and default.
fn drop_nulls(schema: &mut Value) {
    match schema {
        Value::Array(items) => items.iter_mut().for_each(drop_nulls),
        Value::Object(object) => {
            if object.get("default") == Some(&Value::Null) {
                object.shift_remove("default");
            }
            if let Some(Value::Array(types)) = object.get_mut("type") {
                types.retain(|name| name != "null");
                if let [only] = types.as_slice() {
                    object["type"] = only.clone();
                }
            }
            let null = json!({ "type": "null" });
            if let Some(Value::Array(branches)) = object.get_mut("anyOf")
                && branches.contains(&null)
            {
                branches.retain(|branch| *branch != null);
                if let [Value::Object(only)] = branches.as_slice() {
                    let only = only.clone();
                    object.shift_remove("anyOf");
                    object.extend(only);
                }
            }
            object.values_mut().for_each(drop_nulls);
        }
        _ => {}
    }
}

/// Takes out of a definition what this version does not have, and says what stands elsewhere.
fn narrow(name: &str, definition: &mut Value) {
    if let Some(Value::Object(properties)) = definition.get_mut("properties") {
        properties.retain(|property, _| !key::is_unavailable(name, property));
        if let Some(options) = properties.get_mut("clientOptions") {
            options["properties"] = never(&["type", "client", "model"]);
        }
        if let Some(expected) = properties.get_mut("expected") {
            expected["properties"] = never(&["writes"]);
        }
        if let Some(servers) = properties.get_mut("servers").filter(|servers| servers["type"] == "object") {
            servers["propertyNames"] = json!({ "minLength": 1 });
        }
    }
    match name {
        "ToolCallCount" => {
            definition["not"] =
                json!({ "anyOf": [{ "required": ["exact", "min"] }, { "required": ["exact", "max"] }] });
        }
        "JudgeObject" => definition["properties"]["judge"] = json!(false),
        "PairwiseJudgeObject" => {
            for never in ["judge", "jury"] {
                definition["properties"][never] = json!(false);
            }
        }
        "CaseId" | "ServerLabel" | "VariantName" => definition["minLength"] = json!(1),
        _ => {}
    }
    for union in ["oneOf", "anyOf"] {
        if let Some(Value::Array(branches)) = definition.get_mut(union) {
            for branch in branches {
                if let Some(name) = tagged_name(branch) {
                    narrow(name, branch);
                } else if branch.get("oneOf").is_some() {
                    narrow("", branch);
                }
            }
        }
    }
}

/// Returns the name of a definition that stands inline because it is one of several, told apart by a key.
pub(crate) fn tagged_name(schema: &Value) -> Option<&'static str> {
    let tag = |key: &str| schema.get("properties")?.get(key)?.get("const")?.as_str();
    match (tag("transport"), tag("type")) {
        (Some("stdio"), _) => Some("StdioServer"),
        (Some("http"), _) => Some("HttpServer"),
        (_, Some("file")) => Some("FileSource"),
        (_, Some("dir")) => Some("DirSource"),
        _ => None,
    }
}

/// Makes properties that must not be there.
fn never(names: &[&str]) -> Value {
    Value::Object(names.iter().map(|name| ((*name).to_owned(), Value::Bool(false))).collect())
}

/// Drops the definitions that nothing refers to any more.
fn drop_unused(schema: &mut Value) {
    loop {
        let mut used = BTreeSet::new();
        collect_references(schema, &mut used);
        let Some(Value::Object(defs)) = schema.get_mut("$defs") else { return };
        let before = defs.len();
        defs.retain(|name, _| used.contains(name));
        if defs.len() == before {
            return;
        }
    }
}

fn collect_references(schema: &Value, used: &mut BTreeSet<String>) {
    match schema {
        Value::Array(items) => items.iter().for_each(|item| collect_references(item, used)),
        Value::Object(object) => {
            if let Some(name) = object.get("$ref").and_then(definition_name) {
                used.insert(name.to_owned());
            }
            object.values().for_each(|value| collect_references(value, used));
        }
        _ => {}
    }
}

/// Returns the definition that a `$ref` names.
pub(crate) fn definition_name(reference: &Value) -> Option<&str> {
    reference.as_str()?.strip_prefix("#/$defs/")
}
