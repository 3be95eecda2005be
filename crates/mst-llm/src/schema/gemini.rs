//! A normal schema as Gemini's `parameters` takes it: a subset of OpenAPI's schema, without references.

use serde_json::{Map, Value, json};

use super::Changes;

/// How often one definition is written out inside itself before it is cut to a plain object.
const DEEPEST_RECURSION: usize = 3;

/// How deep a schema may nest at all.
const DEEPEST: usize = 24;

/// How many schemas are written for one tool; definitions that refer to each other grow without end otherwise.
const BUDGET: usize = 4_000;

/// Keywords that are kept as they are.
const KEPT: [&str; 12] = [
    "title",
    "description",
    "default",
    "minimum",
    "maximum",
    "minItems",
    "maxItems",
    "minLength",
    "maxLength",
    "minProperties",
    "maxProperties",
    "pattern",
];

/// Rewrites a normal schema for Gemini.
pub(super) fn openapi(schema: &Value, changes: &mut Changes) -> Value {
    let no_defs = Map::new();
    let defs = schema.get("$defs").and_then(Value::as_object).unwrap_or(&no_defs);
    let mut writer = Writer { defs, open: Vec::new(), budget: BUDGET, changes };
    let mut root = writer.schema(schema, 0);
    if root.get("type").is_none_or(|kind| kind != "object") {
        root = json!({"type": "object", "properties": {}});
    }
    root
}

struct Writer<'a> {
    defs: &'a Map<String, Value>,
    /// The definitions that are being written out, outermost first.
    open: Vec<String>,
    budget: usize,
    changes: &'a mut Changes,
}

