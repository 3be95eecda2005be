//! Reads Google generateContent requests, in camel case and in snake case.

use serde_json::Value;

use super::{list, string, text_of};
use crate::provider::view::{AssistantCall, Item, ToolResult};

pub(super) fn items(body: &Value) -> Vec<Item> {
    let mut items = Vec::new();
    let system = either(body, "systemInstruction", "system_instruction").map(|content| text_of(content.get("parts")));
    items.extend(system.filter(|text| !text.is_empty()).map(Item::System));
    for content in list(body, "contents") {
        let is_model = content.get("role").and_then(Value::as_str) == Some("model");
        let text = text_of(content.get("parts"));
        if is_model {
            items.push(Item::Assistant(text.clone()));
        }
        for part in list(content, "parts") {
            if let Some(call) = either(part, "functionCall", "function_call") {
                items.push(Item::Call(AssistantCall {
                    id: string(call, "id"),
                    name: string(call, "name").unwrap_or_default(),
                    arguments: call.get("args").cloned().unwrap_or_default(),
                }));
            }
            if let Some(result) = either(part, "functionResponse", "function_response") {
                let content = result.get("response").cloned().unwrap_or_default();
                items.push(Item::Result(ToolResult {
                    id: string(result, "id"),
                    name: string(result, "name"),
                    text: result_text(&content),
                    is_error: Some(content.get("error").is_some()),
                    content,
                }));
            }
        }
        if !is_model && !text.is_empty() {
            items.push(Item::User(text));
        }
    }
    items
}

fn either<'a>(value: &'a Value, camel: &str, snake: &str) -> Option<&'a Value> {
    value.get(camel).or_else(|| value.get(snake))
}

/// A response of one text, whatever its key, is that text; anything else is its JSON. A name beside it does not count.
fn result_text(response: &Value) -> String {
    let mut values =
        response.as_object().into_iter().flatten().filter(|(key, _)| *key != "name").map(|(_, value)| value);
    let only = values.next().filter(|_| values.next().is_none());
    only.and_then(Value::as_str).map_or_else(|| response.to_string(), str::to_owned)
}
