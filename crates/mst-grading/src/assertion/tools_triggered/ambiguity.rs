//! Names that could mean two tools.

use std::collections::BTreeSet;

use mst_model::{EventKind, EventSource, ExpectedCall};

use super::Tools;
use crate::observed::{Observed, name_matches};

/// Returns what is wrong with an expected call whose name could mean two tools; `None` when it means one or none.
///
/// The tools are those that servers listed and those that were called. Tools that the tool map gives one name are one.
pub(super) fn explain(expected: &ExpectedCall, tools: &Tools, events: &[Observed]) -> Option<String> {
    let meant = meant(expected, tools, events)?;
    (meant.len() > 1).then(|| {
        let meant: Vec<String> = meant.into_iter().collect();
        format!("expected call {:?} is ambiguous: it could mean {}", expected.name, meant.join(" or "))
    })
}

/// Returns what is wrong with an expected call that names no tool that servers listed; `None` when it names one, or when
/// nothing was listed.
pub(super) fn explain_absent(expected: &ExpectedCall, tools: &Tools) -> Option<String> {
    let absent = !tools.known.is_empty() && meant(expected, tools, &[])?.is_empty();
    absent.then(|| format!("expected call {:?} names no tool that the servers list", expected.name))
}

/// Returns the tools that an expected call could mean; `None` when it is about no server's tool.
fn meant(expected: &ExpectedCall, tools: &Tools, events: &[Observed]) -> Option<BTreeSet<String>> {
    let not_a_server_tool =
        expected.kind.is_some_and(|kind| kind != EventKind::ToolCall) || expected.source == Some(EventSource::Builtin);
    if not_a_server_tool {
        return None;
    }
    let mut meant = BTreeSet::new();
    let listed = tools.known.iter().flat_map(|(server, names)| names.iter().map(move |name| (server, name.as_str())));
    let called = events
        .iter()
        .filter(|event| event.kind == EventKind::ToolCall && event.source == EventSource::Mcp)
        .filter_map(|event| event.server.as_ref().map(|server| (server, event.client_name())));
    for (server, native) in listed.chain(called) {
        let canonical = tools.map.canonical(Some(server), native);
        let named = name_matches(Some(server), canonical.unwrap_or(native), &expected.name);
        if named && expected.server.as_ref().is_none_or(|wanted| wanted == server) {
            meant.insert(canonical.map_or_else(
                || format!("the tool {native:?} of the server {server:?}", server = server.as_str()),
                |name| format!("the mapped tool {name:?}"),
            ));
        }
    }
    Some(meant)
}
