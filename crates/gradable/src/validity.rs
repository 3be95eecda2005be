//! Whether a first call is well formed.

use std::collections::HashMap;
use std::sync::{Arc, mpsc};
use std::time::Duration;

use jsonschema::{Draft, Retrieve, Uri, Validator};
use mst_mcp::ListedTool;
use percent_encoding::percent_decode_str;
use serde_json::{Value, json};

/// Checks arguments against the input schemas of a surface's tools, each read when it is first needed.
///
/// Nothing is fetched: what a reference to elsewhere names takes anything, as does a reference that leads nowhere, so that
/// the rest of the schema still counts. A tool without an input schema takes any object. A schema that cannot be read at
/// all (a keyword with a value of the wrong kind, a pattern that is none), or takes too long to check, cannot be kept to, so that
/// no call is well formed.
pub(crate) struct Validity<'a> {
    tools: HashMap<&'a str, &'a ListedTool>,
    validators: HashMap<&'a str, Schema>,
    /// How many schemas took too long.
    slow: usize,
}

/// The longest time that one check takes. A schema of a few kilobytes can be made so that a check never ends.
const LONGEST: Duration = Duration::from_secs(2);
/// The same once several schemas were slow, so that a surface full of them does not take minutes.
const SHORTEST: Duration = Duration::from_millis(100);
/// How many schemas may take the longest time.
const MOST_SLOW: usize = 3;

/// An input schema, read.
enum Schema {
    /// None is declared.
    Absent,
    Unusable,
    Usable(Arc<Validator>),
}

impl<'a> Validity<'a> {
    pub(crate) fn of(tools: &'a [ListedTool]) -> Self {
        Self { tools: tools.iter().map(|tool| (tool.name(), tool)).collect(), validators: HashMap::new(), slow: 0 }
    }

    /// Tells whether arguments are what a tool takes; none are `{}`.
    pub(crate) fn is_well_formed(&mut self, tool: &str, arguments: Option<&Value>) -> bool {
        let Some((name, tool)) = self.tools.get_key_value(tool).map(|(name, tool)| (*name, *tool)) else {
            return false;
        };
        let none = json!({});
        let arguments = arguments.unwrap_or(&none);
        if !arguments.is_object() {
            return false;
        }
        let schema = self.validators.entry(name).or_insert_with(|| Schema::read(tool.input_schema()));
        let validator = match schema {
            Schema::Absent => return true,
            Schema::Unusable => return false,
            Schema::Usable(validator) => validator,
        };
        let longest = if self.slow < MOST_SLOW { LONGEST } else { SHORTEST };
        is_valid_in_time(validator, arguments, longest).unwrap_or_else(|| {
            *schema = Schema::Unusable;
            self.slow += 1;
            false
        })
    }
}

/// Checks arguments on a thread of their own; `None` when that takes too long. The thread is then left to itself: nothing can
/// end it, and it ends with the program.
fn is_valid_in_time(validator: &Arc<Validator>, arguments: &Value, longest: Duration) -> Option<bool> {
    let (said, heard) = mpsc::channel();
    let (validator, arguments) = (Arc::clone(validator), arguments.clone());
    std::thread::Builder::new()
        .spawn(move || {
            // Nobody listens any more to an answer that comes too late.
            let _late = said.send(validator.is_valid(&arguments));
        })
        .ok()?;
    heard.recv_timeout(longest).ok()
}

impl Schema {
    fn read(schema: Option<&Value>) -> Self {
        let Some(schema) = schema else { return Self::Absent };
        let read = |draft: Draft, schema: &Value| {
            jsonschema::options()
                .with_draft(draft)
                .with_retriever(Anything)
                .should_validate_formats(false)
                .build(schema)
        };
        let declared = Draft::default().detect(schema);
        // A schema that names no draft may still be written in the words of the fourth.
        let drafts: &[Draft] =
            if schema.get("$schema").is_some() { &[declared] } else { &[Draft::Draft202012, Draft::Draft4] };
        let resolved = without_dangling(schema);
        let usable = drafts.iter().find_map(|draft| read(*draft, &resolved).ok());
        usable.map_or(Self::Unusable, |validator| Self::Usable(Arc::new(validator)))
    }
}

