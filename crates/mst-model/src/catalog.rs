//! References to extensions, and the catalog: what is registered, as plain data.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The kinds of extension.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ExtensionKind {
    /// A dataset source.
    Dataset,
    /// A client under test.
    Client,
    /// A judge.
    Judge,
    /// A pairwise judge.
    PairwiseJudge,
    /// A metric.
    Metric,
    /// A result store.
    ResultStore,
    /// A connector server.
    Connector,
    /// A runner (`env` is its older word).
    Runner,
    /// A credential store.
    CredentialStore,
    /// A shared config.
    Config,
}

impl ExtensionKind {
    /// Every kind.
    pub const ALL: [Self; 10] = [
        Self::Dataset,
        Self::Client,
        Self::Judge,
        Self::PairwiseJudge,
        Self::Metric,
        Self::ResultStore,
        Self::Connector,
        Self::Runner,
        Self::CredentialStore,
        Self::Config,
    ];

    /// Returns the word used in references.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Dataset => "dataset",
            Self::Client => "client",
            Self::Judge => "judge",
            Self::PairwiseJudge => "pairwise-judge",
            Self::Metric => "metric",
            Self::ResultStore => "result-store",
            Self::Connector => "connector",
            Self::Runner => "runner",
            Self::CredentialStore => "credential-store",
            Self::Config => "config",
        }
    }
}

impl fmt::Display for ExtensionKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A reference to an extension: a built-in's bare name, or `<namespace>/<kind>/<name>`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Reference {
    /// A built-in, written bare or as `mst/<kind>/<name>`.
    BuiltIn {
        /// Its name.
        name: String,
        /// Its kind, when written.
        kind: Option<ExtensionKind>,
    },
    /// A plugin's extension.
    Plugin {
        /// The plugin's namespace, such as `acme` or `@scope/acme`.
        namespace: String,
        /// The kind.
        kind: ExtensionKind,
        /// The extension's name.
        name: String,
    },
}

/// A text that is not a reference.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReferenceError {
    /// The kind between the slashes is no kind.
    #[error(
        "{text:?} has the kind {kind:?}; known: dataset, client, judge, pairwise-judge, metric, result-store, connector, runner, credential-store, config"
    )]
    UnknownKind {
        /// The text.
        text: String,
        /// Its second part.
        kind: String,
    },
    /// It has another form.
    #[error("{0:?} is neither a built-in name nor <namespace>/<kind>/<name>")]
    Malformed(String),
}

impl FromStr for Reference {
    type Err = ReferenceError;

    fn from_str(text: &str) -> Result<Self, ReferenceError> {
        let malformed = || ReferenceError::Malformed(text.to_owned());
        let parts: Vec<&str> = text.split('/').collect();
        let (namespace, kind, name) = match parts.as_slice() {
            [name] if !name.is_empty() => return Ok(Self::BuiltIn { name: (*name).to_owned(), kind: None }),
            [namespace, kind, name] => ((*namespace).to_owned(), *kind, *name),
            [scope, namespace, kind, name] if scope.starts_with('@') => (format!("{scope}/{namespace}"), *kind, *name),
            _ => return Err(malformed()),
        };
        if namespace.is_empty()
            || name.is_empty()
            || namespace.chars().any(|c| c.is_ascii_uppercase() || c.is_whitespace())
        {
            return Err(malformed());
        }
        let kind = if kind == "env" {
            ExtensionKind::Runner
        } else {
            ExtensionKind::ALL
                .into_iter()
                .find(|known| known.as_str() == kind)
                .ok_or_else(|| ReferenceError::UnknownKind { text: text.to_owned(), kind: kind.to_owned() })?
        };
        let name = name.to_owned();
        Ok(if namespace == "mst" {
            Self::BuiltIn { name, kind: Some(kind) }
        } else {
            Self::Plugin { namespace, kind, name }
        })
    }
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BuiltIn { name, kind: None } => f.write_str(name),
            Self::BuiltIn { name, kind: Some(kind) } => write!(f, "mst/{kind}/{name}"),
            Self::Plugin { namespace, kind, name } => write!(f, "{namespace}/{kind}/{name}"),
        }
    }
}

/// What is registered, as plain data: what validation and listings need, and no code.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Catalog {
    /// Every registered extension.
    pub entries: Vec<CatalogEntry>,
}

/// One registered extension.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CatalogEntry {
    /// Its kind.
    pub kind: ExtensionKind,
    /// Its name as configs write it: bare for a built-in, the full reference for a plugin's.
    pub name: String,
    /// What it is, in one line.
    pub description: String,
    /// JSON Schema (draft 2020-12) of its options; unknown keys are refused by it.
    pub options: Value,
    /// For a client: whether it presents tool metadata.
    #[serde(default)]
    pub tool_metadata: bool,
    /// For a client: the most trials it runs at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_concurrency: Option<u32>,
    /// For a client: what a machine needs to run it.
    #[serde(default)]
    pub requirements: Requirements,
    /// For a judge: the dotted paths of its input that it needs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requires: Vec<String>,
    /// For a judge: the version that shows a change of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// For a pairwise judge: whether it is asked in both orders.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub swap_positions: Option<bool>,
    /// For a name of the contract that this version does not have yet: what the refusal says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unavailable: Option<String>,
}

/// What a machine needs to run a client, in short lines.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Requirements {
    /// The operating systems it runs on (`macos`, `linux`, `windows`); any when empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub os: Vec<String>,
    /// What to install.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub install: Vec<String>,
    /// The credentials it reads.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub credentials: Vec<String>,
    /// The commands that prepare a machine.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub setup: Vec<String>,
}

impl Catalog {
    /// Returns the entry of a kind with this name; a built-in is found under its bare and its full name.
    pub fn get(&self, kind: ExtensionKind, name: &str) -> Option<&CatalogEntry> {
        let bare = name
            .strip_prefix("mst/")
            .and_then(|rest| rest.strip_prefix(kind.as_str()))
            .and_then(|rest| rest.strip_prefix('/'));
        let name = bare.unwrap_or(name);
        self.entries.iter().find(|entry| entry.kind == kind && entry.name == name)
    }

    /// Returns the names of a kind, in order of registration.
    pub fn names(&self, kind: ExtensionKind) -> impl Iterator<Item = &str> {
        self.entries.iter().filter(move |entry| entry.kind == kind).map(|entry| entry.name.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_read_by_form() {
        for (text, want) in [
            ("rubric", Some("rubric")),
            ("mst/judge/rubric", Some("mst/judge/rubric")),
            ("acme/env/vm", Some("acme/runner/vm")),
            ("@scope/acme/client/x", Some("@scope/acme/client/x")),
            ("acme/thing/x", None),
            ("acme/judge", None),
            ("", None),
            ("Acme/judge/x", None),
        ] {
            assert_eq!(text.parse::<Reference>().ok().map(|r| r.to_string()).as_deref(), want, "{text}");
        }
    }
}
