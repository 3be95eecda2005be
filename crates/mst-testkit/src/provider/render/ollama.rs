//! Ollama's own chat form.

use serde_json::{Value, json};

use super::{Turn, halves, list, put, with};

pub(super) fn body(turn: &Turn<'_>) -> Value {
    let reply = turn.reply;
    let text = turn.text.as_ref().or(reply.refusal.as_ref());
    let mut message = json!({"role": "assistant", "content": text.map_or("", String::as_str)});
    put(&mut message, "thinking", reply.thinking.as_ref().map(|text| json!(text)));
    let calls: Vec<Value> = turn
        .calls
        .iter()
        .map(|call| {
            let mut function = json!({"name": call.name});
            put(&mut function, "arguments", call.arguments.as_json_value());
            let mut named = json!({"function": function});
            put(&mut named, "id", call.id.as_ref().map(|id| json!(id)));
            named
        })
        .collect();
    put(&mut message, "tool_calls", (!calls.is_empty()).then(|| json!(calls)));
    let reason = match reply.finish_reason.as_deref() {
        Some("max_tokens") => "length",
        Some(reason) => reason,
        None => "stop",
    };
    let mut body = json!({"model": turn.model, "created_at": "2025-10-09T08:53:20Z", "message": message, "done": true, "done_reason": reason});
    if let Some(usage) = reply.usage {
        put(&mut body, "prompt_eval_count", Some(json!(usage.all_input())));
        put(&mut body, "eval_count", Some(json!(usage.output)));
    }
    body
}

pub(super) fn lines(body: &Value) -> Vec<Value> {
    let head = json!({"model": body.get("model"), "created_at": body.get("created_at"), "done": false});
    let message = body.get("message").cloned().unwrap_or_default();
    let text = |key: &str| message.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let line = |part: Value| with(&head, "message", part);
    let mut lines = Vec::new();
    lines.extend(
        halves(&text("thinking"))
            .into_iter()
            .map(|part| line(json!({"role": "assistant", "content": "", "thinking": part}))),
    );
    lines.extend(halves(&text("content")).into_iter().map(|part| line(json!({"role": "assistant", "content": part}))));
    lines.extend(
        list(&message, "tool_calls")
            .map(|call| line(json!({"role": "assistant", "content": "", "tool_calls": [call]}))),
    );
    lines.push(with(body, "message", json!({"role": "assistant", "content": ""})));
    lines
}
