//! Datasets as loaded: cases with the places they came from, and ids that stay apart as file names.

use std::borrow::Cow;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

use mst_model::{Assertions, CaseId, Dataset, EvalCase};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use unicode_normalization::UnicodeNormalization as _;

use crate::cases::Cases;
use crate::check::check;
use crate::dataset_source::DatasetSource;
use crate::diagnostic::Code;
use crate::issue::{Issue, Place, join};
use crate::shape::Shape;
use crate::source::Document;

/// A dataset with the places of its cases.
#[derive(Debug)]
pub(crate) struct LoadedDataset {
    pub(crate) name: String,
    pub(crate) source: DatasetSource,
    pub(crate) cases: Vec<LoadedCase>,
    /// The cases themselves, also those that are not selected.
    pub(crate) stored: Cases,
}

impl LoadedDataset {
    /// Reads one of its cases.
    pub(crate) fn case(&self, loaded: &LoadedCase) -> EvalCase {
        self.stored.get(loaded.stored)
    }
}

/// A case with its place.
#[derive(Debug)]
pub(crate) struct LoadedCase {
    pub(crate) head: CaseHead,
    pub(crate) document: usize,
    /// Its index in the document's `cases`.
    pub(crate) index: usize,
    /// Its index in [`LoadedDataset::stored`].
    pub(crate) stored: usize,
}

impl LoadedCase {
    /// Returns the case's JSON Pointer in its document.
    pub(crate) fn pointer(&self) -> String {
        format!("/cases/{}", self.index)
    }
}

/// What of a case decides how it is planned.
#[derive(Debug)]
pub(crate) struct CaseHead {
    pub(crate) id: CaseId,
    pub(crate) tags: Vec<String>,
    pub(crate) trials: Option<u32>,
    pub(crate) pass_threshold: Option<f64>,
    /// Whether it asserts anything.
    pub(crate) is_graded: bool,
    /// Whether it has judges of its own.
    pub(crate) has_judges: bool,
    /// Whether one of its expected calls names a server.
    pub(crate) names_server: bool,
    /// What it says of its client, when it does.
    pub(crate) own: Option<Box<OwnClient>>,
}

/// What a case says of its client.
#[derive(Debug)]
pub(crate) struct OwnClient {
    pub(crate) client: Option<String>,
    pub(crate) model: Option<String>,
    pub(crate) options: Option<Map<String, Value>>,
}

impl CaseHead {
    pub(crate) fn of(case: &EvalCase) -> Self {
        let speaks = case.client.is_some() || case.model.is_some() || case.client_options.is_some();
        let own = speaks.then(|| {
            Box::new(OwnClient {
                client: case.client.clone(),
                model: case.model.clone(),
                options: case.client_options.clone(),
            })
        });
        let calls = case.assertions.iter().filter_map(|assertions| assertions.tools_triggered.as_ref());
        Self {
            id: case.id.clone(),
            tags: case.tags.clone(),
            trials: case.trials,
            pass_threshold: case.pass_threshold,
            is_graded: case.assertions.as_ref().is_some_and(|assertions| *assertions != Assertions::default()),
            has_judges: !case.judges.is_empty(),
            names_server: calls.flat_map(|triggered| &triggered.calls).any(|call| call.server.is_some()),
            own,
        }
    }
}

/// A dataset as one document says it.
#[derive(Debug)]
pub(crate) struct DatasetText {
    pub(crate) name: String,
    pub(crate) heads: Vec<CaseHead>,
    pub(crate) cases: Cases,
}

impl DatasetText {
    pub(crate) fn of(dataset: Dataset) -> Self {
        Self {
            heads: dataset.cases.iter().map(CaseHead::of).collect(),
            name: dataset.name,
            cases: dataset.cases.into_iter().collect(),
        }
    }
}

