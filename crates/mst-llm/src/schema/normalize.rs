//! A schema with its references gathered under `$defs`, its root flattened, and nothing that JSON Schema 2020-12 forbids.

use indexmap::IndexMap;
use percent_encoding::percent_decode_str;
use serde_json::{Map, Value, json};

use super::Changes;
use super::flatten::flatten;

/// Keywords that name or locate a schema; references are rewritten, so that nothing needs them.
const LOCATORS: [&str; 8] =
    ["$schema", "$id", "id", "$anchor", "$dynamicAnchor", "$recursiveAnchor", "$vocabulary", "$comment"];

const BUDGET: usize = 1_000;

const TYPES: [&str; 7] = ["object", "array", "string", "number", "integer", "boolean", "null"];

/// Keywords whose value is one schema.
const ONE: [&str; 10] = [
    "additionalProperties",
    "unevaluatedProperties",
    "unevaluatedItems",
    "propertyNames",
    "contains",
    "items",
    "not",
    "if",
    "then",
    "else",
];

/// Keywords whose value is a list of schemas.
const MANY: [&str; 4] = ["anyOf", "oneOf", "allOf", "prefixItems"];

/// Keywords whose value is a map of schemas.
const MAPS: [&str; 3] = ["properties", "patternProperties", "dependentSchemas"];

/// A schema in normal form, and what was changed.
pub(super) struct Normal {
    pub(super) schema: Value,
    pub(super) changes: Changes,
}

/// Brings a schema into normal form. `needs_items` gives every array an `items`, which some providers demand.
pub(super) fn normalize(schema: &Value, needs_items: bool) -> Normal {
    let mut normalizer = Normalizer {
        document: schema,
        defs: IndexMap::new(),
        needs_items,
        budget: BUDGET,
        changes: Changes::default(),
    };
    let root = normalizer.root();
    let mut schema = flatten(root, &mut normalizer);
    let defs = normalizer.definitions(&schema);
    if !defs.is_empty() {
        schema.insert("$defs".to_owned(), Value::Object(defs));
    }
    Normal { schema: Value::Object(schema), changes: normalizer.changes }
}

/// A schema on its way to normal form.
pub(super) struct Normalizer<'a> {
    document: &'a Value,
    /// By pointer: the name under `$defs`, and the schema once it is normal.
    defs: IndexMap<String, (String, Option<Value>)>,
    needs_items: bool,
    /// How many branches may still be merged into the root; branches that refer to their own root have no end.
    pub(super) budget: usize,
    pub(super) changes: Changes,
}

