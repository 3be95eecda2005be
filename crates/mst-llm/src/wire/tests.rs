//! One conversation and the same kinds of answer in every wire form.

use mst_model::Provider;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Assembler, Call, Turn, WireForm, is_made_up};
use crate::chat::{
    AssistantPart, ChatMessage, ChatRequest, Finish, ToolArguments, ToolCall, ToolResultMessage, ToolResultPart,
};
use crate::failure::Failure;

fn call(id: &str, arguments: ToolArguments) -> AssistantPart {
    AssistantPart::ToolCall(ToolCall { id: id.into(), name: "lookup".into(), arguments, signature: None })
}

fn result(id: &str, text: &str, is_error: bool) -> ToolResultMessage {
    let content = vec![ToolResultPart::Text { text: text.into() }];
    ToolResultMessage { call_id: id.into(), name: "lookup".into(), content, is_error }
}

/// A conversation with thinking, text, a good and a malformed call, and a failed result.
fn conversation(ids: [&str; 2], signature: Option<&str>) -> ChatRequest {
    let arguments = ToolArguments::from_text(r#"{"id":"p-1"}"#);
    let parts = vec![
        AssistantPart::Thinking { text: "hm".into(), signature: signature.map(str::to_owned) },
        AssistantPart::Text { text: "Looking.".into() },
        call(ids[0], arguments),
        call(ids[1], ToolArguments::Malformed("{\"id".into())),
    ];
    let results = vec![result(ids[0], "bin 7", false), result(ids[1], "no", true)];
    ChatRequest {
        model: "m".into(),
        system: Some("Be brief.".into()),
        messages: vec![
            ChatMessage::User { text: "Which bin?".into() },
            ChatMessage::Assistant { parts },
            ChatMessage::ToolResults { results },
        ],
        temperature: Some(0.0),
        max_tokens: Some(9),
        ..ChatRequest::default()
    }
}

fn body(provider: Provider, request: &ChatRequest) -> Value {
    let call = Call { request, provider, temperature: request.temperature };
    Value::Object(WireForm::of(provider).body(&call))
}

#[test]
fn anthropic_gets_all_results_in_one_message_with_failures_marked() {
    let request = conversation(["c1", "c2"], Some("c2ln"));
    let messages = json!([
        {"role": "user", "content": "Which bin?"},
        {"role": "assistant", "content": [
            {"type": "thinking", "thinking": "hm", "signature": "c2ln"},
            {"type": "text", "text": "Looking."},
            {"type": "tool_use", "id": "c1", "name": "lookup", "input": {"id": "p-1"}},
            {"type": "tool_use", "id": "c2", "name": "lookup", "input": {}}]},
        {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "c1", "content": [{"type": "text", "text": "bin 7"}]},
            {"type": "tool_result", "tool_use_id": "c2", "content": [{"type": "text", "text": "no"}], "is_error": true}]}]);
    assert_eq!(
        body(Provider::Anthropic, &request),
        json!({"model": "m", "max_tokens": 9, "system": "Be brief.", "temperature": 0.0, "messages": messages, "stream": true})
    );
    assert_eq!(
        body(Provider::VertexAnthropic, &request),
        json!({"anthropic_version": "vertex-2023-10-16", "max_tokens": 9, "system": "Be brief.", "temperature": 0.0, "messages": messages, "stream": true})
    );
}

