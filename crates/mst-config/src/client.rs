//! The client of a variant or a case: settings patched level over level, then bound to a registered client.

use indexmap::IndexMap;
use serde_json::{Map, Value};

use crate::issue::{Place, join};

/// The client when a config names none.
pub(crate) const DEFAULT_CLIENT: &str = "claude-code";

/// What one level (config, variant or case) says about the client.
pub(crate) struct Level<'a> {
    pub(crate) client: Option<&'a str>,
    pub(crate) model: Option<&'a str>,
    pub(crate) options: Option<&'a Map<String, Value>>,
    pub(crate) document: usize,
    /// The JSON Pointer of the level.
    pub(crate) pointer: String,
}

impl Level<'_> {
    fn place(&self, key: &str) -> Place {
        Place::value(self.document, join(&self.pointer, key))
    }
}

/// A client's settings, with the place that each came from.
#[derive(Clone, Debug)]
pub(crate) struct Choice {
    pub(crate) client: String,
    pub(crate) client_place: Place,
    /// Whether a level names the client.
    pub(crate) is_named: bool,
    pub(crate) model: Option<Model>,
    pub(crate) options: Map<String, Value>,
    pub(crate) origins: IndexMap<String, Place>,
    /// Where an option that is missing would be written.
    pub(crate) options_place: Place,
}

/// A model with its place.
#[derive(Clone, Debug)]
pub(crate) struct Model {
    pub(crate) name: String,
    pub(crate) place: Place,
    /// Whether it is the eval config's, which is a default for the clients that take a model.
    pub(crate) is_default: bool,
}

impl Choice {
    /// Starts with the eval config's settings.
    pub(crate) fn of_config(level: &Level<'_>) -> Self {
        let base = Self {
            client: DEFAULT_CLIENT.to_owned(),
            client_place: Place::value(level.document, level.pointer.clone()),
            is_named: false,
            model: None,
            options: Map::new(),
            origins: IndexMap::new(),
            options_place: Place::value(level.document, level.pointer.clone()),
        };
        let mut choice = base.patched(level);
        if let Some(model) = &mut choice.model {
            model.is_default = true;
        }
        choice
    }

    /// Puts a level over these settings: another client starts with no options, the same one keeps them under the level's.
    pub(crate) fn patched(&self, level: &Level<'_>) -> Self {
        let mut choice = self.clone();
        if let Some(client) = level.client {
            let bare = |name: &str| name.strip_prefix("mst/client/").unwrap_or(name).to_owned();
            if bare(client) != bare(&self.client) {
                choice.options = Map::new();
                choice.origins = IndexMap::new();
            }
            choice.client = bare(client);
            choice.client_place = level.place("client");
            choice.options_place = level.place("client");
            choice.is_named = true;
        }
        if let Some(options) = level.options {
            choice.options_place = level.place("clientOptions");
            for (key, value) in options {
                choice.options.insert(key.clone(), value.clone());
                let place = Place::value(level.document, join(&choice.options_place.pointer, key));
                choice.origins.insert(key.clone(), place);
            }
        }
        if let Some(model) = level.model {
            choice.model = Some(Model { name: model.to_owned(), place: level.place("model"), is_default: false });
        }
        choice
    }
}
