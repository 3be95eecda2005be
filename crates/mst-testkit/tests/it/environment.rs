//! The test environment itself.

use mst_testkit::provider::{FakeProvider, Script};
use mst_testkit::{TestEnv, fake_binary};
use serde_json::json;

#[test]
fn programs_run_with_nothing_but_what_is_given() {
    let provider = FakeProvider::start_now(Script::automatic());
    let env = TestEnv::new().with_variable("EXTRA", "1").with_provider(&provider);
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "lookup"}});
    let finished = env.run_with_stdin(&fake_binary(), ["mcp", "--mode", "environment"], format!("{call}\n").as_bytes());
    finished.expect_code(0);
    let text = finished.json()["result"]["content"][0]["text"].as_str().unwrap().to_owned();
    let names: Vec<&str> = text.lines().filter_map(|line| line.split_once('=')).map(|(name, _)| name).collect();
    for name in
        ["PATH", "HOME", "TMPDIR", "EXTRA", "ANTHROPIC_BASE_URL", "OPENAI_API_KEY", "GOOGLE_GENERATIVE_AI_BASE_URL"]
    {
        assert!(names.contains(&name), "{name} in {names:?}");
    }
    assert!(!names.iter().any(|name| name.starts_with("CARGO")), "{names:?}");
    assert!(text.contains(&format!("OPENAI_BASE_URL={}/v1", provider.url())));
}

#[test]
fn files_and_paths_are_those_of_the_folder() {
    let env = TestEnv::new();
    env.write_json("deep/er/eval.json", &json!({"name": "parts"}));
    assert_eq!(env.read_json("deep/er/eval.json")["name"], "parts");
    let text = format!("{} at 127.0.0.1:41234 took 12 ms", env.path("deep/er").display());
    assert_eq!(env.normalise(&text), "[DIR]/deep/er at 127.0.0.1:[PORT] took [DURATION]");
}
