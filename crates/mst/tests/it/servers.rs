//! Servers that misbehave, over stdio and HTTP: what a run makes of them.

use std::time::Duration;

use mst_testkit::{FakeMcpHttp, Mode, Reply, Rule, Script, TestEnv, ToolCall, When};
use serde_json::{Value, json};

use crate::eval::{Eval, case, done, looks_up, lookup, prompt};
use crate::run_dir::RunDir;
use crate::wire;

/// How a run of one case against a server in a mode ended.
struct Seen {
    eval: Eval,
    dir: RunDir,
    stderr: String,
    wall: Duration,
}

fn run_stdio(mode: Mode, script: Script, code: i32) -> Seen {
    let eval = Eval::new(script);
    eval.write(&json!({ "parts": eval.stdio("parts", mode) }), &json!([case("bin", lookup())]), &json!({}));
    finish(eval, code)
}

fn run_http(server: &FakeMcpHttp, script: Script, code: i32) -> Seen {
    let eval = Eval::new(script);
    eval.write(&json!({ "parts": http(server) }), &json!([case("bin", lookup())]), &json!({}));
    finish(eval, code)
}

fn finish(eval: Eval, code: i32) -> Seen {
    let (finished, dir) = eval.run_expecting(&[], code);
    Seen { eval, dir, stderr: finished.stderr, wall: finished.wall }
}

fn http(server: &FakeMcpHttp) -> Value {
    json!({ "transport": "http", "serverUrl": server.url() })
}

/// Runs a mode over both transports and checks each with the same words.
fn over_both(mode: Mode, code: i32, check: impl Fn(&Seen, &str)) {
    check(&run_stdio(mode, looks_up(), code), "stdio");
    check(&run_http(&FakeMcpHttp::start_mode(mode), looks_up(), code), "http");
}

#[track_caller]
fn not_ready(seen: &Seen, retryable: bool, words: &[&str]) {
    let ending = seen.dir.ending("bin");
    let what = (&ending["kind"], &ending["broke"], &ending["retryable"]);
    assert_eq!(what, (&json!("infrastructure"), &json!("setup"), &json!(retryable)), "{ending}");
    let reason = ending["reason"].as_str().expect("a reason");
    for word in words {
        assert!(reason.contains(word), "{word:?} is not in {reason:?}");
    }
    assert_eq!(seen.dir.state("bin"), "incomplete");
    assert_eq!(seen.eval.provider.stats().requests, 0, "a model was asked");
}

#[test]
fn fc01_stray_lines_are_told_once_and_the_run_goes_on() {
    let seen = run_stdio(Mode::StrayLines, looks_up(), 0);
    assert_eq!(seen.dir.state("bin"), "pass");
    assert_eq!(seen.eval.results_told("bin"), ["bin 7"]);
    let told: Vec<&str> = seen.stderr.lines().filter(|line| line.contains("Starting parts server")).collect();
    assert!(!told.is_empty() && told.len() <= seen.eval.processes("parts"), "{}", seen.stderr);
    assert!(told[0].contains("parts") && told[0].contains(['4', '5']), "{}", told[0]);
}

#[test]
fn fc01_a_frame_glued_to_text_fails_its_call_with_the_line() {
    let eval = Eval::new(looks_up());
    let mut server = eval.stdio("parts", Mode::GluedFrame);
    server["callTimeoutMs"] = json!(2_000);
    eval.write(&json!({ "parts": server }), &json!([case("bin", lookup())]), &json!({}));
    let (finished, dir) = eval.run_expecting(&[], 0);
    assert!(finished.wall < Duration::from_secs(20), "{:?}", finished.wall);
    assert_eq!(dir.events("bin")[0]["isError"], true);
    let told = eval.results_told("bin").join(" ");
    assert!(told.contains("50%") && told != "bin 7", "{told}");
    assert_eq!(dir.ending("bin"), json!({ "kind": "trial" }));
    assert!(eval.processes("parts") <= 3, "respawned");
}

#[test]
fn fc03_a_server_that_never_answers_ends_the_batch_and_leaves_nothing() {
    let check = |seen: &Seen| {
        not_ready(seen, true, &["parts", "initialize"]);
        assert!((28..45).contains(&seen.wall.as_secs()), "{:?}", seen.wall);
    };
    std::thread::scope(|scope| {
        scope.spawn(|| check(&run_stdio(Mode::NeverAnswers, looks_up(), 4)));
        scope.spawn(|| check(&run_http(&FakeMcpHttp::start_mode(Mode::NeverAnswers), looks_up(), 4)));
    });
}

