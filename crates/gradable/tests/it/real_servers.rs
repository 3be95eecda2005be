//! Ten servers that others wrote, scanned live by the offline judge, and one of them by a model behind each provider form.

use crate::cut_off::{Server, place, scan};

const FROM_NPM: [Server; 7] = [
    ("everything", "npm/node_modules/.bin/mcp-server-everything", &[], &[]),
    FILESYSTEM,
    ("memory", "npm/node_modules/.bin/mcp-server-memory", &[], &[]),
    ("sequential-thinking", "npm/node_modules/.bin/mcp-server-sequential-thinking", &[], &[]),
    ("github-ref", "npm/node_modules/.bin/mcp-server-github", &[], &[]),
    ("gitlab-ref", "npm/node_modules/.bin/mcp-server-gitlab", &[], &["GITLAB_PERSONAL_ACCESS_TOKEN=dummy"]),
    ("slack-ref", "npm/node_modules/.bin/mcp-server-slack", &[], &["SLACK_BOT_TOKEN=xoxb-dummy", "SLACK_TEAM_ID=T000"]),
];

const FILESYSTEM: Server = ("filesystem", "npm/node_modules/.bin/mcp-server-filesystem", &["."], &[]);

const FROM_PYPI: [Server; 3] = [
    ("time", "py/bin/mcp-server-time", &["--local-timezone=UTC"], &[]),
    ("git", "py/bin/mcp-server-git", &[], &[]),
    ("fetch", "py/bin/mcp-server-fetch", &[], &[]),
];

#[test]
#[ignore = "needs node"]
fn servers_from_npm_are_graded() {
    let env = place();
    for server in FROM_NPM {
        assert_eq!(scan(&env, &[], &server)["judge"]["cli"], "offline");
    }
}

#[test]
#[ignore = "needs python"]
fn servers_from_pypi_are_graded() {
    let env = place();
    for server in FROM_PYPI {
        assert_eq!(scan(&env, &[], &server)["judge"]["cli"], "offline");
    }
}

#[test]
#[ignore = "needs node"]
fn a_model_behind_every_provider_form_grades_a_server_from_npm() {
    let env = place();
    for judge in [
        "api:anthropic/claude-x",
        "api:openai/gpt-x",
        "api:google/gemini-x",
        "api:vertex-anthropic/claude-x@20260101",
        "api:mistral/mistral-x",
        "api:azure/our-deployment",
        "api:openrouter/maker/model-x",
        "api:ollama/llama-x",
    ] {
        let report = scan(&env, &["--judge", judge], &FILESYSTEM);
        let (cli, model) = judge.split_once('/').expect("a provider and a model");
        assert_eq!((report["judge"]["cli"].as_str(), report["judge"]["model"].as_str()), (Some(cli), Some(model)));
        let metrics = &report["harness"]["baseline"]["metrics"];
        assert_eq!(metrics["tasks"], 31, "{judge}");
        assert!(metrics["selectionAccuracy"].as_f64() > Some(0.9), "{judge}: {metrics}");
    }
}
