//! Stored documents keep what this version does not know.
//!
//! A [`Doc`] holds the JSON as read beside the typed view of it. Reads go through the view; a rewrite edits the JSON, so
//! fields of a newer version survive at every depth, in their place.

use std::path::Path;

use mst_model::RUN_FORMAT;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::atomic::to_bytes;
use crate::closed::refuse_unknown_values;
use crate::error::StoreError;
use crate::migrate::upgrade;
use crate::read::read;

/// A stored document: its JSON and the typed view of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Doc<T> {
    raw: Value,
    view: T,
}

impl<T: Serialize + DeserializeOwned> Doc<T> {
    /// Makes a document of a value that was never stored.
    ///
    /// # Panics
    /// When the type has no JSON form; the stored types all do.
    pub fn new(view: T) -> Self {
        Self { raw: json(&view), view }
    }

    /// Reads a document of a kind (`run`, `trial`, …).
    ///
    /// # Errors
    /// When the file is absent, is no JSON, is of another format or kind, holds a value of a closed set that this version
    /// does not know, or lacks what the kind requires.
    pub fn read(path: &Path, kind: &str) -> Result<Self, StoreError> {
        Self::parse(&read(path)?, path, kind)
    }

    /// Reads a document from bytes; `path` is only named in errors.
    ///
    /// # Errors
    /// As [`Doc::read`], without the file.
    pub fn parse(bytes: &[u8], path: &Path, kind: &str) -> Result<Self, StoreError> {
        let shape = |source| StoreError::Shape { path: path.to_owned(), source };
        let raw: Value = serde_json::from_slice(bytes).map_err(shape)?;
        let format = raw.get("format").and_then(Value::as_str);
        if let Some(other) = format.filter(|format| *format != RUN_FORMAT && format.starts_with("mst.run/")) {
            let written_by = raw.get("mst").and_then(|mst| mst.get("version")).and_then(Value::as_str);
            return Err(StoreError::Format {
                path: path.to_owned(),
                found: other.to_owned(),
                written_by: written_by.map(str::to_owned),
            });
        }
        for (key, expected) in [("format", RUN_FORMAT), ("kind", kind)] {
            let found = raw.get(key);
            if found.and_then(Value::as_str) != Some(expected) {
                return Err(StoreError::Envelope {
                    path: path.to_owned(),
                    expected: format!("{key} {expected:?}"),
                    found: found.map_or_else(|| "none".to_owned(), Value::to_string),
                });
            }
        }
        let upgraded = upgrade(kind, &raw);
        let current = upgraded.as_ref().unwrap_or(&raw);
        refuse_unknown_values(kind, current, path)?;
        let view = T::deserialize(current).map_err(shape)?;
        Ok(Self { raw, view })
    }

    /// Returns the typed view.
    pub fn view(&self) -> &T {
        &self.view
    }

    /// Returns the typed view, owned.
    pub fn into_view(self) -> T {
        self.view
    }

    /// Returns the JSON as it will be stored.
    pub fn raw(&self) -> &Value {
        &self.raw
    }

    /// Replaces the view and edits the JSON where the two views differ, and nowhere else.
    pub fn set(&mut self, view: T) {
        merge(&mut self.raw, &json(&self.view), json(&view));
        self.view = view;
    }

    /// Returns the document as stored.
    pub fn to_bytes(&self) -> Vec<u8> {
        to_bytes(&self.raw)
    }
}

fn json<T: Serialize>(view: &T) -> Value {
    serde_json::to_value(view).expect("a stored type has a JSON form")
}

/// Edits `raw`, which `old` is the known part of, so that its known part becomes `new`.
fn merge(raw: &mut Value, old: &Value, new: Value) {
    if *old == new {
        return;
    }
    match (&mut *raw, old, new) {
        (Value::Object(raw), Value::Object(old), Value::Object(new)) => {
            raw.retain(|key, _| new.contains_key(key) || !old.contains_key(key));
            for (key, value) in new {
                match (raw.get_mut(&key), old.get(&key)) {
                    (Some(raw), Some(old)) => merge(raw, old, value),
                    _ => drop(raw.insert(key, value)),
                }
            }
        }
        (Value::Array(raw), Value::Array(old), Value::Array(new)) if raw.len() == old.len() => {
            let before = std::mem::take(raw);
            let same_length = old.len() == new.len();
            *raw = new
                .into_iter()
                .enumerate()
                .map(|(at, item)| match counterpart(old, &item, at, same_length) {
                    Some(from) => {
                        let mut kept = before[from].clone();
                        merge(&mut kept, &old[from], item);
                        kept
                    }
                    None => item,
                })
                .collect();
        }
        (raw, _, new) => *raw = new,
    }
}

/// Finds the item that an item of the new list was: the one of its name, else the one in its place.
fn counterpart(old: &[Value], item: &Value, at: usize, same_length: bool) -> Option<usize> {
    let identity = |value: &Value| {
        ["name", "id", "label"].iter().find_map(|key| value.get(*key).and_then(Value::as_str).map(str::to_owned))
    };
    match identity(item) {
        Some(name) => old.iter().position(|candidate| identity(candidate).as_ref() == Some(&name)),
        None => same_length.then_some(at),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn merged(raw: &Value, old: &Value, new: Value) -> String {
        let mut raw = raw.clone();
        merge(&mut raw, old, new);
        raw.to_string()
    }

    #[test]
    fn a_rewrite_keeps_unknown_fields_at_every_depth() {
        for (raw, old, new, want) in [
            // An unknown field and its place survive a change beside it.
            (
                json!({ "a": 1, "x": 9, "b": 2 }),
                json!({ "a": 1, "b": 2 }),
                json!({ "a": 5, "b": 2 }),
                r#"{"a":5,"x":9,"b":2}"#,
            ),
            // A known field that the new view leaves out goes.
            (json!({ "a": 1, "x": 9 }), json!({ "a": 1 }), json!({}), r#"{"x":9}"#),
            // List items are followed by name, not by place.
            (
                json!([{ "name": "p", "x": 1 }, { "name": "q", "x": 2 }]),
                json!([{ "name": "p" }, { "name": "q" }]),
                json!([{ "name": "new" }, { "name": "q", "k": 3 }]),
                r#"[{"name":"new"},{"name":"q","x":2,"k":3}]"#,
            ),
            // Items without a name are followed by place while their number stays.
            (json!([{ "x": 1, "k": 1 }]), json!([{ "k": 1 }]), json!([{ "k": 2 }]), r#"[{"x":1,"k":2}]"#),
            // A number keeps its spelling when its value stays.
            (
                json!({ "n": 1.0, "k": 1 }),
                json!({ "n": 1.0, "k": 1 }),
                json!({ "n": 1.0, "k": 2 }),
                r#"{"n":1.0,"k":2}"#,
            ),
            // A value of another type replaces what was there.
            (json!({ "a": { "x": 1 } }), json!({ "a": {} }), json!({ "a": "text" }), r#"{"a":"text"}"#),
        ] {
            assert_eq!(merged(&raw, &old, new.clone()), want, "{raw} from {old} to {new}");
        }
    }
}
