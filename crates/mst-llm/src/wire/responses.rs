//! OpenAI Responses, stateless: nothing is stored there, and reasoning is replayed in its encrypted form.

use serde_json::{Map, Value, json};

use super::{Call, Turn, list, push_text, stopped, text_of, usage};
use crate::chat::{
    AssistantPart, ChatMessage, Finish, ToolArguments, ToolCall, ToolResultMessage, ToolResultPart, ToolSpec,
};
use crate::failure::Failure;
use crate::model_traits::reasons;

pub(super) fn body(call: &Call<'_>) -> Map<String, Value> {
    let request = call.request;
    let mut body = Map::new();
    body.insert("model".to_owned(), json!(request.model));
    if let Some(system) = &request.system {
        body.insert("instructions".to_owned(), json!(system));
    }
    body.insert("input".to_owned(), request.messages.iter().flat_map(items).collect());
    body.insert("store".to_owned(), json!(false));
    if reasons(&request.model) {
        // Models that do not reason refuse this.
        body.insert("include".to_owned(), json!(["reasoning.encrypted_content"]));
    }
    if let Some(temperature) = call.temperature {
        body.insert("temperature".to_owned(), json!(temperature));
    }
    if let Some(max_tokens) = request.max_tokens {
        body.insert("max_output_tokens".to_owned(), json!(max_tokens));
    }
    if let Some(effort) = &request.effort {
        body.insert("reasoning".to_owned(), json!({"effort": effort}));
    }
    body
}

pub(super) fn tools(tools: &[ToolSpec]) -> Value {
    tools
        .iter()
        .map(|tool| {
            let mut declared = Map::new();
            declared.insert("type".to_owned(), json!("function"));
            declared.insert("name".to_owned(), json!(tool.name));
            if let Some(description) = &tool.description {
                declared.insert("description".to_owned(), json!(description));
            }
            declared.insert("parameters".to_owned(), tool.input_schema.clone());
            // Strict is this API's default, and it refuses optional properties.
            declared.insert("strict".to_owned(), json!(false));
            Value::Object(declared)
        })
        .collect()
}

fn items(message: &ChatMessage) -> Vec<Value> {
    match message {
        ChatMessage::User { text } => vec![json!({"role": "user", "content": text})],
        ChatMessage::Assistant { parts } => parts.iter().filter_map(item).collect(),
        ChatMessage::ToolResults { results } => results.iter().map(output).collect(),
    }
}

fn item(part: &AssistantPart) -> Option<Value> {
    match part {
        AssistantPart::Text { text } => Some(json!({"role": "assistant", "content": text})),
        AssistantPart::Thinking { signature, .. } => serde_json::from_str(signature.as_deref()?).ok(),
        AssistantPart::ToolCall(call) => Some(json!({
            "type": "function_call", "call_id": call.id, "name": call.name,
            "arguments": call.arguments.to_replay().to_string(),
        })),
    }
}

fn output(result: &ToolResultMessage) -> Value {
    let has_image = result.content.iter().any(|part| matches!(part, ToolResultPart::Image { .. }));
    let output = if has_image {
        result
            .content
            .iter()
            .map(|part| match part {
                ToolResultPart::Text { text } => json!({"type": "input_text", "text": text}),
                ToolResultPart::Image { mime_type, data } => {
                    json!({"type": "input_image", "image_url": format!("data:{mime_type};base64,{data}")})
                }
            })
            .collect()
    } else {
        Value::String(super::result_text(&result.content))
    };
    json!({"type": "function_call_output", "call_id": result.call_id, "output": output})
}

pub(super) fn read(body: &Value) -> Result<Turn, Failure> {
    let status = text_of(body, "status");
    if body.get("error").is_some_and(Value::is_object) {
        return Err(Failure::from_error_object(body));
    }
    if status.as_deref() == Some("failed") {
        return Err(Failure::Unavailable { status: 500, retry_after: None });
    }
    if !body.get("output").is_some_and(Value::is_array) {
        return Err(Failure::Unreadable { detail: "the response has no output".to_owned() });
    }
    let mut turn = Turn { id: text_of(body, "id"), model: text_of(body, "model"), ..Turn::default() };
    let mut refusal: Option<String> = None;
    for item in list(body, "output") {
        match item.get("type").and_then(Value::as_str) {
            Some("message") => {
                for part in list(item, "content") {
                    push_text(&mut turn.parts, part.get("text").and_then(Value::as_str));
                    if let Some(words) = part.get("refusal").and_then(Value::as_str) {
                        refusal.get_or_insert_default().push_str(words);
                    }
                }
            }
            Some("function_call") => turn.parts.push(AssistantPart::ToolCall(ToolCall {
                id: text_of(item, "call_id").unwrap_or_default(),
                name: text_of(item, "name").unwrap_or_default(),
                arguments: ToolArguments::from_field(item.get("arguments")),
                signature: None,
            })),
            Some("reasoning") => turn.parts.push(reasoning(item)),
            other => turn.notes.push(format!("an output item of type {} was left out", other.unwrap_or("(none)"))),
        }
    }
    let reason = body.pointer("/incomplete_details/reason").and_then(Value::as_str);
    turn.finish = match (reason, status.as_deref()) {
        (Some("max_output_tokens"), _) => Finish::MaxTokens,
        (Some("content_filter"), _) => Finish::Filtered,
        (None, _) if refusal.is_some() => Finish::Refused { text: refusal.clone().filter(|words| !words.is_empty()) },
        (None, None | Some("completed")) => stopped(&turn.parts),
        (Some(_), _) | (None, Some(_)) => Finish::Other,
    };
    turn.finish_reason = reason.map(str::to_owned).or_else(|| refusal.map(|_| "refusal".to_owned())).or(status);
    turn.usage = usage::responses(body.get("usage"));
    Ok(turn)
}

/// Only an item with its encrypted content can be replayed: without it the API would look for one it never stored.
fn reasoning(item: &Value) -> AssistantPart {
    let texts: Vec<&str> = list(item, "summary").filter_map(|part| part.get("text")?.as_str()).collect();
    let signature = item.get("encrypted_content").is_some_and(Value::is_string).then(|| {
        let mut kept = item.clone();
        if let Some(fields) = kept.as_object_mut() {
            fields.shift_remove("status");
        }
        kept.to_string()
    });
    AssistantPart::Thinking { text: texts.join("\n"), signature }
}