#[test]
fn responses_keep_nothing_on_the_server_and_replay_reasoning() {
    let request = conversation(["c1", "c2"], Some(r#"{"type":"reasoning","id":"rs","encrypted_content":"e"}"#));
    assert_eq!(
        body(Provider::OpenAi, &request),
        json!({"model": "m", "instructions": "Be brief.", "input": [
            {"role": "user", "content": "Which bin?"},
            {"type": "reasoning", "id": "rs", "encrypted_content": "e"},
            {"role": "assistant", "content": "Looking."},
            {"type": "function_call", "call_id": "c1", "name": "lookup", "arguments": "{\"id\":\"p-1\"}"},
            {"type": "function_call", "call_id": "c2", "name": "lookup", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "c1", "output": "bin 7"},
            {"type": "function_call_output", "call_id": "c2", "output": "no"}],
            "store": false, "temperature": 0.0, "max_output_tokens": 9})
    );
    let reasoning = ChatRequest { model: "o3".into(), ..request };
    assert_eq!(body(Provider::OpenAi, &reasoning)["include"], json!(["reasoning.encrypted_content"]));
}

#[test]
fn effort_stands_where_each_form_has_it_and_nowhere_without_one() {
    let plain = ChatRequest { messages: vec![ChatMessage::User { text: "?".into() }], ..ChatRequest::default() };
    let with_effort = ChatRequest { effort: Some("low".into()), ..plain.clone() };
    for (provider, pointer) in [
        (Provider::Anthropic, "/output_config"),
        (Provider::VertexAnthropic, "/output_config"),
        (Provider::OpenAi, "/reasoning"),
        (Provider::Google, "/generationConfig"),
        (Provider::Azure, "/reasoning_effort"),
    ] {
        let want = match provider {
            Provider::Google => json!({"thinkingConfig": {"thinkingLevel": "low"}}),
            Provider::Azure => json!("low"),
            _ => json!({"effort": "low"}),
        };
        assert_eq!(body(provider, &with_effort).pointer(pointer), Some(&want), "{provider}");
        assert_eq!(body(provider, &plain).pointer(pointer), None, "{provider}");
    }
}

#[test]
fn chat_completions_are_spoken_with_each_providers_dialect() {
    let request = conversation(["c1", "c2"], Some("[1]"));
    let call = |id: &str, arguments: &str| json!({"id": id, "type": "function", "function": {"name": "lookup", "arguments": arguments}});
    let assistant = json!({"role": "assistant", "content": "Looking.", "tool_calls": [call("c1", "{\"id\":\"p-1\"}"), call("c2", "{}")]});
    for (provider, limit, extra) in [
        (Provider::Mistral, "max_tokens", json!({})),
        (Provider::Azure, "max_completion_tokens", json!({})),
        (Provider::DeepSeek, "max_tokens", json!({"reasoning_content": "hm"})),
        (Provider::OpenRouter, "max_tokens", json!({"reasoning_details": [1]})),
    ] {
        let mut assistant = assistant.clone();
        for (key, value) in extra.as_object().expect("an object") {
            assistant[key] = value.clone();
        }
        let messages = json!([
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Which bin?"},
            assistant,
            {"role": "tool", "tool_call_id": "c1", "content": "bin 7"},
            {"role": "tool", "tool_call_id": "c2", "content": "no"}]);
        assert_eq!(body(provider, &request), json!({"model": "m", "messages": messages, "temperature": 0.0, limit: 9}));
    }
}

#[test]
fn fc17_gemini_results_stand_by_position_and_made_up_ids_stay_here() {
    for ids in [["mst000000", "mst000001"], ["a", "b"]] {
        let id = |at: usize| if is_made_up(ids[at]) { json!({}) } else { json!({"id": ids[at]}) };
        let with = |mut value: Value, at: usize| {
            for (key, id) in id(at).as_object().expect("an object") {
                value[key] = id.clone();
            }
            value
        };
        let want = json!({"systemInstruction": {"parts": [{"text": "Be brief."}]}, "contents": [
            {"role": "user", "parts": [{"text": "Which bin?"}]},
            {"role": "model", "parts": [
                {"text": "", "thoughtSignature": "s"}, {"text": "Looking."},
                {"functionCall": with(json!({"name": "lookup", "args": {"id": "p-1"}}), 0)},
                {"functionCall": with(json!({"name": "lookup", "args": {}}), 1)}]},
            {"role": "user", "parts": [
                {"functionResponse": with(json!({"name": "lookup", "response": {"output": "bin 7"}}), 0)},
                {"functionResponse": with(json!({"name": "lookup", "response": {"error": "no"}}), 1)}]}],
            "generationConfig": {"temperature": 0.0, "maxOutputTokens": 9}});
        assert_eq!(body(Provider::Google, &conversation(ids, Some("s"))), want);
    }
}

fn read(provider: Provider, body: &Value) -> Turn {
    WireForm::of(provider).read(provider, body).expect("a turn")
}

fn anthropic(content: &Value, stop: &Value) -> Value {
    json!({"id": "msg", "type": "message", "model": "claude-x", "content": content, "stop_reason": stop})
}

fn responses(output: &Value, status: &str, reason: Option<&str>) -> Value {
    json!({"id": "resp", "model": "gpt-x", "status": status, "error": null, "output": output,
        "incomplete_details": reason.map(|reason| json!({"reason": reason}))})
}

fn chat(message: &Value, finish: &Value) -> Value {
    json!({"id": "c", "model": "gpt-x", "choices": [{"message": message, "finish_reason": finish}]})
}

fn gemini(parts: &Value, finish: &Value) -> Value {
    json!({"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": finish}]})
}

