//! What models call and answer, in every provider's wire form, and what a run records of it.

use std::collections::BTreeSet;

use mst_testkit::provider::Arguments;
use mst_testkit::{FakeMcpHttp, Mode, Reply, Script, ToolCall};
use serde_json::{Value, json};

use crate::eval::{Eval, case, done, looks_up, lookup};
use crate::run_dir::events;
use crate::wire;

fn when(id: &str) -> String {
    format!("Case {id}:")
}

#[test]
fn every_wire_form_runs_an_eval() {
    let mut eval = Eval::new(looks_up());
    wire::with_google_login(&mut eval);
    let wires = wire::all(&eval.provider);
    let more = json!({ "variants": wire::variants(&wires), "clientOptions": { "systemPrompt": "Be brief." } });
    eval.write(&json!({ "parts": eval.stdio("parts", Mode::Plain) }), &json!([case("bin", lookup())]), &more);
    let dir = eval.run(0);
    assert_eq!(dir.states().len(), wires.len());
    for one in &wires {
        let name = one.name;
        let case = dir.case_of(Some(name), "bin");
        assert_eq!((&case["pass"], &case["response"]), (&json!(true), &json!("Part p-1 is in bin 7.")), "{name}");
        let event = events(&dir.trial_of(Some(name), "bin")).remove(0);
        let recorded =
            ["kind", "source", "name", "server", "arguments", "output", "isError"].map(|key| event[key].clone());
        let expected = [
            json!("tool_call"),
            json!("mcp"),
            json!("lookup"),
            json!("parts"),
            json!({ "id": "p-1" }),
            json!("bin 7"),
            json!(false),
        ];
        assert_eq!(recorded, expected, "{name}");
        let calls = dir.trial_of(Some(name), "bin")["transcript"]["modelCalls"].as_array().expect("model calls").len();
        assert_eq!(calls, 2, "{name}");
    }
    let forms: BTreeSet<_> = eval.provider.requests().iter().filter_map(|request| request.form).collect();
    assert_eq!(forms, wires.iter().map(|one| one.form).collect(), "{:?}", eval.provider.stats().by_form);
    assert!(eval.provider.views().iter().all(|view| view.system.contains("Be brief.")));
    let key = |form| eval.provider.requests().into_iter().find(|request| request.form == Some(form)).expect("asked");
    assert_eq!(key(mst_testkit::Form::Anthropic).header("x-api-key"), Some("sk-fake-anthropic-0001"));
    assert_eq!(key(mst_testkit::Form::Responses).header("authorization"), Some("Bearer sk-fake-openai-0001"));
    assert_eq!(key(mst_testkit::Form::VertexAnthropic).header("authorization"), Some("Bearer fake-access-token"));
}

#[test]
fn fc14_presented_names_are_legal_unique_and_the_same_in_any_order() {
    let mut eval = Eval::new(Script::strict().on("Case", [Reply::text("ok")]));
    wire::with_google_login(&mut eval);
    let mut seen = BTreeSet::new();
    let over_http = [Mode::Names, Mode::OtherNames].map(FakeMcpHttp::start_mode);
    let http = || over_http.each_ref().map(|server| json!({ "transport": "http", "serverUrl": server.url() }));
    for (is_http, docs_first) in [(false, true), (false, false), (true, true), (true, false)] {
        let stdio = || [eval.stdio("docs", Mode::Names), eval.stdio("wiki", Mode::OtherNames)];
        let [docs, wiki] = if is_http { http() } else { stdio() };
        let servers =
            if docs_first { json!({ "docs": docs, "wiki": wiki }) } else { json!({ "wiki": wiki, "docs": docs }) };
        let more = json!({ "variants": wire::variants(&wire::all(&eval.provider)) });
        eval.write(&servers, &json!([case("n", json!({}))]), &more);
        eval.run(0);
    }
    for view in eval.provider.views() {
        let mut names: Vec<String> = view.tool_names().iter().map(ToString::to_string).collect();
        assert!(
            names.iter().all(|name| {
                (1..=64).contains(&name.len())
                    && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte))
            }),
            "{names:?}"
        );
        names.sort();
        names.dedup();
        assert_eq!(names.len(), 7, "{names:?}");
        seen.insert(names);
    }
    assert_eq!(seen.len(), 1, "the names depend on the order or the model: {seen:?}");
}

