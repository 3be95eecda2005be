//! Which cases and variants of an eval run.

use std::collections::HashSet;

use mst_model::{CaseId, Selection, VariantName};

use crate::dataset::{LoadedCase, LoadedDataset};
use crate::diagnostic::Code;
use crate::draft::RunControls;
use crate::issue::{Issue, Place};
use crate::request::SelectionFlags;
use crate::suggest;

/// Returns what a run record says of the flags; `None` when they narrow nothing.
pub(crate) fn record(flags: &SelectionFlags) -> Option<Selection> {
    let sorted = |list: &[String]| {
        let mut list = list.to_vec();
        list.sort();
        list.dedup();
        (!list.is_empty()).then_some(list)
    };
    let selection = Selection {
        variants: sorted(&flags.variants).map(|names| names.into_iter().map(VariantName::from).collect()),
        cases: sorted(&flags.cases).map(|ids| ids.into_iter().map(CaseId::from).collect()),
        filter_tags: sorted(&flags.filter_tags),
        max_cases: flags.max_cases,
        trials: flags.trials,
        stopped_when: None,
    };
    (!selection.is_empty()).then_some(selection)
}

/// Keeps the cases that run, and reports flags that name nothing.
///
/// `--case` stands instead of the config's tags and cap; `--filter-tag` and `--max-cases` instead of the config's own.
pub(crate) fn select_cases(
    datasets: &mut [LoadedDataset],
    flags: &SelectionFlags,
    controls: &RunControls,
) -> Vec<Issue> {
    let mut issues = unknown_cases(datasets, flags);
    issues.extend(unknown_tags(datasets, flags));
    let by_id = !flags.cases.is_empty();
    let ids: HashSet<&str> = flags.cases.iter().map(String::as_str).collect();
    let own_tags = controls.filter_tags.as_deref().filter(|_| !by_id).unwrap_or_default();
    let tags = if flags.filter_tags.is_empty() { own_tags } else { &flags.filter_tags };
    let cap = flags.max_cases.or(controls.max_cases.filter(|_| !by_id));
    let runs = |loaded: &LoadedCase| {
        (!by_id || ids.contains(loaded.head.id.as_str()))
            && (tags.is_empty() || loaded.head.tags.iter().any(|tag| tags.contains(tag)))
    };
    for dataset in datasets.iter_mut() {
        dataset.cases.retain(runs);
        if let Some(cap) = cap {
            dataset.cases.truncate(cap as usize);
        }
    }
    if issues.is_empty() && datasets.iter().all(|dataset| dataset.cases.is_empty()) {
        let message = if tags.is_empty() {
            "no case is left to run".to_owned()
        } else {
            format!("no case is left to run: none has one of the tags {}", tags.join(", "))
        };
        issues.push(Issue::error(Place::flag(), Code::NothingToRun, message));
    }
    issues
}

fn unknown_cases(datasets: &[LoadedDataset], flags: &SelectionFlags) -> Vec<Issue> {
    if flags.cases.is_empty() {
        return Vec::new();
    }
    let all = || datasets.iter().flat_map(|dataset| &dataset.cases).map(|loaded| loaded.head.id.as_str());
    let known: HashSet<&str> = all().collect();
    let missing = flags.cases.iter().filter(|id| !known.contains(id.as_str()));
    missing
        .map(|id| {
            let near = suggest::nearest(id, all()).map(|near| format!("did you mean {near:?}?"));
            Issue::error(Place::flag(), Code::UnknownName, format!("--case: there is no case {id:?}"))
                .with_help_if(near)
        })
        .collect()
}

fn unknown_tags(datasets: &[LoadedDataset], flags: &SelectionFlags) -> Vec<Issue> {
    let known: HashSet<&str> = datasets
        .iter()
        .flat_map(|dataset| &dataset.cases)
        .flat_map(|loaded| &loaded.head.tags)
        .map(String::as_str)
        .collect();
    let mut sorted: Vec<&str> = known.iter().copied().collect();
    sorted.sort_unstable();
    let missing = flags.filter_tags.iter().filter(|tag| !known.contains(tag.as_str()));
    missing
        .map(|tag| {
            let help = suggest::help(tag, sorted.clone());
            Issue::error(Place::flag(), Code::UnknownName, format!("--filter-tag: no case has the tag {tag:?}"))
                .with_help_if(help)
        })
        .collect()
}