impl Writer<'_> {
    fn schema(&mut self, schema: &Value, depth: usize) -> Value {
        let Value::Object(fields) = schema else { return anything(&Map::new()) };
        self.budget = self.budget.saturating_sub(1);
        if depth > DEEPEST || self.budget == 0 {
            self.changes.add("what nests too deep was cut");
            return json!({"type": "object"});
        }
        if let Some(reference) = fields.get("$ref").and_then(Value::as_str) {
            return self.reference(reference, fields, depth);
        }
        if let Some(Value::Array(parts)) = fields.get("allOf") {
            return self.all_of(parts, fields, depth);
        }
        for key in ["anyOf", "oneOf"] {
            if let Some(Value::Array(branches)) = fields.get(key) {
                return self.any_of(branches, fields, depth);
            }
        }
        let kinds = kinds(fields);
        match kinds.as_slice() {
            [] => anything(fields),
            [kind] => self.typed(kind, fields, depth),
            [kind, null] if *null == "null" => nullable(self.typed(kind, fields, depth)),
            [null, kind] if *null == "null" => nullable(self.typed(kind, fields, depth)),
            many => {
                self.changes.add("a list of types became alternatives");
                let is_nullable = many.contains(&"null");
                let branches: Vec<Value> =
                    many.iter().filter(|kind| **kind != "null").map(|kind| self.typed(kind, fields, depth)).collect();
                let union = described(json!({"anyOf": branches}), fields);
                if is_nullable { nullable(union) } else { union }
            }
        }
    }

    fn reference(&mut self, reference: &str, beside: &Map<String, Value>, depth: usize) -> Value {
        let name = reference.strip_prefix("#/$defs/").unwrap_or(reference).to_owned();
        let Some(target) = self.defs.get(&name) else { return anything(beside) };
        if self.open.iter().filter(|open| **open == name).count() >= DEEPEST_RECURSION {
            self.changes.add(format!("its recursion was cut after {DEEPEST_RECURSION} levels"));
            return described(json!({"type": "object"}), beside);
        }
        self.changes.add("its references were replaced by what they mean");
        self.open.push(name);
        let target = self.schema(target, depth + 1);
        self.open.pop();
        described(target, beside)
    }

    /// Merges the parts, which all hold at once, into one schema.
    fn all_of(&mut self, parts: &[Value], fields: &Map<String, Value>, depth: usize) -> Value {
        self.changes.add("allOf was merged");
        let mut merged = fields.clone();
        merged.shift_remove("allOf");
        for part in parts {
            merge(&mut merged, self.resolved(part));
        }
        self.schema(&Value::Object(merged), depth + 1)
    }

    /// Follows a part's reference, so that its properties can be merged.
    fn resolved(&self, part: &Value) -> Map<String, Value> {
        let mut part = part;
        for _ in 0..DEEPEST_RECURSION {
            let reference = part.get("$ref").and_then(Value::as_str).and_then(|text| text.strip_prefix("#/$defs/"));
            match reference.and_then(|name| self.defs.get(name)) {
                Some(target) => part = target,
                None => break,
            }
        }
        part.as_object().cloned().unwrap_or_default()
    }

    fn any_of(&mut self, branches: &[Value], fields: &Map<String, Value>, depth: usize) -> Value {
        let is_null = |branch: &&Value| branch.get("type").is_some_and(|kind| kind == "null");
        let is_nullable = branches.iter().any(|branch| is_null(&branch));
        let mut base = fields.clone();
        base.retain(|key, _| {
            !matches!(key.as_str(), "anyOf" | "oneOf" | "title" | "description" | "default" | "$defs")
        });
        let mut written: Vec<Value> = Vec::new();
        for branch in branches.iter().filter(|branch| !is_null(branch)) {
            // What stands beside the alternatives holds in each of them.
            let whole = if base.is_empty() {
                branch.clone()
            } else {
                let mut whole = self.resolved(branch);
                merge(&mut whole, base.clone());
                Value::Object(whole)
            };
            let branch = self.schema(&whole, depth + 1);
            if !written.contains(&branch) {
                written.push(branch);
            }
        }
        let union = match written.len() {
            0 => anything(&Map::new()),
            1 => written.swap_remove(0),
            _ => json!({"anyOf": written}),
        };
        let union = described(union, fields);
        if is_nullable { nullable(union) } else { union }
    }

    fn typed(&mut self, kind: &str, fields: &Map<String, Value>, depth: usize) -> Value {
        let mut out = Map::new();
        out.insert("type".to_owned(), json!(if kind == "null" { "string" } else { kind }));
        for key in KEPT {
            if let Some(value) = fields.get(key).filter(|_| belongs(key, kind)) {
                out.insert(key.to_owned(), value.clone());
            }
        }
        if kind == "null" {
            out.insert("nullable".to_owned(), json!(true));
        }
        self.values(kind, fields, &mut out);
        match kind {
            "object" => self.properties(fields, &mut out, depth),
            "array" => {
                let items = self.items(fields, depth);
                out.insert("items".to_owned(), items);
            }
            _ => {}
        }
        self.left_out(fields);
        Value::Object(out)
    }

    /// `enum`, `const` and `format` where the subset has them, and in the description where it has not.
    fn values(&mut self, kind: &str, fields: &Map<String, Value>, out: &mut Map<String, Value>) {
        let values: Vec<Value> = match (fields.get("enum"), fields.get("const")) {
            (Some(Value::Array(values)), _) => values.clone(),
            (_, Some(value)) => vec![value.clone()],
            _ => Vec::new(),
        };
        let strings: Vec<&Value> =
            values.iter().filter(|value| value.as_str().is_some_and(|text| !text.is_empty())).collect();
        if values.iter().any(|value| value == "") {
            self.changes.add("an empty text among listed values was left out");
        }
        if kind == "string" && !strings.is_empty() {
            out.insert("enum".to_owned(), json!(strings));
        } else if !values.is_empty() && kind != "null" {
            let list: Vec<String> = values.iter().map(Value::to_string).collect();
            self.changes.add("values that are not texts went into descriptions");
            append(out, &format!("One of: {}", list.join(", ")));
        }
        let Some(format) = fields.get("format").and_then(Value::as_str) else { return };
        let is_known = matches!(
            (kind, format),
            ("string", "date-time") | ("number", "float" | "double") | ("integer", "int32" | "int64")
        );
        if is_known {
            out.insert("format".to_owned(), json!(format));
        } else {
            append(out, &format!("Format: {format}"));
        }
    }

    fn properties(&mut self, fields: &Map<String, Value>, out: &mut Map<String, Value>, depth: usize) {
        let Some(Value::Object(properties)) = fields.get("properties") else { return };
        let written: Map<String, Value> =
            properties.iter().map(|(name, schema)| (name.clone(), self.schema(schema, depth + 1))).collect();
        let required = fields.get("required").and_then(Value::as_array).into_iter().flatten();
        let mut names: Vec<&str> = Vec::new();
        for name in required.filter_map(Value::as_str).filter(|name| written.contains_key(*name)) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        if !names.is_empty() {
            out.insert("required".to_owned(), json!(names));
        }
        if depth == 0 || !written.is_empty() {
            out.insert("properties".to_owned(), Value::Object(written));
        }
    }

    fn items(&mut self, fields: &Map<String, Value>, depth: usize) -> Value {
        match (fields.get("prefixItems"), fields.get("items")) {
            (Some(Value::Array(prefix)), more) => {
                self.changes.add("the items of a list of fixed places became alternatives");
                let mut all = prefix.clone();
                all.extend(more.filter(|more| more.is_object()).cloned());
                self.any_of(&all, &Map::new(), depth + 1)
            }
            (_, Some(items)) => self.schema(items, depth + 1),
            _ => anything(&Map::new()),
        }
    }

    fn left_out(&mut self, fields: &Map<String, Value>) {
        for key in ["not", "if", "patternProperties", "dependentSchemas", "dependentRequired", "contains"] {
            if fields.contains_key(key) {
                self.changes.add(format!("{key} was left out"));
            }
        }
        for key in ["exclusiveMinimum", "exclusiveMaximum", "multipleOf"] {
            if fields.contains_key(key) {
                self.changes.add(format!("{key} was left out"));
            }
        }
    }
}

