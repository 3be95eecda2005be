use mst_model::{Event, ServerLabel};
use serde_json::{Value, json};

use super::*;

fn report(expected: Value, events: Value, tools: &Tools) -> ToolsReport {
    let expected: ToolsTriggered = serde_json::from_value(expected).unwrap();
    let events: Vec<Event> = serde_json::from_value(events).unwrap();
    let events: Vec<Observed> = events.iter().map(|event| Observed::new(event, &tools.map)).collect();
    grade(&expected, Some(Evidence::Structured), &events, tools).unwrap()
}

fn details(expected: Value, events: Value) -> Option<String> {
    let score = report(expected, events, &Tools::default()).score;
    assert_eq!(score.pass, score.details.is_none());
    score.details
}

fn call(name: &str, arguments: &Value) -> Value {
    json!({ "kind": "tool_call", "source": "mcp", "server": "docs", "name": name, "arguments": arguments })
}

#[test]
fn order_strict_allows_others_between_and_skips_optional_calls() {
    let strict = |names: &[(&str, bool)]| {
        let calls: Vec<Value> =
            names.iter().map(|(name, required)| json!({ "name": name, "required": required })).collect();
        json!({ "calls": calls, "order": "strict" })
    };
    let events = json!([call("a", &json!({})), call("x", &json!({})), call("b", &json!({})), call("a", &json!({}))]);
    for (names, want) in [
        (&[("a", true), ("b", true)][..], true),
        (&[("b", true), ("a", true)], true),
        (&[("b", true), ("x", true)], false),
        (&[("a", false), ("a", true), ("b", true)], true),
        (&[("b", true), ("z", false), ("a", true)], true),
        (&[("a", true), ("a", true), ("a", true)], false),
    ] {
        assert_eq!(details(strict(names), events.clone()).is_none(), want, "{names:?}");
    }
}

