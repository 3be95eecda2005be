//! Anthropic Messages, on its own API and on Vertex.

use serde_json::{Value, json};

use super::{Turn, halves, list, put, with};

pub(super) fn body(turn: &Turn<'_>) -> Value {
    let reply = turn.reply;
    let mut content = Vec::new();
    if let Some(thinking) = &reply.thinking {
        content.push(json!({"type": "thinking", "thinking": thinking, "signature": "c2lnbmF0dXJl"}));
    }
    let refusal = reply.refusal.as_ref().filter(|text| !text.is_empty());
    if let Some(text) = turn.text.as_ref().or(refusal) {
        content.push(json!({"type": "text", "text": text}));
    }
    for call in &turn.calls {
        let mut block = json!({"type": "tool_use", "id": call.id(turn.ids, "toolu_"), "name": call.name});
        put(&mut block, "input", call.arguments.as_json_value());
        content.push(block);
    }
    let stop = match reply.finish_reason.as_deref() {
        Some("content_filter") => "refusal",
        Some(reason) => reason,
        None if reply.refusal.is_some() => "refusal",
        None if !turn.calls.is_empty() => "tool_use",
        None => "end_turn",
    };
    let mut body = json!({
        "id": turn.ids.next("msg_"), "type": "message", "role": "assistant", "model": turn.model,
        "content": content, "stop_reason": stop, "stop_sequence": null,
    });
    let usage = reply.usage.map(|usage| {
        json!({"input_tokens": usage.input, "cache_creation_input_tokens": usage.cache_write,
            "cache_read_input_tokens": usage.cache_read, "output_tokens": usage.output})
    });
    put(&mut body, "usage", usage);
    body
}

pub(super) fn events(body: &Value) -> Vec<Value> {
    let mut head = with(&with(body, "content", json!([])), "stop_reason", Value::Null);
    if let Some(usage) = body.get("usage") {
        head = with(&head, "usage", with(usage, "output_tokens", json!(1)));
    }
    let mut events = vec![json!({"type": "message_start", "message": head})];
    for (index, block) in list(body, "content").enumerate() {
        let (start, deltas) = block_parts(block);
        events.push(json!({"type": "content_block_start", "index": index, "content_block": start}));
        events.extend(
            deltas.into_iter().map(|delta| json!({"type": "content_block_delta", "index": index, "delta": delta})),
        );
        events.push(json!({"type": "content_block_stop", "index": index}));
    }
    let mut last =
        json!({"type": "message_delta", "delta": {"stop_reason": body.get("stop_reason"), "stop_sequence": null}});
    put(&mut last, "usage", body.get("usage").cloned());
    events.push(last);
    events.push(json!({"type": "message_stop"}));
    events
}

/// The empty block that opens and the deltas that fill it.
fn block_parts(block: &Value) -> (Value, Vec<Value>) {
    let text = |key: &str| block.get(key).and_then(Value::as_str).unwrap_or_default();
    match block.get("type").and_then(Value::as_str) {
        Some("text") => {
            let deltas = halves(text("text")).into_iter().map(|part| json!({"type": "text_delta", "text": part}));
            (with(block, "text", json!("")), deltas.collect())
        }
        Some("thinking") => {
            let mut deltas: Vec<Value> = halves(text("thinking"))
                .into_iter()
                .map(|part| json!({"type": "thinking_delta", "thinking": part}))
                .collect();
            deltas.push(json!({"type": "signature_delta", "signature": text("signature")}));
            (with(&with(block, "thinking", json!("")), "signature", json!("")), deltas)
        }
        Some("tool_use") => {
            // A string is text that a script wants to see as it is: broken JSON, or nothing at all.
            let partial = match block.get("input") {
                Some(Value::String(text)) => text.clone(),
                // No delta at all: that is how this stream says that there are no arguments.
                None | Some(Value::Null) => String::new(),
                Some(input) => input.to_string(),
            };
            let deltas =
                halves(&partial).into_iter().map(|part| json!({"type": "input_json_delta", "partial_json": part}));
            (with(block, "input", json!({})), deltas.collect())
        }
        _ => (block.clone(), Vec::new()),
    }
}
