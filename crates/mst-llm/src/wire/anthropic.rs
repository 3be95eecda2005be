//! Anthropic Messages, also as Vertex AI serves it.

use mst_model::Provider;
use serde_json::{Map, Value, json};

use super::{Call, Turn, list, push_text, stopped, text_of, usage};
use crate::chat::{
    AssistantPart, ChatMessage, Finish, ToolArguments, ToolCall, ToolResultMessage, ToolResultPart, ToolSpec,
};
use crate::failure::Failure;
use crate::model_traits::default_max_tokens;

/// Marks the signature of a thinking part that the provider redacted: what follows is the block's `data`.
const REDACTED_THINKING: &str = "redacted_thinking:";

pub(super) fn body(call: &Call<'_>) -> Map<String, Value> {
    let request = call.request;
    let mut body = Map::new();
    if call.provider == Provider::VertexAnthropic {
        body.insert("anthropic_version".to_owned(), json!("vertex-2023-10-16"));
    } else {
        body.insert("model".to_owned(), json!(request.model));
    }
    let max_tokens = request.max_tokens.unwrap_or_else(|| default_max_tokens(&request.model));
    body.insert("max_tokens".to_owned(), json!(max_tokens));
    if let Some(system) = request.system.as_deref().filter(|system| !system.trim().is_empty()) {
        body.insert("system".to_owned(), json!(system));
    }
    if let Some(temperature) = call.temperature {
        body.insert("temperature".to_owned(), json!(temperature));
    }
    if let Some(effort) = &request.effort {
        body.insert("output_config".to_owned(), json!({"effort": effort}));
    }
    body.insert("messages".to_owned(), request.messages.iter().map(message).collect());
    body.insert("stream".to_owned(), json!(true));
    body
}

pub(super) fn tools(tools: &[ToolSpec]) -> Value {
    tools
        .iter()
        .map(|tool| {
            let mut declared = Map::new();
            declared.insert("name".to_owned(), json!(tool.name));
            if let Some(description) = &tool.description {
                declared.insert("description".to_owned(), json!(description));
            }
            declared.insert("input_schema".to_owned(), tool.input_schema.clone());
            Value::Object(declared)
        })
        .collect()
}

fn message(message: &ChatMessage) -> Value {
    match message {
        ChatMessage::User { text } => json!({"role": "user", "content": text}),
        ChatMessage::Assistant { parts } => {
            json!({"role": "assistant", "content": parts.iter().filter_map(block).collect::<Value>()})
        }
        ChatMessage::ToolResults { results } => {
            json!({"role": "user", "content": results.iter().map(tool_result).collect::<Value>()})
        }
    }
}

