//! `gradable verify`: a report against its data and against the surface that it is of.

use mst_testkit::mcp::stdio_arguments;
use mst_testkit::{Mode, TestEnv, fake_binary};
use serde_json::{Value, json};

use crate::support::{methods, run, scan_mode, scan_tools, three_tools};

fn surface(env: &TestEnv, tools: &Value) {
    env.write_json("other.json", &json!({ "tools": tools }));
}

#[test]
fn a_live_server_is_listed_again_and_no_tool_is_called() {
    let env = TestEnv::new();
    scan_mode(&env, &[], Mode::Plain).expect_code(0);
    let (fake, log) = (fake_binary().display().to_string(), env.path("log"));
    let server = stdio_arguments(Mode::Plain, Some(&log));
    let server: Vec<&str> = server.iter().map(String::as_str).collect();
    let finished = run(&env, &[&["verify", "out", "--json", "--", &fake], server.as_slice()].concat());
    finished.expect_code(0);
    let found = finished.json();
    assert_eq!((&found["verified"], &found["surface"]["same"]), (&json!(true), &json!(true)));
    assert_eq!(found["surface"]["found"], env.read_json("out/report.json")["target"]["surfaceHash"]);
    assert!(!methods(&env).contains(&"tools/call".to_owned()));
}

#[test]
fn a_surface_that_moved_on_is_told_tool_by_tool() {
    let env = TestEnv::new();
    scan_tools(&env, &[], &three_tools()).expect_code(0);
    let mut tools = three_tools();
    tools[0]["name"] = json!("fetch_part");
    tools[1]["description"] = json!("Updates the bin or the weight of a part.");
    surface(&env, &tools);
    let finished = run(&env, &["verify", "out", "--surface", "other.json"]);
    finished.expect_code(1);
    let (_, told) = finished.stdout.split_once("everything in it agrees.\n").expect("the report agrees with itself");
    insta::assert_snapshot!(told, @"
    The surface is another than that of the report:
      added: fetch_part
      removed: get_part
      changed: update_part
    A report speaks of the surface that it was made of. Scan again for one of this surface.
    ");
}

#[test]
fn a_change_that_a_report_cannot_show_is_told_too() {
    let env = TestEnv::new();
    scan_tools(&env, &[], &three_tools()).expect_code(0);
    let mut tools = three_tools();
    tools[1]["description"] = json!("Change part");
    tools[1]["description"] = json!("Update trap");
    surface(&env, &tools);
    let finished = run(&env, &["verify", "out", "--surface", "other.json"]);
    finished.expect_code(1);
    assert!(finished.stdout.contains("the same tools of the same size"), "{}", finished.stdout);
}

#[test]
fn flags_of_a_report_are_checked_against_the_declaration() {
    let env = TestEnv::new();
    scan_tools(&env, &[], &three_tools()).expect_code(0);
    let mut report = env.read_json("out/report.json");
    let called = report["harness"]["baseline"]["results"]
        .as_array()
        .expect("results")
        .iter()
        .position(|one| one["wellFormed"] == true && one["chosenTool"].is_string());
    let called = called.expect("one call is well formed");
    report["harness"]["baseline"]["results"][called]["arguments"] = json!({});
    env.write_json("report.json", &report);
    run(&env, &["score", "report.json"]).expect_code(0);
    let finished = run(&env, &["verify", "report.json", "--json", "--surface", "surface.json"]);
    finished.expect_code(1);
    assert_eq!(finished.json()["differences"][0]["path"], format!("harness.baseline.results[{called}].wellFormed"));
}

#[test]
fn nothing_that_a_report_names_is_started_by_itself() {
    let env = TestEnv::new();
    scan_mode(&env, &[], Mode::Plain).expect_code(0);
    let started = methods(&env).len();
    let finished = run(&env, &["verify", "out"]);
    finished.expect_code(2);
    assert!(finished.stderr.contains("the report is of `"), "{}", finished.stderr);
    assert_eq!(methods(&env).len(), started);
}

#[test]
fn a_server_that_does_not_start_is_unreachable() {
    let env = TestEnv::new();
    scan_tools(&env, &[], &three_tools()).expect_code(0);
    run(&env, &["verify", "out", "--", "/nowhere/server"]).expect_code(4);
}
