//! The result store of a config (`results.store`) or of `--results`: which kind it is, and the options that the kind takes.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use indexmap::IndexMap;
use mst_model::{Catalog, ExtensionKind, Reference};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value, json};

use crate::diagnostic::{Code, Diagnostics};
use crate::draft::EvalDraft;
use crate::issue::{Issue, Place, diagnose, join};
use crate::judge_options::{Complete, OptionCheck};
use crate::key::Refusal;
use crate::reference;
use crate::suggest;

/// Where the config says it.
const POINTER: &str = "/results/store";

/// The kind's key in the object form; every other key is an option.
const TYPE: &str = "type";

/// What a text begins with that names a kind of store, and the kind.
const SCHEMES: [(&str, &str); 2] = [("file", "file"), ("gs", "gcs")];

/// A result store that is to be used.
#[derive(Clone, Debug, PartialEq)]
pub struct ResultStoreSetting {
    /// The kind's name.
    pub kind: String,
    /// The kind's options, checked against its schema.
    pub options: Map<String, Value>,
    /// Where relative paths in the options start.
    pub base: PathBuf,
}

/// A result store as written: a text such as `file:DIR`, or an object with a `type`.
#[derive(Debug)]
pub(crate) struct WrittenResultStore;

/// The object form. Keys beside this one are options of the store itself.
#[derive(JsonSchema)]
#[schemars(rename = "ResultStoreObject", rename_all = "camelCase", extend("additionalProperties" = true))]
#[expect(dead_code, reason = "only its schema is used")]
struct ResultStoreObject {
    /// The kind of store: `file`, which keeps runs in the directory `dir`.
    #[serde(rename = "type")]
    #[schemars(length(min = 1))]
    kind: String,
    /// The directory of a `file` store: relative to the eval config's directory.
    #[serde(default)]
    #[schemars(length(min = 1))]
    dir: Option<String>,
}

impl JsonSchema for WrittenResultStore {
    fn schema_name() -> Cow<'static, str> {
        "ResultStore".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let object = generator.subschema_for::<ResultStoreObject>();
        json_schema!({ "anyOf": [{ "type": "string", "minLength": 1 }, object] })
    }
}

/// Returns the store that a config names, with what is wrong with it. Relative paths start from the config's directory.
pub(crate) fn of_config(
    draft: &EvalDraft,
    config_dir: &Path,
    catalog: &Catalog,
) -> (Option<ResultStoreSetting>, Vec<Issue>) {
    match draft.results.as_ref().map(|results| read(&results.store, &Place::value(0, POINTER), catalog)) {
        None => (None, Vec::new()),
        Some(Ok((kind, options))) => {
            (Some(ResultStoreSetting { kind, options, base: config_dir.to_owned() }), Vec::new())
        }
        Some(Err(issues)) => (None, issues),
    }
}

/// Returns the store that `--results` names. Relative paths start from the working directory.
///
/// # Errors
/// What is wrong with the text.
pub fn result_store_flag(text: &str, catalog: &Catalog) -> Result<ResultStoreSetting, Diagnostics> {
    let (kind, options) = read(&json!(text), &Place::flag(), catalog).map_err(|mut issues| {
        for issue in &mut issues {
            issue.message = format!("--results: {}", issue.message);
        }
        diagnose(issues, &[])
    })?;
    Ok(ResultStoreSetting { kind, options, base: PathBuf::new() })
}

/// Reads a store as written, whose shape has been checked, and binds it to a kind.
fn read(value: &Value, place: &Place, catalog: &Catalog) -> Result<(String, Map<String, Value>), Vec<Issue>> {
    let refuse = |place: Place, refusal: Refusal| {
        vec![Issue::error(place, refusal.code, refusal.message).with_help_if(refusal.help)]
    };
    let below = |key: &str| match place.document {
        Some(document) if value.is_object() => Place::value(document, join(&place.pointer, key)),
        _ => place.clone(),
    };
    let (kind, options, named_at) = match value {
        Value::Object(fields) => {
            let kind = fields.get(TYPE).and_then(Value::as_str).unwrap_or_default();
            let mut options = fields.clone();
            options.shift_remove(TYPE);
            (kind.to_owned(), options, below(TYPE))
        }
        value => {
            let text = value.as_str().unwrap_or_default();
            let (kind, options) = of_text(text, catalog).map_err(|refusal| refuse(place.clone(), refusal))?;
            (kind, options, place.clone())
        }
    };
    let entry = reference::lookup(catalog, ExtensionKind::ResultStore, &kind)
        .map_err(|refusal| refuse(named_at.clone(), refusal))?;
    let origins: IndexMap<String, Place> = options.keys().map(|key| (key.clone(), below(key))).collect();
    let issues = OptionCheck::default().issues(entry, (&options, &origins), place, Complete::Yes, |_| Vec::new());
    if issues.is_empty() { Ok((entry.name.clone(), options)) } else { Err(issues) }
}

