//! The offline model: one call, then an answer that quotes it.

use mst_llm::{ChatMessage, Finish, LlmError, ToolResultMessage, ToolResultPart, ToolSpec};
use mst_model::Provider;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::setup::{Env, ask, connect, request, settings, tool};

#[tokio::test]
async fn the_offline_model_calls_once_and_quotes_the_result() {
    let llm = connect(settings(Provider::Offline, Env::new())).expect("it needs nothing");
    let mut request = request(Provider::Offline, "Look up part p-1.");
    request.tools = vec![
        tool(
            "lookup",
            json!({"$ref": "#/$defs/in", "$defs": {"in": {"properties": {"id": {"type": "string"}}, "required": ["id"]}}}),
        ),
        ToolSpec { description: Some("Count stripes.".into()), ..tool("zebra", json!({})) },
    ]
    .into();
    let reply = ask(&llm, &request).await.expect("a reply");
    let call = reply.tool_calls().next().expect("a call").clone();
    assert_eq!((call.name.as_str(), call.arguments.to_replay()), ("lookup", json!({"id": "p-1"})));
    assert_eq!(
        (reply.finish.clone(), reply.usage.clone(), reply.model.as_str()),
        (Finish::ToolCalls, None, "lexical-1")
    );
    let result = |text: &str, is_error| ToolResultMessage {
        call_id: call.id.clone(),
        name: call.name.clone(),
        content: vec![ToolResultPart::Text { text: text.into() }],
        is_error,
    };
    request.messages.push(ChatMessage::Assistant { parts: reply.parts });
    for (text, is_error, want) in [("bin 7", false, "lookup answered: bin 7"), ("gone", true, "lookup failed: gone")] {
        let mut answered = request.clone();
        answered.messages.push(ChatMessage::ToolResults { results: vec![result(text, is_error)] });
        let reply = ask(&llm, &answered).await.expect("a reply");
        assert_eq!((reply.text().as_str(), reply.tool_calls().count(), &reply.finish), (want, 0, &Finish::Stop));
    }
}

#[tokio::test]
async fn the_offline_model_says_when_no_tool_fits_and_when_it_is_cancelled() {
    let llm = connect(settings(Provider::Offline, Env::new())).expect("it needs nothing");
    let request = request(Provider::Offline, "Xyzzy?");
    assert_eq!(ask(&llm, &request).await.expect("a reply").text(), "No tool fits this request.");
    let cancel = CancellationToken::new();
    cancel.cancel();
    assert!(matches!(llm.chat(&request, &cancel).await, Err(LlmError::Cancelled)));
}