#[test]
fn fc20_how_a_turn_ended_is_kept_in_kind_and_word() {
    let refused = |text: Option<&str>| Finish::Refused { text: text.map(str::to_owned) };
    let text = json!([{"type": "text", "text": "t"}]);
    let said = json!([{"type": "message", "content": [{"type": "output_text", "text": "t"}]}]);
    let refusal = json!([{"type": "message", "content": [{"type": "refusal", "refusal": "No."}]}]);
    let parts = json!([{"text": "t"}]);
    let rows = [
        (Provider::Anthropic, anthropic(&json!([]), &json!("refusal")), refused(None), Some("refusal")),
        (Provider::Anthropic, anthropic(&text, &json!("end_turn")), Finish::Stop, Some("end_turn")),
        (Provider::Anthropic, anthropic(&text, &json!("max_tokens")), Finish::MaxTokens, Some("max_tokens")),
        (
            Provider::Anthropic,
            anthropic(&text, &json!("model_context_window_exceeded")),
            Finish::ContextFull,
            Some("model_context_window_exceeded"),
        ),
        (Provider::Anthropic, anthropic(&text, &json!("pause_turn")), Finish::Other, Some("pause_turn")),
        (Provider::Anthropic, anthropic(&text, &json!(null)), Finish::Stop, None),
        (Provider::OpenAi, responses(&refusal, "completed", None), refused(Some("No.")), Some("refusal")),
        (
            Provider::OpenAi,
            responses(&json!([]), "incomplete", Some("content_filter")),
            Finish::Filtered,
            Some("content_filter"),
        ),
        (
            Provider::OpenAi,
            responses(&said, "incomplete", Some("max_output_tokens")),
            Finish::MaxTokens,
            Some("max_output_tokens"),
        ),
        (Provider::OpenAi, responses(&said, "completed", None), Finish::Stop, Some("completed")),
        (Provider::OpenAi, responses(&said, "cancelled", None), Finish::Other, Some("cancelled")),
        (
            Provider::Azure,
            chat(&json!({"content": null, "refusal": "No."}), &json!("stop")),
            refused(Some("No.")),
            Some("stop"),
        ),
        (
            Provider::Azure,
            chat(&json!({"content": ""}), &json!("content_filter")),
            Finish::Filtered,
            Some("content_filter"),
        ),
        (Provider::Azure, chat(&json!({"content": "t"}), &json!("length")), Finish::MaxTokens, Some("length")),
        (Provider::Azure, chat(&json!({"content": "t"}), &json!("weird")), Finish::Other, Some("weird")),
        (Provider::Google, gemini(&parts, &json!("STOP")), Finish::Stop, Some("STOP")),
        (Provider::Google, gemini(&parts, &json!("MAX_TOKENS")), Finish::MaxTokens, Some("MAX_TOKENS")),
        (Provider::Google, gemini(&json!([]), &json!("SAFETY")), Finish::Filtered, Some("SAFETY")),
        (
            Provider::Google,
            gemini(&json!(null), &json!("MALFORMED_FUNCTION_CALL")),
            Finish::Other,
            Some("MALFORMED_FUNCTION_CALL"),
        ),
        (Provider::Google, json!({"promptFeedback": {"blockReason": "OTHER"}}), Finish::Filtered, Some("OTHER")),
    ];
    for (provider, body, finish, word) in rows {
        let turn = read(provider, &body);
        assert_eq!((turn.finish, turn.finish_reason.as_deref()), (finish, word), "{body}");
    }
}

