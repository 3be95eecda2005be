//! Each wire form, whole and streamed, from one script.

use mst_testkit::TestEnv;
use mst_testkit::provider::{FakeProvider, Form, Reply, Script, ToolCall, Usage};
use serde_json::{Value, json};

use crate::fake_program::FakeProgram;

const SCHEMA: &str = r#"{"type":"object","properties":{"id":{"type":"string"}},"required":["id"]}"#;
const PROMPT: &str = "Which bin is part p-1 in?";

/// A first request of each form, and how it becomes a streamed one.
fn request(form: Form, stream: bool) -> (String, Value) {
    let schema: Value = serde_json::from_str(SCHEMA).unwrap();
    let user = json!([{"role": "user", "content": PROMPT}]);
    let chat_tools = json!([{"type": "function", "function": {"name": "lookup", "description": "Look up one part.", "parameters": schema}}]);
    let claude = json!({"model": "claude-x", "max_tokens": 100, "system": "Be brief.", "messages": user, "stream": stream,
        "tools": [{"name": "lookup", "description": "Look up one part.", "input_schema": schema}]});
    match form {
        Form::Anthropic => ("/v1/messages".into(), claude),
        Form::VertexAnthropic => {
            let verb = if stream { "streamRawPredict" } else { "rawPredict" };
            (format!("/v1/projects/p/locations/l/publishers/anthropic/models/claude-x:{verb}"), claude)
        }
        Form::Responses => (
            "/v1/responses".into(),
            json!({"model": "gpt-x", "instructions": "Be brief.", "input": user, "stream": stream,
            "tools": [{"type": "function", "name": "lookup", "description": "Look up one part.", "parameters": schema, "strict": false}]}),
        ),
        Form::Chat => (
            "/openai/deployments/gpt-x/chat/completions?api-version=2024-10-21".into(),
            json!({"stream": stream, "tools": chat_tools,
            "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": PROMPT}]}),
        ),
        Form::Ollama => (
            "/api/chat".into(),
            json!({"model": "llama", "stream": stream, "tools": chat_tools,
            "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": PROMPT}]}),
        ),
        Form::Google => {
            let verb = if stream { "streamGenerateContent?alt=sse" } else { "generateContent" };
            (
                format!("/v1beta/models/gemini-x:{verb}"),
                json!({"systemInstruction": {"parts": [{"text": "Be brief."}]},
                "contents": [{"role": "user", "parts": [{"text": PROMPT}]}],
                "tools": [{"functionDeclarations": [{"name": "lookup", "description": "Look up one part.", "parameters": schema}]}]}),
            )
        }
    }
}

const FORMS: [Form; 6] =
    [Form::Anthropic, Form::Responses, Form::Chat, Form::Ollama, Form::Google, Form::VertexAnthropic];

async fn post(url: &str, body: &Value) -> (u16, String) {
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let response = client.post(url).body(body.to_string()).send().await.unwrap();
    (response.status().as_u16(), response.text().await.unwrap())
}

#[tokio::test]
async fn every_form_shows_the_same_reply_whole_and_streamed() {
    let usage = Usage { input: 200, output: 50, cache_read: 1568, cache_write: 0, reasoning: 30 };
    let reply =
        Reply::tool(ToolCall::described("Look up", json!({"id": "p-1"}))).with_text("Let me see.").with_usage(usage);
    let provider = FakeProvider::start(Script::strict().on("p-1", [reply])).await;
    for form in FORMS {
        for stream in [false, true] {
            let (path, body) = request(form, stream);
            let (status, text) = post(&format!("{}{path}", provider.url()), &body).await;
            let what = format!("{form}, stream {stream}: {text}");
            assert_eq!(status, 200, "{what}");
            for word in ["lookup", "1568"] {
                let absent = word == "1568" && form == Form::Ollama;
                assert!(absent || text.contains(word), "{word} in {what}");
            }
            assert!(stream || text.contains("Let me see."), "{what}");
            assert_eq!(text.contains("\n\n"), stream && form != Form::Ollama, "{what}");
            assert_eq!(serde_json::from_str::<Value>(&text).is_ok(), !stream, "{what}");
        }
    }
    let stats = provider.stats();
    assert_eq!((stats.requests, stats.in_flight, stats.by_form["anthropic"]), (12, 0, 2));
    for request in provider.requests() {
        let view = request.view();
        assert_eq!((view.system.as_str(), view.prompt()), ("Be brief.", PROMPT), "{:?}", request.form);
        assert_eq!((view.tool_names(), view.assistant_turns), (vec!["lookup"], 0));
        assert_eq!(view.tools[0].schema["required"], json!(["id"]));
        assert_eq!(request.step, Some(0));
    }
}

