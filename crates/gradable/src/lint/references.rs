//! References of a schema: to a place in it, to nothing, or to elsewhere.

use std::collections::HashSet;

use percent_encoding::percent_decode_str;
use serde_json::Value;

use super::walk::walk;

/// Where a reference leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// To a place in the document.
    Inside,
    /// To a place in the document that is not there.
    Nowhere,
    /// To another document. Nothing is fetched.
    Elsewhere,
}

/// The places of a document that a reference can name, besides pointers.
pub(super) struct References<'a> {
    document: &'a Value,
    names: HashSet<String>,
}

impl<'a> References<'a> {
    /// Finds the names in a document.
    pub(super) fn of(document: &'a Value) -> Self {
        let mut names = HashSet::new();
        walk(document, "", &mut |spot| {
            for (key, mark) in [("$anchor", "#"), ("$dynamicAnchor", "#"), ("$id", ""), ("id", "")] {
                if let Some(name) = spot.schema.get(key).and_then(Value::as_str) {
                    names.insert(format!("{mark}{name}"));
                }
            }
        });
        Self { document, names }
    }

    /// Returns where a reference leads.
    pub(super) fn target(&self, reference: &str) -> Target {
        if reference == "#" || self.names.contains(reference) {
            return Target::Inside;
        }
        let Some(fragment) = reference.strip_prefix('#') else {
            let document = reference.split('#').next().unwrap_or_default();
            return if self.names.contains(document) { Target::Inside } else { Target::Elsewhere };
        };
        let pointer = percent_decode_str(fragment).decode_utf8_lossy();
        if pointer.starts_with('/') && self.document.pointer(&pointer).is_some() {
            Target::Inside
        } else {
            Target::Nowhere
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{References, Target};

    #[test]
    fn references_lead_inside_nowhere_or_elsewhere() {
        let document = json!({
            "$id": "https://example.invalid/root.json",
            "$defs": { "a b": { "$anchor": "here" }, "x/y": {}, "own": { "$id": "own.json" } },
        });
        let references = References::of(&document);
        for (reference, right) in [
            ("#", Target::Inside),
            ("#/$defs/a%20b", Target::Inside),
            ("#/$defs/x~1y", Target::Inside),
            ("#here", Target::Inside),
            ("own.json", Target::Inside),
            ("https://example.invalid/root.json#/$defs/own", Target::Inside),
            ("#/$defs/gone", Target::Nowhere),
            ("#gone", Target::Nowhere),
            ("#/$defs/%zz", Target::Nowhere),
            ("https://example.invalid/s.json", Target::Elsewhere),
            ("other.json#/x", Target::Elsewhere),
        ] {
            assert_eq!(references.target(reference), right, "{reference}");
        }
    }
}
