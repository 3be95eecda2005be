//! The two files of an eval: written together, after a check that they would run.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use mst_cli::{CliError, ExitClass, usage};
use mst_config::discover::Launch;
use mst_model::Clock;
use serde_json::{Map, Value, json};

use super::args::InitArgs;
use super::candidate::Candidate;
use super::cases::cases;
use crate::commands::target::load_eval;
use crate::commands::tools::Seen;

/// The model that needs no key.
const OFFLINE: &str = "lexical-1";
/// The longest name of an eval whose files are named after it.
const LONGEST_NAME: usize = 100;

/// Where the files go.
#[derive(Clone, Debug)]
pub(crate) struct EvalFiles {
    folder: PathBuf,
    name: String,
}

/// What the files are made of.
pub(crate) struct Draft<'a> {
    pub(crate) name: &'a str,
    pub(crate) chosen: &'a Candidate,
    pub(crate) launch: &'a Launch,
    pub(crate) seen: Option<&'a Seen>,
    pub(crate) args: &'a InitArgs,
}

/// The files that were written.
pub(crate) struct Written {
    pub(crate) config: PathBuf,
    pub(crate) dataset: PathBuf,
    /// How many cases the dataset has.
    pub(crate) cases: usize,
}

impl EvalFiles {
    /// Names the files; the name is one of a file, not a path.
    pub(crate) fn new(folder: &Path, name: &str) -> Result<Self, CliError> {
        let plain =
            |char: char| !char.is_control() && !matches!(char, '/' | '\\' | ':' | '*' | '?' | '"' | '<' | '>' | '|');
        if name.trim().is_empty()
            || name.starts_with(['.', '-'])
            || name.len() > LONGEST_NAME
            || !name.chars().all(plain)
        {
            return Err(usage(format!("--name: {name:?} cannot name a file")));
        }
        Ok(Self { folder: folder.to_owned(), name: name.to_owned() })
    }

    fn config_name(&self) -> String {
        format!("{}.eval.json", self.name)
    }

    fn dataset_name(&self) -> String {
        format!("{}.cases.json", self.name)
    }

    /// Returns the folder that a bundle is unpacked in.
    pub(crate) fn bundle_folder(&self) -> PathBuf {
        let folder = self.folder.join(format!("{}.bundle", self.name));
        std::path::absolute(&folder).unwrap_or(folder)
    }

    /// Refuses to replace what is there, before a server is touched.
    pub(crate) fn check_free(&self, force: bool) -> Result<(), CliError> {
        if self.folder.exists() && !self.folder.is_dir() {
            return Err(usage(format!("--out: {} is not a directory", self.folder.display())));
        }
        let paths = [self.config_name(), self.dataset_name()].map(|name| self.folder.join(name));
        match paths.iter().find(|path| path.symlink_metadata().is_ok()) {
            Some(taken) if !force => Err(usage(format!("{} is there already", taken.display()))
                .with_hint("--force replaces it; --name or --out puts the files elsewhere")),
            _ => Ok(()),
        }
    }

    /// Writes both files: first beside their places, where a dry run checks them, then under their names.
    pub(crate) fn write(&self, draft: &Draft<'_>, clock: &Arc<dyn Clock>) -> Result<Written, CliError> {
        let failed = |error: &std::io::Error| CliError::new(ExitClass::Machine, error.to_string());
        fs_err::create_dir_all(&self.folder).map_err(|error| failed(&error))?;
        let folder = tempfile::Builder::new().prefix(".mst-init-").tempdir_in(&self.folder);
        let folder = folder.map_err(|error| failed(&error))?;
        let dataset = dataset(draft);
        let cases = dataset["cases"].as_array().map_or(0, Vec::len);
        let files = [(self.config_name(), self.config(draft)), (self.dataset_name(), dataset)];
        for (name, value) in &files {
            fs_err::write(folder.path().join(name), format!("{value:#}\n")).map_err(|error| failed(&error))?;
        }
        load_eval(&folder.path().join(self.config_name()), &self.folder, clock)?;
        // The dataset first: a config without its dataset would be a mistake, a dataset alone is none.
        for (name, _) in files.iter().rev() {
            fs_err::rename(folder.path().join(name), self.folder.join(name)).map_err(|error| failed(&error))?;
        }
        let path = |name: String| self.folder.strip_prefix(".").unwrap_or(&self.folder).join(name);
        Ok(Written { config: path(self.config_name()), dataset: path(self.dataset_name()), cases })
    }

    fn config(&self, draft: &Draft<'_>) -> Value {
        let label = &draft.chosen.server.label;
        let mut config = json!({
            "name": draft.name,
            "datasets": [self.dataset_name()],
            "servers": { label: draft.launch.written },
        });
        if !draft.args.unguarded.is_empty() {
            config["writes"] = json!({ label: "unguarded" });
        }
        config["client"] = json!("api");
        config["model"] = json!(draft.args.model.as_deref().unwrap_or(OFFLINE));
        if let Some(provider) = &draft.args.provider {
            config["provider"] = json!(provider);
        }
        config["redactStoredResponses"] = json!(false);
        config
    }
}

fn dataset(draft: &Draft<'_>) -> Value {
    let surface = draft.seen.map(|seen| &*seen.surface);
    let mut dataset = Map::new();
    dataset.insert("name".to_owned(), json!(draft.name));
    dataset.insert("cases".to_owned(), json!(cases(surface, !draft.args.unguarded.is_empty())));
    Value::Object(dataset)
}

impl Draft<'_> {
    /// Returns whether the eval runs on the offline baseline.
    pub(crate) fn is_offline(&self) -> bool {
        self.args.model.is_none() || self.args.model.as_deref() == Some(OFFLINE)
    }
}
