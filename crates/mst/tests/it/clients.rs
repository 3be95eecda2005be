//! `mst clients`: what is listed, and what a client needs.

use mst_testkit::TestEnv;
use serde_json::{Value, json};

fn mst(arguments: &[&str]) -> mst_testkit::Finished {
    TestEnv::new().run(&TestEnv::mst(), arguments)
}

#[test]
fn every_client_is_listed_with_where_it_runs() {
    let finished = mst(&["clients"]);
    finished.expect_code(0);
    insta::assert_snapshot!(finished.stdout, @r"
    api          A model alone, through its provider's API, with the servers' tools (any system)
    chatgpt      The ChatGPT desktop app (macos, linux; not available in this version)
    claude-code  The Claude Code command line, headless (any system; not available in this version)
    codex-app    Codex inside the ChatGPT desktop app (macos, linux; not available in this version)
    codex-cli    The Codex command line, headless (any system; not available in this version)
    cowork       Claude Desktop in Cowork mode (macos, linux; not available in this version)
    ");
    let listed = mst(&["clients", "--json"]).json();
    let available: Vec<_> = listed.as_array().expect("a list").iter().filter(|one| one["available"] == true).collect();
    assert_eq!(available.len(), 1, "{listed:#}");
    assert_eq!(available[0]["name"], "api");
}

#[test]
fn a_client_is_shown_with_its_needs_and_its_options() {
    let finished = mst(&["clients", "show", "claude-code"]);
    finished.expect_code(0);
    insta::assert_snapshot!(finished.stdout, @r#"
    claude-code: The Claude Code command line, headless
    Not available: client "claude-code" is not available in this version of mst; use "client": "api".
    Runs on: any system
    Install:
      Claude Code, as `claude` on PATH
    Credentials:
      ANTHROPIC_API_KEY
      or Google Application Default Credentials with "provider": "vertex"
    Setup: nothing
    Options, each with what leaving it out means:
      model         Claude Code's own (string)
      timeout       180000 (integer from 1)
      systemPrompt  not set (string)
      provider      "anthropic" (anthropic | vertex | vertex-anthropic)
      isolate       true (boolean)
      cwd           an empty temporary folder, removed after the trial (string)
      env           the inherited environment alone (object)
    "#);
}

/// The defaults of every client's options, as the contract has them: a value, `required`, or `-` for anything in words.
#[test]
fn every_option_of_the_contract_has_its_default() {
    for (client, options) in [
        (
            "api",
            json!({ "model": "claude-sonnet-4-20250514", "maxToolCalls": 5, "timeout": "-", "temperature": 0,
                "maxTokens": "-", "provider": "-", "apiKeyEnvVar": "-", "systemPrompt": "-", "skills": "off", "env": "-" }),
        ),
        (
            "chatgpt",
            json!({ "model": "required", "reasoningEffort": "-", "timeout": 300_000, "env": "-", "plugins": "-",
                "configPath": "-", "requireMcpCalls": false, "correlation": "exact_prompt", "maxActions": "-",
                "computerUseModel": "-" }),
        ),
        (
            "claude-code",
            json!({ "model": "-", "timeout": 180_000, "systemPrompt": "-", "provider": "anthropic", "isolate": true,
                "cwd": "-", "env": "-" }),
        ),
        (
            "codex-app",
            json!({ "model": "required", "reasoningEffort": "-", "timeout": 300_000, "env": "-", "plugins": "-",
                "configPath": "-", "requireMcpCalls": false, "correlation": "exact_prompt", "maxActions": "-",
                "computerUseModel": "-" }),
        ),
        (
            "codex-cli",
            json!({ "model": "-", "timeout": 300_000, "systemPrompt": "-", "reasoningEffort": "-", "sandbox": "-",
                "webSearch": false, "cwd": "-", "apiKeyEnvVar": "-", "env": "-" }),
        ),
        (
            "cowork",
            json!({ "maxActions": 24, "hitlMaxActions": 12, "computerUseModel": "-", "dataDir": "-", "appVersion": "-",
                "pluginRoots": "-", "mcpDataRoot": "-", "mode": "third-party", "connectors": "-", "timeout": 900_000,
                "model": "-", "env": "-", "plugins": "-" }),
        ),
    ] {
        let shown = mst(&["clients", "show", client, "--json"]).json();
        let default = |option: &Value| match (option["required"] == true, option.get("default")) {
            (true, _) => json!("required"),
            (false, Some(value)) => value.clone(),
            (false, None) => json!("-"),
        };
        let listed = shown["options"].as_array().expect("options").iter();
        let mut listed: serde_json::Map<String, Value> =
            listed.map(|option| (option["name"].as_str().expect("a name").to_owned(), default(option))).collect();
        // Beyond the contract.
        listed.shift_remove("baseUrl");
        assert_eq!(Value::Object(listed), options, "{client}");
    }
}

#[test]
fn a_wrong_name_or_flag_is_told_in_a_line() {
    let near = mst(&["clients", "show", "codexcli"]);
    near.expect_code(2);
    assert!(near.stderr.contains("did you mean \"codex-cli\"?"), "{}", near.stderr);
    let plugins = mst(&["clients", "--plugins", "./acme.js", "--json"]);
    plugins.expect_code(2);
    assert_eq!(plugins.json()["error"]["message"], "`--plugins` is not available in this version of mst");
    let env = TestEnv::new();
    env.write_json("eval.json", &json!({ "plugins": ["./acme.js"] }));
    let config = env.run(&TestEnv::mst(), ["clients", "show", "api", "-c", "eval.json"]);
    config.expect_code(2);
    assert!(config.stderr.contains("\"plugins\" is not available"), "{}", config.stderr);
}
