//! The one place that reads files: the eval config, its datasets, the settings file, the secrets file.

use std::path::{Path, PathBuf};

use indexmap::IndexMap;
use mst_model::{Dataset, HttpServer, ServerConfig, content_hash, eval_directory};
use serde_json::{Value, json};

use crate::cases::Cases;
use crate::check::check;
use crate::dataset::{DatasetText, LoadedDataset, add_cases, decode};
use crate::dataset_reader;
use crate::dataset_source::{DatasetSource, DirSource, is_plugin_dataset};
use crate::diagnostic::{Code, Diagnostic, Diagnostics, Severity};
use crate::draft::EvalDraft;
use crate::issue::{Issue, Place, diagnose, join};
use crate::plain_file::{LONGEST_CONFIG, LONGEST_DATASET, LONGEST_SECRETS, check_readable, read_plain_file};
use crate::plan::{Plan, PlannedVariant};
use crate::request::{LoadRequest, Loaded};
use crate::resolve::{Parts, resolve};
use crate::result_store;
use crate::schema;
use crate::secrets::parse_secrets;
use crate::settings;
use crate::shape::Shape;
use crate::source::Document;

/// Reads, checks and resolves an eval.
///
/// # Errors
/// Everything that is wrong, as far as it can be told: all mistakes of shape of the config and its datasets, then all
/// names that name nothing.
pub fn load(request: &LoadRequest) -> Result<Loaded, Diagnostics> {
    let mut files = Files::new(request);
    let config = read_document(&request.config_path)?;
    let hash = content_hash(config.root());
    let sources = declared_sources(config.root());
    files.documents.push(config);
    let shape = Shape::compile(&schema::eval_config());
    let draft = decode::<EvalDraft>(&shape, &mut files.documents[0], 0);
    files.read_settings();
    let datasets: Vec<LoadedDataset> =
        sources.into_iter().filter_map(|declared| files.read_dataset(declared)).collect();
    let draft = draft.map(|mut draft| {
        files.place_tls(&mut draft);
        draft
    });
    let result_store = draft.as_ref().ok().and_then(|draft| {
        let (setting, issues) = result_store::of_config(draft, &files.config_dir(), &request.catalog);
        files.issues.extend(issues);
        setting
    });
    let draft = match draft {
        Ok(draft) if files.issues.is_empty() && files.failures.is_empty() => draft,
        Ok(_) => return Err(files.into_diagnostics(Vec::new())),
        Err(issues) => return Err(files.into_diagnostics(issues)),
    };
    let parts = Parts {
        draft: &draft,
        content_hash: hash,
        datasets,
        catalog: &request.catalog,
        flags: &request.selection,
        allow_live_writes: request.allow_live_writes,
    };
    let (mut plan, warnings) = match resolve(parts) {
        Ok(resolved) => resolved,
        Err(issues) => return Err(files.into_diagnostics(issues)),
    };
    let warnings = files.into_diagnostics(warnings).as_slice().to_vec();
    plan.warnings = warnings.iter().map(ToString::to_string).collect();
    let output_dir = request.output_dir.clone().unwrap_or_else(|| default_output_dir(&request.root_dir, &plan.name));
    let dry_run = dry_run(&plan, &draft, &output_dir);
    Ok(Loaded { plan, output_dir, result_store, dry_run, warnings })
}

/// Reads the datasets of an eval config with the files that they came from. The rest of the config is not looked at.
///
/// # Errors
/// Everything that is wrong with the datasets.
pub(crate) fn load_datasets(request: &LoadRequest) -> Result<(Vec<LoadedDataset>, Vec<Document>), Diagnostics> {
    let mut files = Files::new(request);
    let config = read_document(&request.config_path)?;
    let sources = declared_sources(config.root());
    files.documents.push(config);
    let datasets: Vec<LoadedDataset> =
        sources.into_iter().filter_map(|declared| files.read_dataset(declared)).collect();
    if files.issues.is_empty() && files.failures.is_empty() {
        Ok((datasets, files.documents))
    } else {
        Err(files.into_diagnostics(Vec::new()))
    }
}