#[test]
fn failures_show_expected_observed_and_the_first_difference() {
    let events = json!([
        call("lookup", &json!({ "id": "p-1", "deep": { "n": [1, 2] } })),
        call("lookup", &json!({ "id": "p-2" })),
        { "kind": "skill", "source": "builtin", "name": "triage" },
        { "source": "mcp", "server": "docs", "name": "fetch", "rawArguments": "5" },
    ]);
    let expected = |calls: Value| json!({ "calls": calls });
    let messages = [
        details(
            expected(json!([{ "name": "lookup", "arguments": { "id": "p-1", "deep": { "n": [1, "2"] } } }])),
            events.clone(),
        ),
        details(
            expected(
                json!([{ "name": "lookup", "arguments": { "id": "p-2" } }, { "name": "lookup", "arguments": { "id": "p-2" } }]),
            ),
            events.clone(),
        ),
        details(
            json!({ "order": "strict", "calls": [{ "name": "lookup", "arguments": { "id": "p-2" } }, { "name": "lookup", "arguments": { "id": "p-1" } }] }),
            events.clone(),
        ),
        details(expected(json!([{ "name": "look_up" }])), events.clone()),
        details(expected(json!([{ "name": "lookup", "server": "wiki" }])), events.clone()),
        details(expected(json!([{ "name": "triage", "kind": "command" }])), events.clone()),
        details(expected(json!([{ "name": "triage", "source": "mcp" }])), events.clone()),
        details(expected(json!([{ "name": "fetch", "arguments": {} }])), events.clone()),
        details(expected(json!([{ "name": "lookup" }])), json!([])),
        details(json!({ "calls": [{ "name": "docs.lookup" }], "exclusive": true }), events),
    ];
    let messages: Vec<String> = messages.into_iter().map(|message| message.expect("each of them fails")).collect();
    insta::assert_snapshot!(messages.join("\n\n"), @r#"
    expected call: lookup {"id":"p-1","deep":{"n":[1,"2"]}}
    closest observed call: docs.lookup {"id":"p-1","deep":{"n":[1,2]}} (event 0)
    first difference: $.deep.n[1]: expected the string "2", observed the number 2

    expected call: lookup {"id":"p-2"}
    closest observed call: docs.lookup {"id":"p-2"} (event 1)
    first difference: the number of calls: every expected call needs an event of its own, and this one serves another

    expected call: lookup {"id":"p-1"}
    closest observed call: docs.lookup {"id":"p-1","deep":{"n":[1,2]}} (event 0)
    first difference: the order: expected after lookup {"id":"p-2"} (event 1), each with an event of its own

    expected call: look_up
    closest observed call: docs.lookup {"id":"p-1","deep":{"n":[1,2]}} (event 0)
    first difference: the name: expected "look_up", observed "lookup"

    expected call: lookup (server wiki)
    closest observed call: docs.lookup {"id":"p-1","deep":{"n":[1,2]}} (event 0)
    first difference: the server: expected "wiki", observed "docs"

    expected call: triage (kind command)
    closest observed call: skill triage {} (event 2)
    first difference: the kind: expected command, observed skill

    expected call: triage (source mcp)
    closest observed call: skill triage {} (event 2)
    first difference: the source: expected mcp, observed builtin

    expected call: fetch {}
    closest observed call: docs.fetch with arguments that are no JSON object: "5" (event 3)
    first difference: $: expected an object, observed the text "5"

    expected call: lookup
    nothing was called

    unexpected call: skill triage {} (event 2)
    unexpected call: docs.fetch with arguments that are no JSON object: "5" (event 3)
    "#);
}

#[test]
fn fc14_a_name_that_could_mean_two_tools_fails_naming_both() {
    let tools = |map: &[(&str, &[&str])]| Tools {
        known: KnownTools::from([
            (ServerLabel::from("docs"), ["search", "docs.search"].map(str::to_owned).into()),
            (ServerLabel::from("wiki"), ["search"].map(str::to_owned).into()),
        ]),
        map: ToolMap::new(
            &map.iter()
                .map(|(name, natives)| ((*name).to_owned(), natives.iter().map(|n| (*n).to_owned()).collect()))
                .collect(),
        ),
    };
    let own = json!([{ "source": "mcp", "server": "docs", "name": "search" }]);
    let literal = json!([{ "source": "mcp", "server": "docs", "name": "docs.search" }]);
    let one = |call: Value| json!({ "calls": [call] });
    for (expected, events, want) in [
        (json!({ "name": "search", "server": "docs" }), &own, Ok(true)),
        (json!({ "name": "search", "server": "docs" }), &literal, Ok(false)),
        (json!({ "name": "docs.docs.search" }), &literal, Ok(true)),
        (json!({ "name": "wiki.search" }), &own, Ok(false)),
        (
            json!({ "name": "docs.search" }),
            &own,
            Err(r#"the tool "docs.search" of the server "docs" or the tool "search" of the server "docs""#),
        ),
        (
            json!({ "name": "search" }),
            &own,
            Err(r#"the tool "search" of the server "docs" or the tool "search" of the server "wiki""#),
        ),
        (json!({ "name": "search", "kind": "skill" }), &own, Ok(false)),
    ] {
        let score = report(one(expected.clone()), events.clone(), &tools(&[])).score;
        match want {
            Ok(pass) => {
                assert_eq!(score.pass, pass, "{expected}");
                assert!(!score.details.unwrap_or_default().contains("ambiguous"), "{expected}");
            }
            Err(both) => {
                let details = score.details.expect("it fails");
                assert!(details.contains("ambiguous") && details.ends_with(both), "{details}");
            }
        }
    }
    let mapped = tools(&[("search", &["docs.search", "wiki.search"])]);
    let score = report(one(json!({ "name": "search" })), own, &mapped).score;
    assert!(score.pass, "one name in the tool map is one tool: {:?}", score.details);
}

#[test]
fn a_trace_uses_the_clients_names() {
    let tools = Tools {
        known: KnownTools::default(),
        map: ToolMap::new(&[("find".to_owned(), vec!["docs.search".to_owned()])].into_iter().collect()),
    };
    let expected = json!({ "calls": [{ "name": "find" }, { "name": "fetch" }, { "name": "x", "required": false }] });
    let events = json!([
        call("search", &json!({})),
        call("other", &json!({})),
        { "kind": "skill", "source": "builtin", "name": "s" },
    ]);
    let choice = report(expected, events, &tools).choice.unwrap();
    assert!((choice.precision - 1.0 / 3.0).abs() < 1e-12);
    assert!((choice.recall - 0.5).abs() < 1e-12);
    assert_eq!(
        serde_json::to_value(&choice.trace).unwrap(),
        json!({
            "calls": [{ "name": "search", "status": "expected" }, { "name": "other", "status": "unexpected" }],
            "missed": [{ "name": "fetch" }],
        })
    );
}

#[test]
fn without_events_or_requirements_nothing_is_wrong() {
    let choice = report(json!({ "calls": [{ "name": "a", "required": false }] }), json!([]), &Tools::default()).choice;
    let choice = choice.unwrap();
    assert_eq!((choice.precision, choice.recall), (1.0, 1.0));
}

#[test]
fn calls_need_structured_evidence() {
    let expected: ToolsTriggered =
        serde_json::from_value(json!({ "calls": [{ "name": "a", "required": false }] })).unwrap();
    let report = grade(&expected, Some(Evidence::Observed), &[], &Tools::default()).unwrap();
    assert!(!report.score.pass && report.score.details.unwrap().contains("observed"));
    assert_eq!(report.choice, None);
}
