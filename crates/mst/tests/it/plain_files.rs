//! Paths that lead to a pipe or a device are refused: one would wait for ever, the other never end.

use mst_testkit::TestEnv;
use serde_json::json;

use crate::eval::Eval;

#[test]
#[cfg(unix)]
#[expect(clippy::disallowed_methods, reason = "the program that makes a pipe")]
fn a_pipe_or_a_device_is_refused_wherever_a_file_is_read() {
    let eval = Eval::passing();
    let pipe = eval.env.path("pipe.json");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo");
    assert!(made.success());
    eval.env.write_json(
        "piped.json",
        &json!({ "name": "p", "client": "api", "model": "claude-x",
        "datasets": ["pipe.json"], "servers": {} }),
    );
    let tls = json!({ "transport": "http", "serverUrl": "https://127.0.0.1:1/", "tls": { "ca": "pipe.json" } });
    eval.env.write_json(
        "tls.json",
        &json!({ "name": "t", "client": "api", "model": "claude-x",
        "datasets": ["parts.json"], "servers": { "s": tls } }),
    );
    for arguments in [
        vec!["run", "-c", "pipe.json"],
        vec!["run", "-c", "/dev/zero"],
        vec!["run", "-c", "piped.json"],
        vec!["run", "-c", "tls.json", "--dry-run"],
        vec!["run", "-c", "eval.json", "--secrets-file", "pipe.json"],
        vec!["run", "-c", "eval.json", "--secrets-file", "/dev/zero"],
        vec!["run", "-c", "eval.json", "--replay", "pipe.json"],
        vec!["run", "-c", "eval.json", "--replay", "/dev/zero"],
        vec!["batch", "--configs", "pipe.json"],
        vec!["datasets", "show", "pipe.json"],
        vec!["clients", "-c", "pipe.json"],
        vec!["tools", "-c", "pipe.json"],
        vec!["init", "--from", "pipe.json"],
        vec!["init", "--from", "/dev/zero"],
        vec!["doctor", "-c", "/dev/zero"],
    ] {
        let finished = eval.env.run(&TestEnv::mst(), &arguments);
        finished.expect_code(2);
        let told = finished.stderr.contains("no plain file") || finished.stderr.contains("is no file");
        assert!(told, "{arguments:?}: {}", finished.stderr);
    }
    assert!(eval.provider.requests().is_empty());
}