impl Normalizer<'_> {
    fn root(&mut self) -> Map<String, Value> {
        if let Value::Object(_) = self.document {
            let document = self.document;
            if let Value::Object(root) = self.schema(document) {
                return root;
            }
        }
        self.changes.add("it is not an object and was taken as one without properties");
        Map::new()
    }

    /// Returns the normal form of the definition that a rewritten reference names.
    pub(super) fn definition(&mut self, reference: &str) -> Option<Value> {
        let name = reference.strip_prefix("#/$defs/")?;
        let (pointer, (_, known)) = self.defs.iter().find(|(_, (known, _))| known == name)?;
        if let Some(schema) = known {
            return Some(schema.clone());
        }
        let pointer = pointer.clone();
        let target = self.document.pointer(&pointer)?.clone();
        let schema = self.schema(&target);
        if let Some((_, place)) = self.defs.get_mut(&pointer) {
            *place = Some(schema.clone());
        }
        Some(schema)
    }

    /// Gathers the definitions that a schema still refers to, directly or through others.
    fn definitions(&mut self, schema: &Map<String, Value>) -> Map<String, Value> {
        let mut wanted = references(&Value::Object(schema.clone()));
        let mut defs = Map::new();
        while let Some(reference) = wanted.pop() {
            let Some(name) = reference.strip_prefix("#/$defs/").map(str::to_owned) else { continue };
            if defs.contains_key(&name) {
                continue;
            }
            let definition = self.definition(&reference).unwrap_or_else(|| json!({}));
            wanted.extend(references(&definition));
            defs.insert(name, definition);
        }
        defs
    }

    /// Returns the normal form of a schema anywhere in the document.
    fn schema(&mut self, schema: &Value) -> Value {
        match schema {
            Value::Bool(_) => schema.clone(),
            Value::Object(fields) => self.object(fields),
            _ => {
                self.changes.add("something in it is no schema and was taken as one that takes anything");
                json!({})
            }
        }
    }

    fn object(&mut self, fields: &Map<String, Value>) -> Value {
        let mut out = Map::new();
        for (key, value) in fields {
            let key = key.as_str();
            let normal = match key {
                "$ref" => value.as_str().and_then(|reference| self.reference(reference)).map(Value::String),
                "$dynamicRef" | "$recursiveRef" => {
                    self.changes.add("a dynamic reference was left out");
                    None
                }
                "$defs" | "definitions" => None,
                _ if LOCATORS.contains(&key) && value.is_string() => None,
                "items" if value.is_array() => {
                    out.insert("prefixItems".to_owned(), self.list(value));
                    None
                }
                _ if ONE.contains(&key) => Some(self.schema(value)),
                _ if MANY.contains(&key) => Some(self.list(value)).filter(|list| list != &json!([])),
                _ if MAPS.contains(&key) => self.map(key, value),
                _ => self.plain(key, value),
            };
            if let Some(normal) = normal {
                out.insert(key.to_owned(), normal);
            }
        }
        let is_array = out.get("type").is_some_and(|kind| kind == "array");
        if self.needs_items && is_array && !out.contains_key("items") {
            out.insert("items".to_owned(), json!({}));
        }
        Value::Object(out)
    }

    /// Checks a keyword that holds no schema; `None` drops it.
    fn plain(&mut self, key: &str, value: &Value) -> Option<Value> {
        let is_known = |kind: &Value| kind.as_str().is_some_and(|kind| TYPES.contains(&kind));
        let is_fine = match key {
            "type" => match value {
                Value::Array(kinds) => !kinds.is_empty() && kinds.iter().all(is_known),
                kind => is_known(kind),
            },
            "required" => value.as_array().is_some_and(|names| names.iter().all(Value::is_string)),
            "enum" => value.as_array().is_some_and(|values| !values.is_empty()),
            "description" | "title" | "pattern" | "format" => value.is_string(),
            "exclusiveMinimum" | "exclusiveMaximum" | "minimum" | "maximum" | "multipleOf" => value.is_number(),
            "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties" => {
                value.as_f64().is_some_and(|count| count >= 0.0)
            }
            _ => true,
        };
        if !is_fine {
            self.changes.add(format!("a {key} with a value that it cannot have was left out"));
        }
        is_fine.then(|| if key == "required" { self.each_once(value) } else { value.clone() })
    }

    /// Returns a list of names with each once, as JSON Schema demands of what is required.
    fn each_once(&mut self, names: &Value) -> Value {
        let mut once: Vec<&Value> = Vec::new();
        for name in names.as_array().into_iter().flatten() {
            if once.contains(&name) {
                self.changes.add("a name that is required twice is required once");
            } else {
                once.push(name);
            }
        }
        json!(once)
    }

    fn list(&mut self, value: &Value) -> Value {
        value.as_array().into_iter().flatten().map(|schema| self.schema(schema)).collect()
    }

    fn map(&mut self, key: &str, value: &Value) -> Option<Value> {
        let Value::Object(fields) = value else {
            self.changes.add(format!("a {key} with a value that it cannot have was left out"));
            return None;
        };
        Some(fields.iter().map(|(name, schema)| (name.clone(), self.schema(schema))).collect())
    }

    /// Rewrites a reference to one under `$defs`; `None` when it leads nowhere or elsewhere.
    fn reference(&mut self, reference: &str) -> Option<String> {
        let Some(pointer) = reference.strip_prefix('#') else {
            self.changes.add("a reference to another document was left out");
            return None;
        };
        let pointer = percent_decode_str(pointer).decode_utf8_lossy().into_owned();
        if self.document.pointer(&pointer).is_none_or(|target| !target.is_object() && !target.is_boolean()) {
            self.changes.add("a reference that leads nowhere was left out");
            return None;
        }
        if let Some((name, _)) = self.defs.get(&pointer) {
            return Some(format!("#/$defs/{name}"));
        }
        let last = pointer.rsplit('/').next().unwrap_or_default();
        let clean: String =
            last.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.')).collect();
        let stem = if clean.is_empty() { "schema".to_owned() } else { clean };
        let mut name = stem.clone();
        let mut number = 2;
        while self.defs.values().any(|(known, _)| *known == name) {
            name = format!("{stem}_{number}");
            number += 1;
        }
        let rewritten = format!("#/$defs/{name}");
        self.defs.insert(pointer, (name, None));
        Some(rewritten)
    }
}

/// Returns every reference in a normal schema, outside the names of properties.
pub(super) fn references(schema: &Value) -> Vec<String> {
    let mut found = Vec::new();
    collect(schema, &mut found);
    found
}

fn collect(schema: &Value, found: &mut Vec<String>) {
    let Value::Object(fields) = schema else { return };
    for (key, value) in fields {
        match value {
            Value::String(reference) if key == "$ref" => found.push(reference.clone()),
            Value::Object(map) if MAPS.contains(&key.as_str()) => {
                map.values().for_each(|schema| collect(schema, found));
            }
            Value::Array(list) if MANY.contains(&key.as_str()) => list.iter().for_each(|schema| collect(schema, found)),
            _ if ONE.contains(&key.as_str()) => collect(value, found),
            _ => {}
        }
    }
}
