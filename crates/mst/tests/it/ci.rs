//! What a run leaves for the machines around it: reports, annotations, findings, a badge, gates.

#![expect(clippy::disallowed_methods, reason = "other people's checkers are found and started")]

use std::path::Path;
use std::process::Command;

use mst_testkit::{Mode, Reply, Script};
use serde_json::{Value, json};

use crate::eval::{Eval, case, done, lookup};

/// Text that ends or bends what does not escape it.
const HOSTILE: &str =
    "\0\u{1b}[31m]]></failure>\r\n::error file=x::gone\r\n<script>alert(1)</script>\u{202e}\u{ffff} | `a` @b";

/// An eval with a case of each kind: one that passes, one whose answer is hostile and fails, one that the provider breaks.
fn eval() -> Eval {
    let script = Script::strict()
        .on("Case good:", done())
        .always("Case bad,1:", Reply::text(HOSTILE))
        .always("Case gone:", Reply::reset());
    let eval = Eval::new(script);
    let bad = json!({ "containsText": ["bin 7", HOSTILE] });
    let cases = json!([case("good", lookup()), case("bad,1", bad), case("gone", lookup())]);
    eval.write(&json!({ "parts": eval.stdio("parts", Mode::Plain) }), &cases, &json!({}));
    eval
}

#[test]
fn a_junit_report_has_a_test_a_case_and_its_counts_add_up() {
    let eval = eval();
    eval.run_expecting(&["--junit", "junit.xml"], 1);
    let text = eval.env.read("junit.xml");
    assert!(text.contains("tests=\"3\" failures=\"1\" errors=\"1\""), "{text}");
    assert!(text.contains("<testsuite name=\"default\""), "{text}");
    assert_eq!(text.matches("<failure ").count(), 1, "{text}");
    assert_eq!(text.matches("<error ").count(), 1, "{text}");
    assert!(text.contains("]]&gt;&lt;/failure&gt;"), "{text}");
    let is_bad = |char: char| char.is_control() && char != '\n' || char == '\u{ffff}';
    assert!(!text.contains(is_bad), "{text:?}");
}

#[test]
fn a_summary_in_markdown_holds_no_markup_from_outside() {
    let eval = eval();
    eval.run_expecting(&["--markdown", "summary.md"], 1);
    let text = eval.env.read("summary.md");
    assert!(text.starts_with("## `parts-eval`: 1 of 2 cases passed (50%), 1 incomplete\n"), "{text}");
    assert!(text.contains("### Failed (1)") && text.contains("### Without a verdict (1)"), "{text}");
    assert!(!text.contains('\u{1b}') && !text.contains('\u{202e}'), "{text:?}");
}

#[test]
fn the_step_summary_of_a_job_is_added_to_and_another_file_replaced() {
    let mut eval = Eval::passing();
    let summary = eval.env.write("steps.md", "before\n");
    eval.env.set_variable("GITHUB_STEP_SUMMARY", summary.display().to_string());
    eval.run_expecting(&["--markdown", "steps.md"], 0);
    assert!(eval.env.read("steps.md").starts_with("before\n## `parts-eval`"), "{}", eval.env.read("steps.md"));
    eval.env.write("other.md", "before\n");
    eval.run_expecting(&["--markdown", "other.md"], 0);
    assert!(eval.env.read("other.md").starts_with("## `parts-eval`"), "{}", eval.env.read("other.md"));
}

#[test]
fn annotations_point_at_the_line_of_the_case_and_no_text_makes_another() {
    let mut eval = eval();
    let root = eval.env.root().display().to_string();
    eval.env.set_variable("GITHUB_WORKSPACE", root);
    let (finished, _) = eval.run_expecting(&["--github"], 1);
    let dataset = eval.env.read("parts.json");
    let line = dataset.lines().position(|line| line.contains("\"bad,1\"")).unwrap() + 1;
    let start = format!("::error file=parts.json,line={line},title=Case bad%2C1 failed::textContains: ");
    let errors: Vec<&str> = finished.stderr.lines().filter(|line| line.starts_with("::error ")).collect();
    assert_eq!(errors.len(), 1, "{}", finished.stderr);
    assert!(errors[0].starts_with(&start), "{}", finished.stderr);
    assert_eq!(finished.stderr.matches("::warning ").count(), 1, "{}", finished.stderr);
    assert!(!finished.stdout.lines().any(|line| line.starts_with("::")), "{}", finished.stdout);
}

