//! Gemini `generateContent`.

use serde_json::{Map, Value, json};

use super::{Call, Turn, is_made_up, list, push_text, result_text, stopped, text_of, usage};
use crate::chat::{AssistantPart, ChatMessage, Finish, ToolArguments, ToolCall, ToolResultMessage, ToolSpec};
use crate::failure::Failure;

/// Finish words that mean that the answer was held back.
const FILTERED: [&str; 10] = [
    "SAFETY",
    "RECITATION",
    "LANGUAGE",
    "BLOCKLIST",
    "PROHIBITED_CONTENT",
    "SPII",
    "IMAGE_SAFETY",
    "IMAGE_PROHIBITED_CONTENT",
    "IMAGE_RECITATION",
    "MODEL_ARMOR",
];

pub(super) fn body(call: &Call<'_>) -> Map<String, Value> {
    let request = call.request;
    let mut body = Map::new();
    if let Some(system) = &request.system {
        body.insert("systemInstruction".to_owned(), json!({"parts": [{"text": system}]}));
    }
    body.insert("contents".to_owned(), request.messages.iter().map(content).collect());
    let mut config = Map::new();
    if let Some(temperature) = call.temperature {
        config.insert("temperature".to_owned(), json!(temperature));
    }
    if let Some(max_tokens) = request.max_tokens {
        config.insert("maxOutputTokens".to_owned(), json!(max_tokens));
    }
    if let Some(effort) = &request.effort {
        config.insert("thinkingConfig".to_owned(), json!({"thinkingLevel": effort}));
    }
    if !config.is_empty() {
        body.insert("generationConfig".to_owned(), Value::Object(config));
    }
    body
}

pub(super) fn tools(tools: &[ToolSpec]) -> Value {
    let declarations: Value = tools
        .iter()
        .map(|tool| {
            let mut declared = Map::new();
            declared.insert("name".to_owned(), json!(tool.name));
            // The API refuses a declaration without one.
            declared.insert("description".to_owned(), json!(tool.description.as_deref().unwrap_or_default()));
            let is_empty = tool.input_schema.get("properties").is_none_or(|known| known == &json!({}));
            // An object without properties is refused in `parameters`, but not in the other field.
            let key = if is_empty { "parametersJsonSchema" } else { "parameters" };
            declared.insert(key.to_owned(), tool.input_schema.clone());
            Value::Object(declared)
        })
        .collect();
    json!([{"functionDeclarations": declarations}])
}

fn content(message: &ChatMessage) -> Value {
    match message {
        ChatMessage::User { text } => json!({"role": "user", "parts": [{"text": text}]}),
        ChatMessage::Assistant { parts } => {
            json!({"role": "model", "parts": parts.iter().filter_map(part).collect::<Value>()})
        }
        ChatMessage::ToolResults { results } => {
            json!({"role": "user", "parts": results.iter().map(function_response).collect::<Value>()})
        }
    }
}

fn part(part: &AssistantPart) -> Option<Value> {
    match part {
        AssistantPart::Text { text } => Some(json!({"text": text})),
        AssistantPart::Thinking { signature, .. } => {
            Some(json!({"text": "", "thoughtSignature": signature.as_deref()?}))
        }
        AssistantPart::ToolCall(call) => {
            let mut function = json!({"name": call.name, "args": call.arguments.to_replay()});
            if !is_made_up(&call.id) {
                function["id"] = json!(call.id);
            }
            let mut part = json!({"functionCall": function});
            if let Some(signature) = &call.signature {
                part["thoughtSignature"] = json!(signature);
            }
            Some(part)
        }
    }
}

/// Results stand in the calls' order, which is what pairs them where the calls had no ids.
fn function_response(result: &ToolResultMessage) -> Value {
    let key = if result.is_error { "error" } else { "output" };
    let mut response = json!({"name": result.name, "response": {key: result_text(&result.content)}});
    if !is_made_up(&result.call_id) {
        response["id"] = json!(result.call_id);
    }
    json!({"functionResponse": response})
}

pub(super) fn read(body: &Value) -> Result<Turn, Failure> {
    if body.get("error").is_some_and(Value::is_object) {
        return Err(Failure::from_error_object(body));
    }
    let mut turn = Turn {
        id: text_of(body, "responseId"),
        model: text_of(body, "modelVersion"),
        usage: usage::gemini(body.get("usageMetadata")),
        ..Turn::default()
    };
    let Some(candidate) = body.pointer("/candidates/0") else {
        // A prompt that was blocked has no candidates; anything else without them is no reply.
        let blocked = body.pointer("/promptFeedback/blockReason").and_then(Value::as_str);
        let word = blocked.ok_or_else(|| Failure::Unreadable { detail: "the reply has no candidates".to_owned() })?;
        turn.finish = Finish::Filtered;
        turn.finish_reason = Some(word.to_owned());
        return Ok(turn);
    };
    for part in candidate.get("content").into_iter().flat_map(|content| list(content, "parts")) {
        read_part(part, &mut turn);
    }
    turn.finish_reason = text_of(candidate, "finishReason");
    turn.finish = match turn.finish_reason.as_deref() {
        None | Some("STOP" | "FINISH_REASON_UNSPECIFIED") => stopped(&turn.parts),
        Some("MAX_TOKENS") => Finish::MaxTokens,
        Some(word) if FILTERED.contains(&word) => Finish::Filtered,
        Some(_) => Finish::Other,
    };
    Ok(turn)
}

fn read_part(part: &Value, turn: &mut Turn) {
    let signature = text_of(part, "thoughtSignature");
    if let Some(function) = part.get("functionCall") {
        turn.parts.push(AssistantPart::ToolCall(ToolCall {
            id: text_of(function, "id").unwrap_or_default(),
            name: text_of(function, "name").unwrap_or_default(),
            arguments: ToolArguments::from_field(function.get("args")),
            signature,
        }));
    } else if let Some(text) = part.get("text").and_then(Value::as_str) {
        if part.get("thought").and_then(Value::as_bool) == Some(true) {
            turn.parts.push(AssistantPart::Thinking { text: text.to_owned(), signature });
            return;
        }
        push_text(&mut turn.parts, Some(text));
        if signature.is_some() {
            // A text's signature is kept as thinking of its own, and replayed as a part with an empty text.
            turn.parts.push(AssistantPart::Thinking { text: String::new(), signature });
        }
    } else {
        let kind = part.as_object().and_then(|fields| fields.keys().next().cloned());
        turn.notes.push(format!("a part {} was left out", kind.as_deref().unwrap_or("without content")));
    }
}
