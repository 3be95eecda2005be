//! Where an eval's cases stand in its files: for annotations and findings, which point at the line that asks.

use std::path::PathBuf;

use indexmap::IndexMap;
use mst_model::CaseId;

use crate::diagnostic::Diagnostics;
use crate::load::load_datasets;
use crate::location::Locations;
use crate::request::LoadRequest;

/// Where a case's id stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaseLine {
    /// The dataset's file.
    pub file: PathBuf,
    /// The line, from 1.
    pub line: usize,
}

/// Finds every case of an eval's datasets, also those that a selection leaves out, in the datasets' order.
///
/// # Errors
/// A dataset cannot be read, as [`crate::load`] says it.
pub fn case_lines(request: &LoadRequest) -> Result<IndexMap<CaseId, CaseLine>, Diagnostics> {
    let (datasets, documents) = load_datasets(request)?;
    let mut places: Vec<Option<Locations<'_>>> = documents.iter().map(|_| None).collect();
    let mut found = IndexMap::new();
    for case in datasets.iter().flat_map(|dataset| &dataset.cases) {
        let document = &documents[case.document];
        let locations = places[case.document].get_or_insert_with(|| document.locations());
        let (position, _) = locations.locate(&format!("{}/id", case.pointer()), false);
        let line = position.map_or(1, |position| position.line);
        found.insert(case.head.id.clone(), CaseLine { file: document.path().to_owned(), line });
    }
    Ok(found)
}
