//! Turns with several calls, and with calls of tools that do not exist.

use std::collections::BTreeSet;

use mst_testkit::{Form, Mode, Reply, Rule, Script, ToolCall, When};
use serde_json::{Value, json};

use super::field::{BOTH, Pair, Scenario};
use crate::eval::{case, lookup};

/// Three calls in one turn, beside a text.
fn three() -> Reply {
    let lookup = |id: &str| ToolCall::ending("lookup", json!({ "id": id }));
    let calls = [lookup("p-1"), lookup("p-2"), ToolCall::ending("echo", json!({ "text": "pong" }))];
    Reply::tools(calls).with_text("Looking them up.")
}

fn both_in_order() -> Value {
    json!({ "toolsTriggered": { "order": "strict", "calls": [
        { "name": "lookup", "arguments": { "id": "p-1" } }, { "name": "lookup", "arguments": { "id": "p-2" } }] } })
}

#[test]
fn fc17_several_calls_of_one_turn_keep_their_order_ids_and_results() {
    let script = Script::strict().rule(Rule::new(When::default(), [three(), Reply::text("done")]).repeating());
    let cases = json!([case("bin", both_in_order())]);
    Scenario::new(Mode::FailsSecond, script, cases).over(&BOTH, |pair| {
        let name = pair.name();
        let seen = pair.events("bin");
        let of = |event: &Value| ["arguments", "isError", "output"].map(|key| event[key].clone());
        let expected = [
            [json!({ "id": "p-1" }), json!(false), json!("bin 7")],
            [json!({ "id": "p-2" }), json!(true), json!("no such part")],
            [json!({ "text": "pong" }), json!(false), json!("pong")],
        ];
        assert_eq!(seen.iter().map(of).collect::<Vec<_>>(), expected, "{name}");
        let ids: BTreeSet<_> = seen.iter().filter_map(|event| event["id"].as_str()).collect();
        assert_eq!((ids.len(), pair.state("bin")), (3, "pass"), "{name}: {ids:?}");
        told_in_order(pair);
    });
}

/// Checks that the model was told the results in the order and under the ids of its calls.
fn told_in_order(pair: &Pair<'_>) {
    let (name, view) = (pair.name(), pair.last_view("bin"));
    let texts = pair.told("bin");
    let told = ["bin 7", "no such part", "pong"].iter().zip(&texts).all(|(word, text)| text.contains(word));
    assert!(told && texts.len() == 3, "{name}: {texts:?}");
    if view.assistant_calls[0].id.is_some() {
        let called: Vec<_> = view.assistant_calls.iter().map(|call| &call.id).collect();
        assert_eq!(view.tool_results.iter().map(|result| &result.id).collect::<Vec<_>>(), called, "{name}");
    }
    assert!(view.messages.iter().any(|message| message.text.contains("Looking them up.")), "{name}: its text is gone");
    if matches!(pair.provider.form, Some(Form::Anthropic | Form::VertexAnthropic)) {
        let body = pair.last_body("bin");
        let last = body["messages"].as_array().and_then(|messages| messages.last()).expect("a message");
        let blocks = last["content"].as_array().expect("blocks").iter().filter(|block| block["type"] == "tool_result");
        assert_eq!((last["role"].as_str(), blocks.count()), (Some("user"), 3), "{name}");
    }
}

#[test]
fn fc17_calls_past_the_limit_are_seen_and_not_sent() {
    let scenario = Scenario {
        more: json!({ "maxToolCalls": 2 }),
        code: 1,
        ..Scenario::new(
            Mode::FailsSecond,
            Script::strict().always("Case", three()),
            json!([case("bin", both_in_order())]),
        )
    };
    for transport in BOTH {
        let field = scenario.run(transport);
        field.each(|pair| {
            let third = pair.events("bin").into_iter().find(|event| event["name"] == "echo");
            assert_eq!(third.expect("the third call is recorded")["isError"], true, "{}", pair.name());
            assert_eq!(pair.trial("bin")["ending"], json!({ "kind": "trial" }), "{}", pair.name());
        });
        assert!(field.called("parts").iter().all(|name| name == "lookup"), "{:?}", field.called("parts"));
    }
}

#[test]
fn fc19_unknown_tools_are_answered_and_bounded() {
    let unknown = || Reply::call("search_parts", json!({ "q": "p-1" }));
    let replies = [unknown(), Reply::call("mcp__parts__lookup", json!({ "id": "p-1" })), unknown()];
    let script = Script::strict().rule(Rule::new(When::text("Case"), replies).repeating());
    let only = json!({ "toolsTriggered": { "calls": [{ "name": "lookup", "required": false }], "exclusive": true } });
    let none = json!({ "toolCallCount": { "exact": 0 } });
    let cases = json!([case("expects", lookup()), case("none", none), case("only", only)]);
    let more = json!({ "maxToolCalls": 4 });
    let entry = json!({ "session": "shared" });
    let scenario = Scenario { more, entry, code: 1, ..Scenario::new(Mode::Plain, script, cases) };
    for transport in BOTH {
        let field = scenario.run(transport);
        assert_eq!(field.called("parts"), [] as [&str; 0], "a call was sent");
        field.each(|pair| {
            for id in ["expects", "none", "only"] {
                let trial = pair.trial(id);
                assert_eq!(
                    (pair.state(id), &trial["ending"]),
                    ("fail", &json!({ "kind": "trial" })),
                    "{}",
                    pair.name()
                );
                let view = pair.last_view(id);
                assert!(view.tool_results[0].text.contains("lookup"), "{}: {:?}", pair.name(), view.tool_results);
                assert!(view.tool_results[0].is_error != Some(false), "{}", pair.name());
                assert!(pair.views(id).len() <= 6, "{}: asked {} times", pair.name(), pair.views(id).len());
            }
            assert!(pair.case("only")["scores"].to_string().contains("search_parts"), "{}", pair.case("only"));
        });
        assert!(field.dir.metric("mcp_call_count_mean").is_none_or(|mean| mean == 0.0));
    }
}
