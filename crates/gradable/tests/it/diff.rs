//! `gradable diff`: two surfaces, or reports of them.

use mst_testkit::TestEnv;
use serde_json::{Value, json};

use crate::support::{run, scan_tools, three_tools};

fn before() -> Value {
    json!([
        { "name": "get_part", "description": "Gets a part.",
          "inputSchema": { "type": "object", "properties": { "id": { "type": "string", "enum": ["a", "b", "c"] }, "deep": { "type": "boolean", "default": false } }, "required": ["id"] },
          "outputSchema": { "type": "object", "properties": { "bin": { "type": "integer" }, "kg": { "type": "number" } }, "required": ["bin"] } },
        { "name": "delete_part", "description": "Deletes a part.", "annotations": { "destructiveHint": true },
          "inputSchema": { "type": "object", "properties": { "id": { "type": ["string", "integer"], "maxLength": 20 } } } },
        { "name": "list_bins", "description": "Lists bins.",
          "inputSchema": { "type": "object", "properties": { "tree": { "$ref": "#/$defs/node" } }, "$defs": { "node": { "type": "object", "properties": { "next": { "$ref": "#/$defs/node" }, "size": { "type": "integer" } } } } } },
        { "name": "old_tool", "description": "Does what it did.", "inputSchema": { "type": "object" } },
    ])
}

fn after() -> Value {
    json!([
        { "name": "get_part", "description": "Gets a part!",
          "inputSchema": { "type": "object", "properties": { "id": { "type": "string", "enum": ["a", "b", "d"] }, "unit": { "type": "string" }, "deep": { "type": "boolean", "default": true } }, "required": ["id", "unit"] },
          "outputSchema": { "type": "object", "properties": { "bin": { "type": "string" }, "lot": { "type": "string" } } } },
        { "name": "delete_part", "title": "Delete", "description": "Removes a part from the shelf.",
          "inputSchema": { "type": "object", "properties": { "id": { "type": "string", "maxLength": 10 }, "force": { "type": "boolean" } } } },
        { "name": "list_bins", "description": "Lists bins.",
          "inputSchema": { "type": "object", "properties": { "tree": { "$ref": "#/$defs/node" } }, "$defs": { "node": { "type": "object", "properties": { "next": { "$ref": "#/$defs/node" }, "size": { "type": "number" } } } } } },
        { "name": "new_tool", "description": "Does what it did.", "inputSchema": { "type": "object" } },
    ])
}

fn write(env: &TestEnv) {
    env.write_json("a.json", &json!({ "name": "parts", "tools": before() }));
    env.write_json("b.json", &json!({ "name": "parts", "tools": after() }));
}

#[test]
fn changes_are_told_by_what_they_do_to_callers() {
    let env = TestEnv::new();
    write(&env);
    let finished = run(&env, &["diff", "a.json", "b.json"]);
    finished.expect_code(0);
    insta::assert_snapshot!(finished.stdout, @r#"
    parts to parts: 8 breaking, 3 risky, 7 neutral.

    breaking:
      old_tool: the tool is gone; "new_tool" declares the same, so it looks renamed (removed-tool)
      get_part: the values "c" are gone (narrowed-values) at /inputSchema/properties/id
      get_part: "unit" is new, and every call needs it (new-required-parameter) at /inputSchema/properties/unit
      get_part: the type was integer, it is string now (changed-type) at /outputSchema/properties/bin
      get_part: "kg" does not come back any more (output-removed) at /outputSchema/properties/kg
      get_part: "bin" is not required any more (output-not-promised) at /outputSchema/properties/bin
      delete_part: the type was integer or string, it is string now (narrowed-type) at /inputSchema/properties/id
      delete_part: "maxLength" was 20, it is 10 now (narrowed-bounds) at /inputSchema/properties/id

    risky:
      get_part: the default was false, it is true now (default-changed) at /inputSchema/properties/deep
      delete_part: the description says something else (description-changed) at /description
      delete_part: "destructiveHint" was true, it is absent now (destructive-hint-lost) at /annotations

    neutral:
      get_part: the description is written otherwise, in the same words (restyled-text) at /description
      get_part: the values "d" are new (widened-values) at /inputSchema/properties/id
      get_part: "lot" is new (output-added) at /outputSchema/properties/lot
      delete_part: "force" is new (new-parameter) at /inputSchema/properties/force
      delete_part: "title" changed (other-field) at /title
      list_bins: the type was integer, it is number now (widened-type) at /inputSchema/properties/tree/properties/size
      new_tool: the tool is new (added-tool)

    Definitions: 167 tokens, then 182 (+15).
    Tools that are easily mistaken, by the offline rules: the same.
    "#);
}

#[test]
fn gates_take_the_kind_and_what_is_worse() {
    let env = TestEnv::new();
    write(&env);
    let mut neutral = before();
    neutral[0]["title"] = json!("Get");
    env.write_json("c.json", &json!({ "name": "parts", "tools": neutral }));
    for (files, gate, code) in [
        (["a.json", "b.json"], "breaking", 1),
        (["a.json", "c.json"], "risky", 0),
        (["a.json", "c.json"], "neutral", 1),
        (["a.json", "a.json"], "neutral", 0),
    ] {
        run(&env, &["diff", files[0], files[1], "--fail-on", gate]).expect_code(code);
    }
}

#[test]
fn each_pair_of_files_says_what_it_cannot_tell() {
    let env = TestEnv::new();
    scan_tools(&env, &["--json"], &three_tools()).expect_code(0);
    let report = env.read_json("out/report.json");
    env.write_json("alone/report.json", &report);
    let mut tools = three_tools();
    tools[0]["description"] = json!("Gets one part.");
    tools[0]["inputSchema"]["properties"]["unit"] = json!({ "type": "string" });
    run(&env, &["diff", "out", "out"]).expect_code(0);
    env.write_json("later.json", &json!({ "name": "parts", "tools": tools }));
    let whole = run(&env, &["diff", "--json", "out", "later.json"]).json();
    assert_eq!(whole["cannotTell"], json!([]));
    assert_eq!(whole["changes"][0]["what"], "description-changed");
    let sizes = run(&env, &["diff", "--json", "alone/report.json", "later.json"]).json();
    assert_eq!(sizes["changes"][0]["what"], "size-changed");
    let told = sizes["cannotTell"].to_string();
    assert!(told.contains("no schemas") && told.contains("easily mistaken"), "{told}");
    let same = run(&env, &["diff", "--json", "out", "alone"]).json();
    assert_eq!((&same["sameSurface"], &same["score"]["change"]), (&json!(true), &json!(0.0)));
}

#[test]
fn scores_of_two_judges_are_not_compared() {
    let env = TestEnv::new();
    scan_tools(&env, &[], &three_tools()).expect_code(0);
    let mut other = env.read_json("out/report.json");
    other["judge"]["model"] = json!("another");
    env.write_json("other.json", &other);
    let found = run(&env, &["diff", "--json", "out/report.json", "other.json"]).json();
    assert!(found.get("score").is_none());
    assert!(found["cannotTell"].to_string().contains("not comparable"), "{found}");
}

#[test]
fn files_that_are_neither_are_refused() {
    let env = TestEnv::new();
    write(&env);
    env.write("x.json", "{}");
    env.write("y.json", "[1");
    for file in ["x.json", "y.json", "absent.json"] {
        let finished = run(&env, &["diff", "a.json", file]);
        finished.expect_code(2);
        assert!(finished.stderr.contains(file), "{}", finished.stderr);
    }
}
