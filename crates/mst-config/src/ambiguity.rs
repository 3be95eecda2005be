//! Tool names of assertions that could mean two tools, as far as it shows before any server is asked.

use std::collections::{BTreeMap, BTreeSet};

use mst_model::{EventKind, EventSource, ExpectedCall, ServerLabel};

use crate::dataset::{LoadedCase, LoadedDataset};
use crate::diagnostic::Code;
use crate::issue::{Issue, Place};
use crate::suggest;
use crate::variant::ResolvedVariant;

/// Returns warnings: one for each kind of ambiguity, which names the first few.
pub(crate) fn warnings(datasets: &[LoadedDataset], variants: &[ResolvedVariant]) -> Vec<Issue> {
    let labels: BTreeSet<&ServerLabel> = variants.iter().flat_map(|variant| variant.servers.keys()).collect();
    let several = variants.iter().any(|variant| variant.servers.len() > 1);
    let mut found = Found::default();
    for (loaded, at, call) in expected_calls(datasets) {
        let place =
            || Place::value(loaded.document, format!("{}/assertions/toolsTriggered/calls/{at}", loaded.pointer()));
        if let Some(server) = &call.server {
            if !labels.is_empty() && !labels.contains(server) {
                found.unknown.entry(server.to_string()).or_insert_with(place);
            }
            continue;
        }
        let is_tool = call.kind.is_none_or(|kind| kind == EventKind::ToolCall);
        let is_mapped = variants.iter().all(|variant| variant.tool_map.contains_key(&call.name));
        if !is_tool || call.source == Some(EventSource::Builtin) || is_mapped {
            continue;
        }
        let qualified = labels.iter().any(|label| {
            call.name.strip_prefix(label.as_str()).is_some_and(|rest| rest.len() > 1 && rest.starts_with('.'))
        });
        if qualified {
            found.dotted.entry(call.name.clone()).or_insert_with(place);
        } else if several {
            found.bare.entry(call.name.clone()).or_insert_with(place);
        }
    }
    found.into_issues(&labels)
}

fn expected_calls(datasets: &[LoadedDataset]) -> impl Iterator<Item = (&LoadedCase, usize, &ExpectedCall)> {
    datasets.iter().flat_map(|dataset| &dataset.cases).flat_map(|loaded| {
        let triggered = loaded.case.assertions.as_ref().and_then(|assertions| assertions.tools_triggered.as_ref());
        let calls = triggered.map(|triggered| triggered.calls.as_slice()).unwrap_or_default();
        calls.iter().enumerate().map(move |(at, call)| (loaded, at, call))
    })
}

/// Names with the place of their first use.
#[derive(Default)]
struct Found {
    dotted: BTreeMap<String, Place>,
    bare: BTreeMap<String, Place>,
    unknown: BTreeMap<String, Place>,
}

impl Found {
    fn into_issues(self, labels: &BTreeSet<&ServerLabel>) -> Vec<Issue> {
        let help = "write { \"name\": …, \"server\": … }";
        let mut issues = Vec::new();
        if let Some(place) = self.dotted.values().next() {
            let message = format!(
                "{} could mean two tools: one of that server, or one whose own name has the dot",
                listed(&self.dotted)
            );
            issues.push(Issue::warning(place.clone(), Code::Ambiguous, message).with_help(help));
        }
        if let Some(place) = self.bare.values().next() {
            let message = format!("{} could mean tools of several servers", listed(&self.bare));
            issues.push(Issue::warning(place.clone(), Code::Ambiguous, message).with_help(help));
        }
        for (label, place) in self.unknown {
            let known: Vec<&str> = labels.iter().map(|label| label.as_str()).collect();
            let message = format!("no variant has a server {label:?}, so no call can match");
            let help = suggest::help(&label, known);
            issues.push(Issue::warning(place, Code::UnknownName, message).with_help_if(help));
        }
        issues
    }
}

/// Lists the first few names.
fn listed(names: &BTreeMap<String, Place>) -> String {
    const SHOWN: usize = 5;
    let mut text = names.keys().take(SHOWN).map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ");
    if names.len() > SHOWN {
        text = format!("{text} and {} more", names.len() - SHOWN);
    }
    text
}