/// Blank text blocks are refused by the API, and thinking without its signature is too.
fn block(part: &AssistantPart) -> Option<Value> {
    match part {
        AssistantPart::Text { text } => (!text.trim().is_empty()).then(|| json!({"type": "text", "text": text})),
        AssistantPart::Thinking { text, signature } => {
            let signature = signature.as_deref()?;
            Some(match signature.strip_prefix(REDACTED_THINKING) {
                Some(data) => json!({"type": "redacted_thinking", "data": data}),
                None => json!({"type": "thinking", "thinking": text, "signature": signature}),
            })
        }
        AssistantPart::ToolCall(call) => {
            Some(json!({"type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments.to_replay()}))
        }
    }
}

fn tool_result(result: &ToolResultMessage) -> Value {
    let content = result.content.iter().filter_map(|part| match part {
        ToolResultPart::Text { text } => (!text.trim().is_empty()).then(|| json!({"type": "text", "text": text})),
        ToolResultPart::Image { mime_type, data } => {
            Some(json!({"type": "image", "source": {"type": "base64", "media_type": mime_type, "data": data}}))
        }
    });
    let content: Value = content.collect();
    let mut block = json!({"type": "tool_result", "tool_use_id": result.call_id, "content": content});
    if result.is_error {
        block["is_error"] = json!(true);
    }
    block
}

pub(super) fn read(body: &Value) -> Result<Turn, Failure> {
    if body.get("type").and_then(Value::as_str) == Some("error") {
        return Err(Failure::from_error_object(body));
    }
    if !body.get("content").is_some_and(Value::is_array) {
        return Err(Failure::Unreadable { detail: "the message has no content".to_owned() });
    }
    let mut parts = Vec::new();
    let mut notes = Vec::new();
    for block in list(body, "content") {
        match block.get("type").and_then(Value::as_str) {
            Some("text") => push_text(&mut parts, block.get("text").and_then(Value::as_str)),
            Some("thinking") => parts.push(AssistantPart::Thinking {
                text: text_of(block, "thinking").unwrap_or_default(),
                signature: text_of(block, "signature").filter(|signature| !signature.is_empty()),
            }),
            Some("redacted_thinking") => parts.push(AssistantPart::Thinking {
                text: String::new(),
                signature: text_of(block, "data").map(|data| format!("{REDACTED_THINKING}{data}")),
            }),
            Some("tool_use") => parts.push(AssistantPart::ToolCall(ToolCall {
                id: text_of(block, "id").unwrap_or_default(),
                name: text_of(block, "name").unwrap_or_default(),
                arguments: ToolArguments::from_field(block.get("input")),
                signature: None,
            })),
            other => notes.push(format!("a content block of type {} was left out", other.unwrap_or("(none)"))),
        }
    }
    let finish_reason = text_of(body, "stop_reason");
    let finish = match finish_reason.as_deref() {
        None | Some("end_turn" | "stop_sequence" | "tool_use") => stopped(&parts),
        Some("max_tokens") => Finish::MaxTokens,
        Some("model_context_window_exceeded") => Finish::ContextFull,
        Some("refusal") => Finish::Refused {
            text: body.pointer("/stop_details/explanation").and_then(Value::as_str).map(str::to_owned),
        },
        Some(_) => Finish::Other,
    };
    Ok(Turn {
        id: text_of(body, "id"),
        model: text_of(body, "model"),
        parts,
        finish,
        finish_reason,
        usage: usage::anthropic(body.get("usage")),
        notes,
    })
}

/// Puts a streamed message together again.
#[derive(Debug, Default)]
pub(crate) struct Assembler {
    message: Option<Map<String, Value>>,
    blocks: Vec<Block>,
    is_complete: bool,
}

/// A content block while its deltas come in.
#[derive(Debug)]
struct Block {
    index: u64,
    fields: Map<String, Value>,
    input: String,
}

impl Assembler {
    /// Takes one event.
    pub(crate) fn take(&mut self, event: &Value) -> Result<(), Failure> {
        match event.get("type").and_then(Value::as_str) {
            Some("message_start") => {
                let message = event.get("message").and_then(Value::as_object);
                self.message = Some(message.cloned().unwrap_or_default());
            }
            Some("content_block_start") => {
                let fields = event.get("content_block").and_then(Value::as_object).cloned().unwrap_or_default();
                self.blocks.push(Block { index: index(event), fields, input: String::new() });
            }
            Some("content_block_delta") => self.delta(event),
            Some("message_delta") => self.message_delta(event),
            Some("message_stop") => self.is_complete = true,
            Some("error") => return Err(Failure::from_error_object(event)),
            _ => {}
        }
        Ok(())
    }

    /// Returns whether any event of a message has come.
    pub(crate) fn has_begun(&self) -> bool {
        self.message.is_some()
    }

    fn delta(&mut self, event: &Value) {
        let at = index(event);
        // The last block of that number: a server that numbers every block 0 still gets its calls told apart.
        let Some(block) = self.blocks.iter_mut().rev().find(|block| block.index == at) else { return };
        let Some(delta) = event.get("delta") else { return };
        for key in ["text", "thinking", "signature"] {
            if let Some(piece) = delta.get(key).and_then(Value::as_str) {
                match block.fields.get_mut(key) {
                    Some(Value::String(text)) => text.push_str(piece),
                    _ => {
                        block.fields.insert(key.to_owned(), json!(piece));
                    }
                }
            }
        }
        if let Some(piece) = delta.get("partial_json").and_then(Value::as_str) {
            block.input.push_str(piece);
        }
    }

    /// The counts of the last event are the whole message's, so they replace those of the first.
    fn message_delta(&mut self, event: &Value) {
        let message = self.message.get_or_insert_default();
        for (key, value) in event.get("delta").and_then(Value::as_object).into_iter().flatten() {
            message.insert(key.clone(), value.clone());
        }
        let Some(counts) = event.get("usage").and_then(Value::as_object) else { return };
        let usage = message.entry("usage").or_insert_with(|| json!({}));
        for (key, value) in counts.iter().filter(|(_, value)| !value.is_null()) {
            if usage.is_object() {
                usage[key] = value.clone();
            }
        }
    }

    /// Reads the message, which is whole only after its last event.
    pub(crate) fn finish(self) -> Result<Turn, Failure> {
        let cut = || Failure::Network { detail: "the answer was cut".to_owned() };
        let mut message = self.message.filter(|_| self.is_complete).ok_or_else(cut)?;
        let content = self.blocks.into_iter().map(|block| {
            let mut fields = block.fields;
            if !block.input.is_empty() {
                fields.insert("input".to_owned(), Value::String(block.input));
            }
            Value::Object(fields)
        });
        message.insert("content".to_owned(), content.collect());
        read(&Value::Object(message))
    }
}

fn index(event: &Value) -> u64 {
    event.get("index").and_then(Value::as_u64).unwrap_or(0)
}
