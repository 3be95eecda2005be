//! Servers that misbehave, as each provider's model is told of it.

use std::time::Duration;

use mst_testkit::{Mode, Reply, Rule, Script, ToolCall, When};
use serde_json::{Value, json};

use super::field::{BOTH, Pair, Scenario, Transport};
use crate::eval::{case, looks_up, lookup};

fn one_case() -> Value {
    json!([case("bin", lookup())])
}

/// A scenario of one case, in which the model looks part p-1 up.
fn looking_up(mode: Mode) -> Scenario {
    Scenario { offline: true, ..Scenario::new(mode, looks_up(), one_case()) }
}

/// Checks that the call went well and that the model, where it is a scripted one, was told so.
fn went_well(pair: &Pair<'_>) {
    let event = pair.events("bin").remove(0);
    assert_eq!((&event["name"], &event["isError"]), (&json!("lookup"), &json!(false)), "{}: {event}", pair.name());
    assert_eq!(event["output"], "bin 7", "{}", pair.name());
    if !pair.is_offline() {
        assert_eq!(pair.state("bin"), "pass", "{}: {}", pair.name(), pair.case("bin"));
        assert_eq!(pair.told("bin"), ["bin 7"], "{}", pair.name());
    }
}

#[test]
fn fc01_stray_lines_change_nothing_for_any_provider() {
    looking_up(Mode::StrayLines).over(&[Transport::Stdio], went_well);
    // Lines that are no fields of an event mean nothing in a stream.
    Scenario { sse: true, ..looking_up(Mode::StrayLines) }.over(&[Transport::Http], went_well);
}

#[test]
fn fc01_a_frame_glued_to_text_is_told_to_every_model() {
    for (transport, sse) in [(Transport::Stdio, false), (Transport::Http, false), (Transport::Http, true)] {
        let entry = json!({ "callTimeoutMs": 700 });
        let scenario = Scenario { entry, sse, ..looking_up(Mode::GluedFrame) };
        scenario.over(&[transport], |pair| {
            let event = pair.events("bin").remove(0);
            let output = event["output"].as_str().expect("a text");
            assert_eq!(event["isError"], true, "{}: {event}", pair.name());
            assert!(output.contains("50%"), "{}, events {sse}: {output}", pair.name());
            assert_eq!(pair.trial("bin")["ending"], json!({ "kind": "trial" }), "{}", pair.name());
            if !pair.is_offline() {
                assert!(pair.told("bin").join(" ").contains("50%"), "{}", pair.name());
            }
        });
    }
}

#[test]
fn fc03_a_server_that_dies_in_a_call_fails_it_at_once_for_every_provider() {
    let call = || Reply::tool(ToolCall::ending("lookup", json!({ "id": "p-1" })));
    let replies = [call(), call(), Reply::text("It failed.")];
    let script = Script::strict().rule(Rule::new(When::default(), replies).repeating());
    let scenario = Scenario { apart: true, ..Scenario::new(Mode::DiesInCall, script, one_case()) };
    for transport in BOTH {
        let field = scenario.run(transport);
        assert!(field.wall < Duration::from_secs(30), "{transport:?}: {:?}", field.wall);
        field.each(|pair| {
            let events = pair.events("bin");
            let failed: Vec<_> = events.iter().map(|event| &event["isError"]).collect();
            assert_eq!(failed, [true, true], "{}", pair.name());
            assert_eq!(pair.trial("bin")["ending"], json!({ "kind": "trial" }), "{}", pair.name());
            let told = pair.told("bin");
            assert!(told.len() == 2 && told.iter().all(|text| !text.is_empty()), "{}: {told:?}", pair.name());
            if transport == Transport::Stdio {
                assert!(told[0].contains("panic: out of memory"), "{}: {told:?}", pair.name());
            }
        });
    }
}

#[test]
fn fc04_both_pages_are_presented_to_every_provider() {
    looking_up(Mode::PagesTwo).over(&BOTH, |pair| {
        went_well(pair);
        if !pair.is_offline() {
            let view = pair.last_view("bin");
            let mut names = view.tool_names();
            names.sort_unstable();
            assert_eq!(names, ["lookup", "other"], "{}", pair.name());
        }
    });
    looking_up(Mode::PagesEmptyCursor).over(&BOTH, |pair| {
        went_well(pair);
        if !pair.is_offline() {
            assert_eq!(pair.last_view("bin").tool_names(), ["lookup"], "{}", pair.name());
        }
    });
}

#[test]
fn fc08_a_server_of_an_older_version_serves_every_provider() {
    for mode in [Mode::VersionOld, Mode::VersionRefused] {
        looking_up(mode).over(&BOTH, went_well);
    }
}

#[test]
fn fc11_a_tool_that_appears_later_is_met_alike_by_every_provider() {
    let steps =
        [Reply::tool(ToolCall::ending("list_notes", json!({}))), Reply::call("purge", json!({})), Reply::text("x")];
    let script = Script::strict().rule(Rule::new(When::default(), steps).repeating());
    let scenario = Scenario {
        servers: vec![("docs", Mode::ListChanged)],
        code: 3,
        ..Scenario::new(Mode::ListChanged, script, json!([case("bin", json!({}))]))
    };
    for transport in BOTH {
        let field = scenario.run(transport);
        field.each(|pair| {
            let ending = pair.trial("bin")["ending"].clone();
            let what = (&ending["kind"], &ending["broke"], &ending["retryable"]);
            assert_eq!(what, (&json!("infrastructure"), &json!("setup"), &json!(false)), "{}: {ending}", pair.name());
            assert!(ending["reason"].as_str().is_some_and(|reason| reason.contains("docs.purge")), "{ending}");
        });
        assert!(field.called("docs").iter().all(|name| name == "list_notes"), "{:?}", field.called("docs"));
        let asked = field.eval().provider.stats().requests;
        field.eval().run_with(&["--resume", &field.dir.id()]);
        assert_eq!(field.eval().provider.stats().requests, asked, "{transport:?}: a trial was tried again");
    }
}