/// Adds what another schema says to one that must hold too; where both speak of one thing, the first is kept.
fn merge(merged: &mut Map<String, Value>, other: Map<String, Value>) {
    for (key, value) in other {
        match (merged.get_mut(&key), value) {
            (Some(Value::Object(known)), Value::Object(more)) if key == "properties" => {
                for (name, schema) in more {
                    known.entry(name).or_insert(schema);
                }
            }
            (Some(Value::Array(known)), Value::Array(more)) if key == "required" => known.extend(more),
            (Some(_), _) => {}
            (None, value) => {
                merged.insert(key, value);
            }
        }
    }
}

/// The types of a schema, as it says or as its keywords imply.
fn kinds(fields: &Map<String, Value>) -> Vec<&str> {
    match fields.get("type") {
        Some(Value::String(kind)) => return vec![kind],
        Some(Value::Array(kinds)) => return kinds.iter().filter_map(Value::as_str).collect(),
        _ => {}
    }
    let of_value = |value: &Value| match value {
        Value::String(_) => "string",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
        Value::Null => "null",
    };
    if let Some(Value::Array(values)) = fields.get("enum") {
        let mut kinds = Vec::new();
        for kind in values.iter().map(of_value) {
            if !kinds.contains(&kind) {
                kinds.push(kind);
            }
        }
        return kinds;
    }
    if let Some(value) = fields.get("const") {
        return vec![of_value(value)];
    }
    if ["properties", "required", "additionalProperties", "patternProperties"]
        .iter()
        .any(|key| fields.contains_key(*key))
    {
        vec!["object"]
    } else if fields.contains_key("items") || fields.contains_key("prefixItems") {
        vec!["array"]
    } else if fields.contains_key("pattern") || fields.contains_key("minLength") || fields.contains_key("format") {
        vec!["string"]
    } else {
        Vec::new()
    }
}

/// Returns whether a keyword says anything about a type.
fn belongs(key: &str, kind: &str) -> bool {
    match key {
        "minimum" | "maximum" => matches!(kind, "number" | "integer"),
        "minItems" | "maxItems" => kind == "array",
        "minLength" | "maxLength" | "pattern" => kind == "string",
        "minProperties" | "maxProperties" => kind == "object",
        _ => true,
    }
}

/// A schema that takes anything, which the subset can only say as alternatives.
fn anything(beside: &Map<String, Value>) -> Value {
    described(
        json!({"anyOf": [{"type": "string"}, {"type": "number"}, {"type": "boolean"}, {"type": "object"}]}),
        beside,
    )
}

/// Puts a title and a description over those of a schema that was written out in a reference's place.
fn described(mut schema: Value, beside: &Map<String, Value>) -> Value {
    if let Some(fields) = schema.as_object_mut() {
        for key in ["title", "description"] {
            if let Some(value) = beside.get(key) {
                fields.insert(key.to_owned(), value.clone());
            }
        }
    }
    schema
}

fn nullable(mut schema: Value) -> Value {
    if let Some(fields) = schema.as_object_mut() {
        fields.insert("nullable".to_owned(), json!(true));
    }
    schema
}

fn append(out: &mut Map<String, Value>, words: &str) {
    let text = match out.get("description").and_then(Value::as_str) {
        Some(text) => format!("{text} ({words})"),
        None => words.to_owned(),
    };
    out.insert("description".to_owned(), json!(text));
}
