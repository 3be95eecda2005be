//! How things are found: by the names that people use, and by asking rather than by paging.

use mst_llm::words;
use mst_model::{CapabilityFinding, CapabilityState};
use serde_json::Value;

use super::facts::{Facts, ToolFacts};
use super::{finding, state_of};
use crate::parameters::Parameter;

/// Parameters that take what people call things by.
const NATURAL: &[&str] = &[
    "name", "title", "query", "path", "filepath", "url", "slug", "email", "username", "city", "symbol", "topic",
    "keyword",
];
const FINDING_VERBS: [&str; 6] = ["search", "find", "lookup", "resolve", "query", "match"];

/// Calls take the names that people use, or something turns names into ids.
pub(super) fn natural_names(facts: &Facts<'_>) -> CapabilityFinding {
    let name = "natural_name_resolution";
    let opaque: Vec<&ToolFacts<'_>> = facts.tools.iter().filter(|tool| tool.parameters.iter().any(needs_id)).collect();
    if opaque.is_empty() {
        let takes: Vec<String> = facts.tools.iter().filter_map(|tool| tool.parameter_named(NATURAL)).collect();
        return if takes.is_empty() {
            finding(name, CapabilityState::Absent, [], "no tool takes a name")
        } else {
            finding(name, CapabilityState::Present, takes, "tools take names, paths or the like, and none needs an id")
        };
    }
    let by_name: Vec<String> = opaque
        .iter()
        .filter(|tool| tool.parameters.iter().any(takes_name))
        .map(|tool| tool.tool.name().to_owned())
        .collect();
    let resolving = facts.named(|tool| tool.has_word(&FINDING_VERBS));
    let state = match (by_name.len(), resolving.is_empty()) {
        (count, _) if count == opaque.len() => CapabilityState::Present,
        (0, true) => CapabilityState::Absent,
        _ => CapabilityState::Partial,
    };
    let reason = match state {
        CapabilityState::Present => "every tool that needs an id takes a name in its place".to_owned(),
        CapabilityState::Absent => format!("{} tools need an id, and nothing turns a name into one", opaque.len()),
        CapabilityState::Partial => {
            format!(
                "{} of {} tools that need an id take a name; {} find things by words",
                by_name.len(),
                opaque.len(),
                resolving.len()
            )
        }
    };
    finding(name, state, by_name.into_iter().chain(resolving), reason)
}

/// Tells whether a call needs an id that only the service knows.
fn needs_id(parameter: &Parameter<'_>) -> bool {
    parameter.required
        && words(parameter.name)
            .last()
            .is_some_and(|word| matches!(word.as_str(), "id" | "ids" | "uuid" | "guid" | "gid"))
}

/// Tells whether a parameter says that a name will do.
fn takes_name(parameter: &Parameter<'_>) -> bool {
    let texts = parameter.schemas.iter().filter_map(|schema| schema.get("description").and_then(Value::as_str));
    texts.into_iter().map(words).any(|text| {
        let has = |word: &str| text.iter().any(|known| known == word);
        let id = has("id") || has("uuid") || has("identifier");
        id && has("or") && ["name", "slug", "title", "email", "url"].iter().any(|word| has(word))
    })
}

/// Lists can be asked, not only paged through.
pub(super) fn queries(facts: &Facts<'_>) -> CapabilityFinding {
    let name = "query_over_list";
    let searches = facts.named(|tool| tool.has_word(&FINDING_VERBS));
    let lists: Vec<&ToolFacts<'_>> =
        facts.tools.iter().filter(|tool| !tool.changes && tool.has_word(&["list", "all"])).collect();
    if lists.is_empty() {
        return if searches.is_empty() {
            finding(name, CapabilityState::Absent, [], "no tool lists or searches")
        } else {
            finding(name, CapabilityState::Present, searches, "tools search, and none only lists")
        };
    }
    let parameters = [
        "query",
        "q",
        "filter",
        "filters",
        "search",
        "searchterm",
        "searchquery",
        "where",
        "jql",
        "cql",
        "keyword",
        "keywords",
        "pattern",
        "status",
        "state",
        "type",
        "labels",
        "tags",
        "since",
        "name",
    ];
    let asked: Vec<String> = lists.iter().filter_map(|tool| tool.parameter_named(&parameters)).collect();
    let state = match state_of(asked.len(), lists.len()) {
        CapabilityState::Absent if !searches.is_empty() => CapabilityState::Partial,
        state => state,
    };
    let reason = format!("{} of {} tools that list can be asked; {} search", asked.len(), lists.len(), searches.len());
    finding(name, state, asked.into_iter().chain(searches), reason)
}
