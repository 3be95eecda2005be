//! Two schemas of one thing: does the later one take less, or promise less.

use std::collections::HashSet;
use std::sync::LazyLock;

use serde_json::{Map, Value};

use super::change::{Changes, Kind};

/// How deep schemas are compared.
const DEEPEST: usize = 24;
/// The types of JSON Schema, without `integer`, which is a `number`.
const TYPES: [&str; 6] = ["null", "boolean", "object", "array", "number", "string"];
/// Keywords with a lower bound.
const LEAST: [&str; 5] = ["minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"];
/// Keywords with an upper bound.
const MOST: [&str; 5] = ["maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"];

/// Which way values go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    /// To the tool: it must go on taking what it took.
    Input,
    /// From the tool: it must go on giving what it gave.
    Output,
}

/// Notes how two schemas differ.
pub(super) fn compare((old, new): (&Value, &Value), pointer: &str, direction: Direction, changes: &mut Changes) {
    if old != new {
        let mut walk = Walk { old, new, direction, seen: HashSet::new(), changes };
        walk.step(old, new, pointer, 0);
    }
}

/// A comparison under way.
struct Walk<'a, 'c> {
    old: &'a Value,
    new: &'a Value,
    direction: Direction,
    /// Pairs that were compared, so that schemas which name themselves end.
    seen: HashSet<(*const Value, *const Value)>,
    changes: &'c mut Changes,
}

