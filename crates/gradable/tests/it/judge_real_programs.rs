//! The real programs, from npm, with a fake provider behind them, in a network namespace that has a loopback alone. The
//! folder `MST_CI_SERVERS` holds them: `judges/node_modules/.bin/…`.

use std::path::{Path, PathBuf};
use std::time::Duration;

use mst_testkit::{TestEnv, fake_binary};
use serde_json::json;

use crate::support::gradable;

/// Starts a fake provider, then runs the rest with what leads programs to it.
const INSIDE: &str = r#"
ip link set lo up
"$FAKE" provider --port 18431 --record --stay > fake.out 2>&1 & fake=$!
until [ -s fake.out ]; do sleep 0.05; done
"$@"; code=$?
kill $fake
exit $code
"#;

#[expect(clippy::disallowed_methods, reason = "the one setting of a test that needs others' programs")]
fn programs() -> PathBuf {
    let folder = std::env::var("MST_CI_SERVERS").expect("MST_CI_SERVERS names the folder with judges/");
    PathBuf::from(folder).join("judges/node_modules/.bin")
}

/// Scans with a program, and returns who judged.
fn scan(program: &str, model: &str) {
    assert!(programs().join(program).exists(), "{program} is not in {}", programs().display());
    let mut env = TestEnv::new().with_limit(Duration::from_mins(9));
    let path = format!("{}:{}", programs().display(), env.variables()["PATH"]);
    env.set_variable("PATH", path);
    env.set_variable("FAKE", fake_binary().display().to_string());
    let root = "http://127.0.0.1:18431";
    for (name, url) in
        [("ANTHROPIC", root.to_owned()), ("OPENAI", format!("{root}/v1")), ("DEEPSEEK", format!("{root}/v1"))]
    {
        env.set_variable(format!("{name}_BASE_URL"), url);
        env.set_variable(format!("{name}_API_KEY"), "sk-fake-program-0001");
    }
    // One tool without a defect: each question starts the program anew, which takes some of them seconds.
    let tool = json!({ "name": "get_part", "description": "Gets the bin and the weight of one part. Returns both as text.",
        "inputSchema": { "type": "object", "properties": { "part_id": { "type": "string" } }, "required": ["part_id"] } });
    env.write_json("surface.json", &json!({ "name": "parts", "tools": [tool] }));
    let gradable = gradable().display().to_string();
    let scan = [
        &gradable,
        "scan",
        "--surface",
        "surface.json",
        "--out",
        "out",
        "--judge-cli",
        program,
        "--judge-model",
        model,
    ];
    let words = ["--net", "sh", "-c", INSIDE, "sh"].into_iter().chain(scan.iter().copied());
    env.run(Path::new("unshare"), words).expect_code(0);
    let report = env.read_json("out/report.json");
    for (name, stage) in report["judge"]["stages"].as_object().expect("stages") {
        assert_eq!(stage["cli"], program, "{name}");
        assert_eq!(stage["model"], model, "{name}");
        let version = stage["cliVersion"].as_str().unwrap_or_default();
        assert!(version.starts_with(|c: char| c.is_ascii_digit()), "{name}: {version}");
    }
    assert_eq!(report["tasks"].as_array().map(Vec::len), Some(5));
    assert_eq!(report["harness"]["baseline"]["metrics"]["firstCallSuccess"], 1.0);
    assert!(!env.read("out/report.json").contains("sk-fake-program-0001"));
    assert!(
        fs_err::read_dir(env.path("tmp"))
            .expect("a folder")
            .flatten()
            .all(|entry| !entry.file_name().to_string_lossy().starts_with("gradable-judge-"))
    );
}

#[test]
#[ignore = "needs node"]
fn claude_judges_a_scan() {
    scan("claude", "claude-sonnet-4-5");
}

#[test]
#[ignore = "needs node"]
fn codex_judges_a_scan() {
    scan("codex", "gpt-5.5");
}

#[test]
#[ignore = "needs node"]
fn opencode_judges_a_scan() {
    scan("opencode", "deepseek/deepseek-v4-flash");
}
