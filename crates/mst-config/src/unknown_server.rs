//! Assertions that name a server no variant has: no call of theirs can match.

use std::collections::{BTreeMap, BTreeSet};

use mst_model::{ExpectedCall, ServerLabel};

use crate::dataset::{LoadedCase, LoadedDataset};
use crate::diagnostic::Code;
use crate::issue::{Issue, Place};
use crate::suggest;
use crate::variant::ResolvedVariant;

/// Returns a warning for each label that no variant has, at its first use.
pub(crate) fn warnings(datasets: &[LoadedDataset], variants: &[ResolvedVariant]) -> Vec<Issue> {
    let labels: BTreeSet<&ServerLabel> = variants.iter().flat_map(|variant| variant.servers.keys()).collect();
    if labels.is_empty() {
        return Vec::new();
    }
    let mut unknown: BTreeMap<ServerLabel, Place> = BTreeMap::new();
    for (loaded, at, call) in expected_calls(datasets) {
        if let Some(server) = call.server.filter(|server| !labels.contains(server)) {
            let pointer = format!("{}/assertions/toolsTriggered/calls/{at}", loaded.pointer());
            unknown.entry(server).or_insert_with(|| Place::value(loaded.document, pointer));
        }
    }
    let known: Vec<&str> = labels.iter().map(|label| label.as_str()).collect();
    let issues = unknown.into_iter().map(|(label, place)| {
        let message = format!("no variant has a server {:?}, so no call can match", label.as_str());
        Issue::warning(place, Code::UnknownName, message).with_help_if(suggest::help(label.as_str(), known.clone()))
    });
    issues.collect()
}

fn expected_calls(datasets: &[LoadedDataset]) -> impl Iterator<Item = (&LoadedCase, usize, ExpectedCall)> {
    let naming = datasets.iter().flat_map(|dataset| {
        dataset.cases.iter().filter(|loaded| loaded.head.names_server).map(move |loaded| (dataset, loaded))
    });
    naming.flat_map(|(dataset, loaded)| {
        let triggered = dataset.case(loaded).assertions.and_then(|assertions| assertions.tools_triggered);
        let calls = triggered.map(|triggered| triggered.calls).unwrap_or_default();
        calls.into_iter().enumerate().map(move |(at, call)| (loaded, at, call))
    })
}
