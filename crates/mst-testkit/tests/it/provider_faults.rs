//! What goes wrong on purpose.

use std::time::Duration;

use mst_testkit::provider::{FakeProvider, Form, Reply, Rule, Script, When};
use serde_json::{Value, json};

async fn ask(provider: &FakeProvider, text: &str, stream: bool) -> reqwest::Result<(u16, Option<String>, String)> {
    let client = reqwest::Client::builder().no_proxy().timeout(Duration::from_secs(2)).build()?;
    let body = json!({"model": "claude-x", "stream": stream, "messages": [{"role": "user", "content": text}]});
    let response = client.post(format!("{}/v1/messages", provider.url())).body(body.to_string()).send().await?;
    let retry_after = response.headers().get("retry-after").map(|value| value.to_str().unwrap().to_owned());
    Ok((response.status().as_u16(), retry_after, response.text().await?))
}

#[tokio::test]
async fn a_failure_is_followed_by_the_next_reply() {
    let provider = FakeProvider::start(
        Script::strict().on("q", [Reply::rate_limited(1), Reply::status(401, "no"), Reply::text("ok")]),
    )
    .await;
    let (status, retry_after, text) = ask(&provider, "q", false).await.unwrap();
    assert_eq!((status, retry_after.as_deref()), (429, Some("1")));
    assert_eq!(serde_json::from_str::<Value>(&text).unwrap()["error"]["type"], "rate_limit_error");
    assert_eq!(ask(&provider, "q", true).await.unwrap().0, 401);
    assert_eq!(ask(&provider, "q", false).await.unwrap().0, 200);
    let (status, _, text) = ask(&provider, "q", false).await.unwrap();
    assert!(status == 400 && text.contains("script exhausted"), "{text}");
    let (status, _, text) = ask(&provider, "other", false).await.unwrap();
    assert!(status == 400 && text.contains("no scripted rule"), "{text}");
    let stats = provider.stats();
    assert_eq!((stats.requests, stats.faults, stats.exhausted, stats.unmatched), (5, 2, 1, 1));
}

#[tokio::test]
async fn connections_break_as_the_script_says() {
    let long = Reply::text("a long answer ".repeat(50));
    let script = Script::strict()
        .always("reset", Reply::reset())
        .always("hang", Reply::hang())
        .always("stall", long.clone().fault(mst_testkit::provider::Fault::Hang { after_bytes: Some(10) }))
        .always("cut", long.cut_after(40));
    let provider = FakeProvider::start(script).await;
    for stream in [false, true] {
        let reset = ask(&provider, "reset", stream).await.unwrap_err();
        assert!(reset.is_request() && !reset.is_timeout(), "{reset:?}");
        assert!(ask(&provider, "cut", stream).await.unwrap_err().is_decode());
        assert!(ask(&provider, "stall", stream).await.unwrap_err().is_timeout());
        assert!(ask(&provider, "hang", stream).await.unwrap_err().is_timeout());
    }
    // The server sees a client leave a moment after the client has left.
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert_eq!(provider.stats().in_flight, 0);
}

#[tokio::test]
async fn raw_bodies_and_rules_by_model_are_served() {
    let refusal = json!({"content": [], "stop_reason": "refusal"});
    let script = Script::strict()
        .rule(Rule::new(When { model: Some("other".into()), ..When::default() }, [Reply::text("never")]))
        .on("raw", [Reply::raw(200, json!(null)).for_form(Form::Anthropic, refusal.clone())])
        .on("gateway", [Reply::raw(502, "<html>bad gateway</html>").header("x-from", "proxy")]);
    let provider = FakeProvider::start(script).await;
    let (_, _, text) = ask(&provider, "raw", false).await.unwrap();
    assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), refusal);
    let (_, _, text) = ask(&provider, "raw", true).await.unwrap();
    assert!(text.starts_with("event: message_start") && text.contains("\"stop_reason\":\"refusal\""), "{text}");
    let (status, _, text) = ask(&provider, "gateway", false).await.unwrap();
    assert_eq!((status, text.as_str()), (502, "<html>bad gateway</html>"));
}

#[tokio::test]
async fn many_requests_are_answered_at_once() {
    let provider = FakeProvider::start(Script::strict().always("q", Reply::text("ok")).latency_ms(300)).await;
    let asked = (0..40).map(|_| ask(&provider, "q", true));
    let answers = futures::future::join_all(asked).await;
    assert!(answers.iter().all(|answer| answer.as_ref().is_ok_and(|(status, ..)| *status == 200)));
    let stats = provider.stats();
    assert_eq!((stats.requests, stats.in_flight), (40, 0));
    assert!(stats.most_in_flight > 1, "{stats:?}");
}

#[tokio::test]
async fn turns_of_a_conversation_pick_the_reply_and_placeholders_are_filled() {
    let script = Script::strict()
        .on("q", [Reply::call("no_such_tool", "{broken"), Reply::text("<{{last_tool_result}}> to {{last_user_text}}")]);
    let provider = FakeProvider::start(script).await;
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let call = json!({"id": "c1", "type": "function", "function": {"name": "no_such_tool", "arguments": "{broken"}});
    let messages = [
        json!([{"role": "user", "content": "q"}]),
        json!([{"role": "user", "content": "q"}, {"role": "assistant", "content": null, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c1", "content": "unknown tool"}]),
    ];
    for _ in 0..2 {
        for (messages, pointer, expected) in [
            (&messages[0], "/choices/0/message/tool_calls/0/function/arguments", "{broken"),
            (&messages[1], "/choices/0/message/content", "<unknown tool> to q"),
        ] {
            let body = json!({"model": "gpt-x", "messages": messages});
            let response =
                client.post(format!("{}/chat/completions", provider.openai_url())).body(body.to_string()).send().await;
            let answer: Value = serde_json::from_str(&response.unwrap().text().await.unwrap()).unwrap();
            assert_eq!(answer.pointer(pointer), Some(&json!(expected)), "{answer}");
        }
    }
}
