//! A request as the fake provider received it.

use std::time::Duration;

use bytes::Bytes;
use http::request::Parts;
use indexmap::IndexMap;
use serde::Serialize;
use serde_json::Value;

use super::form::{Endpoint, Form};
use super::read;
use super::view::View;

/// A recorded request.
#[derive(Debug, Clone, Serialize)]
pub struct RecordedRequest {
    /// The wire form; absent for a token, count or unknown path.
    pub form: Option<Form>,
    /// The request's method.
    pub method: String,
    /// The path without the query.
    pub path: String,
    /// The query without its question mark, empty when there is none.
    pub query: String,
    /// Headers with lower-case names; a repeated header's values are joined by `, `.
    pub headers: IndexMap<String, String>,
    /// The body's bytes.
    #[serde(skip)]
    pub raw: Bytes,
    /// The body as JSON, null when it is not JSON.
    pub body: Value,
    /// The model that is asked, from the body or the path.
    pub model: Option<String>,
    /// Whether the client asks for a stream.
    pub stream: bool,
    /// Milliseconds between the server's start and the request's arrival.
    pub at_ms: u64,
    /// The rule that answered, by its place in the script.
    pub rule: Option<usize>,
    /// Which of the rule's replies answered, counted from 0.
    pub step: Option<usize>,
}

impl RecordedRequest {
    /// Reads a request that has arrived.
    pub(crate) fn of(parts: &Parts, raw: Bytes, endpoint: Endpoint, at: Duration) -> Self {
        let body: Value = serde_json::from_slice(&raw).unwrap_or_default();
        let path = parts.uri.path().to_owned();
        let mut headers: IndexMap<String, String> = IndexMap::new();
        for (name, value) in &parts.headers {
            let value = String::from_utf8_lossy(value.as_bytes());
            headers
                .entry(name.as_str().to_owned())
                .and_modify(|all| *all = format!("{all}, {value}"))
                .or_insert_with(|| value.into_owned());
        }
        let form = if let Endpoint::Model(form) = endpoint { Some(form) } else { None };
        Self {
            form,
            method: parts.method.to_string(),
            query: parts.uri.query().unwrap_or_default().to_owned(),
            headers,
            model: model_of(&path, &body),
            stream: form.is_some_and(|form| wants_stream(form, &path, &body)),
            path,
            raw,
            body,
            at_ms: at.as_millis() as u64,
            rule: None,
            step: None,
        }
    }

    /// Reads what the request holds, whatever its wire form.
    pub fn view(&self) -> View {
        self.form
            .map_or_else(View::default, |form| View::of(read::items(form, &self.body), read::tools(form, &self.body)))
    }

    /// Returns a header's value.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(&name.to_ascii_lowercase()).map(String::as_str)
    }

    /// Returns the body's bytes as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.raw).into_owned()
    }
}

/// Finds the model in a body or in a path such as `…/models/<m>:generateContent` or `…/deployments/<m>/…`.
fn model_of(path: &str, body: &Value) -> Option<String> {
    if let Some(model) = body.get("model").and_then(Value::as_str) {
        return Some(model.to_owned());
    }
    ["/models/", "/deployments/"].iter().find_map(|mark| {
        let (_, rest) = path.split_once(mark)?;
        let end = rest.find([':', '/']).unwrap_or(rest.len());
        Some(rest[..end].to_owned())
    })
}

/// Says whether a request asks for a stream.
fn wants_stream(form: Form, path: &str, body: &Value) -> bool {
    let flag = body.get("stream").and_then(Value::as_bool);
    match form {
        Form::Google => path.ends_with(":streamGenerateContent"),
        Form::VertexAnthropic => path.ends_with(":streamRawPredict") || flag == Some(true),
        Form::Ollama => flag != Some(false),
        Form::Anthropic | Form::Responses | Form::Chat => flag == Some(true),
    }
}