impl<'a> Walk<'a, '_> {
    fn step(&mut self, old: &'a Value, new: &'a Value, pointer: &str, depth: usize) {
        let (old, new) = (resolved(old, self.old), resolved(new, self.new));
        if depth > DEEPEST || !self.seen.insert((std::ptr::from_ref(old), std::ptr::from_ref(new))) {
            return;
        }
        let (Some(before), Some(after)) = (keywords(old), keywords(new)) else {
            if old != new {
                self.moved("schema-changed", pointer, "takes nothing now, or took nothing before");
            }
            return;
        };
        self.types(before, after, pointer);
        self.values(before, after, pointer);
        self.bounds(before, after, pointer);
        self.patterns(before, after, pointer);
        self.texts(before, after, pointer);
        self.properties(before, after, pointer, depth);
        self.inner(before, after, pointer, depth);
    }

    /// Notes what narrows the values that may be given or come back: a break for input, a relief for output.
    fn narrowed(&mut self, what: (&'static str, &'static str), pointer: &str, message: String) {
        match self.direction {
            Direction::Input => self.changes.breaking(what.0, pointer, message),
            Direction::Output => self.changes.neutral(what.1, pointer, message),
        }
    }

    /// Notes what widens them: no harm for input, a break for who reads output.
    fn widened(&mut self, what: (&'static str, &'static str), pointer: &str, message: String) {
        match self.direction {
            Direction::Input => self.changes.neutral(what.0, pointer, message),
            Direction::Output => self.changes.breaking(what.1, pointer, message),
        }
    }

    fn moved(&mut self, what: &'static str, pointer: &str, message: impl Into<String>) {
        self.changes.add(Kind::Risky, what, pointer, message);
    }

    fn types(&mut self, before: &Map<String, Value>, after: &Map<String, Value>, pointer: &str) {
        let (old, new) = (types(before), types(after));
        if old == new {
            return;
        }
        let lost: Vec<&str> = old.iter().filter(|kind| !takes(&new, kind)).copied().collect();
        let gained: Vec<&str> = new.iter().filter(|kind| !takes(&old, kind)).copied().collect();
        let said =
            |of: &Map<String, Value>| if of.contains_key("type") { types(of).join(" or ") } else { "any".to_owned() };
        let message = format!("the type was {}, it is {} now", said(before), said(after));
        // What goes one way and the other is a change of type: it breaks whoever stands at either end.
        match (lost.is_empty(), gained.is_empty()) {
            (false, false) => self.changes.breaking("changed-type", pointer, message),
            (false, true) => self.narrowed(("narrowed-type", "output-type-narrowed"), pointer, message),
            (true, false) => self.widened(("widened-type", "output-type-widened"), pointer, message),
            (true, true) => self.changes.neutral("rewritten-type", pointer, message),
        }
    }

    fn values(&mut self, before: &Map<String, Value>, after: &Map<String, Value>, pointer: &str) {
        let (old, new) = (values(before), values(after));
        match (old, new) {
            (None, None) => {}
            (None, Some(new)) => {
                let message = format!("only {} of values may be given now", new.len());
                self.narrowed(("narrowed-values", "output-values-listed"), pointer, message);
            }
            (Some(_), None) => self.widened(
                ("widened-values", "output-values-changed"),
                pointer,
                "any value may be given now".to_owned(),
            ),
            (Some(old), Some(new)) => {
                let missing = |from: &[&Value], of: &[&Value]| -> Vec<String> {
                    of.iter().filter(|value| !from.contains(value)).map(ToString::to_string).collect()
                };
                let (lost, gained) = (missing(&new, &old), missing(&old, &new));
                if !lost.is_empty() {
                    let message = format!("the values {} are gone", listed(&lost));
                    self.narrowed(("narrowed-values", "output-values-narrowed"), pointer, message);
                }
                if !gained.is_empty() {
                    let message = format!("the values {} are new", listed(&gained));
                    self.widened(("widened-values", "output-values-changed"), pointer, message);
                }
            }
        }
    }

    fn bounds(&mut self, before: &Map<String, Value>, after: &Map<String, Value>, pointer: &str) {
        for (keys, tighter) in [(LEAST, 1.0), (MOST, -1.0)] {
            for key in keys {
                let bound = |of: &Map<String, Value>| of.get(key).and_then(Value::as_f64);
                let (old, new) = (bound(before), bound(after));
                if old == new {
                    continue;
                }
                let narrows = match (old, new) {
                    (Some(old), Some(new)) => (new - old) * tighter > 0.0,
                    (old, _) => old.is_none(),
                };
                let said = |bound: Option<f64>| bound.map_or("none".to_owned(), |bound| bound.to_string());
                let message = format!("{key:?} was {}, it is {} now", said(old), said(new));
                if narrows {
                    self.narrowed(("narrowed-bounds", "output-bounds-narrowed"), pointer, message);
                } else if self.direction == Direction::Input {
                    self.changes.neutral("widened-bounds", pointer, message);
                } else {
                    self.moved("output-bounds-changed", pointer, message);
                }
            }
        }
    }

    fn patterns(&mut self, before: &Map<String, Value>, after: &Map<String, Value>, pointer: &str) {
        for key in ["pattern", "format", "multipleOf", "uniqueItems"] {
            let (old, new) = (before.get(key), after.get(key));
            match (old, new) {
                _ if old == new => {}
                (_, None) => self.changes.neutral("widened-form", pointer, format!("{key:?} is gone")),
                (_, Some(_)) if self.direction == Direction::Input && key != "format" => {
                    self.changes.breaking("narrowed-form", pointer, format!("{key:?} is new, or another"));
                }
                (_, Some(_)) => self.moved("form-changed", pointer, format!("{key:?} is new, or another")),
            }
        }
    }

    /// Compares what is said of a value: it moves a model, whichever way the value goes.
    fn texts(&mut self, before: &Map<String, Value>, after: &Map<String, Value>, pointer: &str) {
        let described = |of: &Map<String, Value>| of.get("description").and_then(Value::as_str).map(str::to_owned);
        let (old, new) = (described(before), described(after));
        self.changes.text("description-changed", pointer, "the description of it", (old.as_deref(), new.as_deref()));
        if before.get("default") != after.get("default") && self.direction == Direction::Input {
            let said = |of: &Map<String, Value>| of.get("default").map_or("none".to_owned(), Value::to_string);
            self.moved(
                "default-changed",
                pointer,
                format!("the default was {}, it is {} now", said(before), said(after)),
            );
        }
    }

    fn properties(
        &mut self,
        before: &'a Map<String, Value>,
        after: &'a Map<String, Value>,
        pointer: &str,
        depth: usize,
    ) {
        let (old, new) = (properties(before), properties(after));
        let (needed, needs) = (required(before), required(after));
        let place = |name: &str| format!("{pointer}/properties/{}", name.replace('~', "~0").replace('/', "~1"));
        for (name, schema) in old {
            match new.iter().find(|(other, _)| *other == name) {
                Some((_, later)) => self.step(schema, later, &place(name), depth + 1),
                None if self.direction == Direction::Input => {
                    self.changes.breaking("removed-parameter", &place(name), format!("{name:?} is gone"));
                }
                None => self.changes.breaking(
                    "output-removed",
                    &place(name),
                    format!("{name:?} does not come back any more"),
                ),
            }
        }
        for name in new.iter().map(|(name, _)| *name).filter(|name| !old_has(before, name)) {
            let is_needed = needs.contains(&name);
            match self.direction {
                Direction::Input if is_needed => {
                    let message = format!("{name:?} is new, and every call needs it");
                    self.changes.breaking("new-required-parameter", &place(name), message);
                }
                Direction::Input => self.changes.neutral("new-parameter", &place(name), format!("{name:?} is new")),
                Direction::Output => self.changes.neutral("output-added", &place(name), format!("{name:?} is new")),
            }
        }
        let stays = |name: &&&str| old_has(before, name) && old_has(after, name);
        for name in needs.iter().filter(|name| !needed.contains(*name)).filter(stays) {
            let message = format!("{name:?} is required now");
            self.narrowed(("newly-required", "output-promised"), &place(name), message);
        }
        for name in needed.iter().filter(|name| !needs.contains(*name)).filter(stays) {
            let message = format!("{name:?} is not required any more");
            self.widened(("no-longer-required", "output-not-promised"), &place(name), message);
        }
    }

    /// Compares the schemas inside one another.
    fn inner(&mut self, before: &'a Map<String, Value>, after: &'a Map<String, Value>, pointer: &str, depth: usize) {
        if let (Some(old), Some(new)) = (before.get("items"), after.get("items")) {
            self.step(old, new, &format!("{pointer}/items"), depth + 1);
        }
        match (before.get("additionalProperties"), after.get("additionalProperties")) {
            (old, new) if old == new => {}
            (Some(old @ Value::Object(_)), Some(new @ Value::Object(_))) => {
                self.step(old, new, &format!("{pointer}/additionalProperties"), depth + 1);
            }
            (_, Some(Value::Bool(false))) => self.moved("closed", pointer, "other keys are not taken any more"),
            _ => self.changes.neutral("opened", pointer, "what other keys may hold changed"),
        }
        for key in ["anyOf", "oneOf", "allOf", "prefixItems"] {
            match (before.get(key), after.get(key)) {
                (Some(Value::Array(old)), Some(Value::Array(new))) if old.len() == new.len() => {
                    for (at, (old, new)) in old.iter().zip(new).enumerate() {
                        self.step(old, new, &format!("{pointer}/{key}/{at}"), depth + 1);
                    }
                }
                (old, new) if old == new => {}
                _ => self.moved("alternatives-changed", pointer, format!("{key:?} lists other schemas")),
            }
        }
        for key in
            ["not", "if", "then", "else", "patternProperties", "propertyNames", "dependentRequired", "dependentSchemas"]
        {
            if before.get(key) != after.get(key) {
                self.moved("schema-changed", pointer, format!("{key:?} changed"));
            }
        }
    }
}

