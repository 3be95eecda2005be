//! What differs between the variants' setups.

use mst_model::VariantRecord;
use serde_json::{Map, Value};

use super::clip::Clip;
use super::comparison::Standing;
use crate::text::Shown;

/// One thing that differs: what it is, and each variant's value (`None`: it has none).
pub(super) struct Difference {
    pub(super) what: Shown,
    pub(super) values: Vec<Option<Setting>>,
}

/// A value as shown.
pub(super) struct Setting {
    pub(super) text: String,
    /// Whether it takes more than a line.
    pub(super) is_long: bool,
}

/// Returns what differs, in the order client, model, servers, options, tools, template, judges, write modes.
pub(super) fn differences(standings: &[Standing<'_>]) -> Vec<Difference> {
    let setups: Vec<Map<String, Value>> =
        standings.iter().map(|standing| standing.record.map(setup).unwrap_or_default()).collect();
    let mut keys: Vec<&String> = Vec::new();
    for setup in &setups {
        for key in setup.keys() {
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
    }
    keys.sort_by_key(|key| rank(key));
    keys.into_iter()
        .filter(|key| setups.iter().any(|setup| setup.get(*key) != setups[0].get(*key)))
        .map(|key| Difference {
            what: Shown::line(key),
            values: setups.iter().map(|setup| setup.get(key).map(shown)).collect(),
        })
        .collect()
}

const KINDS: [&str; 8] =
    ["client", "model", "servers", "clientOptions", "tools", "inputTemplate", "judges", "writeModes"];

fn rank(key: &str) -> usize {
    KINDS.iter().position(|kind| key.split('.').next() == Some(kind)).unwrap_or(KINDS.len())
}

/// Returns a setup as one value a thing that can differ.
fn setup(record: &VariantRecord) -> Map<String, Value> {
    let mut setup = Map::new();
    let mut put = |key: &str, value: Option<Value>| {
        if let Some(value) = value.filter(|value| !value.is_null()) {
            setup.insert(key.to_owned(), value);
        }
    };
    put("client", record.client.clone().map(Value::from));
    put("model", record.model.clone().map(Value::from));
    for server in record.servers.iter().flatten() {
        let reached = server.command.clone().or_else(|| server.url.clone()).unwrap_or_else(|| server.transport.clone());
        put(&format!("servers.{}", server.label), Some(reached.into()));
    }
    for (key, value) in record.client_options.iter().flatten() {
        put(&format!("clientOptions.{key}"), Some(value.clone()));
    }
    if let Some(Ok(Value::Object(tools))) = record.tools.as_ref().map(serde_json::to_value) {
        for (name, metadata) in tools {
            match metadata {
                Value::Object(fields) => {
                    for (field, value) in fields {
                        put(&format!("tools.{name}.{field}"), Some(value));
                    }
                }
                other => put(&format!("tools.{name}"), Some(other)),
            }
        }
    }
    put("inputTemplate", record.input_template.clone().map(Value::from));
    put("judges", record.judges.as_ref().map(|judges| judges.join(", ").into()));
    for (label, mode) in record.write_modes.iter().flatten() {
        put(&format!("writeModes.{label}"), serde_json::to_value(mode).ok());
    }
    setup
}

fn shown(value: &Value) -> Setting {
    let clip = value.as_str().map_or_else(|| Clip::of_json(value), Clip::of);
    let text = clip.to_string();
    Setting { is_long: text.contains('\n') || text.chars().count() > 60, text }
}