/// Stands in for every document elsewhere: it takes anything.
struct Anything;

impl Retrieve for Anything {
    fn retrieve(&self, _uri: &Uri<String>) -> Result<Value, Box<dyn std::error::Error + Send + Sync>> {
        Ok(json!({}))
    }
}

/// Returns a schema whose references each lead somewhere in it: any other is taken away.
fn without_dangling(schema: &Value) -> Value {
    let mut out = schema.clone();
    let embeds = ["$id", "id"].iter().any(|key| schema.get(key).is_some_and(Value::is_string));
    mend(&mut out, schema, embeds);
    out
}

fn mend(part: &mut Value, document: &Value, embeds: bool) {
    match part {
        Value::Object(fields) => {
            for key in ["$ref", "$dynamicRef", "$recursiveRef"] {
                let reference = fields.get(key).and_then(Value::as_str);
                if reference.is_some_and(|reference| !leads_somewhere(reference, document, embeds)) {
                    fields.shift_remove(key);
                }
            }
            fields.values_mut().for_each(|value| mend(value, document, embeds));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| mend(item, document, embeds)),
        _ => {}
    }
}

/// Tells whether a reference leads to a schema of its own document. A document with a name may call itself by it.
fn leads_somewhere(reference: &str, document: &Value, embeds: bool) -> bool {
    match reference.split_once('#') {
        Some(("", pointer)) if pointer.is_empty() || pointer.starts_with('/') => {
            let target = document.pointer(&percent_decode_str(pointer).decode_utf8_lossy());
            target.is_some_and(|target| target.is_object() || target.is_boolean())
        }
        Some(("", anchor)) => has_anchor(document, anchor),
        _ => embeds && names_itself(document, reference),
    }
}

/// Tells whether a schema of the document has this anchor.
fn has_anchor(part: &Value, anchor: &str) -> bool {
    match part {
        Value::Object(fields) => {
            let is = |key: &str, text: &str| fields.get(key).and_then(Value::as_str) == Some(text);
            is("$anchor", anchor)
                || is("$dynamicAnchor", anchor)
                || is("$id", &format!("#{anchor}"))
                || is("id", &format!("#{anchor}"))
                || fields.values().any(|value| has_anchor(value, anchor))
        }
        Value::Array(items) => items.iter().any(|item| has_anchor(item, anchor)),
        _ => false,
    }
}

