//! What was called, matched against what was expected, through each provider's form of arguments.

use mst_testkit::{Mode, Reply, Rule, Script, ToolCall, When};
use serde_json::{Value, json};

use super::field::{Scenario, Transport};
use crate::eval::case;

/// A case: its id, the expected and the observed arguments of each call, and what it comes to.
type Row = (&'static str, Vec<Value>, Vec<Value>, &'static str);

/// How many of the rows are about numbers.
const NUMBERS: usize = 4;

#[test]
fn fc28_arguments_match_alike_for_every_provider() {
    let id = |id: &str| json!({ "id": id });
    let table: [Row; 13] = [
        ("m1", vec![json!({ "n": 10 })], vec![json!({ "n": 10.0 })], "pass"),
        ("m2", vec![json!({ "n": 10 })], vec![json!({ "n": "10" })], "fail"),
        (
            "m9",
            vec![json!({ "n": 9_007_199_254_740_993_u64 })],
            vec![json!({ "n": 9_007_199_254_740_992_u64 })],
            "fail",
        ),
        (
            "m9b",
            vec![json!({ "n": 9_007_199_254_740_993_u64 })],
            vec![json!({ "n": 9_007_199_254_740_993_u64 })],
            "pass",
        ),
        ("m3", vec![json!({ "ids": ["a"] })], vec![json!({ "ids": ["a", "b"] })], "fail"),
        ("m4", vec![json!({ "ids": [] })], vec![json!({ "ids": ["a"] })], "fail"),
        ("m5", vec![json!({ "f": { "s": "open" } })], vec![json!({ "f": { "s": "open", "page": 1 } })], "pass"),
        ("m6", vec![json!({ "f": {} })], vec![json!({ "f": [] })], "fail"),
        ("m7", vec![json!({})], vec![json!({ "x": 1 })], "pass"),
        ("m8", vec![json!({ "k": null })], vec![json!({})], "fail"),
        ("m10", vec![id("p-1"), id("p-1")], vec![id("p-1")], "fail"),
        ("m10b", vec![id("p-1"), id("p-1")], vec![id("p-1"), id("p-1")], "pass"),
        ("m11", vec![json!({}), id("p-1")], vec![id("p-1"), id("p-2")], "pass"),
    ];
    // What is called does not depend on how the server is reached; numbers are looked at over both.
    for (transport, rows) in [(Transport::Http, &table[..]), (Transport::Stdio, &table[..NUMBERS])] {
        matched(transport, rows);
    }
}

fn matched(transport: Transport, rows: &[Row]) {
    let script = rows.iter().fold(Script::strict(), |script, (id, _, seen, _)| {
        let calls = seen.iter().map(|arguments| ToolCall::ending("lookup", arguments.clone()));
        let steps = [Reply::tools(calls), Reply::text("done")];
        script.rule(Rule::new(When::text(format!("Case {id}:")), steps).repeating())
    });
    let expected = |arguments: &Value| json!({ "name": "lookup", "arguments": arguments });
    let cases: Value = rows
        .iter()
        .map(|(id, wanted, ..)| {
            let calls: Value = wanted.iter().map(expected).collect();
            case(id, json!({ "toolsTriggered": { "calls": calls } }))
        })
        .collect();
    let entry = json!({ "session": "shared" });
    Scenario { entry, code: 1, ..Scenario::new(Mode::Plain, script, cases) }.over(&[transport], |pair| {
        for (id, _, seen, state) in rows {
            assert_eq!(pair.state(id), *state, "{}/{id}: {}", pair.name(), pair.case(id)["scores"]);
            let observed: Vec<Value> = pair.events(id).iter().map(|event| event["arguments"].clone()).collect();
            let (observed, seen) = (json!(observed).to_string(), json!(seen).to_string());
            // 10.0 may come back as 10: the number is the same.
            assert_eq!(observed.replace("10.0", "10"), seen.replace("10.0", "10"), "{}/{id}", pair.name());
        }
    });
}
