//! Readers of the wire forms: a request's body to neutral items and tools.

mod anthropic;
mod chat;
mod google;
mod responses;

use serde_json::Value;

use super::form::Form;
use super::view::{Item, OfferedTool};

/// Reads the conversation in a body.
pub(crate) fn items(form: Form, body: &Value) -> Vec<Item> {
    match form {
        Form::Anthropic | Form::VertexAnthropic => anthropic::items(body),
        Form::Responses => responses::items(body),
        Form::Chat | Form::Ollama => chat::items(body),
        Form::Google => google::items(body),
    }
}

/// Reads the tools that a body offers.
pub(crate) fn tools(form: Form, body: &Value) -> Vec<OfferedTool> {
    let declared = list(body, "tools");
    match form {
        Form::Anthropic | Form::VertexAnthropic => {
            declared.filter_map(|tool| offered(tool, tool, &["input_schema"])).collect()
        }
        Form::Responses => declared.filter_map(|tool| offered(tool, tool, &["parameters"])).collect(),
        Form::Chat | Form::Ollama => {
            declared.filter_map(|tool| offered(tool, tool.get("function").unwrap_or(tool), &["parameters"])).collect()
        }
        Form::Google => declared
            .flat_map(|group| list(group, "functionDeclarations").chain(list(group, "function_declarations")))
            .filter_map(|tool| offered(tool, tool, &["parametersJsonSchema", "parameters"]))
            .collect(),
    }
}

fn offered(raw: &Value, function: &Value, schema_keys: &[&str]) -> Option<OfferedTool> {
    Some(OfferedTool {
        name: string(function, "name")?,
        description: string(function, "description").unwrap_or_default(),
        schema: schema_keys.iter().find_map(|key| function.get(key)).cloned().unwrap_or_default(),
        raw: raw.clone(),
    })
}

/// Returns the elements of an array under a key, nothing when it is not an array.
fn list<'a>(value: &'a Value, key: &str) -> std::slice::Iter<'a, Value> {
    value.get(key).and_then(Value::as_array).map_or(&[] as &[Value], Vec::as_slice).iter()
}

fn string(value: &Value, key: &str) -> Option<String> {
    value.get(key).and_then(Value::as_str).map(str::to_owned)
}

/// Joins the text blocks of a content that is a string, an array of blocks, or absent.
fn text_of(content: Option<&Value>) -> String {
    match content {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(blocks)) => {
            let texts: Vec<&str> = blocks
                .iter()
                .filter_map(|block| block.as_str().or_else(|| block.get("text").and_then(Value::as_str)))
                .collect();
            texts.join("\n")
        }
        _ => String::new(),
    }
}
