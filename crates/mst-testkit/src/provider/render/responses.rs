//! OpenAI Responses.

use serde_json::{Value, json};

use super::{CREATED, Turn, halves, list, put, with};

pub(super) fn body(turn: &Turn<'_>) -> Value {
    let reply = turn.reply;
    let mut output = Vec::new();
    if let Some(thinking) = &reply.thinking {
        output.push(json!({"type": "reasoning", "id": turn.ids.next("rs_"), "summary": [{"type": "summary_text", "text": thinking}]}));
    }
    let mut content = Vec::new();
    if let Some(text) = &turn.text {
        content.push(json!({"type": "output_text", "text": text, "annotations": []}));
    }
    if let Some(refusal) = &reply.refusal {
        content.push(json!({"type": "refusal", "refusal": refusal}));
    }
    if !content.is_empty() {
        output.push(json!({"type": "message", "id": turn.ids.next("msg_"), "role": "assistant", "status": "completed", "content": content}));
    }
    for call in &turn.calls {
        let mut item = json!({"type": "function_call", "id": turn.ids.next("fc_"), "call_id": call.id(turn.ids, "call_"),
            "name": call.name, "status": "completed"});
        put(&mut item, "arguments", call.arguments.as_text_value());
        output.push(item);
    }
    let incomplete = match reply.finish_reason.as_deref() {
        Some("max_tokens" | "max_output_tokens" | "length") => Some("max_output_tokens"),
        Some("content_filter") => Some("content_filter"),
        _ => None,
    };
    let status = match reply.finish_reason.as_deref() {
        _ if incomplete.is_some() => "incomplete",
        Some(status @ ("failed" | "cancelled" | "queued" | "in_progress")) => status,
        _ => "completed",
    };
    let usage = reply.usage.map(|usage| {
        json!({"input_tokens": usage.all_input(), "input_tokens_details": {"cached_tokens": usage.cache_read},
            "output_tokens": usage.output, "output_tokens_details": {"reasoning_tokens": usage.reasoning},
            "total_tokens": usage.all_input() + usage.output})
    });
    let mut body = json!({
        "id": turn.ids.next("resp_"), "object": "response", "created_at": CREATED, "status": status, "error": null,
        "incomplete_details": incomplete.map(|reason| json!({"reason": reason})), "model": turn.model, "output": output,
        "parallel_tool_calls": true, "tool_choice": "auto", "tools": [], "metadata": {},
    });
    put(&mut body, "usage", usage);
    body
}

pub(super) fn events(body: &Value) -> Vec<Value> {
    let begun = with(&with(&with(body, "status", json!("in_progress")), "output", json!([])), "usage", Value::Null);
    let mut events = vec![
        json!({"type": "response.created", "response": begun}),
        json!({"type": "response.in_progress", "response": begun}),
    ];
    for (index, item) in list(body, "output").enumerate() {
        let blank = match item.get("type").and_then(Value::as_str) {
            Some("message") => with(item, "content", json!([])),
            Some("function_call") => with(item, "arguments", json!("")),
            Some("reasoning") => with(item, "summary", json!([])),
            _ => item.clone(),
        };
        events.push(json!({"type": "response.output_item.added", "output_index": index, "item": blank}));
        events.extend(item_events(index, item));
        events.push(json!({"type": "response.output_item.done", "output_index": index, "item": item}));
    }
    let status = body.get("status").and_then(Value::as_str).unwrap_or("completed");
    events.push(json!({"type": format!("response.{status}"), "response": body}));
    events.into_iter().enumerate().map(|(number, event)| with(&event, "sequence_number", json!(number))).collect()
}

/// The deltas inside one output item.
fn item_events(index: usize, item: &Value) -> Vec<Value> {
    let id = item.get("id").cloned().unwrap_or_else(|| json!(""));
    let at = |kind: &str| json!({"type": kind, "item_id": id, "output_index": index});
    let mut events = Vec::new();
    if let Some(arguments) = item.get("arguments").and_then(Value::as_str) {
        let delta = at("response.function_call_arguments.delta");
        events.extend(halves(arguments).into_iter().map(|part| with(&delta, "delta", json!(part))));
        events.push(with(&at("response.function_call_arguments.done"), "arguments", json!(arguments)));
    }
    for (number, part) in list(item, "content").enumerate() {
        let (key, kind) = if part.get("refusal").is_some() {
            ("refusal", "response.refusal")
        } else {
            ("text", "response.output_text")
        };
        let text = part.get(key).and_then(Value::as_str).unwrap_or_default();
        let here = |kind: &str| with(&at(kind), "content_index", json!(number));
        events.push(with(&here("response.content_part.added"), "part", with(part, key, json!(""))));
        let delta = here(&format!("{kind}.delta"));
        events.extend(halves(text).into_iter().map(|half| with(&delta, "delta", json!(half))));
        events.push(with(&here(&format!("{kind}.done")), key, json!(text)));
        events.push(with(&here("response.content_part.done"), "part", part.clone()));
    }
    for (number, part) in list(item, "summary").enumerate() {
        let text = part.get("text").and_then(Value::as_str).unwrap_or_default();
        let here = |kind: &str| with(&at(kind), "summary_index", json!(number));
        events.push(with(&here("response.reasoning_summary_part.added"), "part", with(part, "text", json!(""))));
        let delta = here("response.reasoning_summary_text.delta");
        events.extend(halves(text).into_iter().map(|half| with(&delta, "delta", json!(half))));
        events.push(with(&here("response.reasoning_summary_text.done"), "text", json!(text)));
        events.push(with(&here("response.reasoning_summary_part.done"), "part", part.clone()));
    }
    events
}
