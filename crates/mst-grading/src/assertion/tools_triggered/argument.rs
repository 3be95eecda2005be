//! How an expected call's arguments are compared with observed ones.
//!
//! Partially and deeply: an observed object may have more keys at every depth; an array is compared whole, element by
//! element; numbers by value; a text never equals a number. `{ "$pattern": "…" }` stands for a text that it matches.

use mst_model::json_eq;
use serde_json::{Map, Value};

use crate::excerpt;
use crate::no_verdict::NoVerdict;
use crate::pattern::Pattern;

/// An expected value with its patterns compiled.
#[derive(Debug)]
pub(super) enum Want {
    /// Exactly this null, boolean, number or text.
    Scalar(Value),
    /// An object with at least these keys.
    Object(Vec<(String, Self)>),
    /// An array of just these elements, and the array as written.
    Array(Vec<Self>, Value),
    /// A text that a pattern matches.
    Pattern(Pattern),
}

/// One place where observed arguments are not what was expected.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Difference {
    /// Where, as a JSONPath from `$`.
    pub(super) path: String,
    /// What was expected there.
    pub(super) expected: String,
    /// What was observed there.
    pub(super) observed: String,
}

impl Want {
    /// Compiles an expected call's arguments.
    pub(super) fn arguments(expected: &Map<String, Value>) -> Result<Self, NoVerdict> {
        Self::object(expected)
    }

    fn object(map: &Map<String, Value>) -> Result<Self, NoVerdict> {
        let entries = map.iter().map(|(key, value)| Ok((key.clone(), Self::value(value)?)));
        Ok(Self::Object(entries.collect::<Result<_, NoVerdict>>()?))
    }

    fn value(value: &Value) -> Result<Self, NoVerdict> {
        match value {
            Value::Object(map) => match pattern_of(map) {
                Some((source, flags)) => Ok(Self::Pattern(Pattern::new(source, flags)?)),
                None => Self::object(map),
            },
            Value::Array(items) => {
                Ok(Self::Array(items.iter().map(Self::value).collect::<Result<_, _>>()?, value.clone()))
            }
            scalar => Ok(Self::Scalar(scalar.clone())),
        }
    }

    /// Returns every place where observed arguments differ, in the order of the expected ones.
    pub(super) fn differences(&self, observed: &Map<String, Value>) -> Result<Vec<Difference>, NoVerdict> {
        let mut found = Vec::new();
        let mut path = "$".to_owned();
        match self {
            Self::Object(entries) => compare_keys(entries, observed, &mut path, &mut found)?,
            other => other.compare(&Value::Object(observed.clone()), &mut path, &mut found)?,
        }
        Ok(found)
    }

    fn compare(&self, observed: &Value, path: &mut String, found: &mut Vec<Difference>) -> Result<(), NoVerdict> {
        let mut differs = |expected: String, observed: String| {
            found.push(Difference { path: path.clone(), expected, observed });
        };
        match (self, observed) {
            (Self::Scalar(want), seen) if json_eq(want, seen) => {}
            (Self::Scalar(want), seen) if kind(want) == kind(seen) => differs(excerpt::json(want), excerpt::json(seen)),
            (Self::Scalar(want), seen) => differs(with_kind(want), with_kind(seen)),
            (Self::Pattern(pattern), Value::String(text)) => {
                if !pattern.matches(text)? {
                    differs(format!("a match of {}", pattern.describe()), excerpt::json(observed));
                }
            }
            (Self::Pattern(pattern), seen) => {
                differs(format!("a string that matches {}", pattern.describe()), with_kind(seen));
            }
            (Self::Array(want, _), Value::Array(seen)) if want.len() == seen.len() => {
                for (index, (want, seen)) in want.iter().zip(seen).enumerate() {
                    let length = path.len();
                    path.push('[');
                    path.push_str(&index.to_string());
                    path.push(']');
                    want.compare(seen, path, found)?;
                    path.truncate(length);
                }
            }
            (Self::Array(want, written), Value::Array(seen)) => {
                differs(items(want.len(), written), items(seen.len(), observed));
            }
            (Self::Array(_, written), seen) => differs(with_kind(written), with_kind(seen)),
            (Self::Object(want), Value::Object(seen)) => compare_keys(want, seen, path, found)?,
            (Self::Object(_), seen) => differs("an object".to_owned(), with_kind(seen)),
        }
        Ok(())
    }

    /// Returns the value as a message shows it when nothing was observed in its place.
    fn describe(&self) -> String {
        match self {
            Self::Scalar(value) | Self::Array(_, value) => excerpt::json(value),
            Self::Object(_) => "an object".to_owned(),
            Self::Pattern(pattern) => format!("a match of {}", pattern.describe()),
        }
    }
}

