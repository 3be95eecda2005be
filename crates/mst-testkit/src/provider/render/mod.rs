//! Renders a neutral reply in a wire form: first as a whole body, then, when a stream is asked for, as its events.
//!
//! A stream is always made from a whole body, so that raw bodies of a script stream too.

mod anthropic;
mod chat;
mod error;
mod google;
mod ollama;
mod responses;

use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::Value;

use super::form::Form;
use super::reply::Reply;
use super::tool_call::Arguments;

pub(crate) use error::error;

/// The time that every body claims to be made at.
const CREATED: u64 = 1_760_000_000;

/// A reply that is ready to be rendered: names are resolved and placeholders filled.
pub(crate) struct Turn<'a> {
    pub(crate) reply: &'a Reply,
    pub(crate) text: Option<String>,
    pub(crate) calls: Vec<NamedCall>,
    pub(crate) model: &'a str,
    pub(crate) ids: &'a Ids,
}

/// A tool call with the name that goes over the wire.
pub(crate) struct NamedCall {
    pub(crate) name: String,
    pub(crate) arguments: Arguments,
    pub(crate) id: Option<String>,
}

/// Makes ids that are unique within a server.
#[derive(Debug, Default)]
pub(crate) struct Ids(AtomicU64);

impl Ids {
    fn next(&self, prefix: &str) -> String {
        format!("{prefix}{:08}", self.0.fetch_add(1, Ordering::Relaxed) + 1)
    }
}

impl NamedCall {
    fn id(&self, ids: &Ids, prefix: &str) -> String {
        self.id.clone().unwrap_or_else(|| ids.next(prefix))
    }
}

/// Renders the whole body.
pub(crate) fn body(form: Form, turn: &Turn<'_>) -> Value {
    match form {
        Form::Anthropic | Form::VertexAnthropic => anthropic::body(turn),
        Form::Responses => responses::body(turn),
        Form::Chat => chat::body(turn),
        Form::Ollama => ollama::body(turn),
        Form::Google => google::body(turn),
    }
}

/// A streamed body: its content type and its pieces.
pub(crate) struct Stream {
    pub(crate) content_type: &'static str,
    pub(crate) pieces: Vec<String>,
}

/// Turns a whole body into the form's stream. Google streams an array unless `alt=sse` is asked for.
pub(crate) fn stream(form: Form, query: &str, body: &Value) -> Stream {
    let events = |pieces| Stream { content_type: "text/event-stream", pieces };
    match form {
        Form::Anthropic | Form::VertexAnthropic => events(anthropic::events(body).iter().map(named_event).collect()),
        Form::Responses => events(responses::events(body).iter().map(named_event).collect()),
        Form::Chat => {
            let mut pieces: Vec<String> = chat::chunks(body).iter().map(data_event).collect();
            pieces.push("data: [DONE]\n\n".to_owned());
            events(pieces)
        }
        Form::Ollama => Stream {
            content_type: "application/x-ndjson",
            pieces: ollama::lines(body).iter().map(|line| format!("{line}\n")).collect(),
        },
        Form::Google if query.split('&').any(|pair| pair == "alt=sse") => {
            events(google::chunks(body).iter().map(data_event).collect())
        }
        Form::Google => {
            Stream { content_type: "application/json", pieces: vec![Value::Array(google::chunks(body)).to_string()] }
        }
    }
}

/// An event whose name is the data's `type`.
fn named_event(data: &Value) -> String {
    format!("event: {}\ndata: {data}\n\n", data.get("type").and_then(Value::as_str).unwrap_or("message"))
}

fn data_event(data: &Value) -> String {
    format!("data: {data}\n\n")
}

/// Cuts a text in two at a character boundary, so that every stream has more than one delta.
fn halves(text: &str) -> Vec<&str> {
    let middle = text.char_indices().map(|(index, _)| index).nth(text.chars().count() / 2).unwrap_or(0);
    let (first, second) = text.split_at(middle);
    [first, second].into_iter().filter(|part| !part.is_empty()).collect()
}

/// Returns the elements of an array under a key, nothing when it is not an array.
fn list<'a>(value: &'a Value, key: &str) -> std::slice::Iter<'a, Value> {
    value.get(key).and_then(Value::as_array).map_or(&[] as &[Value], Vec::as_slice).iter()
}

/// Returns a copy of an object with one key changed.
fn with(value: &Value, key: &str, changed: Value) -> Value {
    let mut copy = value.clone();
    if let Some(object) = copy.as_object_mut() {
        object.insert(key.to_owned(), changed);
    }
    copy
}

/// Inserts a key when there is a value.
fn put(target: &mut Value, key: &str, value: Option<Value>) {
    if let (Some(object), Some(value)) = (target.as_object_mut(), value) {
        object.insert(key.to_owned(), value);
    }
}