#[test]
fn fc03_a_server_that_dies_at_its_start_is_quoted() {
    let seen = run_stdio(Mode::DiesAtStart, looks_up(), 4);
    not_ready(&seen, true, &["parts", "3", "no configuration found"]);
    assert!(seen.wall < Duration::from_secs(15), "{:?}", seen.wall);
}

#[test]
fn fc03_a_server_that_dies_in_a_call_fails_the_call_at_once() {
    let twice = || ToolCall::ending("lookup", json!({ "id": "p-1" }));
    let replies = [Reply::tool(twice()), Reply::tool(twice()), Reply::text("It failed.")];
    let script = Script::strict().rule(Rule::new(When::default(), replies));
    let seen = run_stdio(Mode::DiesInCall, script, 0);
    let events = seen.dir.events("bin");
    assert_eq!(events.iter().map(|event| &event["isError"]).collect::<Vec<_>>(), [true, true]);
    let output = events[0]["output"].as_str().expect("a text");
    assert!(output.contains('3') && output.contains("panic: out of memory"), "{output}");
    assert_eq!(seen.dir.ending("bin")["kind"], "trial");
    assert!(seen.wall < Duration::from_secs(15), "{:?}", seen.wall);
}

#[test]
fn fc03_a_server_that_stays_is_ended_after_a_short_grace() {
    over_both(Mode::StaysAfterEof, 0, |seen, transport| {
        assert_eq!(seen.dir.state("bin"), "pass", "{transport}");
        assert!(seen.wall < Duration::from_secs(20), "{transport}: {:?}", seen.wall);
    });
}

#[test]
fn fc04_every_page_of_tools_is_presented() {
    over_both(Mode::PagesTwo, 0, |seen, transport| {
        let mut names: Vec<String> =
            seen.eval.provider.views()[0].tool_names().iter().map(ToString::to_string).collect();
        names.sort();
        assert_eq!(names, ["lookup", "other"], "{transport}");
        assert_eq!(seen.dir.state("bin"), "pass", "{transport}");
    });
}

#[test]
fn fc04_a_cursor_that_comes_back_is_not_ready() {
    over_both(Mode::PagesLoop, 4, |seen, _| not_ready(seen, true, &["parts", "c1"]));
}

#[test]
fn fc04_pages_without_end_are_capped() {
    over_both(Mode::PagesEndless, 4, |seen, _| not_ready(seen, true, &["parts"]));
}

#[test]
fn fc04_an_empty_cursor_ends_the_list_with_a_warning() {
    over_both(Mode::PagesEmptyCursor, 0, |seen, transport| {
        assert_eq!(seen.eval.provider.views()[0].tool_names(), ["lookup"], "{transport}");
        assert!((seen.stderr.clone() + &seen.dir.text()).contains("cursor"), "{transport}: {}", seen.stderr);
    });
}

