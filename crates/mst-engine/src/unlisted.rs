//! Calls to tools that a server did not list when it was checked: its session showed the client more than the check.

use mst_model::{Broke, ClientRun, Ending, ServerLabel, WriteMode};

use crate::bind::BoundPlan;
use crate::ready::ReadyBatch;

/// Returns the ending that a trial gets for a call to a tool of a read-only server that its readiness check did not list.
///
/// Nothing stands between such a server and its client, so that the transcript is all there is to tell by. `only_server`
/// is the label of events that name no server, where the variant has one alone.
pub(crate) fn ending(
    run: &ClientRun,
    ready: &ReadyBatch,
    bound: &BoundPlan,
    only_server: Option<&ServerLabel>,
) -> Option<Ending> {
    run.events.iter().filter(|event| event.is_mcp_call()).find_map(|event| {
        let label = event.server.as_ref().or(only_server)?;
        let is_read_only = bound.modes.get(label).is_none_or(|mode| *mode == WriteMode::ReadOnly);
        let listed = ready.tools.get(label).filter(|_| is_read_only)?;
        if listed.contains(&event.name) {
            return None;
        }
        let known = listed.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
        let reason = format!(
            "The client called {label}.{}, which its server didn't list when MST checked it: {known}.",
            event.name
        );
        Some(Ending::permanent(Broke::Setup, reason))
    })
}