#[test]
fn sarif_has_a_result_a_failed_case_at_its_line() {
    let eval = eval();
    eval.run_expecting(&["--sarif", "log.sarif", "--badge", "badge.svg"], 1);
    let log = eval.env.read_json("log.sarif");
    let run = &log["runs"][0];
    assert_eq!(run["results"].as_array().unwrap().len(), 1);
    let place = &run["results"][0]["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "parts.json");
    assert!(place["region"]["startLine"].as_u64().unwrap() > 1, "{place}");
    assert_eq!(run["results"][0]["ruleId"], "textContains");
    assert_eq!(run["invocations"][0]["executionSuccessful"], false);
    assert!(eval.env.read("badge.svg").contains("<title>parts-eval: 1/3 passed, 1 incomplete</title>"));
}

#[test]
fn what_cannot_be_written_is_refused_before_anything_is_spent() {
    let eval = Eval::passing();
    eval.env.write("folder/x", "");
    for (flags, says) in [
        (&["--junit", "folder"][..], "--junit folder: it is a directory"),
        (&["--markdown", "-"], "--markdown takes a file"),
        (&["--sarif", "no/where/log.sarif"], "there is no folder no/where"),
        (&["--junit", "a", "--badge", "./a"], "--junit and --badge name one file"),
        (&["--junit", "a", "--no-grade"], "--junit tells of verdicts, and --no-grade leaves none"),
    ] {
        let finished = eval.run_with(flags);
        finished.expect_code(2);
        assert!(finished.stderr.contains(says), "{flags:?}: {}", finished.stderr);
    }
    assert_eq!((eval.runs().len(), eval.provider.views().len()), (0, 0));
}

#[test]
fn a_run_that_stopped_early_has_an_error_for_each_case_that_it_did_not_reach() {
    let eval = Eval::new(Script::strict().on("Case one:", done()).always("Case two:", Reply::text("bin 7")));
    let cases = json!([case("one", lookup()), case("two", lookup()), case("three", lookup())]);
    let more = json!({ "concurrency": 1, "pricing": { "claude-x": { "input": 100, "output": 100 } } });
    eval.write(&json!({ "parts": eval.stdio("parts", Mode::Plain) }), &cases, &more);
    eval.run_expecting(&["--max-tokens-total", "1", "--junit", "junit.xml"], 7);
    let text = eval.env.read("junit.xml");
    assert!(text.contains("tests=\"3\""), "{text}");
    assert!(text.contains("type=\"missing\""), "{text}");
}

#[test]
fn a_regrade_leaves_the_same() {
    let eval = eval();
    let (_, dir) = eval.run_expecting(&[], 1);
    let finished = eval.mst(&[
        "grade",
        &dir.id(),
        "--config",
        "eval.json",
        "--output-dir",
        "out",
        "--junit",
        "junit.xml",
        "--github",
    ]);
    finished.expect_code(1);
    assert!(eval.env.read("junit.xml").contains("tests=\"3\" failures=\"1\" errors=\"1\""));
    assert!(finished.stderr.contains("::error "), "{}", finished.stderr);
}

#[test]
fn words_from_outside_are_no_commands_of_the_job() {
    let eval = eval();
    let (finished, _) = eval.run_expecting(&["--github"], 1);
    let lines: Vec<&str> = finished.stderr.lines().collect();
    let token = lines[0].strip_prefix("::stop-commands::").unwrap();
    let end = lines.iter().position(|line| *line == format!("::{token}::")).unwrap();
    assert_eq!(token.len(), 32);
    assert!(lines[1..end].iter().any(|line| line.contains("Run directory")), "{}", finished.stderr);
    assert!(lines[end + 1..].iter().all(|line| line.starts_with("::error ") || line.starts_with("::warning ")));
    eval.env.write("broken.json", "{");
    let broken = eval.mst(&["run", "--config", "broken.json", "--github"]);
    assert!(!broken.stderr.contains("stop-commands"), "{}", broken.stderr);
}

/// An eval of two cases of which one fails.
fn half() -> Eval {
    let eval = Eval::new(Script::strict().on("Case one:", done()).always("Case two:", Reply::text("no idea")));
    let cases = json!([case("one", lookup()), case("two", lookup())]);
    eval.write(&json!({ "parts": eval.stdio("parts", Mode::Plain) }), &cases, &json!({}));
    eval
}

#[test]
fn a_known_failure_does_not_fail_the_run_and_one_that_passes_does() {
    let eval = half();
    let list = |entries: &Value| drop(eval.env.write_json("known.json", entries));
    let flags = ["--known-failures", "known.json", "--junit", "junit.xml"];
    list(&json!([{ "case": "two", "reason": "the model guesses" }]));
    let (finished, _) = eval.run_expecting(&flags, 0);
    assert!(finished.stderr.contains("Gate known-failures: held"), "{}", finished.stderr);
    assert!(eval.env.read("junit.xml").contains("<skipped message=\"known failure: the model guesses\""));
    list(&json!([{ "case": "two", "reason": "x" }, { "case": "one", "reason": "y" }]));
    let (finished, _) = eval.run_expecting(&flags, 1);
    let says = "Gate known-failures: failed: 1 known failure passed: one; remove what passed from the list.";
    assert!(finished.stderr.contains(says), "{}", finished.stderr);
    assert!(eval.env.read("junit.xml").contains("failures=\"1\""), "{}", eval.env.read("junit.xml"));
    list(&json!([]));
    let json = eval.run_with(&[&flags[..], &["--json"]].concat());
    json.expect_code(1);
    assert_eq!(json.json()["gates"][0]["end"], "failed");
}

#[test]
fn a_list_of_known_failures_is_written_and_rewritten() {
    let eval = half();
    let flags = ["--known-failures", "known.json", "--update-known-failures"];
    eval.run_with(&flags[..2]).expect_code(2);
    eval.run_expecting(&flags, 0);
    let list = eval.env.read_json("known.json");
    assert_eq!(list.as_array().unwrap().len(), 1, "{list}");
    assert_eq!(list[0]["case"], "two");
    assert!(list[0]["reason"].as_str().unwrap().starts_with("toolsTriggered: "), "{list}");
    eval.run_expecting(&flags[..2], 0);
    eval.env.write_json("known.json", &json!([{ "case": "one", "reason": "a" }, { "case": "two", "reason": "b" }]));
    eval.run_expecting(&flags, 0);
    assert_eq!(eval.env.read_json("known.json"), json!([{ "case": "two", "reason": "b" }]));
}

#[test]
fn a_list_of_known_failures_is_refused_at_the_line_that_is_wrong() {
    let eval = half();
    for (list, says) in [
        ("[\n  {\"case\": \"tow\", \"reason\": \"x\"}\n]", "known.json:2:12"),
        ("[\n  {\"case\": \"tow\", \"reason\": \"x\"}\n]", "did you mean \"two\"?"),
        ("[{\"case\": \"two\"}]", "an entry has a \"reason\""),
        ("[{\"case\": \"two\", \"reson\": \"x\"}]", "did you mean \"reason\"?"),
        ("[{\"case\": \"two\", \"variant\": \"v\", \"reason\": \"x\"}]", "the eval has no variant \"v\""),
        ("[{\"case\": \"two\", \"reason\": \"x\"},\n{\"case\": \"two\", \"reason\": \"y\"}]", "known.json:2:10"),
        ("{}", "a list of known failures is a JSON list"),
    ] {
        eval.env.write("known.json", list);
        let finished = eval.run_with(&["--known-failures", "known.json"]);
        finished.expect_code(2);
        assert!(finished.stderr.contains(says), "{list}: {}", finished.stderr);
    }
    assert_eq!(eval.runs().len(), 0);
}

/// An eval of eight cases and two variants, of which the second one's model answers as told.
fn two_variants(candidate: Reply) -> Eval {
    let script = Script::strict().model("gpt-y", candidate).model("claude-x", Reply::text("It is in bin 7."));
    let eval = Eval::new(script);
    let cases: Vec<Value> = (0..8).map(|n| case(&format!("c{n}"), json!({ "containsText": "bin 7" }))).collect();
    let variants = json!([{ "name": "old", "model": "claude-x" }, { "name": "new", "model": "gpt-y" }]);
    eval.write(&json!({}), &json!(cases), &json!({ "variants": variants, "model": null }));
    eval
}

#[test]
fn the_gate_worse_fails_only_when_the_test_says_worse() {
    let eval = two_variants(Reply::text("no idea"));
    let (finished, _) = eval.run_expecting(&["--fail-on", "worse"], 1);
    let says = "Gate worse: failed: new is worse than the baseline variant by the paired test.";
    assert!(finished.stderr.contains(says), "{}", finished.stderr);
    let same = two_variants(Reply::text("bin 7"));
    same.run_expecting(&["--fail-on", "worse"], 0);
    // One case of two failed: the test cannot say worse of so few, and `cases` can.
    let few = half();
    few.run_expecting(&["--fail-on", "cases"], 1);
    let finished = few.run_with(&["--fail-on", "bad"]);
    finished.expect_code(2);
    assert!(finished.stderr.contains("possible values: worse, regressed, cases"), "{}", finished.stderr);
}

/// Runs a checker of `.ci/` with the Python that CI installs its packages for, and returns what it printed.
#[track_caller]
fn checked(script: &str, arguments: &[&Path]) -> String {
    let servers = std::env::var("MST_CI_SERVERS").expect("MST_CI_SERVERS names where CI installs programs");
    let python = Path::new(&servers).join("py/bin/python3");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.ci").join(script);
    let done = Command::new(python).arg(script).args(arguments).output().expect("python runs");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).expect("a checker prints text")
}

