//! The wire forms: pure functions from our request to a provider's body and from its answer to a turn.
//!
//! They are written by hand rather than taken from a library, because evaluations need what libraries smooth over: raw
//! argument texts, the provider's own finish word, a refusal's text, failed tool results marked as such, opaque thinking
//! replayed as it came, and usage that tells an absent number from 0. Nothing here talks to the network.

mod anthropic;
mod chat_completions;
mod gemini;
mod responses;
#[cfg(test)]
mod tests;
mod usage;

use std::collections::HashSet;

use mst_model::{Provider, Usage};
use serde_json::{Map, Value};

pub(crate) use anthropic::Assembler;

use crate::chat::{AssistantPart, ChatMessage, ChatRequest, Finish, ToolCall, ToolResultPart, ToolSpec};
use crate::failure::Failure;

/// A provider's wire form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WireForm {
    /// Anthropic Messages, streamed.
    Anthropic,
    /// OpenAI Responses.
    Responses,
    /// OpenAI Chat Completions and everything that speaks it.
    Chat,
    /// Gemini `generateContent`.
    Gemini,
}

/// What a body is made from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call<'a> {
    pub(crate) request: &'a ChatRequest,
    pub(crate) provider: Provider,
    /// The temperature to send; the request's own unless it was left out.
    pub(crate) temperature: Option<f64>,
}

/// A turn as one answer holds it, before the call's own facts (times, ids, retries) are added.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Turn {
    pub(crate) id: Option<String>,
    pub(crate) model: Option<String>,
    pub(crate) parts: Vec<AssistantPart>,
    pub(crate) finish: Finish,
    pub(crate) finish_reason: Option<String>,
    pub(crate) usage: Option<Usage>,
    pub(crate) notes: Vec<String>,
}

impl WireForm {
    /// Returns the form that a provider speaks; the offline model speaks none.
    pub(crate) fn of(provider: Provider) -> Self {
        match provider {
            Provider::Anthropic | Provider::VertexAnthropic => Self::Anthropic,
            Provider::OpenAi => Self::Responses,
            Provider::Google => Self::Gemini,
            Provider::Azure
            | Provider::Mistral
            | Provider::DeepSeek
            | Provider::XAi
            | Provider::OpenRouter
            | Provider::Ollama
            | Provider::OpenAiCompatible
            | Provider::Offline => Self::Chat,
        }
    }

    /// Returns whether image parts of a tool result are sent as images.
    pub(crate) fn takes_images(self) -> bool {
        matches!(self, Self::Anthropic | Self::Responses)
    }

    /// Returns whether answers come as a stream of events.
    pub(crate) fn streams(self) -> bool {
        self == Self::Anthropic
    }

    /// Returns the body without its tools.
    pub(crate) fn body(self, call: &Call<'_>) -> Map<String, Value> {
        match self {
            Self::Anthropic => anthropic::body(call),
            Self::Responses => responses::body(call),
            Self::Chat => chat_completions::body(call),
            Self::Gemini => gemini::body(call),
        }
    }

    /// Returns the value of the body's `tools`, from tools whose schemas are adapted already.
    pub(crate) fn tools(self, tools: &[ToolSpec]) -> Value {
        match self {
            Self::Anthropic => anthropic::tools(tools),
            Self::Responses => responses::tools(tools),
            Self::Chat => chat_completions::tools(tools),
            Self::Gemini => gemini::tools(tools),
        }
    }

    /// Reads a whole answer.
    pub(crate) fn read(self, provider: Provider, body: &Value) -> Result<Turn, Failure> {
        if !body.is_object() {
            return Err(Failure::Unreadable { detail: "the body is not a JSON object".to_owned() });
        }
        match self {
            Self::Anthropic => anthropic::read(body),
            Self::Responses => responses::read(body),
            Self::Chat => chat_completions::read(provider, body),
            Self::Gemini => gemini::read(body),
        }
    }
}

impl Turn {
    /// Gives every call an id of its own: calls without one, and calls whose id the conversation has already.
    pub(crate) fn make_ids_unique(&mut self, request: &ChatRequest) {
        let mut taken: HashSet<String> = HashSet::new();
        let mut turns = 0;
        for message in &request.messages {
            if let ChatMessage::Assistant { parts } = message {
                turns += 1;
                taken.extend(calls(parts).map(|call| call.id.clone()));
            }
        }
        let mut number = 0;
        for part in &mut self.parts {
            let AssistantPart::ToolCall(call) = part else { continue };
            while call.id.is_empty() || taken.contains(&call.id) {
                call.id = made_up_id(turns, number);
                number += 1;
            }
            taken.insert(call.id.clone());
        }
    }
}

/// How made-up ids begin.
const MADE_UP: &str = "mst";

/// Makes an id: nine letters and digits, which is what the strictest provider takes.
fn made_up_id(turn: usize, number: usize) -> String {
    format!("{MADE_UP}{turn:03}{number:03}")
}

/// Returns whether an id was made up here, so that the provider does not know it.
fn is_made_up(id: &str) -> bool {
    id.strip_prefix(MADE_UP).is_some_and(|rest| rest.len() >= 6 && rest.bytes().all(|byte| byte.is_ascii_digit()))
}

fn calls(parts: &[AssistantPart]) -> impl Iterator<Item = &ToolCall> {
    parts.iter().filter_map(|part| if let AssistantPart::ToolCall(call) = part { Some(call) } else { None })
}

/// Returns the turn's finish where the provider says only that it stopped.
fn stopped(parts: &[AssistantPart]) -> Finish {
    if calls(parts).next().is_some() { Finish::ToolCalls } else { Finish::Stop }
}

/// Returns the texts of a result as one, for providers that take no images there.
fn result_text(content: &[ToolResultPart]) -> String {
    let texts: Vec<String> = content
        .iter()
        .map(|part| match part {
            ToolResultPart::Text { text } => text.clone(),
            ToolResultPart::Image { mime_type, .. } => format!("[{mime_type} image not shown]"),
        })
        .collect();
    texts.join("\n")
}

fn text_of(value: &Value, key: &str) -> Option<String> {
    value.get(key).and_then(Value::as_str).map(str::to_owned)
}

fn list<'a>(value: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> {
    value.get(key).and_then(Value::as_array).into_iter().flatten()
}

fn push_text(parts: &mut Vec<AssistantPart>, text: Option<&str>) {
    if let Some(text) = text.filter(|text| !text.is_empty()) {
        parts.push(AssistantPart::Text { text: text.to_owned() });
    }
}
