//! What is wrong with the options of a client or a judge, said where each option was written.

use indexmap::IndexMap;
use jsonschema::error::ValidationErrorKind;
use mst_model::CatalogEntry;
use serde_json::Value;

use crate::diagnostic::Code;
use crate::issue::{Issue, Place, join};
use crate::suggest;

/// Options with the places that they came from.
#[derive(Clone, Copy)]
pub(crate) struct WrittenOptions<'a> {
    /// What they are options of.
    pub(crate) entry: &'a CatalogEntry,
    /// Where each of them was written.
    pub(crate) origins: &'a IndexMap<String, Place>,
    /// Where one that is missing would be written.
    pub(crate) place: &'a Place,
    /// The keys of the schema that are not written among them.
    pub(crate) not_here: &'a [&'a str],
}

impl WrittenOptions<'_> {
    /// Says what an error of the options' schema means, without showing a value.
    pub(crate) fn issues(&self, error: &jsonschema::ValidationError<'_>) -> Vec<Issue> {
        let Self { entry, not_here, .. } = *self;
        let path = error.instance_path().as_str();
        let place = self.place_of(path);
        let whose = format!("the {} {:?}", entry.kind, entry.name);
        match error.kind() {
            ValidationErrorKind::AdditionalProperties { unexpected }
            | ValidationErrorKind::UnevaluatedProperties { unexpected } => unexpected
                .iter()
                .map(|key| {
                    let mut place = self.place_of(&join(path, key));
                    place.key = true;
                    let known = schema_at(&entry.options, path).and_then(|schema| schema.get("properties"));
                    let known = known.and_then(Value::as_object).into_iter().flat_map(|known| known.keys());
                    let known: Vec<&str> =
                        known.map(String::as_str).filter(|known| !not_here.contains(known)).collect();
                    Issue::error(place, Code::UnknownKey, format!("{whose} has no option {key:?}"))
                        .with_help_if(suggest::help(key, known))
                })
                .collect(),
            ValidationErrorKind::Required { property } => {
                vec![Issue::error(place, Code::MissingKey, format!("{whose} needs the option {property}"))]
            }
            _ => {
                let option = path.trim_start_matches('/');
                let schema = schema_at(&entry.options, path);
                let words = schema.map(|schema| words_of(&entry.options, schema)).unwrap_or_default();
                if let (false, Some(given)) = (words.is_empty(), error.instance().as_str()) {
                    let quoted: Vec<String> = words.iter().map(|word| format!("{word:?}")).collect();
                    let message = format!("the option {option:?} of {whose} must be {}", quoted.join(" or "));
                    let near = suggest::nearest(given, words.iter().map(String::as_str));
                    let help = near.map(|near| format!("did you mean {near:?}?"));
                    return vec![Issue::error(place, Code::InvalidValue, message).with_help_if(help)];
                }
                let why = error.masked_with("the value");
                let message = format!("the option {option:?} of {whose}: {why}");
                vec![Issue::error(place, Code::InvalidValue, message)]
            }
        }
    }

    /// Returns the place of an option by its JSON Pointer in the options.
    fn place_of(&self, path: &str) -> Place {
        let mut parts = path.splitn(3, '/').skip(1);
        let first = parts.next().unwrap_or_default().replace("~1", "/").replace("~0", "~");
        let Some(origin) = self.origins.get(&first) else { return self.place.clone() };
        let mut place = origin.clone();
        if let Some(rest) = parts.next() {
            place.pointer = format!("{}/{rest}", place.pointer);
        }
        place
    }
}

/// Returns the schema of a place in the options, as far as plain properties lead.
fn schema_at<'s>(root: &'s Value, path: &str) -> Option<&'s Value> {
    path.split('/').skip(1).try_fold(root, |schema, key| {
        let schema = resolved(root, schema);
        match key.parse::<usize>() {
            Ok(_) if schema.get("items").is_some() => schema.get("items"),
            _ => schema.get("properties")?.get(key),
        }
    })
}

fn resolved<'s>(root: &'s Value, schema: &'s Value) -> &'s Value {
    let target = schema.get("$ref").and_then(Value::as_str).and_then(|reference| reference.strip_prefix('#'));
    target.and_then(|pointer| root.pointer(pointer)).unwrap_or(schema)
}

/// Returns the texts that a schema of fixed values allows.
fn words_of(root: &Value, schema: &Value) -> Vec<String> {
    let schema = resolved(root, schema);
    let mut words: Vec<String> = Vec::new();
    words.extend(schema.get("const").and_then(Value::as_str).map(str::to_owned));
    let listed = schema.get("enum").and_then(Value::as_array).into_iter().flatten();
    words.extend(listed.filter_map(Value::as_str).map(str::to_owned));
    for union in ["anyOf", "oneOf"] {
        for branch in schema.get(union).and_then(Value::as_array).into_iter().flatten() {
            words.extend(words_of(root, branch));
        }
    }
    words
}
