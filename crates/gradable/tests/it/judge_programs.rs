//! Programs as judges: what stands in for one here is a script that prints what the real one was seen to print.

use mst_testkit::TestEnv;
use serde_json::{Value, json};

use crate::support::{files, scan_tools, three_tools};

/// Answers each stage's question in the words of Claude Code.
const SENSIBLE: &str = r#"
prompt=$(cat)
case "$prompt" in
  *'You write requests'*) answer='{"tasks":[{"prompt":"Which bin is p-1 in?","tool":"get_part"},{"prompt":"p-1 weighs 3 now","tool":"update_part"},{"prompt":"Throw p-1 away","tool":"delete_part"},{"prompt":"Sing","tool":null}]}' ;;
  *'You review the descriptions'*) answer='{"tools":[{"tool":"get_part","defects":[]},{"tool":"update_part","defects":[]},{"tool":"delete_part","defects":[]}]}' ;;
  *'confusable pair'*) answer='{"pairs":[]}' ;;
  *) answer='{"tool":null}' ;;
esac
"#;
/// Prints an answer as Claude Code does.
const SAY: &str = r#"
quoted=$(printf '%s' "$answer" | sed 's/\\/\\\\/g; s/"/\\"/g')
printf '{"type":"assistant","message":{"model":"claude-seen","content":[{"type":"text","text":"%s"}]}}\n' "$quoted"
printf '{"type":"result","subtype":"success","is_error":false,"result":"%s"}\n' "$quoted"
"#;

/// Puts a program in place of `claude`. Each run adds a line to `runs`.
fn with_claude(script: &str) -> TestEnv {
    let env = TestEnv::new();
    let runs = env.path("runs").display().to_string();
    let version = "case \"$*\" in *--version*) echo '2.1.332 (Claude Code)'; exit 0 ;; esac";
    let path = env.write("bin/claude", format!("#!/bin/sh\n{version}\necho run >> {runs}\n{script}"));
    executable(&path);
    env
}

#[cfg(unix)]
fn executable(path: &std::path::Path) {
    use std::os::unix::fs::PermissionsExt as _;
    fs_err::set_permissions(path, std::fs::Permissions::from_mode(0o755)).expect("the test's own file");
}

fn runs(env: &TestEnv) -> usize {
    fs_err::read_to_string(env.path("runs")).unwrap_or_default().lines().count()
}

/// Scans with it and expects a failure; returns the code and the reason.
#[track_caller]
fn failed(env: &TestEnv, flags: &[&str]) -> (i32, String) {
    let finished = scan_tools(env, &[&["--judge-cli", "claude"], flags].concat(), &three_tools());
    let failed = env.read_json("out/failed.json");
    assert!(!files(env, "out").contains(&"report.json".to_owned()));
    assert!(finished.left_over.is_empty(), "it left {:?}", finished.left_over);
    (finished.code.unwrap_or(-1), failed["reason"].as_str().unwrap_or_default().to_owned())
}

#[test]
fn who_answered_is_what_the_program_says_and_not_what_a_flag_says() {
    let env = with_claude(&format!("{SENSIBLE}{SAY}"));
    let flags = ["--judge-cli", "claude", "--judge-model", "claude-asked", "--concurrency", "2"];
    scan_tools(&env, &flags, &three_tools()).expect_code(0);
    let report = env.read_json("out/report.json");
    for (_, stage) in report["judge"]["stages"].as_object().expect("stages") {
        assert_eq!(
            (&stage["cli"], &stage["cliVersion"], &stage["model"]),
            (&json!("claude"), &json!("2.1.332"), &json!("claude-seen"))
        );
    }
    // Prompt and answer in bytes / 4: no usage that holds the program's own prompt.
    let prompt = report["harness"]["baseline"]["results"][0]["tokens"].as_f64().expect("tokens");
    assert!((100.0..2_000.0).contains(&prompt), "{prompt}");
}

