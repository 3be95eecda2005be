//! Google generateContent.

use serde_json::{Value, json};

use super::{Turn, halves, list, put, with};

pub(super) fn body(turn: &Turn<'_>) -> Value {
    let reply = turn.reply;
    let mut parts = Vec::new();
    if let Some(thinking) = &reply.thinking {
        parts.push(json!({"text": thinking, "thought": true}));
    }
    if let Some(text) = turn.text.as_ref().or(reply.refusal.as_ref().filter(|text| !text.is_empty())) {
        parts.push(json!({"text": text}));
    }
    for call in &turn.calls {
        let mut function = json!({"name": call.name});
        put(&mut function, "args", call.arguments.as_json_value());
        put(&mut function, "id", call.id.as_ref().map(|id| json!(id)));
        parts.push(json!({"functionCall": function}));
    }
    let reason = match reply.finish_reason.as_deref() {
        Some("max_tokens") => "MAX_TOKENS",
        Some("content_filter") => "SAFETY",
        Some(reason) => reason,
        None if reply.refusal.is_some() => "SAFETY",
        None => "STOP",
    };
    let mut body = json!({
        "candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": reason, "index": 0}],
        "modelVersion": turn.model, "responseId": turn.ids.next("resp"),
    });
    let usage = reply.usage.map(|usage| {
        let mut counts = json!({"promptTokenCount": usage.all_input(), "candidatesTokenCount": usage.output.saturating_sub(usage.reasoning),
            "totalTokenCount": usage.all_input() + usage.output});
        put(&mut counts, "cachedContentTokenCount", (usage.cache_read > 0).then(|| json!(usage.cache_read)));
        put(&mut counts, "thoughtsTokenCount", (usage.reasoning > 0).then(|| json!(usage.reasoning)));
        counts
    });
    put(&mut body, "usageMetadata", usage);
    body
}

/// One chunk per part, texts in two; the finish reason comes with the last.
pub(super) fn chunks(body: &Value) -> Vec<Value> {
    let candidate = body.pointer("/candidates/0").cloned().unwrap_or_default();
    let Some(content) = candidate.get("content") else { return vec![body.clone()] };
    let mut parts = Vec::new();
    for part in list(content, "parts") {
        match part.get("text").and_then(Value::as_str) {
            Some(text) if !text.is_empty() => {
                parts.extend(halves(text).into_iter().map(|half| with(part, "text", json!(half))));
            }
            _ => parts.push(part.clone()),
        }
    }
    let Some(last) = parts.pop() else { return vec![body.clone()] };
    let chunk = |part: Value, candidate: &Value| {
        with(body, "candidates", json!([with(candidate, "content", json!({"role": "model", "parts": [part]}))]))
    };
    let mut unfinished = candidate.clone();
    if let Some(object) = unfinished.as_object_mut() {
        object.shift_remove("finishReason");
    }
    let mut chunks: Vec<Value> = parts.into_iter().map(|part| chunk(part, &unfinished)).collect();
    chunks.push(chunk(last, &candidate));
    chunks
}
