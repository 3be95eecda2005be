//! Reads OpenAI Chat Completions and Ollama requests, which share their messages' shape.

use serde_json::Value;

use super::{list, string, text_of};
use crate::provider::view::{AssistantCall, Item, ToolResult};

pub(super) fn items(body: &Value) -> Vec<Item> {
    let mut items = Vec::new();
    for message in list(body, "messages") {
        let text = text_of(message.get("content"));
        match message.get("role").and_then(Value::as_str) {
            Some("system" | "developer") => items.push(Item::System(text)),
            Some("assistant") => {
                items.push(Item::Assistant(text));
                for call in list(message, "tool_calls") {
                    let function = call.get("function").unwrap_or(call);
                    items.push(Item::Call(AssistantCall {
                        id: string(call, "id"),
                        name: string(function, "name").unwrap_or_default(),
                        arguments: function.get("arguments").cloned().unwrap_or_default(),
                    }));
                }
            }
            Some("tool") => items.push(Item::Result(ToolResult {
                id: string(message, "tool_call_id"),
                name: string(message, "tool_name").or_else(|| string(message, "name")),
                text,
                is_error: None,
                content: message.get("content").cloned().unwrap_or_default(),
            })),
            _ => items.push(Item::User(text)),
        }
    }
    items
}