#[test]
fn fc14_calls_are_recorded_under_the_servers_own_names() {
    let long = "x".repeat(70);
    let want = |name: &str, server: Option<&str>| json!({ "toolsTriggered": { "calls": [{ "name": name, "server": server.unwrap_or("docs") }] } });
    let own = ToolCall::ending("docs__search", json!({ "query": "q" }));
    let named = |description: &str| ToolCall::described(description, json!({ "query": "q" }));
    let table = [
        ("literal", named("as docs.search."), "docs", "docs.search", want("search", None), "fail"),
        ("slash", named("as docs/search."), "docs", "docs/search", want("docs/search", None), "pass"),
        ("kanji", named("検索"), "docs", "検索", want("検索", None), "pass"),
        ("long", named(&long), "docs", long.as_str(), want(&long, None), "pass"),
        ("own", own, "docs", "search", want("search", None), "pass"),
        (
            "other",
            ToolCall::ending("wiki__search", json!({ "query": "q" })),
            "wiki",
            "search",
            want("search", Some("wiki")),
            "pass",
        ),
    ];
    let script = table.iter().fold(Script::strict(), |script, (id, call, ..)| {
        script.on(when(id), [Reply::tool(call.clone()), Reply::text("ok")])
    });
    let eval = Eval::new(script);
    let cases: Value = table.iter().map(|(id, .., want, _)| case(id, want.clone())).collect();
    let servers = json!({ "docs": eval.stdio("docs", Mode::Names), "wiki": eval.stdio("wiki", Mode::OtherNames) });
    eval.write(&servers, &cases, &json!({}));
    let dir = eval.run(1);
    for (id, _, server, name, _, state) in &table {
        let event = dir.events(id).remove(0);
        assert_eq!((&event["server"], &event["name"]), (&json!(server), &json!(name)), "{id}");
        let raw = event["rawName"].as_str().expect("the model's name differs");
        assert!(raw.is_ascii() && raw != *name, "{id}: {raw}");
        assert_eq!(dir.state(id), *state, "{id}");
    }
    let sent: Vec<String> = eval.calls("docs").into_iter().map(|(name, _)| name).collect();
    assert_eq!(sent, ["docs.search", "docs/search", "検索", &long, "search"]);
}

#[test]
fn fc14_an_assertion_that_could_mean_two_tools_is_told() {
    let eval = Eval::new(
        Script::strict()
            .on("Case", [Reply::tool(ToolCall::ending("docs__search", json!({ "query": "q" }))), Reply::text("ok")]),
    );
    let servers = json!({ "docs": eval.stdio("docs", Mode::Names), "wiki": eval.stdio("wiki", Mode::OtherNames) });
    eval.write(
        &servers,
        &json!([case("n", json!({ "toolsTriggered": { "calls": [{ "name": "docs.search" }] } }))]),
        &json!({}),
    );
    let (finished, dir) = eval.run_expecting(&[], 1);
    let said = finished.stderr + &dir.case("n").to_string();
    assert!(said.contains("docs.search") && said.contains("ambiguous"), "{said}");
}

