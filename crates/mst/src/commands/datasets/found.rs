//! The dataset that a person means.

use std::path::Path;

use mst_cli::{CliError, ExitClass};
use mst_config::{DatasetSource, NamedDataset, declared_datasets, find_dataset, load_dataset, source_of};

use crate::args::DatasetsFlags;
use crate::error;

/// A dataset with the name that it was found under.
pub(super) struct Found {
    pub(super) name: String,
    pub(super) loaded: NamedDataset,
}

impl Found {
    /// Finds a dataset: one of the eval config's by its path or its own name, else a file or directory.
    pub(super) fn find(name: &str, flags: &DatasetsFlags) -> Result<Self, CliError> {
        let mut names = Vec::new();
        if let Some(config) = &flags.config {
            let declared = declared_datasets(config).map_err(error::diagnostics)?;
            if let Some(one) = declared.iter().find(|one| one.name == name) {
                let source = one.source.clone().map_err(|why| CliError::new(ExitClass::Usage, why))?;
                return Self::load(name, &source, flags);
            }
            for source in declared.iter().filter_map(|one| one.source.as_ref().ok()) {
                let loaded = Self::load(source.path(), source, flags);
                if let Ok(found) = loaded
                    && found.loaded.dataset.name == name
                {
                    return Ok(found);
                }
            }
            names.extend(declared.into_iter().map(|one| one.name));
        }
        let path = flags.root_dir.join(name);
        if path.exists() {
            return Self::load(name, &source_of(name, path.is_dir()), flags);
        }
        let error = CliError::new(ExitClass::Usage, format!("there is no dataset {name:?}"));
        Err(match mst_cli::nearest(name, names.iter().map(String::as_str)) {
            Some(near) => error.with_hint(format!("did you mean {near:?}?")),
            None if names.is_empty() => error.with_hint("name a file or a directory, or the eval config with --config"),
            None => error.with_hint(format!("the eval config has: {}", names.join(", "))),
        })
    }

    /// Reads a dataset: beside the eval config, else below the root directory.
    pub(super) fn load(name: &str, source: &DatasetSource, flags: &DatasetsFlags) -> Result<Self, CliError> {
        let beside = flags.config.as_deref().and_then(Path::parent);
        let folders: Vec<&Path> = beside.into_iter().chain([flags.root_dir.as_path()]).collect();
        let path = find_dataset(source, &folders).ok_or_else(|| {
            let place = folders.first().copied().unwrap_or(Path::new("")).join(source.path());
            CliError::new(ExitClass::Usage, format!("there is no dataset {}", place.display()))
        })?;
        let loaded = load_dataset(source, &path).map_err(error::diagnostics)?;
        Ok(Self { name: name.to_owned(), loaded })
    }
}

/// Counts words, the most frequent first.
pub(super) fn counted<'a>(words: impl Iterator<Item = &'a str>) -> Vec<(String, usize)> {
    let mut counts: Vec<(String, usize)> = Vec::new();
    let mut places = std::collections::HashMap::new();
    for word in words {
        let place = *places.entry(word).or_insert_with(|| {
            counts.push((word.to_owned(), 0));
            counts.len() - 1
        });
        counts[place].1 += 1;
    }
    counts.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    counts
}
