//! What a run makes of a server that asks, loses its session, takes no more requests or changes its tools.

use mst_testkit::{FakeMcpHttp, Mode, Reply, Rule, Script, ToolCall, When};
use serde_json::{Value, json};

use crate::eval::{Eval, case, looks_up, lookup, prompt};
use crate::run_dir::RunDir;

fn http(server: &FakeMcpHttp) -> Value {
    json!({ "transport": "http", "serverUrl": server.url() })
}

/// Runs one case against an entry.
fn run(entry: &Value, script: Script, more: &Value, code: i32) -> (Eval, RunDir, String) {
    let eval = Eval::new(script);
    eval.write(&json!({ "parts": entry }), &json!([case("bin", lookup())]), more);
    let (finished, dir) = eval.run_expecting(&[], code);
    (eval, dir, finished.stderr)
}

/// What the trial's record says of its server.
fn observed(dir: &RunDir) -> Value {
    dir.trial("bin")["clientDiagnostics"]["servers"][0].clone()
}

#[test]
fn what_a_server_asks_is_answered_from_its_entry_and_kept_with_the_trial() {
    let answers = json!({
        "elicitation": [{ "match": "size", "action": "accept", "content": { "size": "large" } }],
        "sampling": [{ "text": "bin 9" }], "roots": ["file:///work"],
    });
    for (mode, count) in [(Mode::AsksElicitation, 1), (Mode::ModernAsksMuch, 3)] {
        for over_http in [false, true] {
            let server = FakeMcpHttp::start_mode(mode);
            let eval = Eval::new(looks_up());
            let mut entry = if over_http { http(&server) } else { eval.stdio("parts", mode) };
            entry["answers"] = answers.clone();
            eval.write(&json!({ "parts": entry }), &json!([case("bin", lookup())]), &json!({}));
            let dir = eval.run(0);
            assert!(eval.results_told("bin")[0].contains(r#"{"size":"large"}"#), "{mode:?}");
            let requests = observed(&dir)["requests"].clone();
            assert_eq!(requests.as_array().map(Vec::len), Some(count), "{requests}");
            assert_eq!(
                requests[0],
                json!({ "method": "elicitation/create", "message": "Which size?", "outcome": "answered",
                    "answer": { "action": "accept", "content": { "size": "large" } } })
            );
        }
    }
}

#[test]
fn a_redacted_run_keeps_that_a_server_asked_and_not_what_was_said() {
    let server = FakeMcpHttp::start_mode(Mode::AsksElicitation);
    let mut entry = http(&server);
    entry["answers"] = json!({ "elicitation": [{ "action": "accept", "content": { "size": "secret-size" } }] });
    let (_eval, dir, _) = run(&entry, looks_up(), &json!({ "redactStoredResponses": true }), 0);
    assert_eq!(observed(&dir)["requests"], json!([{ "method": "elicitation/create", "outcome": "answered" }]));
    assert!(!dir.text().contains("secret-size"));
}

#[test]
fn what_nothing_answers_is_refused_and_told() {
    let server = FakeMcpHttp::start_mode(Mode::AsksSampling);
    let (eval, dir, stderr) = run(&http(&server), looks_up(), &json!({}), 0);
    assert_eq!(eval.results_told("bin"), [r#"the client answered: {"code":-32601,"message":"method not found"}"#]);
    assert_eq!(observed(&dir)["requests"][0]["outcome"], "refused");
    assert!(stderr.contains("parts asked for sampling/createMessage, which was refused"), "{stderr}");

    let server = FakeMcpHttp::start_mode(Mode::ModernAsks);
    let (eval, dir, _) = run(&http(&server), looks_up(), &json!({}), 0);
    assert!(eval.results_told("bin")[0].contains("nothing answers its elicitation/create"));
    assert_eq!(dir.events("bin")[0]["isError"], true);
    assert_eq!(dir.ending("bin"), json!({ "kind": "trial" }));
}

#[test]
fn a_lost_session_is_begun_again_once_and_the_trial_goes_on() {
    let server = FakeMcpHttp::start_mode(Mode::SessionLost);
    let (eval, dir, _) = run(&http(&server), looks_up(), &json!({}), 0);
    assert_eq!(eval.results_told("bin"), ["bin 7"]);
    let warnings = observed(&dir)["warnings"].to_string();
    assert!(warnings.contains("parts ended its session (HTTP 404); a new one was begun"), "{warnings}");

    let server = FakeMcpHttp::start_mode(Mode::SessionLostAlways);
    let (_eval, dir, _) = run(&http(&server), looks_up(), &json!({}), 0);
    let event = dir.events("bin").remove(0);
    assert_eq!(event["isError"], true);
    assert!(event["output"].as_str().is_none_or(|output| output.contains("404")), "{event}");
    assert_eq!(dir.ending("bin"), json!({ "kind": "trial" }));
}

#[test]
fn fc09_a_server_that_takes_no_more_requests_leaves_the_case_incomplete() {
    let server = FakeMcpHttp::start_mode(Mode::RateLimitedAlways);
    let (eval, dir, _) = run(&http(&server), looks_up(), &json!({}), 4);
    let ending = dir.ending("bin");
    let what = (&ending["kind"], &ending["broke"], &ending["retryable"]);
    assert_eq!(what, (&json!("infrastructure"), &json!("network"), &json!(true)), "{ending}");
    assert_eq!(dir.state("bin"), "incomplete");
    let asked = eval.provider.stats().requests;
    eval.run_with(&["--resume", &dir.id()]);
    assert!(eval.provider.stats().requests > asked, "a resume tries it again");
}

#[test]
fn a_token_that_is_refused_in_the_middle_ends_the_run_with_exit_5() {
    let call = |part: &str| Reply::tool(ToolCall::ending("lookup", json!({ "id": part })));
    let script = Script::strict().on(prompt("bin"), [call("p-1"), call("p-2"), Reply::text("never said")]);
    let server = FakeMcpHttp::start_mode(Mode::TokenExpires);
    let (eval, dir, _) = run(&http(&server), script, &json!({}), 5);
    let ending = dir.ending("bin");
    let what = (&ending["broke"], &ending["retryable"]);
    assert_eq!(what, (&json!("setup"), &json!(false)), "{ending}");
    assert_eq!(dir.events("bin").len(), 2, "what was called stays in the record");
    assert_eq!(eval.provider.stats().requests, 2, "the model is not asked again");
}

#[test]
fn fc11_each_trial_of_a_shared_session_sees_that_the_tools_changed() {
    let server = FakeMcpHttp::start_mode(Mode::ListChanged);
    let mut entry = http(&server);
    entry["session"] = json!("shared");
    let calls = |name: &str| Reply::tool(ToolCall::ending(name, json!({})));
    // The first trial's call changes the tools; the second trial is offered both from its first turn on.
    let script =
        Script::strict().rule(Rule::new(When::default(), [calls("list_notes"), Reply::text("ok")]).repeating());
    let eval = Eval::new(script);
    let cases = json!([case("one", json!({})), case("two", json!({}))]);
    eval.write(&json!({ "docs": entry }), &cases, &json!({ "concurrency": 1 }));
    let _dir = eval.run(0);
    let offered: Vec<usize> = eval.provider.requests().iter().map(|request| request.view().tools.len()).collect();
    assert_eq!(offered, [1, 2, 2, 2]);
}