fn old_has(of: &Map<String, Value>, name: &str) -> bool {
    of.get("properties").and_then(Value::as_object).is_some_and(|properties| properties.contains_key(name))
}

/// Returns a schema's keywords; `true` has none, and `false` is no schema with any.
fn keywords(schema: &Value) -> Option<&Map<String, Value>> {
    static NONE: LazyLock<Map<String, Value>> = LazyLock::new(Map::new);
    match schema {
        Value::Object(object) => Some(object),
        Value::Bool(true) => Some(&NONE),
        _ => None,
    }
}

/// Follows references inside a document to the schema that they name.
fn resolved<'a>(schema: &'a Value, document: &'a Value) -> &'a Value {
    let mut here = schema;
    for _ in 0..DEEPEST {
        let target = here.get("$ref").and_then(Value::as_str).and_then(|reference| reference.strip_prefix('#'));
        match target.and_then(|pointer| document.pointer(pointer)) {
            Some(next) => here = next,
            None => break,
        }
    }
    here
}

/// Returns the types that are taken; all of them without a type.
fn types(of: &Map<String, Value>) -> Vec<&str> {
    let mut named: Vec<&str> = match of.get("type") {
        Some(Value::String(kind)) => vec![kind],
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect(),
        _ => TYPES.to_vec(),
    };
    named.sort_unstable();
    named
}

fn takes(types: &[&str], kind: &str) -> bool {
    types.contains(&kind) || kind == "integer" && types.contains(&"number")
}

/// Returns the values that may be given, where they are listed.
fn values(of: &Map<String, Value>) -> Option<Vec<&Value>> {
    match (of.get("enum"), of.get("const")) {
        (Some(Value::Array(values)), _) => Some(values.iter().collect()),
        (_, Some(value)) => Some(vec![value]),
        _ => None,
    }
}

fn properties(of: &Map<String, Value>) -> Vec<(&str, &Value)> {
    let all = of.get("properties").and_then(Value::as_object);
    all.into_iter().flatten().map(|(name, schema)| (name.as_str(), schema)).collect()
}

fn required(of: &Map<String, Value>) -> Vec<&str> {
    of.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect()
}

fn listed(values: &[String]) -> String {
    let mut shown: Vec<String> = values.iter().take(6).cloned().collect();
    if values.len() > shown.len() {
        shown.push(format!("{} more", values.len() - shown.len()));
    }
    shown.join(", ")
}
