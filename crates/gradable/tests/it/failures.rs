//! Scans that give no score.

use std::path::Path;

use mst_testkit::mcp::stdio_arguments;
use mst_testkit::{Mode, TestEnv, fake_binary};
use serde_json::json;

use crate::support::{files, gradable, run, scan_mode, scan_tools, three_tools};

#[test]
fn a_server_that_does_not_start_is_a_failed_scan_with_its_last_words() {
    let env = TestEnv::new();
    let finished = scan_mode(&env, &["--json"], Mode::DiesAtStart);
    finished.expect_code(4);
    let failed = finished.json();
    assert_eq!(failed, env.read_json("out/failed.json"));
    assert_eq!((&failed["format"], &failed["stage"]), (&json!("gradable.failed/v1"), &json!("ingest")));
    let reason = failed["reason"].as_str().expect("a reason");
    assert!(reason.ends_with("its stderr ends with: fatal: no configuration found"), "{reason}");
    assert!(failed.get("score").is_none());
    let absent = run(&env, &["scan", "--out", "absent", "--", "no-such-program"]);
    absent.expect_code(4);
    assert!(absent.stderr.contains("no-such-program could not be started"), "{}", absent.stderr);
}

#[test]
fn a_server_that_never_answers_is_given_up_and_leaves_nothing() {
    for mode in [Mode::NeverAnswers, Mode::Silent, Mode::Runaway] {
        let env = TestEnv::new();
        let finished = scan_mode(&env, &["--timeout", "2"], mode);
        let code = if mode == Mode::Runaway { 0 } else { 4 };
        finished.expect_code(code);
        assert_eq!(files(&env, "out").contains(&"failed.json".to_owned()), code == 4);
    }
}

#[test]
fn a_server_that_lists_nothing_is_a_failed_scan() {
    let env = TestEnv::new();
    scan_mode(&env, &[], Mode::NoTools).expect_code(4);
    assert_eq!(files(&env, "out"), ["failed.json"]);
    let finished = scan_tools(&TestEnv::new(), &["--json"], &json!([{ "title": "no name" }]));
    finished.expect_code(4);
    assert_eq!(finished.json()["target"]["transport"], "file");
}

#[test]
fn a_missing_token_is_exit_5() {
    let env = TestEnv::new();
    let finished =
        run(&env, &["scan", "--out", "out", "--url", "http://127.0.0.1:1/mcp", "--token-env", "PARTS_TOKEN"]);
    finished.expect_code(5);
    assert!(env.read_json("out/failed.json")["reason"].to_string().contains("PARTS_TOKEN is not set"));
}

#[test]
fn an_earlier_report_is_not_left_as_the_result_of_a_failed_scan() {
    let env = TestEnv::new();
    scan_tools(&env, &[], &three_tools()).expect_code(0);
    let before = env.read("out/report.json");
    scan_tools(&env, &[], &json!([])).expect_code(4);
    assert_eq!(files(&env, "out"), ["failed.json", "report.previous.json"]);
    assert_eq!(env.read("out/report.previous.json"), before);
    scan_tools(&env, &[], &three_tools()).expect_code(0);
    assert_eq!(files(&env, "out"), ["fix.md", "report.html", "report.json", "report.md", "surface.json"]);
}

#[test]
fn a_report_of_another_server_is_replaced_only_by_force() {
    let env = TestEnv::new();
    scan_tools(&env, &[], &three_tools()).expect_code(0);
    let refused = scan_tools(&env, &["--name", "other"], &three_tools());
    refused.expect_code(2);
    assert!(refused.stderr.contains("out holds the report of another server, \"parts\""), "{}", refused.stderr);
    scan_tools(&env, &["--name", "other", "--force"], &three_tools()).expect_code(0);
    assert_eq!(env.read_json("out/report.json")["target"]["name"], "other");
}

#[test]
fn an_interrupted_scan_ends_its_server_and_leaves_what_was_there() {
    let env = TestEnv::new();
    scan_tools(&env, &[], &three_tools()).expect_code(0);
    let before = files(&env, "out");
    let server = stdio_arguments(Mode::Silent, Some(&env.path("log"))).join(" ");
    let script = format!(
        "{gradable} scan --out out --name parts -- {fake} {server} & scan=$!
         while [ ! -s log ]; do sleep 0.05; done
         kill -TERM $scan; wait $scan",
        gradable = gradable().display(),
        fake = fake_binary().display(),
    );
    let finished = env.run(Path::new("sh"), ["-c", &script]);
    finished.expect_code(130);
    assert_eq!(files(&env, "out"), before);
}
