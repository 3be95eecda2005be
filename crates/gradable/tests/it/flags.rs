//! What cannot be meant is refused before anything starts.

use mst_testkit::TestEnv;
use serde_json::json;

use crate::support::{files, run};

#[test]
fn what_cannot_be_meant_is_exit_2_and_writes_nothing() {
    let env = TestEnv::new();
    env.write("text.json", "{");
    env.write_json("list.json", &json!([]));
    env.write_json("none.json", &json!({ "tool": [] }));
    env.write_json("error.json", &json!({ "jsonrpc": "2.0", "id": 1, "error": { "code": -32601 } }));
    env.write_json("object.json", &json!({ "tools": {} }));
    env.write_json("page.json", &json!({ "tools": [{ "name": "a" }], "nextCursor": "p2" }));
    env.write_json(".mcp.json", &json!({ "mcpServers": { "one": { "command": "x" }, "two": { "command": "y" } } }));
    for (arguments, want) in [
        (vec![], "whose tools?"),
        (vec!["--surface", "a.json", "--", "x"], "--surface and a command after `--` both say whose tools are meant"),
        (vec!["--target", "x", "--url", "http://127.0.0.1/"], "--target and --url both say"),
        (vec!["--target", "'x"], "a quote that is not closed"),
        (vec!["--target", " "], "an empty command"),
        (vec!["--surface", "absent.json"], "absent.json: there is no such file"),
        (vec!["--surface", "text.json"], "text.json is not JSON"),
        (vec!["--surface", "list.json"], "list.json is no JSON object"),
        (vec!["--surface", "none.json"], "none.json has no \"tools\""),
        (vec!["--surface", "error.json"], "the reply of a request that failed"),
        (vec!["--surface", "object.json"], "\"tools\" of object.json is no array"),
        (vec!["--surface", "page.json"], "one page of a longer list"),
        (vec!["--surface", "none.json", "--env", "A=b"], "--env is for a server"),
        (vec!["--url", "ftp://127.0.0.1/"], "an http or https URL, not ftp"),
        (vec!["--url", "http://127.0.0.1/", "--header", "nonsense"], "--header takes NAME: VALUE"),
        (vec!["--header", "A: b", "--", "x"], "--header is for a server with --url"),
        (vec!["--env", "A", "--", "x"], "--env takes NAME=VALUE"),
        (vec!["--cwd", "nowhere", "--", "x"], "nowhere is not a directory"),
        (vec!["--from", "absent.json"], "absent.json cannot be read"),
        (vec!["--from", ".mcp.json"], "several servers: one, two"),
        (vec!["--from", ".mcp.json", "--server", "twoo"], "did you mean \"two\"?"),
        (vec!["--name", " ", "--", "x"], "--name is empty"),
        (vec!["--fail-under", "F", "--", "x"], "a grade from A to D"),
        (vec!["--timeout", "0", "--", "x"], "--timeout"),
    ] {
        let finished = run(&env, &[&["scan"], arguments.as_slice()].concat());
        finished.expect_code(2);
        assert!(finished.stderr.contains(want), "{arguments:?}: {}", finished.stderr);
    }
    assert_eq!(files(&env, "gradable-reports"), [] as [&str; 0]);
}

#[test]
fn a_mistake_is_json_where_json_was_asked_for() {
    let env = TestEnv::new();
    for arguments in [vec!["scan", "--json"], vec!["scan", "--json", "--no-such-flag"]] {
        let finished = run(&env, &arguments);
        finished.expect_code(2);
        assert_eq!(finished.json()["error"]["class"], "usage");
    }
}