#[test]
#[ignore = "needs Python with xmlschema"]
fn a_junit_report_is_what_its_readers_accept() {
    let eval = eval();
    eval.run_expecting(&["--junit", "junit.xml"], 1);
    let says = checked("junit_check.py", &[&eval.env.path("junit.xml")]);
    assert_eq!(says, "1 suite, 3 tests: 1 failure, 1 error, 0 skipped\n");
}

#[test]
#[ignore = "needs Python with check-jsonschema, and the schema of SARIF from npm"]
fn a_sarif_log_is_of_its_schema() {
    let eval = eval();
    eval.run_expecting(&["--sarif", "log.sarif"], 1);
    let servers = std::env::var("MST_CI_SERVERS").expect("MST_CI_SERVERS names where CI installs programs");
    let schema = "sarif/node_modules/@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json";
    let done = Command::new(Path::new(&servers).join("py/bin/check-jsonschema"))
        // One of its patterns is none in Unicode mode.
        .args(["--regex-variant", "nonunicode", "--schemafile"])
        .arg(Path::new(&servers).join(schema))
        .arg(eval.env.path("log.sarif"))
        .output()
        .expect("check-jsonschema runs");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stdout));
}

#[test]
#[ignore = "needs Python with check-jsonschema"]
fn the_action_and_the_documented_jobs_are_of_their_schemas_and_name_flags_that_exist() {
    let servers = std::env::var("MST_CI_SERVERS").expect("MST_CI_SERVERS names where CI installs programs");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let says = checked("workflow_check.py", &[&root, &Path::new(&servers).join("py/bin/check-jsonschema")]);
    assert_eq!(says, "action, workflow and job: ok\n");
}
