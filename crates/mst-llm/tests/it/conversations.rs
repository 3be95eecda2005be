//! Whole conversations in every wire form.

use mst_llm::{AssistantPart, ChatMessage, Finish, ToolArguments, ToolResultMessage, ToolResultPart};
use mst_model::Provider;
use mst_testkit::provider::{Arguments, FakeProvider, Reply, Script, ToolCall, Usage};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::setup::{FORMS, ask, fake_model, request, tool};

#[tokio::test]
async fn fc17_three_calls_go_there_and_back_in_order() {
    for provider in FORMS {
        let calls = [("lookup", json!({"id": "p-1"})), ("lookup", json!({"id": "p-2"})), ("ping", json!({}))]
            .map(|(name, arguments)| ToolCall::named(name, arguments));
        let script =
            Script::strict().on("bin", [Reply::tools(calls).with_text("Looking them up."), Reply::text("done")]);
        let fake = FakeProvider::start(script).await;
        let llm = fake_model(provider, &fake);
        let mut request = request(provider, "Which bin?");
        let reply = ask(&llm, &request).await.expect("a reply");
        assert_eq!(
            (reply.finish.clone(), reply.text()),
            (Finish::ToolCalls, "Looking them up.".to_owned()),
            "{provider}"
        );
        let calls: Vec<_> = reply.tool_calls().cloned().collect();
        let ids: std::collections::BTreeSet<_> = calls.iter().map(|call| call.id.clone()).collect();
        assert_eq!((calls.len(), ids.len()), (3, 3), "{provider}");
        let results = calls.iter().zip(["bin 7", "no part p-2", "pong"]).map(|(call, text)| ToolResultMessage {
            call_id: call.id.clone(),
            name: call.name.clone(),
            content: vec![ToolResultPart::Text { text: text.into() }],
            is_error: text.starts_with("no"),
        });
        let results = results.collect();
        request.messages.push(ChatMessage::Assistant { parts: reply.parts });
        request.messages.push(ChatMessage::ToolResults { results });
        let reply = ask(&llm, &request).await.expect("a reply");
        assert_eq!((reply.finish.clone(), reply.text()), (Finish::Stop, "done".to_owned()), "{provider}");
        let view = fake.last_request().view();
        let texts: Vec<bool> = ["bin 7", "no part p-2", "pong"]
            .iter()
            .zip(&view.tool_results)
            .map(|(want, got)| got.text.contains(want))
            .collect();
        assert_eq!(texts, [true; 3], "{provider}");
        let names: Vec<_> = view.tool_results.iter().map(|result| result.name.clone().unwrap_or_default()).collect();
        assert_eq!(names, ["lookup", "lookup", "ping"], "{provider}");
        assert_eq!(view.assistant_calls.len(), 3);
        assert!(fake.last_request().text().contains("Looking them up."), "{provider}");
        if provider == Provider::Anthropic {
            assert_eq!(view.tool_results[1].is_error, Some(true));
        }
    }
}

#[tokio::test]
async fn fc15_arguments_are_read_by_one_rule_and_replayed_as_an_object() {
    let rows = [
        (Arguments::Text(String::new()), None),
        (Arguments::Text("  ".into()), None),
        (Arguments::Json(json!(null)), None),
        (Arguments::Absent, None),
        (Arguments::Text("null".into()), Some("null")),
        (Arguments::Text("[1]".into()), Some("[1]")),
        (Arguments::Text("{\"id\":\"p-1\"".into()), Some("{\"id\":\"p-1\"")),
        (Arguments::Text("{\"id\":\"p-1\"}{\"id\":\"p-2\"}".into()), Some("{\"id\":\"p-1\"}{\"id\":\"p-2\"}")),
    ];
    for (arguments, raw) in rows {
        for provider in [Provider::OpenAi, Provider::Mistral] {
            let script = Script::strict().on("bin", [Reply::call("ping", arguments.clone()), Reply::text("done")]);
            let fake = FakeProvider::start(script).await;
            let llm = fake_model(provider, &fake);
            let mut request = request(provider, "Which bin?");
            let reply = ask(&llm, &request).await.expect("a reply");
            let call = reply.tool_calls().next().expect("a call").clone();
            let want = raw.map_or_else(|| ToolArguments::from_text(""), |raw| ToolArguments::Malformed(raw.into()));
            assert_eq!(call.arguments, want, "{provider} {arguments:?}");
            request.messages.push(ChatMessage::Assistant { parts: reply.parts });
            ask(&llm, &request).await.expect("a reply");
            assert_eq!(fake.last_request().view().assistant_calls[0].arguments, json!("{}"));
        }
    }
}

#[tokio::test]
async fn fc20_a_refusal_is_a_reply_and_asked_for_once() {
    for provider in FORMS {
        let fake = FakeProvider::start(Script::strict().on("bin", [Reply::refusal("I can't help with that.")])).await;
        let reply = ask(&fake_model(provider, &fake), &request(provider, "Which bin?")).await.expect("a reply");
        assert!(matches!(reply.finish, Finish::Refused { .. } | Finish::Filtered), "{provider}: {reply:?}");
        assert!(reply.finish_reason.is_some() && reply.notes.is_empty(), "{provider}: {reply:?}");
        if provider == Provider::OpenAi {
            assert_eq!(reply.finish, Finish::Refused { text: Some("I can't help with that.".into()) });
        }
        assert_eq!(fake.requests().len(), 1);
    }
}

