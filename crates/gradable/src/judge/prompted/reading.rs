//! Reading an answer: the object that it is, and its fields.
//!
//! Nothing is guessed. A field that is missing or is of another kind is a complaint, in words that the judge gets to read.

use mst_llm::JsonAnswer;
use serde_json::{Map, Value};

/// Finds the answer in a text: its last object with this key.
pub(super) fn object(text: &str, key: &str) -> Result<Map<String, Value>, String> {
    let answer = JsonAnswer::read(text);
    let complaint = match &answer {
        JsonAnswer { is_unfinished: true, .. } => "it ends inside a JSON object".to_owned(),
        JsonAnswer { objects, .. } if objects.is_empty() => "it holds no JSON object".to_owned(),
        _ => format!("none of its JSON objects has the key `{key}`"),
    };
    answer.last(|object| object.contains_key(key)).ok_or(complaint)
}

/// Finds the list that an answer is.
pub(super) fn list(text: &str, key: &str) -> Result<Vec<Value>, String> {
    match object(text, key)?.swap_remove(key) {
        Some(Value::Array(entries)) => Ok(entries),
        _ => Err(format!("`{key}` is no list")),
    }
}

/// Returns a text of an entry that is not blank.
pub(super) fn text<'a>(entry: &'a Value, key: &str) -> Result<&'a str, String> {
    match entry.get(key).and_then(Value::as_str).map(str::trim) {
        Some(text) if !text.is_empty() => Ok(text),
        _ => Err(format!("`{key}` is no text in {}", brief(entry))),
    }
}

/// Returns a value in a few characters.
pub(super) fn brief(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(80) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
