//! What is offered, called, recorded and told to the model.

use mst_llm::ToolResultPart;
use mst_model::{Ending, ServerLabel};
use serde_json::{Value, json};

use super::super::scripted::{Bench, calls, say, surface};
use super::{lookup, results, shown, text};

#[tokio::test]
async fn a_trial_calls_a_tool_and_answers() {
    let bench = Bench::new(vec![lookup("p-1"), say("Bin 7.")]).options(&json!({ "systemPrompt": "Be brief." }));
    let run = bench.run().await;
    insta::assert_json_snapshot!(run, @r#"
    {
      "finalText": "Bin 7.",
      "events": [
        {
          "kind": "tool_call",
          "source": "mcp",
          "name": "lookup",
          "server": "parts",
          "arguments": {
            "id": "p-1"
          },
          "output": "lookup says bin 7",
          "isError": false,
          "id": "lookup-0",
          "startedAt": "1970-01-01T00:00:00.003Z",
          "completedAt": "1970-01-01T00:00:00.004Z",
          "durationMs": 1.0
        }
      ],
      "usage": {
        "inputTokens": 20,
        "outputTokens": 10,
        "durationMs": 7.0,
        "durationApiMs": 2.0
      },
      "modelCalls": [
        {
          "id": "msg_1",
          "model": "claude-x-1",
          "usage": {
            "inputTokens": 10,
            "outputTokens": 5
          },
          "finishReason": "tool_use",
          "text": "",
          "toolCallIds": [
            "lookup-0"
          ],
          "startedAt": "1970-01-01T00:00:00.000Z",
          "completedAt": "1970-01-01T00:00:00.000Z",
          "requestId": "req_1"
        },
        {
          "id": "msg_1#2",
          "model": "claude-x-1",
          "usage": {
            "inputTokens": 10,
            "outputTokens": 5
          },
          "finishReason": "end_turn",
          "text": "Bin 7.",
          "startedAt": "1970-01-01T00:00:00.000Z",
          "completedAt": "1970-01-01T00:00:00.000Z",
          "requestId": "req_1"
        }
      ],
      "startedAt": "1970-01-01T00:00:00.000Z",
      "completedAt": "1970-01-01T00:00:00.007Z",
      "durationMs": 7.0,
      "diagnostics": {
        "servers": [
          {
            "label": "parts"
          }
        ]
      }
    }
    "#);
    let requests = bench.requests();
    assert_eq!(requests[0].system.as_deref(), Some("Be brief."));
    assert_eq!(requests[0].temperature, Some(0.0));
    assert_eq!(requests[0].tools.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>(), ["lookup", "ping"]);
    assert_eq!(bench.released(), ["parts"]);
}

#[tokio::test]
async fn fc06_a_picture_is_an_image_or_a_note_for_the_model() {
    let steps = || vec![lookup("picture"), say("ok")];
    let bench = Bench::new(steps());
    bench.run().await;
    let image = ToolResultPart::Image { mime_type: "image/png".into(), data: "aGVsbG8h".into() };
    assert_eq!(results(&bench)[0].content[1], image);
    let bench = Bench::new(steps()).blind();
    bench.run().await;
    match &results(&bench)[0].content[1] {
        ToolResultPart::Text { text } => assert!(text.starts_with("[image/png, "), "{text}"),
        image @ ToolResultPart::Image { .. } => panic!("an image was sent: {image:?}"),
    }
}

#[tokio::test]
async fn a_tool_that_appears_later_on_an_unchecked_server_is_called() {
    let mut bench = Bench::with_servers(
        &[("docs", &["list_notes"])],
        vec![calls(&[("list_notes", json!({}))]), calls(&[("purge", json!({}))]), say("done")],
    );
    bench.later = Some(surface(&["list_notes", "purge"]));
    let run = bench.run().await;
    assert_eq!(run.ending, None);
    assert_eq!(bench.sent().len(), 2);
}

#[tokio::test]
async fn fc14_calls_are_recorded_with_their_server_and_its_own_name() {
    let bench = Bench::with_servers(
        &[("docs", &["search", "docs.search"]), ("wiki", &["search"])],
        vec![
            calls(&[("docs__search", json!({})), ("docs__docs__search", json!({})), ("wiki__search", json!({}))]),
            say("ok"),
        ],
    );
    let run = bench.run().await;
    let told: Vec<_> = run
        .events
        .iter()
        .map(|event| {
            (event.server.as_ref().map_or("", ServerLabel::as_str), event.name.as_str(), event.raw_name.as_deref())
        })
        .collect();
    assert_eq!(
        told,
        [
            ("docs", "search", Some("docs__search")),
            ("docs", "docs.search", Some("docs__docs__search")),
            ("wiki", "search", Some("wiki__search")),
        ]
    );
    let sent: Vec<_> = bench.sent().into_iter().map(|(tool, _)| tool).collect();
    assert_eq!(sent, ["docs.search", "docs.docs.search", "wiki.search"]);
}

#[tokio::test]
async fn renamed_tools_are_called_by_their_own_names() {
    let mut bench = Bench::new(vec![calls(&[("find_part", json!({ "id": "p-1" }))]), say("ok")]);
    bench.context.tools = serde_json::from_value(json!({ "lookup": { "name": "find_part", "description": "Finds." } }))
        .expect("it is tool metadata");
    let run = bench.run().await;
    assert_eq!(bench.requests()[0].tools[0].description.as_deref(), Some("Finds."));
    assert_eq!(bench.sent()[0].0, "parts.lookup");
    assert_eq!((run.events[0].name.as_str(), run.events[0].raw_name.as_deref()), ("lookup", Some("find_part")));
}

#[tokio::test]
async fn fc15_arguments_that_are_no_object_never_reach_the_server() {
    for (raw, want) in [
        ("null", "they are null"),
        ("5", "they are a number"),
        ("[1]", "they are an array"),
        ("{\"id\":\"p-1\"", "they are not valid JSON (EOF while parsing an object at line 1 column 11)"),
        ("{\"id\":\"p-1\"}{\"id\":\"p-2\"}", "they are not valid JSON (trailing characters at line 1 column 13)"),
    ] {
        let bench = Bench::new(vec![calls(&[("lookup", Value::String(raw.to_owned()))]), say("done")]);
        let run = bench.run().await;
        assert_eq!(bench.sent(), [], "{raw}");
        let told = results(&bench);
        assert!(told[0].is_error);
        assert_eq!(
            text(&told[0]),
            format!("lookup was not called: its arguments must be one JSON object, but {want}"),
            "{raw}"
        );
        let event = &run.events[0];
        assert_eq!((event.arguments.as_ref(), event.raw_arguments.as_deref()), (None, Some(raw)));
        assert_eq!((run.error, run.final_text.as_str()), (None, "done"));
    }
}

#[tokio::test]
async fn fc17_calls_of_one_turn_keep_their_order_ids_and_results() {
    let three = &[("lookup", json!({ "id": "p-1" })), ("lookup", json!({ "id": "p-2" })), ("ping", json!({}))];
    let bench = Bench::new(vec![calls(three), say("done")]);
    let run = bench.run().await;
    assert_eq!(
        shown(&run),
        ["parts.lookup: lookup says bin 7", "parts.lookup failed: no part p-2", "parts.ping: ping says bin 7"]
    );
    let ids: Vec<_> = run.events.iter().filter_map(|event| event.id.as_deref()).collect();
    assert_eq!(ids, ["lookup-0", "lookup-1", "ping-2"]);
    let back = results(&bench);
    assert_eq!(back.iter().map(|result| result.call_id.as_str()).collect::<Vec<_>>(), ids);
    assert_eq!(back.iter().map(|result| result.is_error).collect::<Vec<_>>(), [false, true, false]);

    let bench = Bench::new(vec![calls(three), say("done")]).options(&json!({ "maxToolCalls": 2 }));
    let run = bench.run().await;
    assert_eq!(run.ending, Some(Ending::Trial));
    assert_eq!(run.error.as_deref(), Some("the model called more tools than maxToolCalls (2); not run: ping"));
    assert_eq!(shown(&run)[2], "parts.ping failed: not run: maxToolCalls (2) was reached");
    assert_eq!((bench.sent().len(), bench.requests().len()), (2, 1));
}

#[tokio::test]
async fn fc19_a_name_that_was_never_offered_is_a_recorded_tool_error() {
    let bench = Bench::new(vec![
        calls(&[("search_parts", json!({ "q": "p-1" }))]),
        calls(&[("mcp__parts__lookup", json!({}))]),
        calls(&[("search_parts", json!({}))]),
    ])
    .options(&json!({ "maxToolCalls": 4 }));
    let run = bench.run().await;
    assert_eq!((bench.sent().len(), bench.requests().len()), (0, 4));
    assert_eq!((run.ending.as_ref(), run.error.as_ref()), (None, None));
    assert_eq!(run.events.len(), 4);
    assert_eq!(
        shown(&run)[0],
        "builtin search_parts failed: no tool is named \"search_parts\"; the tools offered are: lookup, ping"
    );
    assert!(run.events.iter().all(|event| event.is_tool_call() && !event.is_mcp_call() && event.server.is_none()));
    assert_eq!(run.diagnostics.notes, ["stopped at maxToolCalls (4): the model had not finished"]);
}

#[tokio::test]
async fn warnings_of_calls_are_kept_once_with_their_server() {
    let bench = Bench::new(vec![lookup("odd"), lookup("odd"), say("ok")]);
    let run = bench.run().await;
    assert_eq!(run.diagnostics.servers.len(), 1);
    assert_eq!(run.diagnostics.servers[0].warnings, ["promised an outputSchema"]);
}

#[tokio::test]
async fn model_call_ids_are_unique_in_a_trial() {
    let run = Bench::new(vec![lookup("p-1"), say("ok")]).run().await;
    let ids: Vec<_> = run.model_calls.expect("they are known").into_iter().map(|call| call.id).collect();
    assert_eq!(ids, ["msg_1", "msg_1#2"]);
}
