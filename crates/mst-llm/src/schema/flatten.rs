//! The root without combinators: the properties of every branch, required only where every branch requires them.

use serde_json::{Map, Value, json};

use super::normalize::Normalizer;

/// How deep branches are followed; a schema that nests deeper is refused by providers anyway.
const DEEPEST: usize = 16;

/// Keywords that providers refuse at the root.
const COMBINATORS: [&str; 8] = ["anyOf", "oneOf", "allOf", "not", "if", "then", "else", "dependentSchemas"];

/// What a branch adds to the root.
#[derive(Default)]
struct Branch {
    properties: Map<String, Value>,
    required: Vec<String>,
    descriptions: Vec<String>,
}

/// Flattens a normal root: `type: object`, `properties`, and no combinator.
pub(super) fn flatten(mut root: Map<String, Value>, normalizer: &mut Normalizer<'_>) -> Map<String, Value> {
    note_changes(&root, normalizer);
    let has_branches = root.contains_key("$ref") || COMBINATORS.iter().any(|key| root.contains_key(*key));
    let branch = gather(&root, normalizer, 0);
    for key in COMBINATORS.iter().chain(&["$ref", "enum", "const"]) {
        root.shift_remove(*key);
    }
    if has_branches && root.get("additionalProperties").is_some_and(|more| more != &json!(true)) {
        // It would forbid what the branches add beside it, in the reading of most providers.
        root.shift_remove("additionalProperties");
    }
    root.shift_remove("unevaluatedProperties");
    if !root.contains_key("description") && !branch.descriptions.is_empty() {
        root.insert("description".to_owned(), json!(branch.descriptions.join(" | ")));
    }
    let required: Vec<String> =
        branch.required.into_iter().filter(|name| branch.properties.contains_key(name)).collect();
    root.insert("type".to_owned(), json!("object"));
    root.insert("properties".to_owned(), Value::Object(branch.properties));
    if required.is_empty() {
        root.shift_remove("required");
    } else {
        root.insert("required".to_owned(), json!(required));
    }
    root
}

fn note_changes(root: &Map<String, Value>, normalizer: &mut Normalizer<'_>) {
    let changes = &mut normalizer.changes;
    for key in COMBINATORS.iter().chain(&["enum", "const"]).filter(|key| root.contains_key(**key)) {
        match *key {
            "not" | "enum" | "const" => changes.add(format!("{key} at its root was left out")),
            "then" | "else" => {}
            _ => changes.add(format!("{key} at its root was merged into one list of properties")),
        }
    }
    if root.contains_key("$ref") {
        changes.add("the reference at its root was replaced by what it means");
    }
    match root.get("type") {
        None => changes.add("type: object was added at its root"),
        Some(kind) if kind != "object" => changes.add("its root was taken as an object"),
        Some(_) => {}
    }
}

/// Gathers what a schema says of the root's properties.
fn gather(schema: &Map<String, Value>, normalizer: &mut Normalizer<'_>, depth: usize) -> Branch {
    let mut all = Branch::default();
    normalizer.budget = normalizer.budget.saturating_sub(1);
    if depth > DEEPEST || normalizer.budget == 0 {
        normalizer.changes.add("branches nested too deep were left out");
        return all;
    }
    if let Some(Value::Object(properties)) = schema.get("properties") {
        all.properties.extend(properties.clone());
    }
    all.required.extend(names(schema.get("required")));
    if depth > 0 {
        all.descriptions.extend(schema.get("description").and_then(Value::as_str).map(str::to_owned));
    }
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str)
        && let Some(Value::Object(target)) = normalizer.definition(reference)
    {
        let branch = gather(&target, normalizer, depth + 1);
        all.require(&branch.required);
        all.absorb(branch);
    }
    for target in branches(schema, "allOf") {
        let branch = gather(&target, normalizer, depth + 1);
        all.require(&branch.required);
        all.absorb(branch);
    }
    for key in ["anyOf", "oneOf"] {
        let gathered: Vec<Branch> =
            branches(schema, key).iter().map(|branch| gather(branch, normalizer, depth + 1)).collect();
        all.alternatives(gathered);
    }
    let conditional = ["if", "then", "else"].map(|key| {
        let branch = schema.get(key).and_then(Value::as_object);
        branch.map(|branch| gather(branch, normalizer, depth + 1)).unwrap_or_default()
    });
    let [condition, then, otherwise] = conditional;
    all.absorb(condition);
    all.alternatives(vec![then, otherwise]);
    if let Some(Value::Object(dependent)) = schema.get("dependentSchemas") {
        for branch in dependent.values().filter_map(Value::as_object) {
            let branch = gather(branch, normalizer, depth + 1);
            all.absorb(branch);
        }
    }
    all
}

impl Branch {
    /// Adds another branch's properties and descriptions, but not what it requires.
    fn absorb(&mut self, other: Self) {
        for (name, schema) in other.properties {
            match self.properties.get_mut(&name) {
                None => {
                    self.properties.insert(name, schema);
                }
                Some(known) if *known == schema || schema == json!({}) || schema == json!(true) => {}
                Some(known) if *known == json!({}) || *known == json!(true) => *known = schema,
                Some(known) => add_alternative(known, schema),
            }
        }
        self.descriptions.extend(other.descriptions);
    }

    fn require(&mut self, names: &[String]) {
        for name in names {
            if !self.required.contains(name) {
                self.required.push(name.clone());
            }
        }
    }

    /// Adds branches of which one holds: what all of them require is required.
    fn alternatives(&mut self, branches: Vec<Self>) {
        if let Some((first, others)) = branches.split_first() {
            let shared: Vec<String> = first
                .required
                .iter()
                .filter(|name| others.iter().all(|other| other.required.contains(name)))
                .cloned()
                .collect();
            self.require(&shared);
        }
        for branch in branches {
            self.absorb(branch);
        }
    }
}

/// Makes a property that branches describe differently take either.
fn add_alternative(known: &mut Value, schema: Value) {
    if let Some(Value::Array(list)) = known.get_mut("anyOf") {
        if !list.contains(&schema) {
            list.push(schema);
        }
        return;
    }
    *known = json!({"anyOf": [known.take(), schema]});
}

fn branches(schema: &Map<String, Value>, key: &str) -> Vec<Map<String, Value>> {
    schema.get(key).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_object).cloned().collect()
}

fn names(required: Option<&Value>) -> Vec<String> {
    required.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}
