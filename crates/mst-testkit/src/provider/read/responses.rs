//! Reads OpenAI Responses requests.

use serde_json::Value;

use super::{list, string, text_of};
use crate::provider::view::{AssistantCall, Item, ToolResult};

pub(super) fn items(body: &Value) -> Vec<Item> {
    let mut items = Vec::new();
    if let Some(text) = string(body, "instructions") {
        items.push(Item::System(text));
    }
    if let Some(text) = string(body, "input") {
        items.push(Item::User(text));
    }
    for item in list(body, "input") {
        match item.get("type").and_then(Value::as_str) {
            Some("function_call") => items.push(Item::Call(AssistantCall {
                id: string(item, "call_id"),
                name: string(item, "name").unwrap_or_default(),
                arguments: item.get("arguments").cloned().unwrap_or_default(),
            })),
            Some("function_call_output") => items.push(Item::Result(ToolResult {
                id: string(item, "call_id"),
                name: None,
                text: text_of(item.get("output")),
                is_error: None,
                content: item.get("output").cloned().unwrap_or_default(),
            })),
            Some("reasoning") => items.push(Item::Assistant(String::new())),
            _ => {
                let text = text_of(item.get("content"));
                items.push(match item.get("role").and_then(Value::as_str) {
                    Some("system" | "developer") => Item::System(text),
                    Some("assistant") => Item::Assistant(text),
                    _ => Item::User(text),
                });
            }
        }
    }
    items
}
