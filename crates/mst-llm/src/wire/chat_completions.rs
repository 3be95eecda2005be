//! OpenAI Chat Completions, which most other providers and gateways speak too.

use mst_model::Provider;
use serde_json::{Map, Value, json};

use super::{Call, Turn, calls, list, push_text, result_text, stopped, text_of, usage};
use crate::chat::{AssistantPart, ChatMessage, Finish, ToolArguments, ToolCall, ToolSpec};
use crate::failure::Failure;

pub(super) fn body(call: &Call<'_>) -> Map<String, Value> {
    let request = call.request;
    let mut body = Map::new();
    body.insert("model".to_owned(), json!(request.model));
    let system = request.system.iter().map(|system| json!({"role": "system", "content": system}));
    let messages = request.messages.iter().flat_map(|message| messages(call.provider, message));
    body.insert("messages".to_owned(), system.chain(messages).collect());
    if let Some(temperature) = call.temperature {
        body.insert("temperature".to_owned(), json!(temperature));
    }
    if let Some(max_tokens) = request.max_tokens {
        // OpenAI's own reasoning models refuse the older name; the others know nothing but it.
        let name = if call.provider == Provider::Azure { "max_completion_tokens" } else { "max_tokens" };
        body.insert(name.to_owned(), json!(max_tokens));
    }
    if let Some(effort) = &request.effort {
        body.insert("reasoning_effort".to_owned(), json!(effort));
    }
    body
}

pub(super) fn tools(tools: &[ToolSpec]) -> Value {
    tools
        .iter()
        .map(|tool| {
            let mut function = Map::new();
            function.insert("name".to_owned(), json!(tool.name));
            if let Some(description) = &tool.description {
                function.insert("description".to_owned(), json!(description));
            }
            function.insert("parameters".to_owned(), tool.input_schema.clone());
            json!({"type": "function", "function": function})
        })
        .collect()
}

fn messages(provider: Provider, message: &ChatMessage) -> Vec<Value> {
    match message {
        ChatMessage::User { text } => vec![json!({"role": "user", "content": text})],
        ChatMessage::Assistant { parts } => vec![assistant(provider, parts)],
        ChatMessage::ToolResults { results } => results
            .iter()
            .map(|result| {
                json!({"role": "tool", "tool_call_id": result.call_id, "content": result_text(&result.content)})
            })
            .collect(),
    }
}

fn assistant(provider: Provider, parts: &[AssistantPart]) -> Value {
    let text: String = parts
        .iter()
        .filter_map(|part| if let AssistantPart::Text { text } = part { Some(text.as_str()) } else { None })
        .collect();
    let tool_calls: Vec<Value> = calls(parts)
        .map(|call| {
            let arguments = call.arguments.to_replay().to_string();
            json!({"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments}})
        })
        .collect();
    let mut message = json!({"role": "assistant", "content": text});
    if !tool_calls.is_empty() {
        if text.is_empty() {
            message["content"] = Value::Null;
        }
        message["tool_calls"] = Value::Array(tool_calls);
    }
    for part in parts {
        let AssistantPart::Thinking { text, signature } = part else { continue };
        match (provider, signature.as_deref().map(serde_json::from_str::<Value>)) {
            (Provider::OpenRouter, Some(Ok(details))) => message["reasoning_details"] = details,
            // DeepSeek refuses a tool turn whose reasoning is missing.
            (Provider::DeepSeek, _) => message["reasoning_content"] = json!(text),
            _ => {}
        }
    }
    message
}

pub(super) fn read(provider: Provider, body: &Value) -> Result<Turn, Failure> {
    let choice = body.pointer("/choices/0");
    for holder in [Some(body), choice].into_iter().flatten() {
        if holder.get("error").is_some_and(Value::is_object) {
            return Err(Failure::from_error_object(holder));
        }
    }
    let message = choice
        .and_then(|choice| choice.get("message"))
        .filter(|message| message.is_object())
        .ok_or_else(|| Failure::Unreadable { detail: "the completion has no message".to_owned() })?;
    let mut turn = Turn { id: text_of(body, "id"), model: text_of(body, "model"), ..Turn::default() };
    thinking(provider, message, &mut turn.parts);
    content(message.get("content"), &mut turn.parts);
    for call in list(message, "tool_calls") {
        let function = call.get("function").unwrap_or(&Value::Null);
        turn.parts.push(AssistantPart::ToolCall(ToolCall {
            id: text_of(call, "id").unwrap_or_default(),
            name: text_of(function, "name").unwrap_or_default(),
            arguments: ToolArguments::from_field(function.get("arguments")),
            signature: None,
        }));
    }
    turn.finish_reason = choice.and_then(|choice| text_of(choice, "finish_reason"));
    let refusal = text_of(message, "refusal").filter(|words| !words.is_empty());
    turn.finish = match turn.finish_reason.as_deref() {
        Some("content_filter") => Finish::Filtered,
        _ if refusal.is_some() => Finish::Refused { text: refusal },
        None | Some("stop" | "tool_calls" | "function_call") => stopped(&turn.parts),
        Some("length") => Finish::MaxTokens,
        Some("model_length") => Finish::ContextFull,
        Some(_) => Finish::Other,
    };
    turn.usage = usage::chat(body.get("usage"));
    Ok(turn)
}

fn thinking(provider: Provider, message: &Value, parts: &mut Vec<AssistantPart>) {
    let text = text_of(message, "reasoning_content").or_else(|| text_of(message, "reasoning")).unwrap_or_default();
    let details = message.get("reasoning_details").filter(|details| {
        provider == Provider::OpenRouter && details.as_array().is_some_and(|details| !details.is_empty())
    });
    if !text.is_empty() || details.is_some() {
        parts.push(AssistantPart::Thinking { text, signature: details.map(Value::to_string) });
    }
}

/// A text, or the list of chunks that some providers give.
fn content(content: Option<&Value>, parts: &mut Vec<AssistantPart>) {
    match content {
        Some(Value::String(text)) => push_text(parts, Some(text)),
        Some(Value::Array(chunks)) => {
            for chunk in chunks {
                let thoughts: String = list(chunk, "thinking").filter_map(|part| part.get("text")?.as_str()).collect();
                if !thoughts.is_empty() {
                    parts.push(AssistantPart::Thinking { text: thoughts, signature: None });
                }
                push_text(parts, chunk.get("text").and_then(Value::as_str));
            }
        }
        _ => {}
    }
}
