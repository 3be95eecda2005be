//! A dataset declaration of an eval config.

use std::borrow::Cow;
use std::path::Path;

use mst_model::{ExtensionKind, Reference};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

/// Where a dataset comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum DatasetSource {
    /// One file.
    File(FileSource),
    /// A directory of files, merged into one dataset.
    Dir(DirSource),
}

/// One dataset file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FileSource {
    /// Its path: relative to the eval config's directory, else to the root directory.
    #[schemars(length(min = 1))]
    pub path: String,
}

/// A directory of dataset files: every `*.json`, in name order, as one dataset named after the directory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DirSource {
    /// Its path: relative to the eval config's directory, else to the root directory.
    #[schemars(length(min = 1))]
    pub path: String,
    /// Whether its sub-directories count too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub recursive: bool,
}

impl DatasetSource {
    /// Returns the path as written.
    pub fn path(&self) -> &str {
        match self {
            Self::File(source) => &source.path,
            Self::Dir(source) => &source.path,
        }
    }

    /// Returns the source's type as configs write it.
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::File(_) => "file",
            Self::Dir(_) => "dir",
        }
    }
}

/// Returns whether a bare dataset is a plugin's: `<namespace>/dataset/<name>`, which no path to a JSON file is.
pub(crate) fn is_plugin_dataset(text: &str) -> bool {
    let is_json = Path::new(text).extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
    !is_json && matches!(text.parse(), Ok(Reference::Plugin { kind: ExtensionKind::Dataset, .. }))
}

/// The object form.
#[derive(Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Tagged {
    File(FileSource),
    Dir(DirSource),
}

impl<'de> Deserialize<'de> for DatasetSource {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::String(path) => Ok(Self::File(FileSource { path })),
            object => match Tagged::deserialize(object).map_err(serde::de::Error::custom)? {
                Tagged::File(source) => Ok(Self::File(source)),
                Tagged::Dir(source) => Ok(Self::Dir(source)),
            },
        }
    }
}

impl JsonSchema for DatasetSource {
    fn schema_name() -> Cow<'static, str> {
        "DatasetSource".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let tagged = Tagged::json_schema(generator);
        json_schema!({ "anyOf": [{ "type": "string", "minLength": 1 }, tagged] })
    }
}