#[test]
fn fc17_calls_keep_their_order_and_get_ids_of_their_own() {
    let use_block = |id: &str| json!({"type": "tool_use", "id": id, "name": "lookup", "input": {"id": "p-1"}});
    let item =
        |id: &str| json!({"type": "function_call", "call_id": id, "name": "lookup", "arguments": "{\"id\":\"p-1\"}"});
    let tool = |id: &str| json!({"id": id, "function": {"name": "lookup", "arguments": "{\"id\":\"p-1\"}"}});
    let part = json!({"functionCall": {"name": "lookup", "args": {"id": "p-1"}}, "thoughtSignature": "s"});
    let request = conversation(["c1", "mst001000"], None);
    for (provider, body, ids) in [
        (
            Provider::Anthropic,
            anthropic(&json!([use_block("x"), {"type": "text", "text": "t"}, use_block("y")]), &json!("tool_use")),
            ["x", "y"],
        ),
        (Provider::OpenAi, responses(&json!([item("x"), item("x")]), "completed", None), ["x", "mst001001"]),
        (
            Provider::Mistral,
            chat(&json!({"content": null, "tool_calls": [tool("c1"), tool("")]}), &json!("stop")),
            ["mst001001", "mst001002"],
        ),
        (Provider::Google, gemini(&json!([part, part]), &json!("STOP")), ["mst001001", "mst001002"]),
    ] {
        let mut turn = read(provider, &body);
        turn.make_ids_unique(&request);
        let got: Vec<_> =
            super::calls(&turn.parts).map(|call| (call.id.as_str(), call.arguments.to_replay())).collect();
        assert_eq!(got, ids.map(|id| (id, json!({"id": "p-1"}))), "{provider}");
        assert_eq!(turn.finish, Finish::ToolCalls);
    }
}

#[test]
fn thinking_comes_back_as_it_was_sent() {
    for (provider, sent, pointer) in [
        (
            Provider::Anthropic,
            json!([{"type": "thinking", "thinking": "hm", "signature": "s"}, {"type": "redacted_thinking", "data": "d"}]),
            "/messages/0/content",
        ),
        (
            Provider::OpenAi,
            json!([{"type": "reasoning", "id": "rs", "summary": [{"type": "summary_text", "text": "hm"}], "encrypted_content": "e"}]),
            "/input",
        ),
        (
            Provider::Google,
            json!([{"text": "t"}, {"text": "", "thoughtSignature": "s"}, {"functionCall": {"name": "n", "args": {}, "id": "i"}, "thoughtSignature": "z"}]),
            "/contents/0/parts",
        ),
    ] {
        let answer = match provider {
            Provider::Anthropic => anthropic(&sent, &json!("end_turn")),
            Provider::OpenAi => responses(&sent, "completed", None),
            _ => gemini(&sent, &json!("STOP")),
        };
        let parts = read(provider, &answer).parts;
        let request = ChatRequest { messages: vec![ChatMessage::Assistant { parts }], ..ChatRequest::default() };
        assert_eq!(body(provider, &request).pointer(pointer), Some(&sent), "{provider}");
    }
}

#[test]
fn a_body_that_is_no_reply_is_unreadable_and_an_error_inside_one_keeps_its_kind() {
    for (provider, body) in [
        (Provider::Anthropic, json!({})),
        (Provider::OpenAi, json!({"output": "x"})),
        (Provider::Azure, json!({"choices": []})),
        (Provider::Google, json!({"candidates": []})),
        (Provider::Google, json!([1])),
    ] {
        let read = WireForm::of(provider).read(provider, &body);
        assert!(matches!(read, Err(Failure::Unreadable { .. })), "{body}: {read:?}");
    }
    for (provider, body) in [
        (Provider::Anthropic, json!({"type": "error", "error": {"type": "rate_limit_error"}})),
        (Provider::OpenAi, json!({"status": "failed", "error": {"code": "rate_limit_exceeded"}, "output": []})),
        (Provider::OpenRouter, json!({"error": {"code": 429}})),
        (Provider::OpenRouter, json!({"choices": [{"error": {"code": 429}, "message": {}}]})),
    ] {
        let read = WireForm::of(provider).read(provider, &body);
        assert!(matches!(read, Err(Failure::RateLimited { .. })), "{body}: {read:?}");
    }
}