#[tokio::test]
async fn usage_is_counted_each_providers_way() {
    let usage = Usage { input: 4, output: 50, cache_read: 1568, cache_write: 200, reasoning: 30 };
    let provider = FakeProvider::start(Script::strict().always("", Reply::text("ok").with_usage(usage))).await;
    let expected = [
        (
            Form::Anthropic,
            json!({"input_tokens": 4, "cache_creation_input_tokens": 200, "cache_read_input_tokens": 1568, "output_tokens": 50}),
        ),
        (
            Form::Responses,
            json!({"input_tokens": 1772, "input_tokens_details": {"cached_tokens": 1568}, "output_tokens": 50,
            "output_tokens_details": {"reasoning_tokens": 30}, "total_tokens": 1822}),
        ),
        (
            Form::Google,
            json!({"promptTokenCount": 1772, "candidatesTokenCount": 20, "totalTokenCount": 1822,
            "cachedContentTokenCount": 1568, "thoughtsTokenCount": 30}),
        ),
    ];
    for (form, usage) in expected {
        let (path, body) = request(form, false);
        let (_, text) = post(&format!("{}{path}", provider.url()), &body).await;
        let answer: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(answer.get("usage").or_else(|| answer.get("usageMetadata")), Some(&usage), "{form}");
    }
}

#[tokio::test]
async fn the_automatic_model_calls_a_tool_and_quotes_its_result() {
    let provider = FakeProvider::start(Script::automatic()).await;
    let url = format!("{}/v1/messages", provider.url());
    let (_, mut body) = request(Form::Anthropic, false);
    let (_, first) = post(&url, &body).await;
    let first: Value = serde_json::from_str(&first).unwrap();
    assert_eq!(first["content"][0]["input"], json!({"id": "p-1"}));
    let id = first["content"][0]["id"].clone();
    let messages = body["messages"].as_array_mut().unwrap();
    messages.push(json!({"role": "assistant", "content": first["content"]}));
    messages.push(json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": [{"type": "text", "text": "bin 7"}], "is_error": true}]}));
    let (_, second) = post(&url, &body).await;
    assert!(second.contains("The tool says: bin 7"), "{second}");
    let view = provider.last_request().view();
    assert_eq!((view.assistant_turns, view.ends_with_results), (1, true));
    assert_eq!((view.tool_results[0].name.as_deref(), view.tool_results[0].is_error), (Some("lookup"), Some(true)));
    assert_eq!(view.assistant_calls[0].arguments, json!({"id": "p-1"}));
}

#[tokio::test]
async fn counts_and_tokens_are_served() {
    let provider = FakeProvider::start(Script::strict()).await;
    let cases = [
        ("/v1/messages/count_tokens", "/input_tokens"),
        ("/v1beta/models/gemini-x:countTokens", "/totalTokens"),
        ("/v1/responses/input_tokens", "/input_tokens"),
        ("/token", "/access_token"),
    ];
    for (path, pointer) in cases {
        let (status, text) = post(&format!("{}{path}", provider.url()), &json!({"model": "m"})).await;
        let answer: Value = serde_json::from_str(&text).unwrap();
        assert!(status == 200 && answer.pointer(pointer).is_some(), "{path}: {text}");
    }
    assert_eq!((provider.requests().len(), provider.all_requests().len()), (0, 4));
}

#[tokio::test]
async fn the_program_serves_a_script_from_a_file() {
    let env = TestEnv::new();
    let script = env.write_json("script.json", &json!({"rules": [{"when": {"text": "p-1"}, "repeat": true, "replies": [
        {"tool_calls": [{"suffix": "lookup", "arguments": "{\"id\":", "id": "call_1"}], "usage": null, "finish_reason": "max_tokens"}]}]}));
    let mut fake =
        FakeProgram::start(&env, &["provider", "--latency-ms", "1", "--script", script.to_str().unwrap(), "--record"]);
    let start = fake.json();
    let url = start["url"].as_str().unwrap().to_owned();
    let (path, body) = request(Form::Chat, false);
    let (status, text) = post(&format!("{url}{path}"), &body).await;
    let answer: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((status, answer.get("usage")), (200, None));
    assert_eq!(answer.pointer("/choices/0/message/tool_calls/0/function/arguments"), Some(&json!("{\"id\":")));
    assert_eq!(answer.pointer("/choices/0/finish_reason"), Some(&json!("length")));
    let stats: Value =
        serde_json::from_str(&reqwest::get(format!("{url}/__stats")).await.unwrap().text().await.unwrap()).unwrap();
    assert_eq!((&stats["requests"], &stats["by_form"]), (&json!(1), &json!({"chat": 1})));
    assert_eq!(fake.wait(), Some(0));
}
