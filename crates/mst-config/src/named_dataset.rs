//! A dataset by itself, without an eval: what is listed, shown and pulled.

use std::path::{Path, PathBuf};

use mst_model::{Dataset, content_hash};
use serde_json::Value;

use crate::cases::Cases;
use crate::dataset::{CaseHead, LoadedCase, LoadedDataset, check_ids};
use crate::dataset_source::{DatasetSource, DirSource, FileSource};
use crate::diagnostic::Diagnostics;
use crate::load::{load_files, read_document};

/// A dataset that has been read and checked.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedDataset {
    /// The dataset, a directory's files merged.
    pub dataset: Dataset,
    /// Where it came from.
    pub source: DatasetSource,
    /// SHA-256 of the canonical JSON of its cases, as a run of all of them records it.
    pub content_hash: String,
}

/// A dataset that an eval config declares.
#[derive(Clone, Debug)]
pub struct DeclaredDataset {
    /// What it is called in the config: its path, or a plugin's reference.
    pub name: String,
    /// Where it comes from; what is wrong with the declaration otherwise.
    pub source: Result<DatasetSource, String>,
}

/// Returns the datasets that an eval config declares, in its order. The rest of the config is not looked at.
///
/// # Errors
/// The config cannot be read, or is not JSON.
pub fn declared_datasets(config: &Path) -> Result<Vec<DeclaredDataset>, Diagnostics> {
    let document = read_document(config)?;
    let declared = document.root().get("datasets").and_then(Value::as_array);
    Ok(declared.into_iter().flatten().map(declaration).collect())
}

fn declaration(value: &Value) -> DeclaredDataset {
    let text = |key: &str| value.get(key).and_then(Value::as_str);
    let name = value.as_str().or_else(|| text("path")).or_else(|| text("type")).unwrap_or("?").to_owned();
    let is_plugin = value.as_str().is_some_and(crate::dataset_source::is_plugin_dataset);
    let kind = text("type").unwrap_or("file");
    let source = if is_plugin || !matches!(kind, "file" | "dir") {
        let kind = if is_plugin { &name } else { kind };
        Err(format!("the dataset source {kind:?} is not available in this version of mst"))
    } else {
        serde_json::from_value(value.clone()).map_err(|error| error.to_string())
    };
    DeclaredDataset { name, source }
}

/// Finds the file or directory of a source: in the first of some folders that has it.
pub fn find_dataset(source: &DatasetSource, folders: &[&Path]) -> Option<PathBuf> {
    folders.iter().map(|folder| folder.join(source.path())).find(|path| path.exists())
}

/// Returns the source that a bare path stands for.
pub fn source_of(path: &str, is_directory: bool) -> DatasetSource {
    if is_directory {
        DatasetSource::Dir(DirSource { path: path.to_owned(), recursive: false })
    } else {
        DatasetSource::File(FileSource { path: path.to_owned() })
    }
}

/// Reads and checks a dataset.
///
/// # Errors
/// Everything that is wrong with its files.
pub fn load_dataset(source: &DatasetSource, path: &Path) -> Result<NamedDataset, Diagnostics> {
    let recursive = match source {
        DatasetSource::File(_) => None,
        DatasetSource::Dir(dir) => Some(dir.recursive),
    };
    load_files(path, recursive, |files| {
        let mut heads = Vec::new();
        let mut merged =
            Dataset { schema: None, name: folder_name(path), description: None, cases: vec![], metadata: None };
        for (dataset, document) in files {
            let places = dataset.cases.iter().enumerate();
            heads.extend(places.map(|(index, case)| LoadedCase {
                head: CaseHead::of(case),
                document,
                index,
                stored: 0,
            }));
            match recursive {
                None => merged = Dataset { schema: None, ..dataset },
                Some(_) => merged.cases.extend(dataset.cases),
            }
        }
        let source = source.clone();
        let loaded =
            LoadedDataset { name: merged.name.clone(), source: source.clone(), cases: heads, stored: Cases::default() };
        let issues = check_ids(std::slice::from_ref(&loaded));
        let content_hash = content_hash(&merged.cases);
        (NamedDataset { dataset: merged, source, content_hash }, issues)
    })
}

fn folder_name(path: &Path) -> String {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    absolute.file_name().map_or_else(|| "datasets".to_owned(), |name| name.to_string_lossy().into_owned())
}
