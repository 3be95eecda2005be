//! `mst doctor`: what is there, and what an eval lacks.

use mst_testkit::mcp::stdio_entry;
use mst_testkit::{Finished, Mode, TestEnv};
use serde_json::{Value, json};

fn doctor(env: &TestEnv, flags: &[&str]) -> Finished {
    let finished = env.run(&TestEnv::mst(), [&["doctor"], flags].concat());
    assert!(!finished.stderr.contains("panicked at"), "{}", finished.stderr);
    finished
}

fn write_eval(env: &TestEnv, servers: &Value, model: &str) {
    env.write_json("cases.json", &json!({ "name": "c", "cases": [{ "id": "a", "input": "Hello" }] }));
    let config =
        json!({ "name": "e", "datasets": ["cases.json"], "client": "api", "model": model, "servers": servers });
    env.write_json("eval.json", &config);
}

#[test]
fn without_a_config_it_reports_and_no_value_of_a_key_gets_out() {
    let env = TestEnv::new()
        .with_variable("OPENAI_API_KEY", "sk-hidden-0001")
        .with_variable("OPENAI_BASE_URL", "http://user:hidden@127.0.0.1:1/v1?key=hidden");
    env.write("bin/uv", "#!/bin/sh\nsleep 60\n");
    env.write("bin/node", "#!/bin/sh\necho v99.0.0\n");
    for name in ["uv", "node"] {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = std::fs::Permissions::from_mode(0o755);
        fs_err::set_permissions(env.path("bin").join(name), mode).expect("our own file");
    }
    env.write_json(".mcp.json", &json!({ "mcpServers": { "parts": { "command": "x" }, "bad": 7 } }));
    let finished = doctor(&env, &["--json"]);
    finished.expect_code(0);
    assert!(!format!("{}{}", finished.stdout, finished.stderr).contains("hidden"), "{}", finished.stdout);
    let report = finished.json();
    let program = |name: &str| {
        let programs = report["programs"].as_array().expect("a list");
        programs.iter().find(|program| program["name"] == name).expect("a program").clone()
    };
    assert_eq!(program("node")["version"], "v99.0.0");
    assert_eq!(program("uv")["problem"], "did not say its version within 5 s");
    assert_eq!(report["keys"][1]["set"], json!(["OPENAI_API_KEY"]));
    assert_eq!(report["baseUrls"][0]["url"], "http://127.0.0.1:1/v1");
    assert_eq!((&report["found"][0]["usable"], &report["found"][1]["usable"]), (&json!(true), &json!(false)));
    doctor(&env, &[]).expect_code(0);
}

#[test]
fn with_a_config_the_exit_code_is_what_a_run_would_give() {
    let env = TestEnv::new();
    write_eval(&env, &json!({ "parts": stdio_entry(Mode::Plain, None) }), "lexical-1");
    let good = doctor(&env, &["-c", "eval.json", "--json"]);
    good.expect_code(0);
    let config = good.json()["config"].clone();
    assert_eq!((&config["servers"][0]["ready"], &config["servers"][0]["tools"]), (&json!(true), &json!(2)));
    assert_eq!((&config["clients"][0]["ready"], &config["output"]["writable"]), (&json!(true), &json!(true)));
    assert!(!env.path(".mcp-test-results").exists(), "looking makes nothing");

    let mut live = env.read_json("eval.json");
    live["writes"] = json!({ "parts": "live" });
    env.write_json("live.json", &live);
    let told = doctor(&env, &["-c", "live.json"]);
    told.expect_code(0);
    assert!(
        told.stdout.contains("2 tools, protocol 2025-11-25; its writes are live, so a run needs --allow-live-writes"),
        "{}",
        told.stdout
    );

    write_eval(&env, &json!({ "parts": stdio_entry(Mode::DiesAtStart, None) }), "lexical-1");
    let dead = doctor(&env, &["-c", "eval.json"]);
    dead.expect_code(4);
    assert!(
        dead.stdout.contains("-- server parts: ") && dead.stdout.contains("no configuration found"),
        "{}",
        dead.stdout
    );

    write_eval(&env, &json!({}), "claude-x");
    let keyless = doctor(&env, &["-c", "eval.json"]);
    keyless.expect_code(5);
    assert!(keyless.stdout.contains("-- client api with claude-x: "), "{}", keyless.stdout);

    write_eval(&env, &json!({}), "lexical-1");
    env.write("taken", "a file");
    doctor(&env, &["-c", "eval.json", "--output-dir", "taken/out"]).expect_code(8);
    doctor(&env, &["-c", "absent.json"]).expect_code(2);
}