#[test]
fn fc15_empty_arguments_are_sent_as_an_object_and_broken_ones_never() {
    let empty: [(&str, Arguments); 4] =
        [("e1", "".into()), ("e2", "  ".into()), ("e3", Value::Null.into()), ("e4", Arguments::Absent)];
    let broken = [
        ("b1", "null"),
        ("b2", "5"),
        ("b3", "[1]"),
        ("b4", "{\"id\":\"p-1\""),
        ("b5", "{\"id\":\"p-1\"}{\"id\":\"p-2\"}"),
    ];
    let ping = json!({ "toolsTriggered": { "calls": [{ "name": "ping", "arguments": {} }] } });
    let mut cases: Vec<Value> = empty.iter().map(|(id, _)| case(id, ping.clone())).collect();
    cases.extend(broken.iter().map(|(id, _)| case(id, lookup())));
    cases.push(case("fine", lookup()));
    let script = empty.iter().fold(Script::strict(), |script, (id, arguments)| {
        script.on(when(id), [Reply::tool(ToolCall::ending("ping", arguments.clone())), Reply::text("done")])
    });
    let script = broken.iter().fold(script.on(when("fine"), done()), |script, (id, text)| {
        script.on(when(id), [Reply::tool(ToolCall::ending("lookup", *text)), Reply::text("done")])
    });
    let eval = Eval::new(script);
    let variants = json!([{ "name": "responses", "model": "gpt-x" }, { "name": "chat", "model": "mistral-x" }]);
    eval.write(
        &json!({ "parts": eval.stdio("parts", Mode::NoArguments) }),
        &json!(cases),
        &json!({ "variants": variants }),
    );
    let dir = eval.run(1);
    assert_eq!(dir.states().len(), 20, "a bad trial stopped others");
    for variant in ["responses", "chat"] {
        let state = |id: &str| crate::run_dir::state(&dir.case_of(Some(variant), id));
        for id in empty.iter().map(|(id, _)| *id).chain(["fine"]) {
            assert_eq!(state(id), "pass", "{variant}/{id}: {}", dir.case_of(Some(variant), id));
        }
        for (id, text) in broken {
            assert_eq!(state(id), "fail", "{variant}/{id}");
            let event = events(&dir.trial_of(Some(variant), id)).remove(0);
            assert_eq!(
                (&event["rawArguments"], event.get("arguments"), &event["isError"]),
                (&json!(text), None, &json!(true))
            );
        }
    }
    let sent = eval.calls("parts");
    assert_eq!(
        sent.iter()
            .filter(|(name, arguments)| name == "ping" && arguments.as_object().is_none_or(serde_json::Map::is_empty))
            .count(),
        8,
        "{sent:?}"
    );
    assert_eq!(sent.iter().filter(|(name, _)| name == "lookup").count(), 2, "{sent:?}");
    for view in eval.provider.views() {
        for call in view.assistant_calls {
            let replayed = call.arguments.as_str().expect("arguments are text in these forms");
            assert!(serde_json::from_str::<Value>(replayed).is_ok_and(|value| value.is_object()), "{replayed}");
        }
        let told = view
            .tool_results
            .iter()
            .filter(|result| view.messages[0].text.contains("Case b") && !result.text.is_empty());
        assert!(
            told.into_iter()
                .all(|result| result.text.to_lowercase().contains("argument") || result.text.contains("JSON"))
        );
    }
}

#[test]
fn fc20_refusals_and_filters_are_errors_and_an_empty_answer_says_so() {
    let none = json!({ "toolCallCount": { "exact": 0 } });
    let script = Script::strict()
        .always("Case refusal", Reply { refusal: Some("I can't help with that.".to_owned()), ..Reply::default() })
        .always("Case filtered", Reply::text("").with_finish_reason("content_filter"))
        .always("Case silent", Reply { thinking: Some("hm".to_owned()), ..Reply::default() });
    let mut eval = Eval::new(script);
    wire::with_google_login(&mut eval);
    let wires = wire::all(&eval.provider);
    let cases = json!([case("refusal", none.clone()), case("filtered", none.clone()), case("silent", none)]);
    let more = json!({ "variants": wire::variants(&wires), "metrics": ["response_success"] });
    eval.write(&json!({ "parts": eval.stdio("parts", Mode::Plain) }), &cases, &more);
    let dir = eval.run(1);
    for one in &wires {
        let name = one.name;
        for id in ["refusal", "filtered"] {
            let case = dir.case_of(Some(name), id);
            assert_eq!(
                (&case["pass"], &case["ending"]["kind"]),
                (&json!(false), &json!("trial")),
                "{name}/{id}: {case}"
            );
            let error = case["error"].as_str().unwrap_or_else(|| panic!("{name}/{id} has no error"));
            if id == "refusal" {
                // Anthropic's and Google's forms have no place for a refusal's text but the answer.
                let told = format!("{error} {}", case["response"]);
                assert!(told.contains("I can't help with that."), "{name}: {told}");
            }
            let finish = &dir.trial_of(Some(name), id)["transcript"]["modelCalls"][0]["finishReason"];
            assert!(finish.as_str().is_some_and(|reason| !reason.is_empty()), "{name}/{id}: {finish}");
        }
        let silent = dir.trial_of(Some(name), "silent");
        assert_eq!(silent["ending"]["kind"], "trial", "{name}");
        assert!(silent["transcript"]["finalText"].as_str().unwrap_or_default().is_empty(), "{name}");
        assert!(
            (silent.to_string() + &dir.case_of(Some(name), "silent").to_string()).contains("empty answer"),
            "{name}: {silent}"
        );
    }
    assert_eq!(eval.provider.stats().requests, 3 * wires.len(), "a refusal was retried");
    for variant in dir.summary()["variants"].as_array().expect("variants") {
        assert_eq!(variant["metrics"]["response_success_rate"], json!(1.0 / 3.0), "{}", variant["name"]);
    }
}