#[tokio::test]
async fn fc37_usage_has_one_meaning_over_every_wire() {
    let usage = Usage { input: 200, output: 50, cache_read: 1568, cache_write: 0, reasoning: 30 };
    for provider in FORMS {
        let reply = Reply::text("ok").with_usage(usage);
        let script = Script::strict().on("one", [reply]).on("two", [Reply::text("ok").without_usage()]);
        let fake = FakeProvider::start(script).await;
        let llm = fake_model(provider, &fake);
        let got = ask(&llm, &request(provider, "one")).await.expect("a reply").usage.expect("usage");
        assert_eq!((got.input_tokens, got.cache_read_input_tokens), (Some(200), Some(1568)), "{provider}");
        assert_eq!((got.output_tokens, got.total_input_tokens()), (Some(50), Some(1768)), "{provider}");
        assert_eq!(ask(&llm, &request(provider, "two")).await.expect("a reply").usage, None, "{provider}");
    }
}

#[tokio::test]
async fn fc09_words_of_an_error_in_an_answer_are_an_answer() {
    for provider in FORMS {
        let usage = Usage { input: 0, output: 0, ..Usage::default() };
        let reply = Reply::text("HTTP 429: quota exceeded").with_usage(usage);
        let fake = FakeProvider::start(Script::strict().on("bin", [reply])).await;
        let reply = ask(&fake_model(provider, &fake), &request(provider, "Which bin?")).await.expect("a reply");
        assert_eq!((reply.finish.clone(), reply.text()), (Finish::Stop, "HTTP 429: quota exceeded".to_owned()));
        assert_eq!(reply.notes, [format!("{provider} reported 0 tokens for this reply")]);
    }
}

#[tokio::test]
async fn fc12_the_first_reply_names_the_schemas_that_were_adapted() {
    for provider in FORMS {
        let fake = FakeProvider::start(Script::strict().always("bin", Reply::text("ok"))).await;
        let llm = fake_model(provider, &fake);
        let mut request = request(provider, "Which bin?");
        let schema = json!({"anyOf": [{"properties": {"url": {"type": "string"}}}, {"properties": {"file": {"type": "string"}}}]});
        request.tools = vec![tool("lookup", schema), request.tools[1].clone()].into();
        let reply = ask(&llm, &request).await.expect("a reply");
        assert!(reply.notes.len() == 1 && reply.notes[0].contains("lookup"), "{:?}", reply.notes);
        let view = fake.last_request().view();
        assert_eq!(view.tool_names(), ["lookup", "ping"]);
        let schema = &view.tools[0].schema;
        assert!(schema["type"] == "object" && schema["properties"]["file"]["type"] == "string", "{schema}");
        request.messages.push(ChatMessage::Assistant { parts: vec![AssistantPart::Text { text: "x".into() }] });
        request.messages.push(ChatMessage::User { text: "bin again".into() });
        assert_eq!(ask(&llm, &request).await.expect("a reply").notes, [] as [String; 0]);
    }
}

#[tokio::test]
async fn tokens_are_counted_where_the_provider_counts() {
    let fake = FakeProvider::start(Script::strict()).await;
    for provider in FORMS {
        let llm = fake_model(provider, &fake);
        let counted =
            llm.count_tokens(&request(provider, "Which bin?"), &CancellationToken::new()).await.expect("a count");
        assert_eq!(counted.is_some(), provider != Provider::Mistral, "{provider}");
    }
    assert_eq!((fake.requests().len(), fake.all_requests().len()), (0, 3));
}

#[tokio::test]
async fn a_default_temperature_is_left_out_only_where_it_is_refused() {
    for (model, is_default, sent) in [("gpt-x", true, true), ("gpt-5", true, false), ("gpt-5", false, true)] {
        let fake = FakeProvider::start(Script::strict().always("bin", Reply::text("ok"))).await;
        let llm = fake_model(Provider::OpenAi, &fake);
        let mut request = request(Provider::OpenAi, "Which bin?");
        request.model = model.into();
        request.temperature_is_default = is_default;
        let reply = ask(&llm, &request).await.expect("a reply");
        assert_eq!(fake.last_request().body.get("temperature").is_some(), sent, "{model}");
        assert_eq!(reply.notes.is_empty(), sent, "{model}");
    }
    let refusal = json!({"error": {"message": "m", "type": "invalid_request_error", "param": "temperature", "code": "unsupported_value"}});
    let fake = FakeProvider::start(Script::strict().on("bin", [Reply::raw(400, refusal), Reply::text("ok")])).await;
    let reply = ask(&fake_model(Provider::OpenAi, &fake), &request(Provider::OpenAi, "bin")).await.expect("a reply");
    assert_eq!(reply.notes, ["the default temperature was left out: gpt-x refuses one"]);
    assert_eq!(fake.last_request().body.get("temperature"), None);
}
