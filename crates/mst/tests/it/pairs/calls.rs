//! Names and arguments of calls, from each provider's answer to the server.

use mst_testkit::provider::Arguments;
use mst_testkit::{Mode, Reply, Rule, Script, ToolCall, When};
use serde_json::{Value, json};

use super::field::{BOTH, Scenario, Transport};
use crate::eval::{case, done, lookup};

fn when(id: &str) -> When {
    When::text(format!("Case {id}:"))
}

/// A rule that calls once and answers, for every provider.
fn calling(id: &str, call: ToolCall) -> Rule {
    Rule::new(when(id), [Reply::tool(call), Reply::text("done")]).repeating()
}

#[test]
fn fc14_names_are_legal_and_lead_back_to_the_servers_own_for_every_provider() {
    let long = "x".repeat(70);
    let named = |text: &str| ToolCall::described(text, json!({ "query": "q" }));
    let ending = |name: &str| ToolCall::ending(name, json!({ "query": "q" }));
    let table = [
        ("literal", named("as docs.search."), "docs", "docs.search", "search"),
        ("slash", named("as docs/search."), "docs", "docs/search", "docs/search"),
        ("kanji", named("検索"), "docs", "検索", "検索"),
        ("long", named(&long), "docs", long.as_str(), long.as_str()),
        ("own", ending("docs__search"), "docs", "search", "search"),
        ("other", ending("wiki__search"), "wiki", "search", "search"),
    ];
    let script = table.iter().fold(Script::strict(), |script, (id, call, ..)| script.rule(calling(id, call.clone())));
    let want =
        |server: &str, name: &str| json!({ "toolsTriggered": { "calls": [{ "name": name, "server": server }] } });
    let cases: Value = table.iter().map(|(id, _, server, _, wanted)| case(id, want(server, wanted))).collect();
    let scenario = Scenario {
        servers: vec![("docs", Mode::Names), ("wiki", Mode::OtherNames)],
        entry: json!({ "session": "shared" }),
        code: 1,
        ..Scenario::new(Mode::Names, script, cases)
    };
    scenario.over(&BOTH, |pair| {
        for (id, _, server, name, wanted) in &table {
            let event = pair.events(id).remove(0);
            assert_eq!((&event["server"], &event["name"]), (&json!(server), &json!(name)), "{}/{id}", pair.name());
            let state = if name == wanted { "pass" } else { "fail" };
            assert_eq!(pair.state(id), state, "{}/{id}: {}", pair.name(), pair.case(id));
        }
    });
}

#[test]
fn fc15_arguments_that_are_no_object_never_reach_a_server() {
    let empty: [(&str, Arguments); 4] =
        [("e1", "".into()), ("e2", "  ".into()), ("e3", Value::Null.into()), ("e4", Arguments::Absent)];
    let broken = [
        ("b1", "null"),
        ("b2", "5"),
        ("b3", "[1]"),
        ("b4", "{\"id\":\"p-1\""),
        ("b5", "{\"id\":\"p-1\"}{\"id\":\"p-2\"}"),
    ];
    let script = empty.iter().fold(Script::strict(), |script, (id, arguments)| {
        script.rule(calling(id, ToolCall::ending("ping", arguments.clone())))
    });
    let script = broken
        .iter()
        .fold(script, |script, (id, text)| script.rule(calling(id, ToolCall::ending("lookup", *text))))
        .rule(Rule::new(when("fine"), done()).repeating());
    let ping = json!({ "toolsTriggered": { "calls": [{ "name": "ping", "arguments": {} }] } });
    let mut cases: Vec<Value> = empty.iter().map(|(id, _)| case(id, ping.clone())).collect();
    cases.extend(broken.iter().map(|(id, _)| case(id, lookup())));
    cases.push(case("fine", lookup()));
    let entry = json!({ "session": "shared" });
    let scenario = Scenario { entry, code: 1, ..Scenario::new(Mode::NoArguments, script, json!(cases)) };
    for transport in BOTH {
        let field = scenario.run(transport);
        field.each(|pair| {
            for (id, _) in &empty {
                assert_eq!(pair.state(id), "pass", "{}/{id}: {}", pair.name(), pair.case(id));
            }
            assert_eq!(pair.state("fine"), "pass", "{}", pair.name());
            for (id, text) in broken {
                let event = pair.events(id).remove(0);
                assert_eq!(pair.state(id), "fail", "{}/{id}: {event}", pair.name());
                if id == "b1" && !pair.provider.has_argument_text() {
                    // Where arguments are JSON, null is no text that says null but no arguments at all.
                    assert_eq!(event["arguments"], json!({}), "{}/{id}: {event}", pair.name());
                    continue;
                }
                let kept = (event.get("arguments"), &event["isError"]);
                assert_eq!(kept, (None, &json!(true)), "{}/{id}: {event}", pair.name());
                let raw = event["rawArguments"].as_str().expect("the model's own text");
                assert!(raw == text || *raw == *json!(text).to_string(), "{}/{id}: {raw}", pair.name());
                assert!(
                    pair.told(id)[0].to_lowercase().contains("argument"),
                    "{}/{id}: {:?}",
                    pair.name(),
                    pair.told(id)
                );
            }
            for view in pair.views("b4") {
                for call in &view.assistant_calls {
                    let arguments = match &call.arguments {
                        Value::String(text) => serde_json::from_str(text).unwrap_or_default(),
                        value => value.clone(),
                    };
                    assert!(arguments.is_object(), "{}: {} is said again", pair.name(), call.arguments);
                }
            }
        });
        let sent = field.eval().calls("parts");
        assert!(sent.iter().all(|(_, arguments)| arguments.is_null() || arguments.is_object()), "{sent:?}");
        assert!(sent.iter().all(|(name, arguments)| name != "ping" || *arguments == json!({})), "{sent:?}");
    }
}

#[test]
fn fc27_a_prompt_reaches_every_provider_byte_for_byte() {
    let text = "line 1\r\nline 2 \u{2028}\t\u{1f4e6} ";
    let script = Script::strict().always("line 1", Reply::text("ok"));
    let cases = json!([{ "id": "bin", "input": text }]);
    let field = Scenario { servers: Vec::new(), ..Scenario::new(Mode::Plain, script, cases) }.run(Transport::Stdio);
    let prompts: Vec<String> = field.eval().provider.views().iter().map(|view| view.prompt().to_owned()).collect();
    assert_eq!(prompts, vec![text; field.prepared.providers.len()]);
}
