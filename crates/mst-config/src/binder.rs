//! Binding a client's settings to the registered client: defaults filled in, options checked against its schema.

use std::collections::{BTreeSet, HashMap, HashSet};

use jsonschema::Validator;
use mst_model::{Catalog, CatalogEntry, ExtensionKind, Provider, canonical_json};
use serde_json::Value;

use crate::client::Choice;
use crate::diagnostic::Code;
use crate::issue::{Issue, Place};
use crate::options::WrittenOptions;
use crate::plan::PlannedClient;
use crate::reference;
use crate::suggest;

/// Binds clients and remembers what it found, so that a mistake that many inherit is reported once.
pub(crate) struct Binder<'a> {
    catalog: &'a Catalog,
    /// The config's client defaults: option and value, each at the key of that name.
    defaults: Vec<(&'static str, Value)>,
    /// The defaults that a client of the run takes, and `model`.
    taken: BTreeSet<&'static str>,
    validators: HashMap<String, Option<Validator>>,
    bound: HashMap<String, Option<PlannedClient>>,
    reported: HashSet<(Place, String)>,
    /// Whether a client could not be had, so that what it takes is not known.
    has_unknown_client: bool,
    pub(crate) issues: Vec<Issue>,
}

impl<'a> Binder<'a> {
    pub(crate) fn new(catalog: &'a Catalog, defaults: Vec<(&'static str, Value)>) -> Self {
        Self {
            catalog,
            defaults,
            taken: BTreeSet::new(),
            validators: HashMap::new(),
            bound: HashMap::new(),
            reported: HashSet::new(),
            has_unknown_client: false,
            issues: Vec::new(),
        }
    }

    /// Reports an issue, once.
    pub(crate) fn report(&mut self, issue: Issue) {
        if self.reported.insert((issue.place.clone(), issue.message.clone())) {
            self.issues.push(issue);
        }
    }

    /// Returns the registered client of some settings; reports one that is not to be had.
    pub(crate) fn entry(&mut self, choice: &Choice) -> Option<&'a CatalogEntry> {
        let refusal = match reference::lookup(self.catalog, ExtensionKind::Client, &choice.client) {
            Ok(entry) => return Some(entry),
            Err(refusal) => refusal,
        };
        self.has_unknown_client = true;
        let issue = if choice.is_named {
            Issue::error(choice.client_place.clone(), refusal.code, refusal.message).with_help_if(refusal.help)
        } else {
            let message = format!("\"client\" is missing, and the default is {:?}: {}", choice.client, refusal.message);
            let help = (!message.contains("\"api\"")).then(|| "set \"client\": \"api\"".to_owned());
            Issue::error(choice.client_place.clone(), refusal.code, message).with_help_if(help)
        };
        self.report(issue);
        None
    }

    /// Binds settings to their client; `None` when something was reported.
    pub(crate) fn bind(&mut self, choice: &Choice) -> Option<PlannedClient> {
        let model = choice.model.as_ref().map(|model| &model.name);
        let key = canonical_json(&(&choice.client, model, &choice.options));
        if let Some(known) = self.bound.get(&key) {
            return known.clone();
        }
        let planned = self.bind_new(choice);
        self.bound.insert(key, planned.clone());
        planned
    }

    fn bind_new(&mut self, choice: &Choice) -> Option<PlannedClient> {
        let entry = self.entry(choice)?;
        let properties = entry.options.get("properties").and_then(Value::as_object);
        let takes = |option: &str| properties.is_none_or(|properties| properties.contains_key(option));
        let mut choice = choice.clone();
        for (option, value) in &self.defaults {
            if takes(option) {
                self.taken.insert(*option);
                if !choice.options.contains_key(*option) {
                    choice.options.insert((*option).to_owned(), value.clone());
                    choice.origins.insert((*option).to_owned(), Place::value(0, format!("/{option}")));
                }
            }
        }
        let mut model = None;
        if let Some(wanted) = choice.model.clone() {
            if takes("model") {
                self.taken.insert("model");
                choice.options.insert("model".to_owned(), Value::from(wanted.name.clone()));
                choice.origins.insert("model".to_owned(), wanted.place);
                model = Some(wanted.name);
            } else if !wanted.is_default {
                let message = format!("the client {:?} takes no model", choice.client);
                self.report(Issue::error(wanted.place, Code::InvalidValue, message));
            }
        }
        let before = self.issues.len();
        self.check_options(entry, &choice);
        if self.issues.len() > before {
            return None;
        }
        self.warn_of_provider(entry, &choice, model.as_deref());
        let default_model = properties.and_then(|properties| properties.get("model")?.get("default")?.as_str());
        let priced_model = model.clone().or_else(|| default_model.map(str::to_owned));
        Some(PlannedClient { name: choice.client, model, priced_model, options: choice.options })
    }

    /// Reports the defaults that no client of the run takes.
    pub(crate) fn check_defaults(&mut self, has_model: bool) {
        if self.has_unknown_client {
            return;
        }
        let names = self.defaults.iter().map(|(option, _)| *option).chain(has_model.then_some("model"));
        let unused: Vec<&str> = names.filter(|option| !self.taken.contains(option)).collect();
        for option in unused {
            let message = format!("no client of the run takes {option:?}");
            self.report(Issue::error(Place::key(0, format!("/{option}")), Code::InvalidValue, message));
        }
    }

    fn check_options(&mut self, entry: &CatalogEntry, choice: &Choice) {
        let validator =
            self.validators.entry(entry.name.clone()).or_insert_with(|| jsonschema::validator_for(&entry.options).ok());
        let Some(validator) = validator else {
            let message = format!("the options schema of the client {:?} is invalid", entry.name);
            return self.report(Issue::error(choice.client_place.clone(), Code::InvalidValue, message));
        };
        let options = Value::Object(choice.options.clone());
        let written = WrittenOptions {
            entry,
            origins: &choice.origins,
            place: &choice.options_place,
            // The model stands beside the options.
            not_here: &["model"],
        };
        let issues: Vec<Issue> = validator.iter_errors(&options).flat_map(|error| written.issues(&error)).collect();
        for issue in issues {
            self.report(issue);
        }
        if entry.name == "api"
            && let Some(Value::String(provider)) = choice.options.get("provider")
            && let Err(message) = provider.parse::<Provider>()
            && let Some(place) = choice.origins.get("provider")
            && !self.issues.iter().any(|issue| issue.place == *place)
        {
            let near = suggest::nearest(provider, Provider::ALL.map(Provider::as_str));
            let help = near.map(|near| format!("did you mean {near:?}?"));
            self.report(Issue::error(place.clone(), Code::UnknownName, message).with_help_if(help));
        }
    }

    /// Warns when the provider is a guess.
    fn warn_of_provider(&mut self, entry: &CatalogEntry, choice: &Choice, model: Option<&str>) {
        if entry.name != "api" || choice.options.contains_key("provider") {
            return;
        }
        if let (Some(name), Some(place)) = (model, choice.origins.get("model"))
            && Provider::infer(name).is_none()
        {
            let message = format!("no provider can be told from the model {name:?}; \"anthropic\" is used");
            let issue = Issue::warning(place.clone(), Code::Ambiguous, message);
            self.report(issue.with_help("set \"provider\""));
        }
    }
}