/// Reads the dataset files at a path, of a directory when `recursive` is given, and makes something of them.
///
/// # Errors
/// Everything that is wrong with the files, and what `make` finds wrong.
pub(crate) fn load_files<T>(
    path: &Path,
    recursive: Option<bool>,
    make: impl FnOnce(Vec<(Dataset, usize)>) -> (T, Vec<Issue>),
) -> Result<T, Diagnostics> {
    let request = LoadRequest {
        config_path: path.to_owned(),
        root_dir: PathBuf::new(),
        output_dir: None,
        selection: crate::request::SelectionFlags::default(),
        allow_live_writes: false,
        catalog: mst_model::Catalog::default(),
    };
    let mut files = Files::new(&request);
    let mut paths = Vec::new();
    match recursive {
        None => paths.push(path.to_owned()),
        Some(recursive) => {
            if let Err(error) = json_files(path, recursive, &mut paths) {
                return Err(Diagnostics::new(vec![*unreadable(path, &error)]));
            }
            paths.sort();
        }
    }
    if paths.is_empty() {
        let error = std::io::Error::other("no *.json file");
        let mut diagnostic = *unreadable(path, &error);
        "the directory holds no *.json file".clone_into(&mut diagnostic.message);
        return Err(Diagnostics::new(vec![diagnostic]));
    }
    let datasets: Vec<(Dataset, usize)> = paths.iter().filter_map(|path| files.read_whole(path)).collect();
    if datasets.len() < paths.len() {
        return Err(files.into_diagnostics(Vec::new()));
    }
    let (made, issues) = make(datasets);
    if issues.is_empty() { Ok(made) } else { Err(files.into_diagnostics(issues)) }
}

/// Reads a secrets file.
///
/// # Errors
/// The file cannot be read, or a line or key of it is wrong; no message shows a value.
pub fn load_secrets(path: &Path) -> Result<IndexMap<String, String>, Diagnostics> {
    let bytes =
        read_plain_file(path, LONGEST_SECRETS).map_err(|error| Diagnostics::new(vec![*unreadable(path, &error)]))?;
    parse_secrets(path, bytes)
}

/// Returns the results directory of an eval.
fn default_output_dir(root: &Path, name: &str) -> PathBuf {
    root.join(".mcp-test-results").join(eval_directory(name))
}

fn dry_run(plan: &Plan, draft: &EvalDraft, output_dir: &Path) -> Value {
    let datasets: Vec<Value> = draft
        .datasets
        .iter()
        .zip(&plan.datasets)
        .map(|(source, dataset)| {
            let mut declared = json!(source);
            declared["name"] = json!(dataset.record.name);
            declared["caseCount"] = json!(dataset.record.case_count);
            declared["contentHash"] = json!(dataset.record.content_hash);
            declared
        })
        .collect();
    let variants: Vec<&str> = plan.variants.iter().map(|variant| variant.name.as_str()).collect();
    let mut value = json!({
        "name": plan.name,
        "outputDir": output_dir.display().to_string(),
        "datasets": datasets,
        "variants": variants,
        "partial": plan.partial,
    });
    if let Some(selection) = &plan.selection {
        value["selection"] = json!(selection);
    }
    value["runner"] = json!({ "name": "local", "shards": 1 });
    if !plan.pairwise_judges.is_empty() {
        value["pairwiseJudges"] = json!(plan.pairwise_judges.iter().map(|one| &one.judge).collect::<Vec<_>>());
    }
    value["plan"] = json!(plan.variants.iter().map(planned_variant).collect::<Vec<_>>());
    value
}

/// Returns what a variant will run, beyond the keys that every reader of a dry run knows.
fn planned_variant(variant: &PlannedVariant) -> Value {
    let cases = || variant.batches.iter().flat_map(|batch| &batch.cases);
    let mut value = json!({
        "variant": variant.name,
        "client": variant.client.name,
        "model": variant.client.priced_model,
        "servers": variant.servers.keys().collect::<Vec<_>>(),
        "cases": cases().count(),
        "trials": cases().map(|case| u64::from(case.trials)).sum::<u64>(),
    });
    if !variant.judges.is_empty() {
        value["judges"] = json!(variant.judges.iter().map(|judge| &judge.name).collect::<Vec<_>>());
    }
    value
}

/// A dataset as declared.
struct Declared {
    source: DatasetSource,
    /// The JSON Pointer of its path.
    pointer: String,
}

