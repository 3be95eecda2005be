//! Closed sets: a value that this version does not know fails the read, because guessing what it means could change a
//! count or a grade.

use std::path::Path;

use mst_model::{Broke, EventKind, EventSource, Evidence, Phase, WriteMode};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::error::StoreError;

/// A closed set and where a kind of document holds it; `*` stands for every item or field.
struct ClosedField {
    kind: &'static str,
    path: &'static [&'static str],
    known: fn(&Value) -> bool,
}

const FIELDS: &[ClosedField] = &[
    ClosedField { kind: "run", path: &["phases", "*"], known: is::<Phase> },
    ClosedField { kind: "run", path: &["variants", "*", "writeModes", "*"], known: is::<WriteMode> },
    ClosedField { kind: "trial", path: &["ending", "kind"], known: is_ending_kind },
    ClosedField { kind: "trial", path: &["ending", "broke"], known: is::<Broke> },
    ClosedField { kind: "trial", path: &["transcript", "events", "*", "kind"], known: is::<EventKind> },
    ClosedField { kind: "trial", path: &["transcript", "events", "*", "source"], known: is::<EventSource> },
    ClosedField { kind: "trial", path: &["transcript", "evidence"], known: is::<Evidence> },
    ClosedField { kind: "trial", path: &["writeRecord", "writes", "*", "mode"], known: is::<WriteMode> },
    ClosedField { kind: "results", path: &["cases", "*", "ending", "kind"], known: is_ending_kind },
    ClosedField { kind: "results", path: &["cases", "*", "ending", "broke"], known: is::<Broke> },
    ClosedField {
        kind: "results",
        path: &["cases", "*", "trialResults", "*", "ending", "kind"],
        known: is_ending_kind,
    },
    ClosedField { kind: "results", path: &["cases", "*", "trialResults", "*", "ending", "broke"], known: is::<Broke> },
    ClosedField { kind: "results", path: &["cases", "*", "transcript", "events", "*", "kind"], known: is::<EventKind> },
    ClosedField { kind: "summary", path: &["variants", "*", "writeModes", "*"], known: is::<WriteMode> },
];

fn is<T: DeserializeOwned>(value: &Value) -> bool {
    T::deserialize(value).is_ok()
}

fn is_ending_kind(value: &Value) -> bool {
    matches!(value.as_str(), Some("trial" | "infrastructure"))
}

/// Refuses a document of a kind that holds a value outside a closed set.
///
/// # Errors
/// [`StoreError::Newer`] for the first such value. A field that is absent or no text is left to the typed read.
pub(crate) fn refuse_unknown_values(kind: &str, doc: &Value, file: &Path) -> Result<(), StoreError> {
    FIELDS.iter().filter(|field| field.kind == kind).try_for_each(|field| {
        match unknown(doc, field.path, field.known, String::new()) {
            Some((pointer, value)) => Err(StoreError::Newer { path: file.to_owned(), pointer, value }),
            None => Ok(()),
        }
    })
}

/// Returns the pointer to and the JSON of the first text at a path that is not known.
fn unknown(at: &Value, path: &[&str], known: fn(&Value) -> bool, pointer: String) -> Option<(String, String)> {
    let Some((step, rest)) = path.split_first() else {
        return (at.is_string() && !known(at)).then(|| (pointer, at.to_string()));
    };
    match (at, *step) {
        (Value::Array(items), "*") => {
            items.iter().enumerate().find_map(|(index, item)| unknown(item, rest, known, format!("{pointer}/{index}")))
        }
        (Value::Object(fields), "*") => {
            fields.iter().find_map(|(key, value)| unknown(value, rest, known, format!("{pointer}/{}", escaped(key))))
        }
        (Value::Object(fields), key) => unknown(fields.get(key)?, rest, known, format!("{pointer}/{key}")),
        _ => None,
    }
}

/// Escapes a key for a JSON Pointer (RFC 6901).
fn escaped(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn unknown_values_are_refused_with_their_place() {
        for (kind, doc, want) in [
            ("run", json!({ "phases": { "collect": "complete", "grade": "paused" } }), Some("/phases/grade")),
            (
                "run",
                json!({ "variants": [{ "writeModes": { "a/b": "mocked" } }] }),
                Some("/variants/0/writeModes/a~1b"),
            ),
            ("run", json!({ "phases": { "collect": "complete", "grade": "skipped" } }), None),
            ("trial", json!({ "ending": { "kind": "paused" } }), Some("/ending/kind")),
            ("trial", json!({ "ending": { "kind": "infrastructure", "broke": "moon" } }), Some("/ending/broke")),
            (
                "trial",
                json!({ "transcript": { "events": [{ "kind": "tool_call" }, { "kind": "dream" }] } }),
                Some("/transcript/events/1/kind"),
            ),
            ("trial", json!({ "transcript": { "events": [] }, "new": "field" }), None),
        ] {
            let got = refuse_unknown_values(kind, &doc, Path::new("f")).err().map(|error| match error {
                StoreError::Newer { pointer, .. } => pointer,
                other => other.to_string(),
            });
            assert_eq!(got.as_deref(), want, "{doc}");
        }
    }
}
