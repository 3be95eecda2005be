//! The real programs, from npm, with a fake provider behind them, judge live servers that others wrote.

use crate::cut_off::{Server, place, programs, scan};

/// Scans with a program, and checks who judged.
#[track_caller]
fn judged_by(program: &str, model: &str, server: &Server) {
    let path = programs().join("judges/node_modules/.bin").join(program);
    assert!(path.exists(), "{} is not there", path.display());
    let env = place();
    let report = scan(&env, &["--judge-cli", program, "--judge-model", model], server);
    for (name, stage) in report["judge"]["stages"].as_object().expect("stages") {
        assert_eq!(stage["cli"], program, "{name}");
        assert_eq!(stage["model"], model, "{name}");
        let version = stage["cliVersion"].as_str().unwrap_or_default();
        assert!(version.starts_with(|c: char| c.is_ascii_digit()), "{name}: {version}");
    }
    // Three requests a tool, and two that no tool fits.
    let tools = report["tools"].as_array().map_or(0, Vec::len);
    assert_eq!(report["tasks"].as_array().map(Vec::len), Some(3 * tools + 2));
    assert_eq!(report["harness"]["baseline"]["metrics"]["selectionAccuracy"], 1.0);
    assert!(!env.read(format!("gradable-reports/{}/report.json", server.0)).contains("sk-fake-"));
    let left = fs_err::read_dir(env.path("tmp")).expect("a folder").flatten();
    assert!(left.map(|entry| entry.file_name()).all(|name| !name.to_string_lossy().starts_with("gradable-judge-")));
}

#[test]
#[ignore = "needs node"]
fn claude_judges_a_server() {
    judged_by("claude", "claude-sonnet-4-5", &("fetch", "py/bin/mcp-server-fetch", &[], &[]));
}

#[test]
#[ignore = "needs node"]
fn codex_judges_a_server() {
    let server = ("sequential-thinking", "npm/node_modules/.bin/mcp-server-sequential-thinking", &[][..], &[][..]);
    judged_by("codex", "gpt-5.5", &server);
}

#[test]
#[ignore = "needs node"]
fn opencode_judges_a_server() {
    let server = ("time", "py/bin/mcp-server-time", &["--local-timezone=UTC"][..], &[][..]);
    judged_by("opencode", "deepseek/deepseek-v4-flash", &server);
}