#[test]
fn a_stream_is_put_together_even_when_its_blocks_share_a_number() {
    let start = |block: Value| json!({"type": "content_block_start", "index": 0, "content_block": block});
    let delta = |delta: Value| json!({"type": "content_block_delta", "index": 0, "delta": delta});
    let tool = |id: &str| start(json!({"type": "tool_use", "id": id, "name": "lookup", "input": {}}));
    let piece = |text: &str| delta(json!({"type": "input_json_delta", "partial_json": text}));
    let events = [
        json!({"type": "message_start", "message": {"id": "m", "model": "claude-x", "usage": {"input_tokens": 4, "output_tokens": 1}}}),
        json!({"type": "ping"}),
        start(json!({"type": "thinking", "thinking": "", "signature": ""})),
        delta(json!({"type": "thinking_delta", "thinking": "h"})),
        delta(json!({"type": "thinking_delta", "thinking": "m"})),
        delta(json!({"type": "signature_delta", "signature": "s"})),
        start(json!({"type": "text", "text": ""})),
        delta(json!({"type": "text_delta", "text": "He"})),
        delta(json!({"type": "text_delta", "text": "y"})),
        tool("a"),
        piece("{\"id\":"),
        piece("\"p-1\"}"),
        tool("b"),
        tool("c"),
        piece("{\"id\":\"p"),
        json!({"type": "message_delta", "delta": {"stop_reason": "max_tokens"}, "usage": {"output_tokens": 50, "input_tokens": null}}),
        json!({"type": "message_stop"}),
    ];
    let mut assembler = Assembler::default();
    for event in &events {
        assembler.take(event).expect("no error event");
    }
    let turn = assembler.finish().expect("a whole message");
    let want = vec![
        AssistantPart::Thinking { text: "hm".into(), signature: Some("s".into()) },
        AssistantPart::Text { text: "Hey".into() },
        call("a", ToolArguments::from_text(r#"{"id":"p-1"}"#)),
        call("b", ToolArguments::from_text("")),
        call("c", ToolArguments::Malformed("{\"id\":\"p".into())),
    ];
    assert_eq!((turn.parts, turn.finish), (want, Finish::MaxTokens));
    let usage = turn.usage.expect("usage");
    assert_eq!((usage.input_tokens, usage.output_tokens), (Some(4), Some(50)));

    let mut cut = Assembler::default();
    for event in &events[..events.len() - 1] {
        cut.take(event).expect("no error event");
    }
    assert!(matches!(cut.finish(), Err(Failure::Network { .. })));
    let overloaded = json!({"type": "error", "error": {"type": "overloaded_error"}});
    assert_eq!(Assembler::default().take(&overloaded), Err(Failure::Unavailable { status: 529, retry_after: None }));
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!(null)),
        Just(json!(-1)),
        Just(json!(u64::MAX)),
        Just(json!("")),
        Just(json!("tool_use")),
        Just(json!("function_call")),
        Just(json!("message")),
        Just(json!("text")),
        Just(json!("content_block_start")),
        Just(json!("content_block_delta")),
        Just(json!("message_delta")),
        Just(json!("{\"a\":1}")),
    ];
    let key = prop::sample::select(vec![
        "type",
        "content",
        "output",
        "choices",
        "message",
        "candidates",
        "parts",
        "functionCall",
        "tool_calls",
        "function",
        "arguments",
        "input",
        "args",
        "text",
        "usage",
        "usageMetadata",
        "prompt_tokens",
        "total_tokens",
        "completion_tokens",
        "delta",
        "content_block",
        "partial_json",
        "index",
        "error",
        "code",
        "status",
        "finish_reason",
        "id",
        "name",
    ]);
    leaf.prop_recursive(5, 64, 6, move |inner| {
        prop_oneof![
            prop::collection::vec((key.clone(), inner.clone()), 0..6).prop_map(|fields| {
                Value::Object(fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
            }),
            prop::collection::vec(inner, 0..4).prop_map(Value::Array),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_answer_breaks_a_reader(answers in prop::collection::vec(any_json(), 1..4)) {
        let mut assembler = Assembler::default();
        for answer in &answers {
            for provider in [Provider::Anthropic, Provider::OpenAi, Provider::OpenRouter, Provider::Google] {
                if let Ok(mut turn) = WireForm::of(provider).read(provider, answer) {
                    turn.make_ids_unique(&ChatRequest::default());
                    let messages = vec![ChatMessage::Assistant { parts: turn.parts }];
                    let request = ChatRequest { messages, ..ChatRequest::default() };
                    prop_assert!(body(provider, &request).is_object());
                }
            }
            if assembler.take(answer).is_err() {
                return Ok(());
            }
        }
        prop_assert!(assembler.finish().is_err() || !answers.is_empty());
    }
}