/// Returns the dataset declarations that read well, also when the rest of the config does not.
fn declared_sources(config: &Value) -> Vec<Declared> {
    let declared = config.get("datasets").and_then(Value::as_array).into_iter().flatten().enumerate();
    declared
        .filter(|(_, source)| source.as_str().is_none_or(|path| !is_plugin_dataset(path)))
        .filter_map(|(at, source)| {
            let path = if source.is_object() { "/path" } else { "" };
            Some(Declared {
                source: serde_json::from_value(source.clone()).ok()?,
                pointer: format!("/datasets/{at}{path}"),
            })
        })
        .collect()
}

/// Reads a JSON file with the places of its values.
///
/// # Errors
/// The file cannot be read, or is not JSON.
pub fn read_document(path: &Path) -> Result<Document, Diagnostics> {
    read(path, LONGEST_CONFIG).map_err(|diagnostic| Diagnostics::new(vec![*diagnostic]))
}

fn read(path: &Path, most: u64) -> Result<Document, Box<Diagnostic>> {
    let bytes = read_plain_file(path, most).map_err(|error| unreadable(path, &error))?;
    Document::parse(path, bytes)
}

fn unreadable(path: &Path, error: &dyn std::fmt::Display) -> Box<Diagnostic> {
    Box::new(Diagnostic {
        severity: Severity::Error,
        code: Code::Unreadable,
        message: format!("cannot be read: {error}"),
        file: Some(path.to_owned()),
        pointer: String::new(),
        position: None,
        help: None,
        source_line: None,
    })
}

/// The files of a load, and what is wrong with them.
struct Files<'a> {
    request: &'a LoadRequest,
    documents: Vec<Document>,
    dataset_shape: Shape,
    issues: Vec<Issue>,
    /// Files that could not be read as JSON.
    failures: Vec<Diagnostic>,
}

impl<'a> Files<'a> {
    fn new(request: &'a LoadRequest) -> Self {
        Self {
            request,
            documents: Vec::new(),
            dataset_shape: Shape::compile(&schema::eval_dataset()),
            issues: Vec::new(),
            failures: Vec::new(),
        }
    }

    /// Returns everything that is wrong, the config's first.
    fn into_diagnostics(self, mut issues: Vec<Issue>) -> Diagnostics {
        issues.extend(self.issues);
        let placed = diagnose(issues, &self.documents);
        Diagnostics::new(placed.as_slice().iter().cloned().chain(self.failures).collect())
    }

    fn config_dir(&self) -> PathBuf {
        self.request.config_path.parent().map(Path::to_owned).unwrap_or_default()
    }

    /// Reads `mst.config.json`, the nearest at or above the config's directory, up to the repository's root.
    ///
    /// Its sections belong to plugins, and those of plugins that are not loaded are dropped: here, all.
    fn read_settings(&mut self) {
        let start = std::path::absolute(self.config_dir()).unwrap_or_else(|_| self.config_dir());
        let mut folders = Vec::new();
        for folder in start.ancestors() {
            folders.push(folder);
            if folder.join(".git").exists() {
                break;
            }
        }
        let found = folders.into_iter().map(|folder| folder.join("mst.config.json")).find(|path| path.is_file());
        let Some(path) = found else { return };
        match read(&path, LONGEST_CONFIG) {
            Ok(document) => {
                let index = self.documents.len();
                self.issues.extend(check(&settings::shape(), document.root(), index));
                self.documents.push(document);
            }
            Err(diagnostic) => self.failures.push(*diagnostic),
        }
    }

    /// Makes the paths of servers' TLS material absolute, from the config's directory, and tells of those that lead nowhere.
    fn place_tls(&mut self, draft: &mut EvalDraft) {
        let folder = std::path::absolute(self.config_dir()).unwrap_or_else(|_| self.config_dir());
        for (label, server) in &mut draft.servers {
            let ServerConfig::Http(HttpServer { tls: Some(tls), .. }) = server else { continue };
            for (key, path) in [("ca", &mut tls.ca), ("cert", &mut tls.cert), ("key", &mut tls.key)] {
                let Some(path) = path else { continue };
                let whole = folder.join(&*path);
                if let Err(error) = check_readable(&whole) {
                    let place = Place::value(0, format!("{}/tls/{key}", join("/servers", label.as_str())));
                    let message = format!("\"tls.{key}\" {} cannot be read: {error}", whole.display());
                    self.issues.push(Issue::error(place, Code::Unreadable, message));
                }
                *path = whole.display().to_string();
            }
        }
    }