/// Reads a store that is written as one text.
fn of_text(text: &str, catalog: &Catalog) -> Result<(String, Map<String, Value>), Refusal> {
    let invalid = |message: String, help: String| Refusal { code: Code::InvalidValue, message, help: Some(help) };
    let usual = || "a directory is written \"file:DIR\", such as \"file:./shared-results\"".to_owned();
    match text.split_once(':') {
        Some(("file", "")) => Err(invalid("\"file:\" names no directory".to_owned(), usual())),
        Some(("file", dir)) if dir.starts_with("//") => {
            let path = dir.trim_start_matches('/');
            let near = if dir.starts_with("///") { format!("file:/{path}") } else { format!("file:{path}") };
            Err(invalid(format!("{text:?} is a URL, where a directory belongs"), format!("did you mean {near:?}?")))
        }
        Some(("file", dir)) => Ok(("file".to_owned(), Map::from_iter([("dir".to_owned(), json!(dir))]))),
        // What is refused by name is refused whatever it says further.
        Some(("gs", _)) => {
            reference::lookup(catalog, ExtensionKind::ResultStore, "gcs").map(|entry| (entry.name.clone(), Map::new()))
        }
        Some((scheme, rest)) if scheme.chars().all(|letter| letter.is_ascii_alphanumeric()) && scheme.len() > 1 => {
            let near = suggest::nearest(scheme, SCHEMES.map(|(known, _)| known));
            let help = near.map_or_else(usual, |near| format!("did you mean {:?}?", format!("{near}:{rest}")));
            Err(Refusal {
                code: Code::UnknownName,
                message: format!("there is no result store {scheme:?}"),
                help: Some(help),
            })
        }
        _ if text.starts_with(['.', '/', '~']) || text.contains('\\') => {
            let near = format!("file:{text}");
            Err(invalid(format!("{text:?} names no result store"), format!("did you mean {near:?}?")))
        }
        _ => match (text.parse::<Reference>(), catalog.get(ExtensionKind::ResultStore, text)) {
            (_, Some(entry)) if entry.unavailable.is_none() => {
                Err(invalid(format!("{text:?} names a kind of result store, and not where it is"), usual()))
            }
            // A path that happens to have three parts is none of a plugin's.
            (Err(_), None) if text.contains('/') => {
                let near = format!("file:{text}");
                Err(invalid(format!("{text:?} names no result store"), format!("did you mean {near:?}?")))
            }
            _ => reference::lookup(catalog, ExtensionKind::ResultStore, text)
                .map(|entry| (entry.name.clone(), Map::new())),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mst_model::{CatalogEntry, Requirements};

    fn catalog() -> Catalog {
        let entry = |name: &str, unavailable: Option<&str>| CatalogEntry {
            kind: ExtensionKind::ResultStore,
            name: name.to_owned(),
            description: String::new(),
            options: json!({
                "type": "object",
                "properties": { "dir": { "type": "string", "minLength": 1 } },
                "required": ["dir"],
                "additionalProperties": false,
            }),
            tool_metadata: false,
            max_concurrency: None,
            requirements: Requirements::default(),
            requires: Vec::new(),
            version: None,
            swap_positions: None,
            unavailable: unavailable.map(str::to_owned),
        };
        Catalog { entries: vec![entry("file", None), entry("gcs", Some("\"gcs\" is not available"))] }
    }

    #[test]
    fn a_store_is_a_directory_or_is_refused_by_name_with_what_was_meant() {
        for (text, want) in [
            ("file:./runs", Ok("./runs")),
            ("file:/runs", Ok("/runs")),
            ("file:a:b", Ok("a:b")),
            ("file:", Err("names no directory")),
            ("file://runs", Err("did you mean \"file:runs\"?")),
            ("file:///runs/x", Err("did you mean \"file:/runs/x\"?")),
            ("fiel:./runs", Err("did you mean \"file:./runs\"?")),
            ("FILE:./runs", Err("did you mean \"file:./runs\"?")),
            ("gs://bucket/prefix", Err("\"gcs\" is not available")),
            ("gcs", Err("\"gcs\" is not available")),
            ("gcs:bucket", Err("did you mean \"gs:bucket\"?")),
            ("s3://bucket", Err("there is no result store \"s3\"")),
            ("./runs", Err("did you mean \"file:./runs\"?")),
            ("shared/runs", Err("did you mean \"file:shared/runs\"?")),
            ("file", Err("and not where it is")),
            ("acme/result-store/runs", Err("the plugin result-store \"acme/result-store/runs\" is not available")),
            ("acme/judge/runs", Err("names a judge; a result-store is needed here")),
            ("fle", Err("did you mean \"file\"?")),
            ("", Err("there is no result-store")),
        ] {
            let found = result_store_flag(text, &catalog());
            match (found, want) {
                (Ok(found), Ok(dir)) => assert_eq!(found.options["dir"], dir, "{text}"),
                (Err(found), Err(word)) => {
                    let one = &found.as_slice()[0];
                    let said = format!("{} {}", one.message, one.help.as_deref().unwrap_or_default());
                    assert!(said.starts_with("--results: ") && said.contains(word), "{text:?}: {said}");
                }
                (found, want) => panic!("{text}: {found:?}, not {want:?}"),
            }
        }
    }
}
