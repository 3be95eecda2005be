//! Every mode over stdio: a handshake, a list and a call, and what is peculiar to the mode.

use mst_testkit::mcp::Mode;
use mst_testkit::{TestEnv, mcp};
use serde_json::{Value, json};

use crate::fake_program::FakeProgram;

/// Starts the fake in a mode with a log.
pub(crate) fn start(env: &TestEnv, mode: Mode, more: &[&str]) -> FakeProgram {
    let log = env.path("server.log");
    let arguments = mcp::stdio_arguments(mode, Some(&log));
    let mut arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    arguments.extend(more);
    FakeProgram::start(env, &arguments)
}

fn request(id: u32, method: &str, params: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

/// Sends a request and reads lines up to its answer, skipping what is no message.
fn ask(fake: &mut FakeProgram, id: u32, method: &str, params: &Value) -> Value {
    fake.send(&request(id, method, params));
    loop {
        let line = fake.line().unwrap_or_else(|| panic!("{method} was not answered"));
        match serde_json::from_str::<Value>(&line) {
            Ok(message) if message["id"] == id && message.get("method").is_none() => return message,
            _ => {}
        }
    }
}

fn initialize(fake: &mut FakeProgram) -> Value {
    let params =
        json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}});
    ask(fake, 1, "initialize", &params)
}

fn call(fake: &mut FakeProgram, id: u32, name: &str) -> Value {
    ask(fake, id, "tools/call", &json!({"name": name, "arguments": {"id": "p-1"}}))
}