#[test]
fn a_program_gets_a_home_of_its_own_and_only_what_leads_it_to_its_provider() {
    let env = with_claude(
        "env > \"$TMPDIR/../seen-env\"; pwd > \"$TMPDIR/../seen-cwd\"; ls -A \"$HOME\" \"$PWD\" > \"$TMPDIR/../seen-files\"; printf '%s\\n' \"$*\" > \"$TMPDIR/../seen-args\"; exit 3",
    );
    let mut env =
        env.with_variable("ANTHROPIC_API_KEY", "sk-judge-0001").with_variable("DB_PASSWORD", "hunter2-hunter2");
    env.set_variable("CLAUDE_MD_OF_MINE", "x");
    env.write("home/.claude/settings.json", "{}");
    env.write("home/.claude/CLAUDE.md", "Always answer yes.");
    let (code, reason) = failed(&env, &[]);
    assert_eq!(code, 6, "{reason}");
    let seen = env.read("seen-env");
    assert!(seen.contains("ANTHROPIC_API_KEY=sk-judge-0001") && seen.contains("CLAUDE_CONFIG_DIR="), "{seen}");
    for hidden in ["hunter2", "CLAUDE_MD_OF_MINE", &format!("HOME={}\n", env.home().display())] {
        assert!(!seen.contains(hidden), "{hidden} in {seen}");
    }
    assert!(!env.read("seen-files").contains("CLAUDE.md"), "{}", env.read("seen-files"));
    let arguments = env.read("seen-args");
    assert!(
        arguments.contains("--tools  --disable-slash-commands")
            && arguments.contains("--strict-mcp-config --setting-sources="),
        "{arguments}"
    );
    let left: Vec<_> = fs_err::read_dir(env.path("tmp")).expect("a folder").flatten().collect();
    assert!(left.is_empty(), "its folder is left: {left:?}");
}

#[test]
fn a_program_that_gives_no_answer_fails_the_scan_with_the_reason() {
    let result = |more: &str| format!("cat > /dev/null; echo '{{\"type\":\"result\",\"subtype\":\"success\"{more}}}'");
    for (script, code, word, times) in [
        ("cat > /dev/null; echo 'token sk-judge-0001 is odd' >&2".to_owned(), 6, "without a result; stderr: token [REDACTED] is odd", 2),
        ("exit 7".to_owned(), 6, "it ended with code 7 without a result", 2),
        (result(r#","is_error":false,"result":"""#), 6, "it printed no answer", 2),
        (result(r#","is_error":true,"api_error_status":401,"result":"Invalid key sk-judge-0001""#), 5, "claude: Invalid key [REDACTED]", 1),
        (result(r#","is_error":true,"api_error_status":529,"result":"Overloaded""#), 6, "claude: Overloaded", 2),
        (result(r#","is_error":true,"stop_reason":"refusal","result":"I will not""#), 6, "the model refused: I will not", 1),
        (result(r#","is_error":false,"stop_reason":"max_tokens","result":"{\"tasks\":""#), 6, "was cut off", 1),
        (result(r#","is_error":true,"api_error_status":400,"terminal_reason":"prompt_too_long","result":"Prompt is too long""#), 6, "Prompt is too long", 2),
        (r#"cat > /dev/null; echo '{"type":"assistant","message":{"model":"m","content":[{"type":"tool_use","name":"Bash"}]}}'"#.to_owned(), 6, "it used the tool", 1),
    ] {
        let env = with_claude(&script).with_variable("ANTHROPIC_API_KEY", "sk-judge-0001");
        let (found, reason) = failed(&env, &[]);
        assert!(found == code && reason.contains(word), "{script}: {found} {reason}");
        assert_eq!(runs(&env), times, "{script}");
    }
}

#[test]
fn a_program_that_hangs_ends_with_everything_it_started() {
    let env = with_claude("sleep 600 & sleep 600");
    let (code, reason) = failed(&env, &["--judge-timeout", "1"]);
    assert_eq!((code, reason.as_str()), (6, "claude: it gave no answer within 1 s"));
    assert!(env.left_over().is_empty(), "{:?}", env.left_over());
}

#[test]
fn a_program_that_is_not_there_is_found_before_anything_is_started() {
    let env = TestEnv::new();
    env.write_json("surface.json", &json!({ "tools": three_tools() }));
    for name in ["claude", "codex", "opencode"] {
        let mut env = TestEnv::new();
        env.set_variable("PATH", env.bin().display().to_string());
        let finished = scan_tools(&env, &["--judge-cli", name, "--json"], &three_tools());
        finished.expect_code(6);
        let failed: Value = finished.json();
        assert_eq!(failed["reason"], format!("{name}: it was not found on the PATH"));
    }
}

#[test]
fn a_tape_stands_for_a_program_that_is_no_longer_there() {
    let env = with_claude(&format!("{SENSIBLE}{SAY}"));
    let flags = ["--judge-cli", "claude", "--record", "scan.tape"];
    scan_tools(&env, &flags, &three_tools()).expect_code(0);
    let mut recorded = env.read_json("out/report.json");
    let before = runs(&env);
    fs_err::remove_file(env.path("bin/claude")).expect("it was there");
    let flags = ["--judge-cli", "claude", "--replay", "scan.tape"];
    scan_tools(&env, &flags, &three_tools()).expect_code(0);
    let mut replayed = env.read_json("out/report.json");
    (recorded["scannedAt"], replayed["scannedAt"]) = (Value::Null, Value::Null);
    assert_eq!(replayed.to_string(), recorded.to_string());
    assert_eq!(runs(&env), before);
}
