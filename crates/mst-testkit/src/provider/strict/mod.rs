//! What each provider refuses about the tools of a request, as its documentation and its own error texts say. The fake
//! provider answers 400 to what stands here, so that every test runs under these rules.
//!
//! Where a provider only says "JSON Schema", draft 2020-12's own meta-schema decides.

mod anthropic;
mod google;
mod names;
mod openai;
mod schema;
#[cfg(test)]
mod tests;

use serde_json::Value;

use super::form::Form;

/// Whose rules hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Rules {
    /// Anthropic Messages, from Anthropic or on Vertex.
    Anthropic,
    /// OpenAI Responses.
    Responses,
    /// Chat Completions as OpenAI-compatible providers take them.
    Chat,
    /// Chat Completions on Azure.
    Azure,
    /// Gemini's `generateContent`.
    Google,
}

impl Rules {
    /// Returns the rules for a wire form and the path that it came to.
    pub fn of(form: Form, path: &str) -> Self {
        match form {
            Form::Anthropic | Form::VertexAnthropic => Self::Anthropic,
            Form::Responses => Self::Responses,
            Form::Chat if path.contains("/openai/") && !path.ends_with("/v1/chat/completions") => Self::Azure,
            Form::Chat if path.starts_with("/openai/") => Self::Azure,
            Form::Chat | Form::Ollama => Self::Chat,
            Form::Google => Self::Google,
        }
    }
}

/// Checks the `tools` of a request.
///
/// # Errors
/// The first thing that the provider would refuse, in words like its own.
pub fn check_tools(rules: Rules, tools: &Value) -> Result<(), String> {
    match rules {
        Rules::Anthropic => anthropic::check(tools),
        Rules::Responses | Rules::Chat | Rules::Azure => openai::check(rules, tools),
        Rules::Google => google::check(tools),
    }
}

/// Reads a list.
fn list<'a>(value: &'a Value, what: &str) -> Result<&'a Vec<Value>, String> {
    value.as_array().ok_or_else(|| format!("{what}: should be a list"))
}

/// Reads a text.
fn text<'a>(value: &'a Value, key: &str, place: &str) -> Result<&'a str, String> {
    value.get(key).and_then(Value::as_str).ok_or_else(|| format!("{place}.{key}: a text is required"))
}

/// Refuses keys that the provider does not know.
fn known_keys(value: &Value, known: &[&str], place: &str) -> Result<(), String> {
    let Some(fields) = value.as_object() else { return Err(format!("{place}: should be an object")) };
    match fields.keys().find(|key| !known.contains(&key.as_str())) {
        Some(key) => Err(format!("{place}: unknown name {key:?}: cannot find field")),
        None => Ok(()),
    }
}