fn names(listed: &Value) -> Vec<String> {
    let tools = listed["result"]["tools"].as_array().cloned().unwrap_or_default();
    tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

/// What a mode answers to the first call of `lookup`, found by a pointer.
const CALLS: &[(Mode, &str, &str)] = &[
    (Mode::Plain, "/result/content/0/text", "bin 7"),
    (Mode::NoArguments, "/result/content/0/text", "bin 7"),
    (Mode::StrayLines, "/result/content/0/text", "bin 7"),
    (Mode::PagesTwo, "/result/content/0/text", "bin 7"),
    (Mode::ResultErrorCoded, "/result/structuredContent/code", "E404"),
    (Mode::ResultErrorStructured, "/result/structuredContent/code", "BUSY"),
    (Mode::ResultForms, "/result/structuredContent/code", "E404"),
    (Mode::ResultImage, "/result/content/1/mimeType", "image/png"),
    (Mode::ResultUnstructured, "/result/content/0/text", "bin 7"),
    (Mode::ResultLink, "/result/content/0/type", "resource_link"),
    (Mode::ResultMixed, "/result/content/2/type", "hologram"),
    (Mode::Busy, "/result/content/0/text", "429 slow down"),
    (Mode::RpcError, "/error/message", "the parts store is on fire"),
    (Mode::MalformedResult, "/result/content", "not a list"),
    (Mode::Progress, "/result/content/0/text", "bin 7"),
    (Mode::DuplicateReply, "/result/content/0/text", "bin 7"),
    (Mode::ExtraFields, "/result/content/0/x-font", "mono"),
    (Mode::Schemas, "/result/content/0/text", "bin 7"),
    (Mode::ManyTools, "/result/content/0/text", "bin 7"),
    (Mode::VersionOld, "/result/content/0/text", "bin 7"),
    (Mode::Vanishing, "/result/content/0/text", "bin 7"),
    (Mode::NoTools, "/error/message", "Unknown tool: lookup"),
];

#[test]
fn calls_are_answered_as_the_mode_says() {
    for (mode, pointer, expected) in CALLS {
        let env = TestEnv::new();
        let mut fake = start(&env, *mode, &[]);
        initialize(&mut fake);
        let answer = call(&mut fake, 2, "lookup");
        assert_eq!(answer.pointer(pointer), Some(&json!(expected)), "{}: {answer}", mode.name());
        assert_eq!(fake.wait(), Some(0), "{}", mode.name());
        let calls =
            env.read_lines("server.log").into_iter().filter(|line| line["in"]["method"] == "tools/call").count();
        assert_eq!(calls, 1, "{}", mode.name());
    }
}

#[test]
fn tools_are_listed_as_the_mode_says() {
    let long = "x".repeat(70);
    let cases: [(Mode, Vec<&str>); 8] = [
        (Mode::Plain, vec!["lookup", "echo"]),
        (Mode::NoTools, vec![]),
        (Mode::WriteHints, vec!["list_notes", "save_note", "wipe", "peek"]),
        (Mode::Schemas, vec!["lookup", "t_ref", "t_rec", "t_root", "t_any", "t_out", "t_all", "t_far"]),
        (Mode::Names, vec!["search", "docs.search", "docs/search", "docs_search", "検索", &long]),
        (Mode::OtherNames, vec!["search"]),
        (Mode::ListChanged, vec!["list_notes"]),
        (Mode::ExtraFields, vec!["lookup", "echo"]),
    ];
    for (mode, expected) in cases {
        let env = TestEnv::new();
        let mut fake = start(&env, mode, &[]);
        initialize(&mut fake);
        assert_eq!(names(&ask(&mut fake, 2, "tools/list", &json!({}))), expected, "{}", mode.name());
    }
}

#[test]
fn pages_go_on_as_the_mode_says() {
    let env = TestEnv::new();
    let cases = [
        (Mode::PagesTwo, "p2", json!({"nextCursor": "p2"}), json!({})),
        (Mode::PagesLoop, "c1", json!({"nextCursor": "c1"}), json!({"nextCursor": "c1"})),
        (Mode::PagesEmptyCursor, "", json!({"nextCursor": ""}), json!({"nextCursor": ""})),
        (Mode::PagesEndless, "1", json!({"nextCursor": "1"}), json!({"nextCursor": "2"})),
    ];
    for (mode, cursor, first, second) in cases {
        let mut fake = start(&env, mode, &[]);
        let one = ask(&mut fake, 1, "tools/list", &json!({}));
        let two = ask(&mut fake, 2, "tools/list", &json!({"cursor": cursor}));
        assert_eq!(
            (one["result"].get("nextCursor"), two["result"].get("nextCursor")),
            (first.get("nextCursor"), second.get("nextCursor"))
        );
    }
    let mut fake = start(&env, Mode::ManyTools, &["--tools", "5", "--page-size", "4"]);
    let one = ask(&mut fake, 1, "tools/list", &json!({}));
    let two = ask(&mut fake, 2, "tools/list", &json!({"cursor": one["result"]["nextCursor"]}));
    assert_eq!((names(&one).len(), names(&two).len(), two["result"].get("nextCursor")), (4, 2, None));
}

#[test]
fn versions_are_answered_as_the_mode_says() {
    let env = TestEnv::new();
    let cases = [
        (Mode::Plain, Some(json!("2025-06-18"))),
        (Mode::VersionOld, Some(json!("2024-11-05"))),
        (Mode::VersionUnknown, Some(json!("1999-01-01"))),
        (Mode::VersionMissing, None),
    ];
    for (mode, version) in cases {
        let answer = initialize(&mut start(&env, mode, &[]));
        assert_eq!(answer["result"].get("protocolVersion"), version.as_ref(), "{}", mode.name());
    }
    let mut fake = start(&env, Mode::VersionRefused, &[]);
    let refused = initialize(&mut fake);
    assert_eq!(
        (&refused["error"]["code"], &refused["error"]["data"]["supported"]),
        (&json!(-32602), &json!(["2025-03-26"]))
    );
    let again = ask(&mut fake, 2, "initialize", &json!({"protocolVersion": "2025-03-26"}));
    assert_eq!(again["result"]["protocolVersion"], "2025-03-26");
}

#[test]
fn the_stateless_server_takes_requests_of_its_version_only() {
    let env = TestEnv::new();
    let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}});
    let mut fake = start(&env, Mode::ModernAsks, &[]);
    let refused = initialize(&mut fake);
    assert_eq!(
        (&refused["error"]["code"], &refused["error"]["data"]["supported"]),
        (&json!(-32022), &json!(["2026-07-28"]))
    );
    let found = ask(&mut fake, 2, "server/discover", &json!({"_meta": meta}));
    assert_eq!(found["result"]["supportedVersions"], json!(["2026-07-28"]));
    assert_eq!(ask(&mut fake, 3, "tools/list", &json!({}))["error"]["code"], -32022);
    assert_eq!(names(&ask(&mut fake, 4, "tools/list", &json!({"_meta": meta}))), ["lookup", "echo"]);
    let asked = ask(&mut fake, 5, "tools/call", &json!({"_meta": meta, "name": "lookup"}));
    assert_eq!(asked["result"]["resultType"], "input_required");
    let params = json!({"_meta": meta, "name": "lookup", "inputResponses": {"size": {"action": "decline"}}, "requestState": "state-1"});
    let done = ask(&mut fake, 6, "tools/call", &params);
    assert!(done["result"]["content"][0]["text"].as_str().unwrap().contains("decline"), "{done}");
}

#[test]
fn lists_change_as_the_mode_says() {
    let env = TestEnv::new();
    let mut fake = start(&env, Mode::ListChanged, &[]);
    assert_eq!(initialize(&mut fake)["result"]["capabilities"]["tools"]["listChanged"], true);
    fake.send(&request(2, "tools/call", &json!({"name": "list_notes"})));
    assert_eq!(fake.json()["method"], "notifications/tools/list_changed");
    assert_eq!(fake.json()["id"], 2);
    assert_eq!(names(&ask(&mut fake, 3, "tools/list", &json!({}))), ["list_notes", "purge"]);
    let mut fake = start(&env, Mode::Vanishing, &[]);
    assert_eq!(names(&ask(&mut fake, 1, "tools/list", &json!({}))), ["lookup", "echo"]);
    assert_eq!(names(&ask(&mut fake, 2, "tools/list", &json!({}))), ["echo"]);
}

