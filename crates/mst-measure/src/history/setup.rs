//! A variant's setup as recorded, in the parts that an era is told by.

use std::collections::BTreeMap;

use mst_model::{HistorySetup, RunRecord, VariantRecord, content_hash};
use serde_json::{Map, Value, json};

/// What a hashed option's value begins with.
const HASHED: &str = "hmac:";

/// Returns the parts of a variant's setup. `trials` is how many its cases ask for, each number once.
pub(super) fn setup(record: &RunRecord, variant: &VariantRecord, trials: Vec<u32>) -> HistorySetup {
    let mut hashed = BTreeMap::new();
    let options = variant.client_options.as_ref().map(|options| plain_options(options, &mut hashed));
    let level = format!("variant:{}", variant.name);
    let mut own: Vec<String> =
        record.judges.iter().filter(|judge| judge.level == level).map(|judge| judge.identity.clone()).collect();
    own.sort();
    HistorySetup {
        options: options.map(|options| content_hash(&options)),
        option_key: record.option_key.clone().filter(|_| !hashed.is_empty()),
        hashed_options: hashed,
        tools: variant.tools.as_ref().map(content_hash),
        input_template: variant.input_template.as_ref().map(content_hash),
        judges: variant.judges.clone(),
        own_judges: own,
        write_modes: variant.write_modes.clone(),
        trials,
    }
}

/// Returns the hash of everything that a variant's setup is told by.
pub(super) fn setup_hash(variant: &VariantRecord, setup: &HistorySetup) -> String {
    content_hash(&json!({
        "client": variant.client,
        "model": variant.model,
        "servers": variant.servers,
        "options": setup.options,
        "hashedOptions": setup.hashed_options,
        "optionKey": setup.option_key,
        "tools": setup.tools,
        "inputTemplate": setup.input_template,
        "judges": setup.judges,
        "ownJudges": setup.own_judges,
        "writeModes": setup.write_modes,
        "offline": variant.offline,
    }))
}

/// Returns client options with each hashed value replaced by its mark, and notes those values by their pointers.
fn plain_options(options: &Map<String, Value>, hashed: &mut BTreeMap<String, String>) -> Value {
    let mut plain = Value::Object(options.clone());
    take_hashed(&mut plain, String::new(), hashed);
    plain
}

fn take_hashed(value: &mut Value, pointer: String, hashed: &mut BTreeMap<String, String>) {
    match value {
        Value::String(text) if text.starts_with(HASHED) => {
            hashed.insert(pointer, std::mem::replace(text, HASHED.to_owned()));
        }
        Value::Array(items) => {
            for (at, item) in items.iter_mut().enumerate() {
                take_hashed(item, format!("{pointer}/{at}"), hashed);
            }
        }
        Value::Object(fields) => {
            for (key, item) in fields {
                take_hashed(item, format!("{pointer}/{key}"), hashed);
            }
        }
        _ => {}
    }
}
