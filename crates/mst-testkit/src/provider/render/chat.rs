//! OpenAI Chat Completions, also spoken by Azure, Mistral, DeepSeek, xAI, OpenRouter and others.

use serde_json::{Value, json};

use super::{CREATED, Turn, halves, list, put, with};

pub(super) fn body(turn: &Turn<'_>) -> Value {
    let reply = turn.reply;
    let mut message = json!({"role": "assistant", "content": turn.text});
    put(&mut message, "reasoning_content", reply.thinking.as_ref().map(|text| json!(text)));
    put(&mut message, "refusal", reply.refusal.as_ref().map(|text| json!(text)));
    let calls: Vec<Value> = turn
        .calls
        .iter()
        .map(|call| {
            let mut function = json!({"name": call.name});
            put(&mut function, "arguments", call.arguments.as_text_value());
            json!({"id": call.id(turn.ids, "call_"), "type": "function", "function": function})
        })
        .collect();
    let finish = match reply.finish_reason.as_deref() {
        Some("max_tokens") => "length",
        Some(reason) => reason,
        None if calls.is_empty() => "stop",
        None => "tool_calls",
    };
    put(&mut message, "tool_calls", (!calls.is_empty()).then(|| json!(calls)));
    let mut body = json!({
        "id": turn.ids.next("chatcmpl-"), "object": "chat.completion", "created": CREATED, "model": turn.model,
        "choices": [{"index": 0, "message": message, "logprobs": null, "finish_reason": finish}],
    });
    let usage = reply.usage.map(|usage| {
        json!({"prompt_tokens": usage.all_input(), "completion_tokens": usage.output, "total_tokens": usage.all_input() + usage.output,
            "prompt_tokens_details": {"cached_tokens": usage.cache_read},
            "completion_tokens_details": {"reasoning_tokens": usage.reasoning}})
    });
    put(&mut body, "usage", usage);
    body
}

pub(super) fn chunks(body: &Value) -> Vec<Value> {
    let mut head = json!({"object": "chat.completion.chunk"});
    for key in ["id", "created", "model"] {
        put(&mut head, key, body.get(key).cloned());
    }
    let choice = body.pointer("/choices/0").cloned().unwrap_or_default();
    let message = choice.get("message").cloned().unwrap_or_default();
    let text = |key: &str| message.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let mut deltas = vec![json!({"role": "assistant", "content": ""})];
    deltas.extend(halves(&text("reasoning_content")).into_iter().map(|part| json!({"reasoning_content": part})));
    deltas.extend(halves(&text("content")).into_iter().map(|part| json!({"content": part})));
    for (index, call) in list(&message, "tool_calls").enumerate() {
        deltas.extend(call_deltas(index, call));
    }
    deltas.extend(halves(&text("refusal")).into_iter().map(|part| json!({"refusal": part})));
    let chunk = |delta: Value, finish: Value| {
        with(&head, "choices", json!([{"index": 0, "delta": delta, "finish_reason": finish}]))
    };
    let mut chunks: Vec<Value> = deltas.into_iter().map(|delta| chunk(delta, Value::Null)).collect();
    chunks.push(chunk(json!({}), choice.get("finish_reason").cloned().unwrap_or_default()));
    if let Some(usage) = body.get("usage") {
        chunks.push(with(&with(&head, "choices", json!([])), "usage", usage.clone()));
    }
    chunks
}

/// The id and name come with the first delta, the arguments' text in two parts after it.
fn call_deltas(index: usize, call: &Value) -> Vec<Value> {
    let Some(arguments) = call.pointer("/function/arguments").and_then(Value::as_str) else {
        return vec![json!({"tool_calls": [with(call, "index", json!(index))]})];
    };
    let function = call.get("function").cloned().unwrap_or_default();
    let opening = with(&with(call, "function", with(&function, "arguments", json!(""))), "index", json!(index));
    let mut deltas = vec![json!({"tool_calls": [opening]})];
    let parts = halves(arguments).into_iter();
    deltas.extend(parts.map(|part| json!({"tool_calls": [{"index": index, "function": {"arguments": part}}]})));
    deltas
}
