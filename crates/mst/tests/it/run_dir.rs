//! Reads a run directory the way a stranger would: as JSON files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// A run directory.
#[derive(Debug)]
pub(crate) struct RunDir {
    pub(crate) path: PathBuf,
}

impl RunDir {
    pub(crate) fn new(path: PathBuf) -> Self {
        Self { path }
    }

    /// Returns the run's id.
    pub(crate) fn id(&self) -> String {
        self.path.file_name().expect("a run directory has a name").to_string_lossy().into_owned()
    }

    /// Reads one of the run's files.
    #[track_caller]
    pub(crate) fn file(&self, name: &str) -> Value {
        read(&self.path.join(name))
    }

    pub(crate) fn run(&self) -> Value {
        self.file("run.json")
    }

    pub(crate) fn summary(&self) -> Value {
        self.file("summary.json")
    }

    /// Returns the first case result with an id; of one variant when there is one.
    #[track_caller]
    pub(crate) fn case_of(&self, variant: Option<&str>, id: &str) -> Value {
        let results = self.file("results.json");
        let mut cases = results["cases"].as_array().expect("cases").iter();
        let found =
            cases.find(|case| case["id"] == id && variant.is_none_or(|variant| case["variant"] == variant)).cloned();
        found.unwrap_or_else(|| panic!("no case {id} of {variant:?} in {results:#}"))
    }

    /// Returns a case result.
    #[track_caller]
    pub(crate) fn case(&self, id: &str) -> Value {
        self.case_of(None, id)
    }

    /// Says `pass`, `fail`, `incomplete` or `ungraded`.
    #[track_caller]
    pub(crate) fn state(&self, id: &str) -> &'static str {
        state(&self.case(id))
    }

    /// Returns every case's state by `<variant>/<case>`.
    pub(crate) fn states(&self) -> BTreeMap<String, &'static str> {
        let results = self.file("results.json");
        let name = |case: &Value| {
            format!("{}/{}", case["variant"].as_str().unwrap_or("?"), case["id"].as_str().unwrap_or("?"))
        };
        results["cases"].as_array().expect("cases").iter().map(|case| (name(case), state(case))).collect()
    }

    /// Returns every stored trial, in the order of the paths.
    pub(crate) fn trials(&self) -> Vec<(String, Value)> {
        let under = |(path, _): &(String, Value)| path.starts_with("transcripts/");
        self.json_files().into_iter().filter(under).collect()
    }

    /// Returns the first trial of a case; of one variant when there is one.
    #[track_caller]
    pub(crate) fn trial_of(&self, variant: Option<&str>, id: &str) -> Value {
        let found = self
            .trials()
            .into_iter()
            .map(|(_, trial)| trial)
            .find(|trial| trial["caseId"] == id && variant.is_none_or(|variant| trial["variant"] == variant));
        found.unwrap_or_else(|| panic!("no trial of {id} is stored in {}", self.path.display()))
    }

    /// Returns the first trial of a case.
    #[track_caller]
    pub(crate) fn trial(&self, id: &str) -> Value {
        self.trial_of(None, id)
    }

    /// Returns how a case's first trial ended.
    #[track_caller]
    pub(crate) fn ending(&self, id: &str) -> Value {
        self.trial(id)["ending"].clone()
    }

    /// Returns the events of a case's first trial.
    #[track_caller]
    pub(crate) fn events(&self, id: &str) -> Vec<Value> {
        events(&self.trial(id))
    }

    /// Returns a metric of the first variant.
    pub(crate) fn metric(&self, name: &str) -> Option<f64> {
        self.summary()["variants"][0]["metrics"][name].as_f64()
    }

    /// Returns the paths of every file, relative to the run.
    pub(crate) fn paths(&self) -> Vec<String> {
        let mut found = Vec::new();
        walk(&self.path, &mut found);
        let relative = |path: &PathBuf| path.strip_prefix(&self.path).expect("below the run").display().to_string();
        let mut paths: Vec<String> = found.iter().map(relative).collect();
        paths.sort();
        paths
    }

    /// Returns every JSON file with its path.
    pub(crate) fn json_files(&self) -> Vec<(String, Value)> {
        let is_json = |path: &String| Path::new(path).extension().is_some_and(|extension| extension == "json");
        self.paths().into_iter().filter(is_json).map(|path| (path.clone(), self.file(&path))).collect()
    }

    /// Returns the text of every file, one after the other.
    pub(crate) fn text(&self) -> String {
        let read = |path: String| fs_err::read_to_string(self.path.join(path)).expect("a text file");
        self.paths().into_iter().map(read).collect::<Vec<_>>().join("\n")
    }
}

/// Says whether a case result passed, failed, is incomplete, or was not graded.
pub(crate) fn state(case: &Value) -> &'static str {
    match (&case["incomplete"], &case["pass"]) {
        (Value::Bool(true), _) => "incomplete",
        (_, Value::Bool(true)) => "pass",
        (_, Value::Bool(false)) => "fail",
        _ => "ungraded",
    }
}

/// Returns the events of a trial.
pub(crate) fn events(trial: &Value) -> Vec<Value> {
    trial["transcript"]["events"].as_array().cloned().unwrap_or_default()
}

#[track_caller]
fn read(path: &Path) -> Value {
    let text = fs_err::read_to_string(path).expect("the run has this file");
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{} is not JSON: {error}", path.display()))
}

fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs_err::read_dir(folder).expect("a folder of the run") {
        let path = entry.expect("an entry").path();
        if path.is_dir() { walk(&path, found) } else { found.push(path) }
    }
}