/// Tells whether a reference begins with the document's own name.
fn names_itself(document: &Value, reference: &str) -> bool {
    let own = ["$id", "id"].iter().find_map(|key| document.get(key)?.as_str()).unwrap_or_default();
    let own = own.trim_end_matches('#');
    reference.strip_prefix(own).is_some_and(|rest| match rest.strip_prefix('#') {
        Some(pointer) => document.pointer(&percent_decode_str(pointer).decode_utf8_lossy()).is_some(),
        None => rest.is_empty(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::surface::Surface;

    #[test]
    fn a_schema_whose_check_never_ends_is_given_up() {
        let mut defs = serde_json::Map::new();
        for level in 0..30 {
            let next: Vec<Value> = (0..10).map(|_| json!({ "$ref": format!("#/$defs/l{}", level + 1) })).collect();
            defs.insert(format!("l{level}"), json!({ "allOf": next }));
        }
        defs.insert("l30".to_owned(), json!({ "type": "object" }));
        let schema = json!({ "$defs": defs, "$ref": "#/$defs/l0" });
        let started = std::time::Instant::now();
        assert!(!is_well_formed(&schema, &json!({})));
        assert!(started.elapsed() < LONGEST * 5, "{:?}", started.elapsed());
    }

    fn is_well_formed(schema: &Value, arguments: &Value) -> bool {
        let surface = Surface::of(json!([{ "name": "t", "inputSchema": schema }]));
        Validity::of(&surface.tools).is_well_formed("t", Some(arguments))
    }

    #[test]
    fn fc12_the_schema_counts_as_declared() {
        let node = json!({ "type": "object", "properties": { "n": { "$ref": "#/$defs/node" } }, "required": ["v"] });
        for (schema, arguments, want) in [
            (json!({ "type": "object", "required": ["a"] }), json!({}), false),
            (json!({ "type": "object", "required": ["a"] }), json!({ "a": 1 }), true),
            (json!({}), json!([]), false),
            (json!(true), json!({ "a": 1 }), true),
            (json!(false), json!({}), false),
            (json!({ "$ref": "#/$defs/node", "$defs": { "node": node } }), json!({ "v": 1, "n": { "v": 2 } }), true),
            (json!({ "$ref": "#/$defs/node", "$defs": { "node": node } }), json!({ "v": 1, "n": {} }), false),
            (json!({ "anyOf": [{ "required": ["url"] }, { "required": ["file"] }] }), json!({ "file": "x" }), true),
            (json!({ "anyOf": [{ "required": ["url"] }, { "required": ["file"] }] }), json!({}), false),
            // Nothing is fetched: what stands elsewhere takes anything, and the rest still counts.
            (
                json!({ "properties": { "s": { "$ref": "https://example.invalid/s.json" } }, "required": ["k"] }),
                json!({ "s": 1, "k": 2 }),
                true,
            ),
            (
                json!({ "properties": { "s": { "$ref": "https://example.invalid/s.json" } }, "required": ["k"] }),
                json!({ "s": 1 }),
                false,
            ),
            (json!({ "properties": { "s": { "$ref": "#/$defs/nowhere" } } }), json!({ "s": 1 }), true),
            (json!({ "properties": { "s": { "$ref": "#nowhere" } } }), json!({ "s": 1 }), true),
            (
                json!({ "$id": "https://example.invalid/a", "properties": { "s": { "$ref": "https://example.invalid/a#/$defs/i" } }, "$defs": { "i": { "type": "integer" } } }),
                json!({ "s": "x" }),
                false,
            ),
            // In the words of the fourth draft, named or not.
            (
                json!({ "properties": { "n": { "type": "integer", "minimum": 1, "exclusiveMinimum": true } } }),
                json!({ "n": 1 }),
                false,
            ),
            (
                json!({ "properties": { "n": { "type": "integer", "minimum": 1, "exclusiveMinimum": true } } }),
                json!({ "n": 2 }),
                true,
            ),
            (
                json!({ "$schema": "http://json-schema.org/draft-04/schema#", "properties": { "n": { "maximum": 1, "exclusiveMaximum": true } } }),
                json!({ "n": 1 }),
                false,
            ),
            // No call can keep to what cannot be read.
            (json!({ "type": 7 }), json!({}), false),
            (json!("object"), json!({}), false),
            (json!({ "properties": { "p": { "pattern": "(" } } }), json!({ "p": "x" }), false),
        ] {
            assert_eq!(is_well_formed(&schema, &arguments), want, "{schema} {arguments}");
        }
    }

    #[test]
    fn a_schema_without_an_end_breaks_nothing() {
        for schema in [
            json!({ "$ref": "#" }),
            json!({ "allOf": [{ "$ref": "#" }] }),
            json!({ "$ref": "#/$defs/a", "$defs": { "a": { "$ref": "#/$defs/b" }, "b": { "$ref": "#/$defs/a" } } }),
            json!({ "anyOf": [{ "$ref": "#/$defs/a" }], "$defs": { "a": { "not": { "oneOf": [{ "$ref": "#" }] } } } }),
            json!({ "if": { "$ref": "#" }, "then": { "required": ["x"] } }),
        ] {
            is_well_formed(&schema, &json!({ "x": 1 }));
        }
    }

    #[test]
    fn a_tool_without_a_schema_takes_any_object_and_no_tool_takes_nothing() {
        let surface = Surface::of(json!([{ "name": "t" }]));
        let mut validity = Validity::of(&surface.tools);
        assert!(validity.is_well_formed("t", None) && validity.is_well_formed("t", Some(&json!({ "a": 1 }))));
        assert!(!validity.is_well_formed("t", Some(&json!(null))) && !validity.is_well_formed("u", None));
    }
}
