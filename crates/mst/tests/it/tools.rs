//! `mst tools`: what a server lists, for people and for programs.

use std::path::Path;

use mst_testkit::mcp::FakeMcpHttp;
use mst_testkit::{Finished, Mode, TestEnv, fake_binary};
use serde_json::json;

/// Runs `mst tools` with the fake server of a mode behind `--`.
fn tools(env: &TestEnv, flags: &[&str], mode: Mode) -> Finished {
    let fake = fake_binary().display().to_string();
    let name = mode.name();
    let server = ["--", &fake, "mcp", "--mode", &name];
    mst(env, &[&["tools"], flags, &server].concat())
}

fn mst(env: &TestEnv, arguments: &[&str]) -> Finished {
    let finished = env.run(&TestEnv::mst(), arguments);
    assert!(!finished.stderr.contains("panicked at"), "{}", finished.stderr);
    finished
}

fn streams(env: &TestEnv, finished: &Finished) -> String {
    env.normalise(&format!("{}--\n{}", finished.stdout, finished.stderr))
}

#[test]
fn a_surface_is_listed_with_what_each_tool_may_do_and_costs() {
    let env = TestEnv::new();
    let finished = tools(&env, &[], Mode::WriteHints);
    finished.expect_code(0);
    insta::assert_snapshot!(streams(&env, &finished), @"
    fake 1, protocol 2025-11-25
    4 tools (1 read-only, 2 write, 1 destructive); definitions: about 130 tokens, estimated as bytes / 4

    list_notes: read-only, about 26 tokens
      List the notes.

    save_note: write, about 36 tokens
      Save a note.
        note: string, required

    wipe: destructive, about 34 tokens
      Wipe a note.
        note: string, required

    peek: write, about 35 tokens
      Peek at a note.
        note: string, required
    --
    ");
}

#[test]
fn json_holds_the_tools_exactly_as_sent() {
    let env = TestEnv::new();
    let finished = tools(&env, &["--json"], Mode::ExtraFields);
    finished.expect_code(0);
    let value = finished.json();
    let lookup = &value["tools"][0];
    assert_eq!((&lookup["x-vendor"]["tags"], &lookup["annotations"]["x-cost"]), (&json!(["a", null]), &json!(0.5)));
    assert_eq!(value["server"]["protocolVersion"], "2025-11-25");
    let measured = &value["measured"];
    assert_eq!((&measured["toolCount"], &measured["definitionTokensSource"]), (&json!(2), &json!("estimated")));
    let bytes = measured["definitionBytes"].as_f64().expect("a number");
    assert_eq!(measured["definitionTokens"].as_f64(), Some(bytes / 4.0));
}

#[test]
fn oddities_of_a_server_are_warnings() {
    let env = TestEnv::new();
    let finished = tools(&env, &["--json"], Mode::StrayLines);
    finished.expect_code(0);
    let value = finished.json();
    let warning = value["warnings"][0].as_str().expect("a warning");
    assert!(warning.contains("wrote 4 lines to stdout that are no protocol messages"), "{warning}");
    assert!(finished.stderr.contains(warning), "{}", finished.stderr);
    let empty = tools(&env, &[], Mode::NoTools);
    empty.expect_code(0);
    assert!(empty.stdout.contains("\n0 tools; definitions: about 0 tokens"), "{}", empty.stdout);
}

#[test]
fn a_server_that_does_not_start_is_exit_4_with_its_last_words() {
    let env = TestEnv::new();
    let finished = tools(&env, &["--json"], Mode::DiesAtStart);
    finished.expect_code(4);
    let error = finished.json()["error"].clone();
    assert_eq!(error["class"], "server");
    let message = error["message"].as_str().expect("a message");
    assert!(message.ends_with("its stderr ends with: fatal: no configuration found"), "{message}");
    let absent = mst(&env, &["tools", "--", "no-such-program"]);
    absent.expect_code(4);
    assert!(absent.stderr.contains("no-such-program could not be started"), "{}", absent.stderr);
}

#[test]
fn fc35_what_a_server_prints_of_its_secrets_is_not_shown() {
    let env = TestEnv::new();
    let script = "echo got $API_TOKEN >&2; exit 3";
    let finished = mst(&env, &["tools", "--env", "API_TOKEN=planted-secret-1", "--", "sh", "-c", script]);
    assert_eq!(finished.code, Some(4), "{}", finished.stderr);
    assert!(finished.stderr.contains("got [REDACTED]"), "{}", finished.stderr);

    let server = json!({ "command": "sh", "args": ["-c", "echo $0 >&2; exit 3", "--token=planted-secret-2"] });
    env.write_json(".mcp.json", &json!({ "mcpServers": { "echoing": server } }));
    let finished = mst(&env, &["init", "--from", ".mcp.json"]);
    assert_eq!(finished.code, Some(4), "{}", finished.stderr);
    assert!(!finished.stderr.contains("planted-secret"), "{}", finished.stderr);
}

#[test]
fn a_url_and_an_eval_config_name_servers_too() {
    let server = FakeMcpHttp::start_mode(Mode::Plain);
    let env = TestEnv::new().with_variable("NO_PROXY", "127.0.0.1");
    mst(&env, &["tools", "--url", &server.url()]).expect_code(0);
    assert!(server.messages("tools/call").is_empty());

    let stdio = mst_testkit::mcp::stdio_entry(Mode::WriteHints, None);
    let servers = json!({ "parts": { "transport": "http", "serverUrl": server.url() }, "notes": stdio });
    env.write_json("cases.json", &json!({ "name": "c", "cases": [{ "id": "a", "input": "Hello" }] }));
    env.write_json(
        "eval.json",
        &json!({ "name": "e", "datasets": ["cases.json"], "client": "api", "servers": servers }),
    );
    let several = mst(&env, &["tools", "-c", "eval.json"]);
    several.expect_code(2);
    assert!(several.stderr.contains("several servers: parts, notes"), "{}", several.stderr);
    let misspelt = mst(&env, &["tools", "-c", "eval.json", "--server", "note"]);
    misspelt.expect_code(2);
    assert!(misspelt.stderr.contains("did you mean \"notes\"?"), "{}", misspelt.stderr);
    let notes = mst(&env, &["tools", "-c", "eval.json", "--server", "notes"]);
    notes.expect_code(0);
    assert!(notes.stdout.contains("wipe: destructive"), "{}", notes.stdout);
}

#[test]
fn what_cannot_be_meant_is_exit_2() {
    let env = TestEnv::new();
    for (arguments, want) in [
        (vec!["tools"], "which server?"),
        (vec!["tools", "--url", "ftp://127.0.0.1/"], "an http or https URL, not ftp"),
        (vec!["tools", "--url", "nonsense"], "--url: "),
        (vec!["tools", "--url", "http://127.0.0.1:1/", "--env", "A=b"], "--env and --cwd are for a server"),
        (vec!["tools", "--env", "A", "--", "x"], "--env takes NAME=VALUE"),
        (vec!["tools", "--cwd", "nowhere", "--", "x"], "nowhere is not a directory"),
        (vec!["tools", "--server", "a", "--", "x"], "--config"),
    ] {
        let finished = mst(&env, &arguments);
        finished.expect_code(2);
        assert!(finished.stderr.contains(want), "{arguments:?}: {}", finished.stderr);
    }
}

#[test]
fn a_missing_token_is_exit_5_and_names_the_variable() {
    let env = TestEnv::new();
    let finished = mst(&env, &["tools", "--url", "http://127.0.0.1:1/mcp", "--token-env", "PARTS_TOKEN"]);
    finished.expect_code(5);
    assert!(finished.stderr.contains("PARTS_TOKEN is not set"), "{}", finished.stderr);
}

#[test]
fn env_and_cwd_reach_the_server_and_nothing_else_is_left() {
    let env = TestEnv::new();
    env.write("there/mark", "");
    let fake = fake_binary().display().to_string();
    let script = format!("[ -e mark ] && [ \"$PARTS_MODE\" = x ] && exec '{fake}' mcp --mode plain");
    let arguments = ["tools", "--cwd", "there", "--env", "PARTS_MODE=x", "--", "sh", "-c", &script];
    mst(&env, &arguments).expect_code(0);
    assert!(Path::new(&env.path("there/mark")).exists());
}
