//! Datasets as loaded: cases with the places they came from, and ids that stay apart as file names.

use std::borrow::Cow;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

use mst_model::{Dataset, EvalCase};
use serde::de::DeserializeOwned;
use unicode_normalization::UnicodeNormalization as _;

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
}

/// A case with its place.
#[derive(Debug)]
pub(crate) struct LoadedCase {
    pub(crate) case: EvalCase,
    pub(crate) document: usize,
    /// Its index in the document's `cases`.
    pub(crate) index: usize,
}

impl LoadedCase {
    /// Returns the case's JSON Pointer in its document.
    pub(crate) fn pointer(&self) -> String {
        format!("/cases/{}", self.index)
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

/// Takes the cases of a dataset document.
pub(crate) fn cases_of(dataset: Dataset, document: usize) -> impl Iterator<Item = LoadedCase> {
    dataset.cases.into_iter().enumerate().map(move |(index, case)| LoadedCase { case, document, index })
}

/// Finds case ids that stand twice in a run, or that a file system could take for one another.
pub(crate) fn check_ids(datasets: &[LoadedDataset]) -> Vec<Issue> {
    let mut seen: HashMap<Cow<'_, str>, (&str, &str)> = HashMap::new();
    let mut issues = Vec::new();
    for dataset in datasets {
        for loaded in &dataset.cases {
            let id = loaded.case.id.as_str();
            match seen.entry(folded(id)) {
                Entry::Vacant(slot) => {
                    slot.insert((id, &dataset.name));
                }
                Entry::Occupied(slot) => {
                    let (first, other) = *slot.get();
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