#[test]
fn fc06_every_result_form_reaches_the_model_once() {
    let script = || {
        let call = |number| Reply::tool(ToolCall::ending("lookup", json!({ "id": format!("p-{number}") })));
        Script::strict().rule(Rule::new(When::default(), (1..=6).map(call).chain([Reply::text("done")])))
    };
    let over_http = FakeMcpHttp::start(mst_testkit::mcp::HttpOptions {
        mcp: mst_testkit::mcp::McpOptions {
            bytes: Some(60_000),
            ..mst_testkit::mcp::McpOptions::mode(Mode::ResultForms)
        },
        ..mst_testkit::mcp::HttpOptions::default()
    });
    for is_http in [false, true] {
        let mut eval = Eval::new(script());
        wire::with_google_login(&mut eval);
        let mut server = eval.stdio("parts", Mode::ResultForms);
        server["args"].as_array_mut().expect("arguments").extend([json!("--bytes"), json!("60000")]);
        let server = if is_http { http(&over_http) } else { server };
        let wires = wire::all(&eval.provider);
        let more = json!({ "variants": wire::variants(&wires), "maxToolCalls": 10 });
        eval.write(&json!({ "parts": server }), &json!([case("bin", json!({}))]), &more);
        let (finished, dir) = eval.run_expecting(&[], 0);
        for one in wires {
            let name = one.name;
            let request =
                eval.provider.requests().into_iter().rfind(|request| request.model.as_deref() == Some(one.model));
            let request = request.expect("the provider was asked");
            let results = request.view().tool_results;
            let texts: Vec<&str> = results.iter().map(|result| result.text.as_str()).collect();
            assert_eq!(texts.len(), 6, "{name}: {texts:?}");
            let says = |number: usize, words: &[&str]| {
                for word in words {
                    assert!(
                        texts[number].contains(word),
                        "{name}, result {number}: no {word:?} in {:.300}",
                        texts[number]
                    );
                }
            };
            says(0, &["no part p-1", "E404"]);
            says(1, &["bin", "7"]);
            says(2, &["BUSY", "retry_after"]);
            says(3, &["see picture"]);
            says(4, &["bin 7"]);
            says(5, &["file:///parts/p-1.txt", "p-1.txt"]);
            if let Some(is_error) = results[0].is_error {
                assert!(is_error && results[2].is_error == Some(true), "{name}: not marked as errors");
            }
            // Base64 of the picture's filling; as text it would cost tens of thousands of tokens.
            assert!(!texts[3].contains("WlpaWlpaWlpa"), "{name}: the picture is in the text");
            let bytes = request.raw.len();
            assert!(bytes < 100_000, "{name}: {bytes} bytes, the picture was sent twice");
            let events = crate::run_dir::events(&dir.trial_of(Some(name), "bin"));
            let failed: Vec<bool> = events.iter().map(|event| event["isError"] == true).collect();
            assert_eq!(failed, [true, false, true, false, false, false], "{name}");
        }
        let said = finished.stderr + &dir.text();
        assert!(said.contains("outputSchema") || said.contains("output schema"), "the server's defect is not told");
    }
}

#[test]
fn fc08_versions_are_negotiated() {
    let versions = |eval: &Eval| -> Vec<String> {
        let asked = eval.received("parts", "initialize");
        asked.iter().map(|message| message["params"]["protocolVersion"].as_str().unwrap_or("?").to_owned()).collect()
    };
    let seen = run_stdio(Mode::VersionOld, looks_up(), 0);
    assert!(seen.dir.text().contains("2024-11-05"), "the negotiated version is not stored");
    let over_http = FakeMcpHttp::start_mode(Mode::VersionRefused);
    let seen = run_http(&over_http, looks_up(), 0);
    assert_eq!(seen.dir.state("bin"), "pass");
    let tried: Vec<Value> = over_http.messages("initialize");
    assert!(tried.iter().any(|asked| asked["params"]["protocolVersion"] == "2025-03-26"), "{tried:?}");
    let seen = run_stdio(Mode::VersionRefused, looks_up(), 0);
    let tried = versions(&seen.eval);
    assert!(tried.contains(&"2025-03-26".to_owned()) && tried.len() <= 2 * seen.eval.processes("parts"), "{tried:?}");
    for (mode, words) in
        [(Mode::VersionUnknown, &["1999-01-01", "2025"][..]), (Mode::VersionMissing, &["protocolVersion"][..])]
    {
        over_both(mode, 4, |seen, transport| {
            not_ready(seen, true, words);
            assert!(seen.wall < Duration::from_secs(15), "{mode:?} over {transport}: {:?}", seen.wall);
        });
    }
}

#[test]
fn fc08_over_http_the_version_is_a_header_and_a_refusal_is_quoted() {
    let server = FakeMcpHttp::start_mode(Mode::VersionOld);
    run_http(&server, looks_up(), 0);
    let later = server
        .exchanges()
        .into_iter()
        .filter(|exchange| exchange.body["method"].as_str().is_some_and(|method| method != "initialize"));
    let headers: Vec<_> = later.map(|exchange| exchange.headers.get("mcp-protocol-version").cloned()).collect();
    assert!(headers.len() >= 3 && headers.iter().all(|header| header.as_deref() == Some("2024-11-05")), "{headers:?}");
    let server = FakeMcpHttp::start_mode(Mode::VersionText);
    let seen = run_http(&server, looks_up(), 4);
    not_ready(&seen, true, &["Unsupported protocol version"]);
    assert!(seen.wall < Duration::from_secs(15), "{:?}", seen.wall);
}

#[test]
fn a_server_of_the_stateless_era_works_too() {
    over_both(Mode::Modern, 0, |seen, transport| {
        assert_eq!(seen.dir.state("bin"), "pass", "{transport}");
        assert!(seen.dir.text().contains("2026-07-28"), "{transport}");
    });
}

