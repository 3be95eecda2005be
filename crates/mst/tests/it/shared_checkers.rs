//! An independent checker of run directories, written by others in Python, on runs of ours. `MST_SHARED` holds it.

use std::path::{Path, PathBuf};

use mst_testkit::{Mode, Reply, Script};
use serde_json::{Value, json};

use crate::eval::{Eval, case, done, looks_up, lookup};
use crate::preferences::{always, compared, down, for_the_baseline, script};
use crate::run_dir::RunDir;

#[expect(clippy::disallowed_methods, reason = "the one setting of a test that needs others' programs")]
fn checker() -> PathBuf {
    let shared = std::env::var("MST_SHARED").expect("MST_SHARED names the folder with tools/check_run/");
    let path = Path::new(&shared).join("tools/check_run/check_run.py");
    assert!(path.is_file(), "{} is not there", path.display());
    path
}

#[track_caller]
fn no_violation(eval: &Eval, dir: &RunDir) {
    eval.env.write("known-secrets.txt", "sk-fake-anthropic-0001\nsk-fake-openai-0001\ntk/9+Xc=31aa\ntok-abcdefgh\n");
    let (checker, run) = (checker().display().to_string(), dir.path.display().to_string());
    let arguments = [checker.as_str(), &run, "--config", "eval.json", "--secrets", "known-secrets.txt"];
    let finished = eval.env.run(Path::new("python3"), arguments);
    assert_eq!(finished.code, Some(0), "{}\n{}", finished.stdout, finished.stderr);
}

fn plain(eval: &Eval) -> Value {
    json!({ "parts": eval.stdio("parts", Mode::Plain) })
}

fn three() -> Value {
    json!([
        case("one", lookup()),
        case("two/b", json!({ "containsText": "bin 7", "matchesPattern": "bin \\d" })),
        case("検索", json!({ "toolCallCount": { "exact": 0 } }))
    ])
}

#[test]
#[ignore = "needs the shared checkers"]
fn graded_ungraded_and_redacted_runs() {
    let eval = Eval::new(looks_up());
    eval.write(&plain(&eval), &three(), &json!({ "trials": 3, "passThreshold": 0.5 }));
    no_violation(&eval, &eval.run(1));
    no_violation(&eval, &eval.run_expecting(&["--no-grade"], 0).1);
    no_violation(&eval, &eval.run_expecting(&["--case", "one", "--trials", "1"], 0).1);
    eval.write_config(&plain(&eval), &json!({ "redactStoredResponses": null }));
    no_violation(&eval, &eval.run(1));
}

#[test]
#[ignore = "needs the shared checkers"]
fn two_variants_with_prices_metrics_and_options() {
    let eval = Eval::new(looks_up());
    let variants = json!([{ "name": "a" }, { "name": "b & c", "model": "gpt-x", "tools": { "lookup": { "name": "find_lookup" } } }, { "name": "off", "model": "lexical-1" }]);
    let more = json!({ "variants": variants, "baseline": "b & c", "trials": 2, "pricing": { "claude-x": { "input": 3, "output": 15 } },
        "metrics": ["response_success", "cache_read_tokens", "input_tokens_uncached"], "clientOptions": { "env": { "OUR_TOKEN": "tok-abcdefgh" } } });
    eval.write(&plain(&eval), &three(), &more);
    no_violation(&eval, &eval.run(1));
}

#[test]
#[ignore = "needs the shared checkers"]
fn infrastructure_failures_and_the_run_that_finishes_them() {
    let script = Script::strict()
        .on("Case one:", done())
        .always("Case two/b:", Reply::reset())
        .always("Case 検索:", Reply::status(401, "no"));
    let eval = Eval::new(script);
    eval.write(&plain(&eval), &three(), &json!({ "trials": 2, "concurrency": 6 }));
    let finished = eval.run_with(&[]);
    assert_eq!(finished.code, Some(5), "{}", finished.stderr);
    let dir = eval.newest();
    no_violation(&eval, &dir);
    eval.provider.set_script(looks_up());
    eval.run_with(&["--resume", &dir.id()]);
    no_violation(&eval, &dir);
    eval.write_config(&json!({ "parts": eval.stdio("parts", Mode::DiesAtStart) }), &json!({}));
    no_violation(&eval, &eval.run(4));
}

#[test]
#[ignore = "needs the shared checkers"]
fn a_run_with_secrets_everywhere() {
    let eval = Eval::new(looks_up());
    let mut server = eval.stdio("parts", Mode::Environment);
    server["env"] = json!({ "DOCS_API_TOKEN": "tk/9+Xc=31aa" });
    eval.write(&json!({ "parts": server }), &three(), &json!({}));
    no_violation(&eval, &eval.run(1));
}

#[test]
#[ignore = "needs the shared checkers"]
fn compared_variants_and_the_resume_and_the_regrade_of_them() {
    let rules = [for_the_baseline(1), always(2, &down())].concat();
    let eval = compared(script(rules), 2, &json!({ "trials": 2 }));
    let dir = eval.run(6);
    no_violation(&eval, &dir);
    eval.provider.set_script(script([for_the_baseline(1), for_the_baseline(2)].concat()));
    no_violation(&eval, &eval.run_expecting(&["--resume", &dir.id()], 0).1);
    eval.mst(&["grade", &dir.id(), "--config", "eval.json", "--output-dir", "out"]).expect_code(0);
    no_violation(&eval, &RunDir::new(dir.path.with_file_name(format!("{}.g2", dir.id()))));
    eval.write_config(&json!({}), &crate::preferences::two_variants(&json!({ "redactStoredResponses": null })));
    no_violation(&eval, &eval.run(0));
}
