//! Recorded events as tool graders read them: without outputs, under canonical names.

use std::collections::{BTreeMap, BTreeSet};

use mst_model::{Event, EventKind, EventSource, ExpectedCall, ServerLabel};
use serde_json::{Map, Value};

use crate::excerpt;
use crate::tool_map::ToolMap;

/// The tools that each server listed when it was checked, by server.
pub type KnownTools = BTreeMap<ServerLabel, BTreeSet<String>>;

/// One event, owned and small, so that a grader can take it to another thread.
#[derive(Clone, Debug)]
pub(crate) struct Observed {
    pub(crate) kind: EventKind,
    pub(crate) source: EventSource,
    /// The name after the tool map.
    pub(crate) name: String,
    /// The name as recorded, when the tool map changed it.
    pub(crate) native: Option<String>,
    pub(crate) server: Option<ServerLabel>,
    pub(crate) arguments: Map<String, Value>,
    /// Argument text that was no JSON object; nothing can be said of it.
    pub(crate) raw_arguments: Option<String>,
}

impl Observed {
    /// Reads an event, renaming a tool call by the tool map.
    pub(crate) fn new(event: &Event, map: &ToolMap) -> Self {
        let canonical = event
            .is_tool_call()
            .then(|| map.canonical(event.server.as_ref(), &event.name))
            .flatten()
            .map(str::to_owned);
        let native = canonical.is_some().then(|| event.name.clone());
        Self {
            kind: event.kind,
            source: event.source,
            name: canonical.unwrap_or_else(|| event.name.clone()),
            native,
            server: event.server.clone(),
            arguments: event.arguments.clone().unwrap_or_default(),
            raw_arguments: event.raw_arguments.clone(),
        }
    }

    /// Returns the name as the client recorded it.
    pub(crate) fn client_name(&self) -> &str {
        self.native.as_deref().unwrap_or(&self.name)
    }

    /// Returns whether the event's name is the expected one, bare or after its server's label.
    pub(crate) fn has_name(&self, expected: &str) -> bool {
        name_matches(self.server.as_ref(), &self.name, expected)
    }

    /// Returns whether the event is of what an expected call names, whatever the arguments.
    pub(crate) fn is_of(&self, expected: &ExpectedCall) -> bool {
        self.has_name(&expected.name)
            && expected.kind.is_none_or(|kind| kind == self.kind)
            && expected.source.is_none_or(|source| source == self.source)
            && expected.server.as_ref().is_none_or(|server| self.server.as_ref() == Some(server))
    }

    /// Returns the event as a message shows it: `server.name {arguments}`.
    pub(crate) fn describe(&self) -> String {
        let kind = match self.kind {
            EventKind::ToolCall => "",
            EventKind::Skill => "skill ",
            EventKind::Command => "command ",
            EventKind::Subagent => "subagent ",
            EventKind::ToolSearch => "tool search ",
        };
        let server = self.server.as_ref().map(|server| format!("{server}.")).unwrap_or_default();
        let arguments = match &self.raw_arguments {
            Some(raw) => {
                format!("with arguments that are no JSON object: {}", excerpt::json(&Value::from(raw.as_str())))
            }
            None => excerpt::object(&self.arguments),
        };
        format!("{kind}{server}{} {arguments}", excerpt::shorten(&self.name, 200))
    }
}

/// Returns whether a tool is what an expected name means: its own name, or `server.name`.
///
/// Nothing is ever taken off a recorded name: a tool that a server lists as `docs.search` is that tool and no other.
pub(crate) fn name_matches(server: Option<&ServerLabel>, name: &str, expected: &str) -> bool {
    name == expected
        || server.is_some_and(|server| {
            expected.strip_prefix(server.as_str()).and_then(|rest| rest.strip_prefix('.')) == Some(name)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_match_bare_or_after_their_server() {
        let docs = ServerLabel::from("docs");
        for (server, name, expected, want) in [
            (Some(&docs), "search", "search", true),
            (Some(&docs), "search", "docs.search", true),
            (Some(&docs), "docs.search", "search", false),
            (Some(&docs), "docs.search", "docs.search", true),
            (Some(&docs), "docs.search", "docs.docs.search", true),
            (None, "search", "docs.search", false),
            (Some(&docs), "search", "wiki.search", false),
        ] {
            assert_eq!(name_matches(server, name, expected), want, "{name} for {expected}");
        }
    }
}