    /// Reads a dataset: beside the config, else below the root directory.
    fn read_dataset(&mut self, declared: Declared) -> Option<LoadedDataset> {
        let Declared { source, pointer } = declared;
        let beside = self.config_dir().join(source.path());
        let below_root = self.request.root_dir.join(source.path());
        let path = [&beside, &below_root].into_iter().find(|path| path.exists());
        let Some(path) = path.cloned() else {
            let message = format!("there is no dataset {}", beside.display());
            self.issues.push(Issue::error(Place::value(0, pointer), Code::Unreadable, message));
            return None;
        };
        match source {
            DatasetSource::Dir(dir) => self.read_dir(&pointer, &path, dir),
            DatasetSource::File(_) if path.is_dir() => {
                let message = format!("{} is a directory", path.display());
                let issue = Issue::error(Place::value(0, pointer), Code::Unreadable, message);
                self.issues.push(issue.with_help("write { \"type\": \"dir\", \"path\": … }"));
                None
            }
            source @ DatasetSource::File(_) => {
                let (text, document) = self.read_file(&path)?;
                let name = text.name.clone();
                let (mut cases, mut stored) = (Vec::new(), Cases::default());
                add_cases(&mut cases, &mut stored, text, document);
                Some(LoadedDataset { name, source, cases, stored })
            }
        }
    }

    fn read_file(&mut self, path: &Path) -> Option<(DatasetText, usize)> {
        let read = read_plain_file(path, LONGEST_DATASET).map_err(|error| unreadable(path, &error));
        let document = read.and_then(|bytes| Document::unread(path, bytes)).and_then(|document| {
            match dataset_reader::read(document.text(), &self.dataset_shape) {
                Some(text) => Ok((document, Some(text))),
                // Something is wrong with it: the whole of it is read to say what.
                None => Ok((document.read()?, None)),
            }
        });
        let (mut document, text) = match document {
            Ok(document) => document,
            Err(diagnostic) => {
                self.failures.push(*diagnostic);
                return None;
            }
        };
        let index = self.documents.len();
        let text = match text {
            Some(text) => Ok(text),
            None => decode::<Dataset>(&self.dataset_shape, &mut document, index).map(DatasetText::of),
        };
        self.documents.push(document);
        match text {
            Ok(text) => Some((text, index)),
            Err(issues) => {
                self.issues.extend(issues);
                None
            }
        }
    }

    /// Reads a dataset with all that it says, its description and metadata too.
    fn read_whole(&mut self, path: &Path) -> Option<(Dataset, usize)> {
        let index = self.documents.len();
        let mut document = match read(path, LONGEST_DATASET) {
            Ok(document) => document,
            Err(diagnostic) => {
                self.failures.push(*diagnostic);
                return None;
            }
        };
        let dataset = decode::<Dataset>(&self.dataset_shape, &mut document, index);
        self.documents.push(document);
        match dataset {
            Ok(dataset) => Some((dataset, index)),
            Err(issues) => {
                self.issues.extend(issues);
                None
            }
        }
    }

    /// Merges every dataset file of a directory, in the order of their names, into one named after it.
    fn read_dir(&mut self, pointer: &str, path: &Path, source: DirSource) -> Option<LoadedDataset> {
        let mut paths = Vec::new();
        if let Err(error) = json_files(path, source.recursive, &mut paths) {
            self.failures.push(*unreadable(path, &error));
            return None;
        }
        paths.sort();
        if paths.is_empty() {
            let place = Place::value(0, pointer);
            let message = format!("the directory {} holds no *.json file", path.display());
            self.issues.push(Issue::error(place, Code::NothingToRun, message));
            return None;
        }
        let (mut cases, mut stored) = (Vec::new(), Cases::default());
        for path in &paths {
            if let Some((text, document)) = self.read_file(path) {
                add_cases(&mut cases, &mut stored, text, document);
            }
        }
        let absolute = fs_err::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let name =
            absolute.file_name().map_or_else(|| "datasets".to_owned(), |name| name.to_string_lossy().into_owned());
        Some(LoadedDataset { name, source: DatasetSource::Dir(source), cases, stored })
    }
}

/// Collects the `*.json` files of a directory; a link to a directory is not followed.
fn json_files(folder: &Path, recursive: bool, found: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in fs_err::read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        if entry.file_type()?.is_dir() {
            if recursive {
                json_files(&path, recursive, found)?;
            }
        } else if path.extension().is_some_and(|extension| extension == "json") && path.is_file() {
            found.push(path);
        }
    }
    Ok(())
}
