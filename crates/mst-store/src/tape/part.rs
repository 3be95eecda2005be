//! Long values that many exchanges repeat: a tool list, the messages of a conversation so far. Each is written once.

use mst_model::{content_hash, sha256_hex};
use serde_json::{Map, Value};

/// The key of a reference, alone in its object.
const REFERENCE: &str = "$part";
/// From how many bytes of JSON on a value is written apart.
const SHORTEST: usize = 400;

/// Replaces the long values of a request by references, and hands each to `keep`.
///
/// Only the value of `tools` and each of `messages` can be one. A value there that looks like a reference itself is
/// written apart too, so that what stands on the tape is never mistaken.
pub(super) fn fold(value: &mut Value, mut keep: impl FnMut(&str, Value)) {
    for value in places(value) {
        let text = value.to_string();
        if text.len() >= SHORTEST || reference(value).is_some() {
            let hash = content_hash(value);
            keep(&hash, std::mem::take(value));
            *value = Value::Object(Map::from_iter([(REFERENCE.to_owned(), Value::String(hash))]));
        }
    }
}

/// Puts the values back that references stand for; an error names the first that is not to be had.
pub(super) fn unfold(value: &mut Value, mut find: impl FnMut(&str) -> Option<Value>) -> Result<(), String> {
    for value in places(value) {
        if let Some(hash) = reference(value) {
            let found = find(hash).ok_or_else(|| format!("it refers to a part that is not there ({hash})"))?;
            *value = found;
        }
    }
    Ok(())
}

/// Returns the values that may be written apart.
fn places(value: &mut Value) -> impl Iterator<Item = &mut Value> {
    let object = value.as_object_mut().into_iter().flat_map(|object| object.iter_mut());
    object.flat_map(|(key, value)| match (key.as_str(), value) {
        ("tools", value) => vec![value],
        ("messages", Value::Array(items)) => items.iter_mut().collect(),
        _ => Vec::new(),
    })
}

fn reference(value: &Value) -> Option<&str> {
    let object = value.as_object()?;
    object.get(REFERENCE).filter(|_| object.len() == 1)?.as_str()
}

/// Returns the first 128 bits of a hash that is written in hex digits, for an index; another text gives those of its own
/// hash.
pub(super) fn short(hash: &str) -> u128 {
    let digits = |hash: &str| u128::from_str_radix(hash.get(..32)?, 16).ok();
    digits(hash).or_else(|| digits(&sha256_hex(hash.as_bytes()))).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::collections::BTreeMap;

    #[test]
    fn long_values_are_written_once_and_come_back() {
        let long = json!({ "text": "x".repeat(500) });
        for value in [
            json!({ "tools": [long], "messages": [long, { "text": "short" }], "other": long }),
            json!({ "tools": { "$part": "mine" }, "messages": "none" }),
            json!([{ "tools": long }]),
            json!(null),
        ] {
            let (mut folded, mut parts) = (value.clone(), BTreeMap::new());
            fold(&mut folded, |hash, value| {
                parts.insert(hash.to_owned(), value);
            });
            let mut unfolded = folded.clone();
            unfold(&mut unfolded, |hash| parts.get(hash).cloned()).unwrap();
            assert_eq!(unfolded, value);
            assert_eq!(folded == value, parts.is_empty(), "{folded}");
            if !parts.is_empty() {
                assert!(unfold(&mut folded, |_| None).is_err());
            }
        }
    }
}
