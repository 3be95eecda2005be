//! The named faults of real servers, as `gradable scan` meets them.

use mst_testkit::{Mode, TestEnv};
use serde_json::{Value, json};

use crate::support::{files, scan_mode, scan_tools};

fn names(report: &Value) -> Vec<&str> {
    let tools = report["tools"].as_array().expect("tools");
    tools.iter().filter_map(|tool| tool["name"].as_str()).collect()
}

#[test]
fn fc01_lines_on_stdout_are_a_finding_and_no_failure() {
    let env = TestEnv::new();
    let finished = scan_mode(&env, &["--json"], Mode::StrayLines);
    finished.expect_code(0);
    let lint = finished.json()["unscored"]["lint"].to_string();
    assert!(lint.contains("lines to stdout that are no protocol messages"), "{lint}");
}

#[test]
fn fc04_each_page_counts_once_and_a_cursor_that_comes_back_is_a_failure() {
    let env = TestEnv::new();
    let finished = scan_mode(&env, &["--json"], Mode::PagesTwo);
    finished.expect_code(0);
    let report = finished.json();
    assert_eq!((names(&report), &report["target"]["toolCount"]), (vec!["other", "lookup"], &json!(2)));

    let env = TestEnv::new();
    let finished = scan_mode(&env, &["--json"], Mode::PagesLoop);
    finished.expect_code(4);
    assert!(finished.json()["reason"].to_string().contains("repeated the cursor"), "{}", finished.stdout);
    assert_eq!(files(&env, "out"), ["failed.json"]);

    let env = TestEnv::new();
    let finished = scan_mode(&env, &["--json"], Mode::PagesEmptyCursor);
    finished.expect_code(0);
    assert_eq!(names(&finished.json()), ["lookup"]);
}

#[test]
fn fc12_schemas_are_graded_as_declared() {
    let env = TestEnv::new();
    let finished = scan_mode(&env, &["--json"], Mode::Schemas);
    finished.expect_code(0);
    let report = finished.json();
    assert!(report["tools"].as_array().is_some_and(|tools| tools.len() >= 8), "{:?}", names(&report));

    // What a schema says behind a reference, or in a branch, counts; what it refers to elsewhere is not fetched.
    let tools = json!([
        { "name": "find_team", "description": "Gets the members and the room of a team.", "inputSchema": {
            "$ref": "#/$defs/In", "$defs": { "In": { "type": "object", "properties": { "team": { "type": "integer", "minimum": 7 } }, "required": ["team"] } } } },
        { "name": "far_page", "description": "Gets the words and the pictures of a page.", "inputSchema": {
            "type": "object", "properties": { "s": { "$ref": "https://example.invalid/s.json" } }, "required": ["s"] } },
        { "name": "loop_node", "description": "Gets the leaves and the twigs of a tree.", "inputSchema": {
            "type": "object", "properties": { "n": { "$ref": "#/$defs/n" } }, "$defs": { "n": { "allOf": [{ "$ref": "#/$defs/n" }] } } } },
    ]);
    let finished = scan_tools(&env, &["--json", "--force"], &tools);
    finished.expect_code(0);
    let report = finished.json();
    let result = &report["harness"]["baseline"]["results"][0];
    assert_eq!((&result["chosenTool"], &result["wellFormed"]), (&json!("find_team"), &json!(true)));
    assert_eq!(result["arguments"], json!({ "team": 7 }));
}

#[test]
fn fc14_names_are_those_that_the_server_lists() {
    let env = TestEnv::new();
    let finished = scan_mode(&env, &["--json"], Mode::Names);
    finished.expect_code(0);
    let report = finished.json();
    let listed = names(&report);
    for name in ["docs.search", "docs/search", "docs_search", "検索"] {
        assert!(listed.contains(&name), "{listed:?}");
    }
    let long = "x".repeat(70);
    assert!(listed.contains(&long.as_str()), "{listed:?}");
    let chosen: Vec<&str> = report["harness"]["baseline"]["results"]
        .as_array()
        .expect("results")
        .iter()
        .filter_map(|result| result["chosenTool"].as_str())
        .collect();
    assert!(chosen.iter().all(|name| listed.contains(name)), "{chosen:?}");
}
