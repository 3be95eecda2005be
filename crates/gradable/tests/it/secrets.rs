//! What was given as a secret reaches no file and no screen.

use mst_testkit::{Finished, TestEnv};
use serde_json::json;

use crate::support::{files, run};

const SECRET: &str = "planted-secret-1";

/// Answers the handshake and lists a tool that tells its environment and its arguments.
const TELLTALE: &str = r#"
read -r line; printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"t","version":"'"$API_TOKEN"'"},"instructions":"use '"$API_TOKEN"'"}}\n' "$(echo "$line" | sed 's/.*"id":\([0-9]*\).*/\1/')"
read -r line; read -r line
printf '{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"look","description":"Looks with '"$API_TOKEN"' and '"$1"'.","inputSchema":{"type":"object","properties":{"'"$API_TOKEN"'":{"type":"string"}},"required":["'"$API_TOKEN"'"]}}]}}\n' "$(echo "$line" | sed 's/.*"id":\([0-9]*\).*/\1/')"
echo "stray $API_TOKEN" >&2
read -r line
"#;

fn nothing_leaks(env: &TestEnv, finished: &Finished) {
    for text in [&finished.stdout, &finished.stderr] {
        assert!(!text.contains("planted-secret"), "{text}");
    }
    for file in files(env, "out") {
        let text = env.read(format!("out/{file}"));
        assert!(!text.contains("planted-secret"), "{file}: {text}");
    }
}

#[test]
fn fc35_a_server_that_tells_its_secrets_is_scrubbed() {
    let env = TestEnv::new();
    env.write("telltale.sh", TELLTALE);
    let token = format!("API_TOKEN={SECRET}");
    let flags =
        ["scan", "--json", "--out", "out", "--env", &token, "--", "sh", "telltale.sh", "--api-key=planted-secret-2"];
    let finished = run(&env, &flags);
    finished.expect_code(0);
    nothing_leaks(&env, &finished);
    let report = finished.json();
    let command = report["target"]["command"].to_string();
    assert!(command.contains("--api-key=[REDACTED]"), "{command}");
    assert_eq!(report["target"]["version"], "[REDACTED]");
}

#[test]
fn fc35_a_failure_holds_no_secret_either() {
    let env = TestEnv::new();
    let script = "echo got $API_TOKEN and $0 >&2; exit 3";
    let token = format!("API_TOKEN={SECRET}");
    let flags = ["scan", "--out", "out", "--env", &token, "--", "sh", "-c", script, "token=planted-secret-2"];
    let finished = run(&env, &flags);
    assert_eq!(finished.code, Some(4), "{}", finished.stderr);
    nothing_leaks(&env, &finished);
    assert!(env.read_json("out/failed.json")["reason"].to_string().contains("got [REDACTED]"));

    let server = json!({ "command": "sh", "args": ["-c", "echo $0 >&2; exit 3", "--token=planted-secret-2"], "env": { "A_TOKEN": SECRET } });
    env.write_json(".mcp.json", &json!({ "mcpServers": { "echoing": server } }));
    let finished = run(&env, &["scan", "--out", "out", "--force", "--from", ".mcp.json"]);
    assert_eq!(finished.code, Some(4), "{}", finished.stderr);
    nothing_leaks(&env, &finished);
}