#[test]
fn fc11_tools_that_may_write_stop_the_run_before_any_trial() {
    let http_server = FakeMcpHttp::start_mode(Mode::WriteHints);
    for is_http in [false, true] {
        let eval = Eval::new(looks_up());
        let server = if is_http { http(&http_server) } else { eval.stdio("docs", Mode::WriteHints) };
        eval.write(&json!({ "docs": server }), &json!([case("bin", lookup())]), &json!({}));
        let finished = eval.run_with(&[]);
        finished.expect_code(2);
        for name in ["docs", "save_note", "wipe", "peek"] {
            assert!(finished.stderr.contains(name), "{name}: {}", finished.stderr);
        }
        assert!(!finished.stderr.contains("list_notes"), "{}", finished.stderr);
        assert_eq!((eval.runs().len(), eval.provider.stats().requests), (0, 0));
        eval.write_config(
            &json!({ "docs": server_again(&eval, is_http, &http_server) }),
            &json!({ "writes": { "docs": "unguarded" } }),
        );
        eval.provider.set_script(Script::strict().on("Case", [Reply::text("ok")]));
        let (_, dir) = eval.run_expecting(&[], 1);
        assert_eq!(dir.run()["variants"][0]["writeModes"], json!({ "docs": "unguarded" }));
    }
}

fn server_again(eval: &Eval, is_http: bool, server: &FakeMcpHttp) -> Value {
    if is_http { http(server) } else { eval.stdio("docs", Mode::WriteHints) }
}

#[test]
fn fc11_a_tool_that_appears_later_is_not_called_and_not_retried() {
    let http_server = FakeMcpHttp::start_mode(Mode::ListChanged);
    for is_http in [false, true] {
        let replies =
            [Reply::tool(ToolCall::ending("list_notes", json!({}))), Reply::call("purge", json!({})), Reply::text("x")];
        let eval = Eval::new(Script::strict().on("Case", replies));
        let server = if is_http { http(&http_server) } else { eval.stdio("docs", Mode::ListChanged) };
        eval.write(&json!({ "docs": server }), &json!([case("bin", json!({}))]), &json!({}));
        let (_, dir) = eval.run_expecting(&[], 3);
        let ending = dir.ending("bin");
        assert_eq!((&ending["broke"], &ending["retryable"]), (&json!("setup"), &json!(false)), "{ending}");
        let reason = ending["reason"].as_str().expect("a reason");
        assert!(reason.contains("docs") && reason.contains("purge"), "{reason}");
        let called: Vec<String> = if is_http {
            http_server
                .messages("tools/call")
                .iter()
                .map(|call| call["params"]["name"].as_str().unwrap_or("?").to_owned())
                .collect()
        } else {
            eval.calls("docs").into_iter().map(|(name, _)| name).collect()
        };
        assert_eq!(called, ["list_notes"]);
        let asked = eval.provider.stats().requests;
        eval.run_with(&["--resume", &dir.id()]);
        assert_eq!(eval.provider.stats().requests, asked, "the trial was tried again");
    }
}

#[test]
fn a_server_over_http_is_the_same_as_over_stdio() {
    for (mode, sse) in [(Mode::Plain, false), (Mode::Plain, true), (Mode::Progress, false)] {
        let options = mst_testkit::mcp::HttpOptions {
            mcp: mst_testkit::mcp::McpOptions::mode(mode),
            sse,
            ..mst_testkit::mcp::HttpOptions::default()
        };
        let server = FakeMcpHttp::start(options);
        let seen = run_http(&server, looks_up(), 0);
        assert_eq!(seen.dir.state("bin"), "pass", "{mode:?}");
        assert_eq!(seen.eval.results_told("bin"), ["bin 7"], "{mode:?}");
        let recorded = seen.dir.run()["variants"][0]["servers"].clone();
        assert_eq!(recorded, json!([{ "label": "parts", "transport": "http", "url": server.url() }]));
    }
}

#[test]
fn a_server_that_cannot_be_reached_is_named_with_exit_4() {
    let eval = Eval::new(looks_up());
    let servers = [
        json!({ "transport": "http", "serverUrl": "http://127.0.0.1:9/mcp" }),
        json!({ "transport": "stdio", "command": "no-such-program-of-ours" }),
        http(&FakeMcpHttp::start_mode(Mode::Unavailable)),
        eval.stdio("none", Mode::NoTools),
    ];
    for server in servers {
        eval.write(&json!({ "parts": server }), &json!([case("bin", lookup())]), &json!({}));
        let (finished, dir) = eval.run_expecting(&[], 4);
        let ending = dir.ending("bin");
        assert_eq!(
            (&ending["kind"], &ending["broke"]),
            (&json!("infrastructure"), &json!("setup")),
            "{server}: {ending}"
        );
        assert!(finished.stderr.contains("parts"), "{}", finished.stderr);
    }
    assert_eq!(eval.provider.stats().requests, 0);
    assert_eq!(eval.asked(&prompt("bin")), 0);
}

