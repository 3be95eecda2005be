//! The conversation against a scripted model and scripted servers.

mod calls;
mod endings;
mod provider_rules;

use mst_llm::{ChatMessage, ToolResultMessage, ToolResultPart};
use mst_model::{Broke, ClientRun, Ending, Event, EventSource};
use serde_json::json;

use super::scripted::{Bench, Step, calls};

pub(super) fn lookup(id: &str) -> Step {
    calls(&[("lookup", json!({ "id": id }))])
}

pub(super) fn broke(run: &ClientRun) -> Option<(Broke, bool, &str)> {
    match run.ending.as_ref() {
        Some(Ending::Infrastructure { broke, retryable, reason }) => Some((*broke, *retryable, reason)),
        _ => None,
    }
}

/// Each event as `server.name error: output`.
pub(super) fn shown(run: &ClientRun) -> Vec<String> {
    let show = |event: &Event| {
        let failed = if event.is_error == Some(true) { " failed" } else { "" };
        let from = if event.source == EventSource::Mcp { "" } else { "builtin " };
        format!("{from}{}{failed}: {}", event.qualified_name(), event.output.as_deref().unwrap_or("-"))
    };
    run.events.iter().map(show).collect()
}

/// The results that the last request brings back.
pub(super) fn results(bench: &Bench) -> Vec<ToolResultMessage> {
    match bench.requests().last().and_then(|request| request.messages.last().cloned()) {
        Some(ChatMessage::ToolResults { results }) => results,
        _ => Vec::new(),
    }
}

pub(super) fn text(result: &ToolResultMessage) -> &str {
    match result.content.as_slice() {
        [ToolResultPart::Text { text }] => text,
        _ => "",
    }
}