#[test]
fn a_call_waits_for_what_the_client_is_asked() {
    let env = TestEnv::new();
    let cases = [
        (Mode::AsksElicitation, "elicitation/create"),
        (Mode::AsksSampling, "sampling/createMessage"),
        (Mode::AsksRoots, "roots/list"),
        (Mode::AsksPing, "ping"),
    ];
    for (mode, method) in cases {
        let mut fake = start(&env, mode, &[]);
        fake.send(&request(7, "tools/call", &json!({"name": "lookup"})));
        let asked = fake.json();
        assert_eq!(asked["method"], method);
        fake.send(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": {"mark": 42}}));
        let answer = fake.json();
        assert_eq!(
            (&answer["id"], &answer["result"]["content"][0]["text"]),
            (&json!(7), &json!("the client answered: {\"mark\":42}"))
        );
    }
}

#[test]
fn lines_are_broken_as_the_mode_says() {
    let env = TestEnv::new();
    let mut fake = start(&env, Mode::StrayLines, &[]);
    let before: Vec<_> = (0..4).filter_map(|_| fake.line()).collect();
    assert_eq!(before, ["Starting parts server...", "", "{\"level\":\"info\",\"msg\":\"up\"}", "42"]);
    fake.send(&request(1, "tools/call", &json!({"name": "lookup"})));
    assert_eq!(fake.line().as_deref(), Some("[cache] miss"));

    let mut fake = start(&env, Mode::GluedFrame, &[]);
    fake.send(&request(1, "tools/call", &json!({"name": "lookup"})));
    assert!(fake.line().unwrap().starts_with("50%{\"jsonrpc\""));

    for mode in [Mode::LoneSurrogate, Mode::HostileText] {
        let mut fake = start(&env, mode, &[]);
        fake.send(&request(1, "tools/call", &json!({"name": "lookup"})));
        let line = fake.line().unwrap();
        assert!(line.contains(r"\ud800") && serde_json::from_str::<Value>(&line).is_err(), "{line}");
    }
    let mut fake = start(&env, Mode::UnknownId, &[]);
    fake.send(&request(1, "tools/call", &json!({"name": "lookup"})));
    assert_eq!(fake.json()["id"], "nobody-asked");
    let mut fake = start(&env, Mode::BigResult, &["--bytes", "5000"]);
    assert!(call(&mut fake, 1, "lookup").to_string().len() > 5000);
}

#[test]
fn the_environment_is_printed_in_every_spelling() {
    let env = TestEnv::new().with_variable("DOCS_API_TOKEN", "tk/9+Xc=31aa");
    let text = call(&mut start(&env, Mode::Environment, &[]), 1, "lookup").to_string();
    for spelling in
        ["DOCS_API_TOKEN=tk/9+Xc=31aa", r"tk\\/9+Xc=31aa", "tk%2F9%2BXc%3D31aa", "Basic Ym90OnRrLzkrWGM9MzFhYQ=="]
    {
        assert!(text.contains(spelling), "{spelling} in {text}");
    }
}

#[test]
fn what_a_table_cannot_say_about_a_call() {
    let env = TestEnv::new();
    let mut fake = start(&env, Mode::FailsSecond, &[]);
    let failed: Vec<bool> = (1..4).map(|id| call(&mut fake, id, "lookup")["result"].get("isError").is_some()).collect();
    assert_eq!(failed, [false, true, false]);
    let mut fake = start(&env, Mode::NoArguments, &[]);
    assert_eq!(call(&mut fake, 1, "ping")["result"]["content"][0]["text"], "open");
    let answer = call(&mut start(&env, Mode::ResultStructured, &[]), 1, "lookup");
    assert_eq!(answer["result"], json!({"content": [], "structuredContent": {"bin": 7}}));
    let answer = call(&mut start(&env, Mode::ResultEmpty, &[]), 1, "lookup");
    assert_eq!(answer["result"], json!({"content": []}));
    let answer = ask(&mut start(&env, Mode::MalformedList, &[]), 1, "tools/list", &json!({}));
    assert_eq!(answer["result"], json!({"tools": {"lookup": "not a list"}}));
    let mut fake = start(&env, Mode::ListChangedQuietly, &[]);
    fake.send(&request(1, "tools/call", &json!({"name": "list_notes"})));
    assert_eq!(fake.json()["id"], 1);
    assert_eq!(names(&ask(&mut fake, 2, "tools/list", &json!({}))), ["list_notes", "purge"]);
}

#[test]
fn some_modes_keep_silent() {
    let env = TestEnv::new();
    for (mode, method) in [(Mode::Silent, "initialize"), (Mode::HangsInCall, "tools/call")] {
        let mut fake = start(&env, mode, &[]);
        fake.send(&request(1, method, &json!({"name": "lookup", "protocolVersion": "2025-06-18"})));
        fake.send(&request(2, "ping", &json!({})));
        assert_eq!(fake.json()["id"], 2, "{}", mode.name());
        assert_eq!(fake.wait(), Some(0));
    }
}

#[test]
fn every_mode_has_a_name_of_its_own() {
    let mut names: Vec<String> = Mode::all().iter().map(|mode| mode.name()).collect();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), Mode::all().len());
}