#[test]
fn a_bearer_token_comes_from_the_variable_that_the_server_names() {
    let options = mst_testkit::mcp::HttpOptions { bearer: Some("tok-8Zq1".to_owned()), ..Default::default() };
    let server = FakeMcpHttp::start(options);
    let mut eval = Eval::new(Script::strict().rule(Rule::new(When::default(), done()).repeating()));
    let mut entry = http(&server);
    entry["auth"] = json!({ "accessTokenEnv": "PARTS_TOKEN" });
    eval.write(&json!({ "parts": entry }), &json!([case("bin", lookup())]), &json!({}));
    let unset = eval.run_with(&[]);
    unset.expect_code(5);
    assert!(unset.stderr.contains("PARTS_TOKEN"), "{}", unset.stderr);
    eval.env.write("secrets.env", "# for the tests\nPARTS_TOKEN=\"tok-8Zq1\"\n");
    let (_, dir) = eval.run_expecting(&["--secrets-file", "secrets.env"], 0);
    assert!(!dir.text().contains("tok-8Zq1"), "the token is stored");
    eval.env.set_variable("PARTS_TOKEN", "tok-wrong");
    let (_, dir) = eval.run_expecting(&[], 5);
    assert_eq!(dir.ending("bin")["broke"], "setup");
    assert!(TestEnv::mst().is_file());
}

#[test]
fn a_call_that_goes_wrong_is_an_event_of_a_trial_over_either_transport() {
    let table = [
        (Mode::Busy, true, "429 slow down"),
        (Mode::RpcError, true, "the parts store is on fire"),
        (Mode::MalformedResult, false, "not a list"),
        (Mode::HangsInCall, true, "1.5 s"),
        (Mode::UnknownId, true, "1.5 s"),
        (Mode::DiesInCall, true, ""),
        (Mode::DuplicateReply, false, "bin 7"),
        (Mode::LoneSurrogate, false, "\u{fffd}"),
        (Mode::BigResult, false, "xxxx"),
        (Mode::ResultMixed, false, "that is all"),
        (Mode::ResultEmpty, false, ""),
        (Mode::ExtraFields, false, "bin 7"),
        (Mode::AsksPing, false, ""),
        (Mode::Progress, false, "bin 7"),
        (Mode::ManyTools, false, "bin 7"),
        (Mode::HostileText, false, "</script>"),
    ];
    let over_http: Vec<FakeMcpHttp> = table.iter().map(|(mode, ..)| FakeMcpHttp::start_mode(*mode)).collect();
    for is_http in [false, true] {
        let eval = Eval::new(looks_up());
        let mut servers = json!({});
        for ((mode, ..), server) in table.iter().zip(&over_http) {
            let mut entry = if is_http { http(server) } else { eval.stdio(&mode.name(), *mode) };
            entry["callTimeoutMs"] = json!(1_500);
            servers[mode.name()] = entry;
        }
        let variants: Value =
            table.iter().map(|(mode, ..)| json!({ "name": mode.name(), "servers": [mode.name()] })).collect();
        eval.write(&servers, &json!([case("bin", lookup())]), &json!({ "variants": variants }));
        let dir = eval.run(0);
        for (mode, is_error, word) in table {
            let name = mode.name();
            if is_http && mode == Mode::DuplicateReply {
                // Two messages in one body are none.
                continue;
            }
            let trial = dir.trial_of(Some(&name), "bin");
            assert_eq!(trial["ending"], json!({ "kind": "trial" }), "{name}, HTTP {is_http}: {trial}");
            let event = crate::run_dir::events(&trial).remove(0);
            assert_eq!(event["isError"], json!(is_error), "{name}, HTTP {is_http}: {event:.400}");
            let output = event["output"].as_str().expect("a text");
            assert!(output.contains(word), "{name}, HTTP {is_http}: {output:.400}");
        }
    }
}

#[test]
fn a_list_that_cannot_be_read_is_not_ready() {
    over_both(Mode::MalformedList, 4, |seen, _| not_ready(seen, true, &["parts"]));
}
