//! A trial as a conversation: what the model said and the tools it called, in order.

use mst_model::{Event, EventKind, EventSource, ModelCall, TracedStatus, Usage};
use serde::Serialize;

use super::clip::Clip;
use super::trial::Trial;
use crate::text::Shown;

/// One step of a conversation.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "k")]
pub(super) enum Turn {
    /// The model was asked and answered.
    #[serde(rename = "model")]
    Model(ModelTurn),
    /// Something was called.
    #[serde(rename = "call")]
    Call(CallTurn),
}

/// A model's answer.
#[derive(Clone, Debug, Serialize)]
pub(super) struct ModelTurn {
    model: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<Clip>,
    #[serde(skip_serializing_if = "Option::is_none")]
    finish: Option<String>,
    /// Input and output tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens: Option<[u64; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ms: Option<f64>,
}

/// A call and what came back.
#[derive(Clone, Debug, Serialize)]
pub(super) struct CallTurn {
    what: &'static str,
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    server: Option<String>,
    /// The name that the model used, when it is another.
    #[serde(skip_serializing_if = "Option::is_none")]
    raw: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    args: Option<Clip>,
    #[serde(skip_serializing_if = "Option::is_none")]
    out: Option<Clip>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    failed: bool,
    /// Whether the case expects a call of this tool, where it expects any.
    #[serde(skip_serializing_if = "Option::is_none")]
    expected: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ms: Option<f64>,
}

/// Returns a trial's steps. The answer stands apart: a last turn that says the same is without its text.
///
/// Calls stand after the turn that asked for them, where the client says which; else in the order they were made.
pub(super) fn turns(trial: &Trial<'_>) -> Vec<Turn> {
    let Some(transcript) = trial.transcript else { return Vec::new() };
    let calls = transcript.model_calls.as_deref().unwrap_or_default();
    let mut events = transcript.events.iter().zip(expectations(trial)).peekable();
    let mut turns = Vec::with_capacity(calls.len() + transcript.events.len());
    for (at, call) in calls.iter().enumerate() {
        let is_answer = at + 1 == calls.len() && call.text.as_deref() == trial.answer;
        turns.push(Turn::Model(model(call, !is_answer)));
        let mut open = call.tool_call_ids.len();
        while open > 0
            && let Some((event, expected)) = events.next_if(|(event, _)| is_asked_by(event, call, calls))
        {
            open -= usize::from(event.id.is_some());
            turns.push(Turn::Call(called(event, expected)));
        }
    }
    turns.extend(events.map(|(event, expected)| Turn::Call(called(event, expected))));
    turns
}

/// Whether an event belongs to a turn: it has one of its ids, or none that any turn asked for.
fn is_asked_by(event: &Event, call: &ModelCall, calls: &[ModelCall]) -> bool {
    let Some(id) = &event.id else { return true };
    call.tool_call_ids.contains(id) || !calls.iter().any(|other| other.tool_call_ids.contains(id))
}

/// Returns for each event whether it was expected, where that is known.
fn expectations(trial: &Trial<'_>) -> Vec<Option<bool>> {
    let events = trial.events();
    let of_calls = events.iter().filter(|event| event.is_tool_call()).count();
    let trace = trial.calls.filter(|trace| trace.calls.len() == of_calls);
    let mut statuses = trace.map(|trace| trace.calls.iter().map(|call| call.status == TracedStatus::Expected));
    events.iter().map(|event| statuses.as_mut().filter(|_| event.is_tool_call()).and_then(Iterator::next)).collect()
}

fn model(call: &ModelCall, with_text: bool) -> ModelTurn {
    let text = call.text.as_deref().filter(|text| with_text && !text.trim().is_empty());
    ModelTurn {
        model: line(&call.model),
        text: text.map(Clip::of),
        finish: call.finish_reason.as_deref().map(line),
        tokens: call.usage.as_ref().and_then(tokens),
        ms: call.started_at.zip(call.completed_at).map(|(from, to)| (to.as_millis() - from.as_millis()) as f64),
    }
}

/// Returns input and output tokens; `None` when neither was reported.
pub(super) fn tokens(usage: &Usage) -> Option<[u64; 2]> {
    let (input, output) = (usage.total_input_tokens(), usage.output_tokens);
    (input.is_some() || output.is_some()).then(|| [input.unwrap_or(0), output.unwrap_or(0)])
}

fn called(event: &Event, expected: Option<bool>) -> CallTurn {
    let given = event.arguments.as_ref().filter(|arguments| !arguments.is_empty()).map(Clip::of_json);
    CallTurn {
        what: match (event.kind, event.source) {
            (EventKind::ToolCall, EventSource::Mcp) => "tool",
            (EventKind::ToolCall, EventSource::Builtin) => "built-in tool",
            (EventKind::Skill, _) => "skill",
            (EventKind::Command, _) => "command",
            (EventKind::Subagent, _) => "subagent",
            (EventKind::ToolSearch, _) => "tool search",
        },
        name: line(&event.name),
        server: event.server.as_ref().map(|server| line(server.as_str())),
        raw: event.raw_name.as_deref().filter(|raw| *raw != event.name).map(line),
        args: event.raw_arguments.as_deref().map(Clip::of).or(given),
        out: event.output.as_deref().map(Clip::of),
        failed: event.is_error == Some(true),
        expected,
        ms: event.duration_ms,
    }
}

fn line(text: &str) -> String {
    Shown::line(text).to_string()
}