/// Checks a document and reads it as its type; the issues when it is not of its shape.
pub(crate) fn decode<T: DeserializeOwned>(
    shape: &Shape,
    document: &mut Document,
    index: usize,
) -> Result<T, Vec<Issue>> {
    let issues = check(shape, document.root(), index);
    if !issues.is_empty() {
        return Err(issues);
    }
    serde_path_to_error::deserialize(document.take_root()).map_err(|error| {
        use serde_path_to_error::Segment;
        let pointer = error.path().iter().fold(String::new(), |pointer, segment| match segment {
            Segment::Seq { index } => join(&pointer, &index.to_string()),
            Segment::Map { key } => join(&pointer, key),
            Segment::Enum { .. } | Segment::Unknown => pointer,
        });
        vec![Issue::error(Place::value(index, pointer), Code::InvalidValue, error.inner().to_string())]
    })
}

/// Adds what a document says to a dataset's cases.
pub(crate) fn add_cases(loaded: &mut Vec<LoadedCase>, stored: &mut Cases, text: DatasetText, document: usize) {
    let before = stored.len();
    loaded.extend(text.heads.into_iter().enumerate().map(|(index, head)| LoadedCase {
        head,
        document,
        index,
        stored: before + index,
    }));
    if before == 0 {
        *stored = text.cases;
    } else {
        stored.append(&text.cases);
    }
}

/// Finds case ids that stand twice in a run, or that a file system could take for one another.
pub(crate) fn check_ids(datasets: &[LoadedDataset]) -> Vec<Issue> {
    let mut seen: HashMap<Cow<'_, str>, (u32, u32)> = HashMap::new();
    let mut issues = Vec::new();
    let number = |index: usize| u32::try_from(index).unwrap_or(u32::MAX);
    for (at, dataset) in datasets.iter().enumerate() {
        for (case, loaded) in dataset.cases.iter().enumerate() {
            let id = loaded.head.id.as_str();
            match seen.entry(folded(id)) {
                Entry::Vacant(slot) => {
                    slot.insert((number(at), number(case)));
                }
                Entry::Occupied(slot) => {
                    let (at, case) = *slot.get();
                    let other = &datasets[at as usize];
                    let (first, other) = (other.cases[case as usize].head.id.as_str(), other.name.as_str());
                    let place = Place::value(loaded.document, format!("{}/id", loaded.pointer()));
                    issues.push(clash(place, (id, &dataset.name), (first, other)));
                }
            }
        }
    }
    issues
}

fn clash(place: Place, (id, dataset): (&str, &str), (first, other): (&str, &str)) -> Issue {
    if id == first {
        let datasets = if dataset == other {
            format!("twice in the dataset {dataset:?}")
        } else {
            format!("in the datasets {other:?} and {dataset:?}")
        };
        return Issue::error(place, Code::DuplicateName, format!("the case id {id:?} stands {datasets}"))
            .with_help("case ids are unique in a run");
    }
    let how = if id.nfc().eq(first.nfc()) { "Unicode normalization" } else { "letter case" };
    let shown = |id: &str| if id.is_ascii() { format!("{id:?}") } else { format!("\"{id}\" ({})", by_number(id)) };
    let (id_text, first_text) = (shown(id), shown(first));
    Issue::error(
        place,
        Code::DuplicateName,
        format!("the case ids {first_text} in {other:?} and {id_text} in {dataset:?} differ only by {how}"),
    )
    .with_help("some file systems would keep their files in one folder")
}

/// Shows a text's characters beyond ASCII by number, so that two texts that look alike can be told apart.
fn by_number(text: &str) -> String {
    text.chars()
        .map(|letter| if letter.is_ascii() { letter.to_string() } else { format!("\\u{:04x}", u32::from(letter)) })
        .collect()
}

/// Returns a name without what some file systems ignore: letter case and Unicode normalization.
pub(crate) fn folded(name: &str) -> Cow<'_, str> {
    if name.is_ascii() {
        if name.bytes().any(|byte| byte.is_ascii_uppercase()) {
            return Cow::Owned(name.to_ascii_lowercase());
        }
        return Cow::Borrowed(name);
    }
    Cow::Owned(name.nfc().flat_map(char::to_lowercase).nfc().collect())
}
