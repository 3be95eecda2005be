//! Tools that some provider would refuse, through the real binary: a fake provider answers 400 to what breaks its rules.

use mst_testkit::mcp::stdio_entry;
use mst_testkit::{Mode, Reply, Rule, Script, ToolCall, When};
use serde_json::{Value, json};

use crate::eval::{Eval, case};
use crate::wire;

/// Returns a server that lists the tools of a file.
fn listing(eval: &Eval, file: &str) -> Value {
    let mut entry = stdio_entry(Mode::Plain, Some(&eval.env.path("parts.log")));
    entry["args"].as_array_mut().expect("arguments").extend([json!("--surface"), json!(file)]);
    entry
}

#[test]
fn a_parameter_that_a_provider_refuses_is_called_by_its_own_name() {
    let call = |name: &str| Reply::tool(ToolCall::ending("list_calls", json!({ name: "2026-01-01" })));
    let turns = |name: &str| [call(name), call(name), Reply::text("done")];
    let for_model =
        |model: &str| Rule::new(When { model: Some(model.into()), ..When::default() }, turns("StartTime_")).repeating();
    let script = Script::strict()
        .rule(for_model("claude-x"))
        .rule(for_model("claude-x@20260101"))
        .rule(for_model("maker/model-x"))
        .rule(Rule::new(When::default(), turns("StartTime<")).repeating());
    let mut eval = Eval::new(script);
    wire::with_google_login(&mut eval);
    eval.env.write_json(
        "surface.json",
        &json!({ "tools": [{ "name": "list_calls", "annotations": { "readOnlyHint": true }, "inputSchema": { "type": "object",
            "required": ["StartTime<"], "properties": { "StartTime<": { "type": "string" }, "StartTime>": { "type": "string" } } } }] }),
    );
    let wires = wire::all(&eval.provider);
    let calls = json!({ "toolsTriggered": { "calls": [{ "name": "list_calls", "arguments": { "StartTime<": "2026-01-01" } }] } });
    eval.write(
        &json!({ "parts": listing(&eval, "surface.json") }),
        &json!([case("calls", calls)]),
        &json!({ "variants": wire::variants(&wires) }),
    );
    let dir = eval.run(0);
    let received = eval.calls("parts");
    assert_eq!(received.len(), 2 * wires.len());
    assert!(received.iter().all(|(_, arguments)| arguments == &json!({ "StartTime<": "2026-01-01" })), "{received:?}");
    let stored = dir.trials();
    for (path, trial) in &stored {
        assert_eq!(trial["transcript"]["events"][0]["arguments"], json!({ "StartTime<": "2026-01-01" }), "{path}");
    }
    // What the model asked for is told back to it in its own words.
    let anthropic = eval.provider.requests().into_iter().rfind(|request| request.model.as_deref() == Some("claude-x"));
    let body = anthropic.expect("Anthropic was asked").text();
    assert!(body.contains("StartTime_") && !body.contains("\"input\":{\"StartTime<\""), "{body}");
}

#[test]
fn more_tools_than_a_provider_takes_are_told_and_not_sent() {
    let eval = Eval::new(Script::automatic());
    let mut server = eval.stdio("parts", Mode::ManyTools);
    server["args"].as_array_mut().expect("arguments").extend([json!("--tools"), json!("200")]);
    eval.write(
        &json!({ "parts": server }),
        &json!([case("one", json!({}))]),
        &json!({ "variants": [{ "name": "small", "model": "gpt-x" }, { "name": "large", "model": "claude-x" }] }),
    );
    let (finished, dir) = eval.run_expecting(&[], 3);
    assert!(
        finished.stderr.contains("openai takes at most 128 tools in a request, and the servers list 201"),
        "{}",
        finished.stderr
    );
    let asked = eval.provider.requests();
    assert!(!asked.is_empty() && asked.iter().all(|request| request.model.as_deref() == Some("claude-x")));
    let trials = dir.trials();
    let small = trials.iter().find(|(path, _)| path.contains("/small/")).expect("the trial is recorded");
    assert_eq!((&small.1["ending"]["broke"], &small.1["ending"]["retryable"]), (&json!("setup"), &json!(false)));
}

#[test]
#[ignore = "needs the shared folder"]
#[expect(clippy::disallowed_methods, reason = "the one setting of a test that needs others' files")]
fn real_surfaces_reach_every_provider() {
    let shared = std::env::var("MST_SHARED").expect("MST_SHARED names the folder with surfaces/");
    for name in ["twilio-alpha", "gitlab-ref", "notion", "playwright", "grafana", "home-assistant"] {
        let mut eval = Eval::new(Script::automatic());
        wire::with_google_login(&mut eval);
        let wires = wire::all(&eval.provider);
        let file = format!("{shared}/surfaces/{name}.json");
        let text = fs_err::read_to_string(&file).expect("a surface");
        let tools = serde_json::from_str::<Value>(&text).expect("JSON")["tools"].as_array().expect("tools").len();
        let more = json!({ "variants": wire::variants(&wires), "writes": { "parts": "unguarded" }, "maxToolCalls": 1 });
        eval.write(&json!({ "parts": listing(&eval, &file) }), &json!([case("one", json!({}))]), &more);
        let finished = eval.run_with(&[]);
        for (path, trial) in eval.newest().trials() {
            let limited =
                tools > 128 && trial["ending"]["reason"].as_str().is_some_and(|why| why.contains("takes at most"));
            let ended = trial["ending"]["kind"] == "trial" && trial["error"].is_null();
            assert!(limited || ended, "{name} {path}: {} {}\n{}", trial["ending"], trial["error"], finished.stderr);
        }
    }
}