fn compare_keys(
    want: &[(String, Want)],
    seen: &Map<String, Value>,
    path: &mut String,
    found: &mut Vec<Difference>,
) -> Result<(), NoVerdict> {
    for (key, want) in want {
        let length = path.len();
        push_key(path, key);
        match seen.get(key) {
            Some(seen) => want.compare(seen, path, found)?,
            None => {
                found.push(Difference {
                    path: path.clone(),
                    expected: want.describe(),
                    observed: "nothing".to_owned(),
                });
            }
        }
        path.truncate(length);
    }
    Ok(())
}

/// Returns whether a value has a pattern at any depth.
pub(super) fn has_pattern(value: &Value) -> bool {
    match value {
        Value::Object(map) => pattern_of(map).is_some() || map.values().any(has_pattern),
        Value::Array(items) => items.iter().any(has_pattern),
        _ => false,
    }
}

/// Returns the pattern and flags of `{ "$pattern": "…", "$flags"?: "…" }`; `None` for any other object.
fn pattern_of(map: &Map<String, Value>) -> Option<(&str, Option<&str>)> {
    let source = map.get("$pattern")?.as_str()?;
    match map.get("$flags") {
        None => (map.len() == 1).then_some((source, None)),
        Some(flags) => (map.len() == 2).then_some((source, Some(flags.as_str()?))),
    }
}

fn push_key(path: &mut String, key: &str) {
    let plain = key.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_' || c == '$')
        && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '$');
    if plain {
        path.push('.');
        path.push_str(key);
    } else {
        path.push('[');
        path.push_str(&Value::from(key).to_string());
        path.push(']');
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn with_kind(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        value => format!("the {} {}", kind(value), excerpt::json(value)),
    }
}

fn items(count: usize, array: &Value) -> String {
    format!("{count} {} {}", if count == 1 { "item" } else { "items" }, excerpt::json(array))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn first(expected: &Value, observed: &Value) -> Option<String> {
        let want = Want::arguments(expected.as_object().unwrap()).unwrap();
        let found = want.differences(observed.as_object().unwrap()).unwrap();
        found
            .into_iter()
            .next()
            .map(|Difference { path, expected, observed }| format!("{path}: {expected} / {observed}"))
    }

    #[test]
    fn arguments_match_partially_and_deeply() {
        for (expected, observed, want) in [
            (json!({}), json!({ "x": 1 }), None),
            (json!({ "n": 10 }), json!({ "n": 10.0 }), None),
            (json!({ "n": 10 }), json!({ "n": "10" }), Some(r#"$.n: the number 10 / the string "10""#)),
            (json!({ "n": 10 }), json!({ "n": 11 }), Some("$.n: 10 / 11")),
            (json!({ "a": ["x"] }), json!({ "a": ["x", "y"] }), Some(r#"$.a: 1 item ["x"] / 2 items ["x","y"]"#)),
            (json!({ "a": [{ "k": 1 }] }), json!({ "a": [{ "k": 1, "more": 2 }] }), None),
            (json!({ "a": [1, 2] }), json!({ "a": [1, 3] }), Some("$.a[1]: 2 / 3")),
            (json!({ "a": [] }), json!({ "a": {} }), Some("$.a: the array [] / the object {}")),
            (json!({ "f": {} }), json!({ "f": [] }), Some("$.f: an object / the array []")),
            (json!({ "f": { "s": "o" } }), json!({ "f": { "s": "o", "page": 1 } }), None),
            (json!({ "k": null }), json!({}), Some("$.k: null / nothing")),
            (json!({ "k": null }), json!({ "k": null }), None),
            (json!({ "odd key": { "é": 1 } }), json!({ "odd key": {} }), Some(r#"$["odd key"]["é"]: 1 / nothing"#)),
            (json!({ "q": { "$pattern": "^p-\\d$" } }), json!({ "q": "p-1" }), None),
            (json!({ "q": { "$pattern": "P", "$flags": "i" } }), json!({ "q": "p" }), None),
            (json!({ "q": { "$pattern": "P" } }), json!({ "q": "p" }), Some(r#"$.q: a match of /P/m / "p""#)),
            (
                json!({ "q": { "$pattern": "1" } }),
                json!({ "q": 1 }),
                Some("$.q: a string that matches /1/m / the number 1"),
            ),
            (json!({ "q": { "$pattern": "a", "x": 1 } }), json!({ "q": { "$pattern": "a", "x": 1 } }), None),
            (json!({ "b": true }), json!({ "b": 1 }), Some("$.b: the boolean true / the number 1")),
        ] {
            assert_eq!(first(&expected, &observed).as_deref(), want, "{expected} and {observed}");
        }
    }
}
