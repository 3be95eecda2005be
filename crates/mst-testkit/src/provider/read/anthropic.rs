//! Reads Anthropic Messages requests.

use serde_json::Value;

use super::{list, string, text_of};
use crate::provider::view::{AssistantCall, Item, ToolResult};

pub(super) fn items(body: &Value) -> Vec<Item> {
    let mut items = Vec::new();
    let system = text_of(body.get("system"));
    if !system.is_empty() {
        items.push(Item::System(system));
    }
    for message in list(body, "messages") {
        let is_assistant = message.get("role").and_then(Value::as_str) == Some("assistant");
        let text = text_of(message.get("content"));
        if is_assistant {
            items.push(Item::Assistant(text.clone()));
        }
        for block in list(message, "content") {
            match block.get("type").and_then(Value::as_str) {
                Some("tool_use") => items.push(Item::Call(AssistantCall {
                    id: string(block, "id"),
                    name: string(block, "name").unwrap_or_default(),
                    arguments: block.get("input").cloned().unwrap_or_default(),
                })),
                Some("tool_result") => items.push(Item::Result(ToolResult {
                    id: string(block, "tool_use_id"),
                    name: None,
                    text: text_of(block.get("content")),
                    is_error: Some(block.get("is_error").and_then(Value::as_bool).unwrap_or(false)),
                    content: block.get("content").cloned().unwrap_or_default(),
                })),
                _ => {}
            }
        }
        if !is_assistant && !text.is_empty() {
            items.push(Item::User(text));
        }
    }
    items
}
