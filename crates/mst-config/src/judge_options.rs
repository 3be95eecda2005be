//! The options of an entry that names a judge: where each was written, and what the judge's schema says of them.

use std::collections::{HashMap, HashSet};

use indexmap::IndexMap;
use jsonschema::Validator;
use jsonschema::error::ValidationErrorKind;
use mst_model::{CatalogEntry, canonical_json};
use serde_json::{Map, Value};

use crate::diagnostic::Code;
use crate::issue::{Issue, Place, join};
use crate::options::WrittenOptions;

/// Where the options of an entry stand: beside the entry's own keys, or in `options`.
#[derive(Clone, Debug)]
pub(crate) struct PlacedOptions {
    /// Where each option stands.
    pub(crate) origins: IndexMap<String, Place>,
    /// Options that stand in `options` and beside it.
    twice: Vec<String>,
}

impl PlacedOptions {
    /// Finds the options of an entry; `own_keys` are those that are none.
    pub(crate) fn read(value: &Value, own_keys: &[&str], document: usize, pointer: &str) -> Self {
        let place = |path: &str| Place::value(document, path);
        let wrapped = value.get("options").and_then(Value::as_object);
        let beside = value.as_object().into_iter().flatten().map(|(key, _)| key);
        let beside: Vec<&String> = beside.filter(|key| !own_keys.contains(&key.as_str())).collect();
        let mut origins = IndexMap::new();
        for key in wrapped.into_iter().flatten().map(|(key, _)| key) {
            origins.insert(key.clone(), place(&join(&join(pointer, "options"), key)));
        }
        let twice = beside.iter().filter(|key| origins.contains_key(**key)).map(|key| (*key).clone()).collect();
        origins.extend(beside.into_iter().map(|key| (key.clone(), place(&join(pointer, key)))));
        Self { origins, twice }
    }

    /// Reports the options that stand in two places; `entry` is the entry's.
    pub(crate) fn twice(&self, entry: &Place) -> Vec<Issue> {
        let issues = self.twice.iter().map(|key| {
            let place = Place::key(entry.document.unwrap_or_default(), join(&entry.pointer, key));
            let message = format!("the option {key:?} stands in \"options\" and beside it");
            Issue::error(place, Code::Conflict, message)
        });
        issues.collect()
    }
}

/// Whether an option that is missing is a mistake: not where a case adds it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Complete {
    Yes,
    No,
}

/// A check of options against the schemas of their judges.
#[derive(Default)]
pub(crate) struct OptionCheck {
    validators: HashMap<String, Option<Validator>>,
    /// Options that were found right, by judge: thousands of cases have the same.
    right: HashSet<String>,
}

impl OptionCheck {
    /// Says what is wrong with the options of a judge, each with the place it was written at. `own_rule` says what no
    /// schema can, of options that their schema takes.
    pub(crate) fn issues(
        &mut self,
        judge: &CatalogEntry,
        (options, origins): (&Map<String, Value>, &IndexMap<String, Place>),
        place: &Place,
        complete: Complete,
        own_rule: impl FnOnce(&Map<String, Value>) -> Vec<Issue>,
    ) -> Vec<Issue> {
        let key = format!("{}/{}\n{}", judge.kind, judge.name, canonical_json(options));
        if self.right.contains(&key) {
            return Vec::new();
        }
        let validator = self.validators.entry(format!("{}/{}", judge.kind, judge.name));
        let Some(validator) = validator.or_insert_with(|| jsonschema::validator_for(&judge.options).ok()) else {
            let message = format!("the options schema of the {} {:?} is invalid", judge.kind, judge.name);
            return vec![Issue::error(place.clone(), Code::InvalidValue, message)];
        };
        let written = WrittenOptions { entry: judge, origins, place, not_here: &[] };
        let value = Value::Object(options.clone());
        let errors = validator.iter_errors(&value).filter(|error| {
            let is_missing = matches!(error.kind(), ValidationErrorKind::Required { .. });
            complete == Complete::Yes || !(is_missing && error.instance_path().as_str().is_empty())
        });
        let mut issues: Vec<Issue> = errors.flat_map(|error| written.issues(&error)).collect();
        if issues.is_empty() {
            issues = own_rule(options);
        }
        if issues.is_empty() && complete == Complete::Yes {
            self.right.insert(key);
        }
        issues
    }
}
