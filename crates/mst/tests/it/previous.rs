//! A run against the one before it: which one that is, what the summary and the screen say, and that it never fails a run.

use mst_testkit::{Finished, Mode, Reply, Rule, Script, When};
use serde_json::{Value, json};

use crate::eval::{Eval, case, done, lookup};
use crate::run_dir::RunDir;

const IDS: [&str; 8] = ["c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7"];

/// Answers every case rightly but these.
fn script(failing: &[&str]) -> Script {
    let wrong = |script: Script, id: &&str| script.on(format!("Case {id}:"), [Reply::text("Part p-1 is somewhere.")]);
    failing.iter().fold(Script::strict(), wrong).rule(Rule::new(When::default(), done()).repeating())
}

fn write(eval: &Eval, ids: &[&str], more: &Value) {
    let cases: Value = ids.iter().map(|id| case(id, lookup())).collect();
    eval.write(&json!({ "parts": eval.stdio("parts", Mode::Plain) }), &cases, more);
}

/// Runs the eval with these cases failing.
fn run(eval: &Eval, failing: &[&str]) -> (Finished, RunDir) {
    eval.provider.set_script(script(failing));
    eval.run_expecting(&[], i32::from(!failing.is_empty()))
}

fn previous(dir: &RunDir) -> Value {
    dir.summary()["previousRun"].clone()
}

fn grade(eval: &Eval, run: &str) -> Finished {
    eval.mst(&["grade", run, "--config", "eval.json", "--output-dir", "out"])
}

#[test]
fn a_run_is_compared_with_the_one_before_it() {
    let eval = Eval::new(script(&[]));
    write(&eval, &IDS, &json!({}));
    let (first, old) = run(&eval, &[]);
    assert!(previous(&old).is_null() && !first.stdout.contains("previous run"), "{}", first.stdout);
    let (second, new) = run(&eval, &IDS[..7]);
    let said = previous(&new);
    assert_eq!((&said["runId"], &said["timestamp"]), (&json!(old.id()), &old.run()["createdAt"]));
    assert_eq!((&said["sameConfig"], &said["passRate"]), (&json!(true), &json!(1.0)));
    assert_eq!(said["passRateDelta"], json!(-0.875));
    let variant = &said["variants"]["default"];
    assert_eq!((&variant["passRateDelta"], &variant["trialPassRateDelta"]), (&json!(-0.875), &json!(-0.875)));
    assert_eq!((&variant["change"]["assessment"], &variant["change"]["cases"]), (&json!("worse"), &json!(8)));
    assert_eq!((&variant["regressed"], &variant["improved"]), (&json!(IDS[..7]), &json!([])));
    assert!(second.stdout.contains("default: worse, -87.5 points"), "{}", second.stdout);
    assert!(second.stdout.contains("Regressed (7): c0, c1, c2, c3, c4 and 2 more"), "{}", second.stdout);
    // `--json` prints the summary, and so the comparison.
    eval.provider.set_script(script(&[]));
    let third = eval.run_with(&["--json"]);
    third.expect_code(0);
    let summary: Value = serde_json::from_str(&third.stdout).expect("one JSON value");
    assert_eq!(summary["previousRun"]["variants"]["default"]["change"]["assessment"], "better");
    assert_eq!(summary["previousRun"]["runId"], new.id());
}

#[test]
fn an_edited_config_shows_no_change_and_says_why() {
    let eval = Eval::new(script(&[]));
    write(&eval, &IDS, &json!({}));
    run(&eval, &[]);
    write(&eval, &IDS[..7], &json!({ "maxToolCalls": 7 }));
    let (finished, dir) = run(&eval, &IDS[..1]);
    let said = previous(&dir);
    assert_eq!(said["sameConfig"], false);
    assert_eq!(said["variants"]["default"]["removed"], json!(["c7"]));
    assert!(finished.stdout.contains("no change is shown: the eval config is another one"), "{}", finished.stdout);
    assert!(finished.stdout.contains("the datasets changed between the runs"), "{}", finished.stdout);
    assert!(!finished.stdout.contains("Regressed"), "{}", finished.stdout);
}

#[test]
fn only_a_run_of_the_same_kind_is_the_previous_one() {
    let eval = Eval::new(script(&[]));
    write(&eval, &IDS, &json!({}));
    let (_, full) = run(&eval, &[]);
    let (_, narrowed) = eval.run_expecting(&["--case", "c0"], 0);
    assert!(previous(&narrowed).is_null(), "a full run says nothing of a narrowed one");
    let (_, again) = eval.run_expecting(&["--case", "c0"], 0);
    assert_eq!(previous(&again)["runId"], narrowed.id());
    let (_, other) = eval.run_expecting(&["--case", "c1"], 0);
    assert!(previous(&other).is_null());
    let (_, ungraded) = eval.run_expecting(&["--no-grade"], 0);
    assert!(previous(&ungraded).is_null());
    let (_, next) = run(&eval, &[]);
    assert_eq!(previous(&next)["runId"], full.id());
    // The offline baseline is never compared with a language model.
    write(&eval, &IDS, &json!({ "model": "lexical-1" }));
    eval.run_with(&[]);
    assert!(previous(&eval.newest()).is_null());
}

#[test]
fn a_run_that_cannot_be_read_is_passed_over_with_a_warning() {
    let eval = Eval::new(script(&[]));
    write(&eval, &IDS, &json!({}));
    let (_, oldest) = run(&eval, &[]);
    let (_, damaged) = run(&eval, &[]);
    eval.env.write(format!("out/runs/{}/results.json", damaged.id()), "{\"format\": \"mst.run/v1\", \"cases\": [");
    let (finished, dir) = run(&eval, &[]);
    assert_eq!(previous(&dir)["runId"], oldest.id());
    let warning = format!("run {} is passed over as the previous run", damaged.id());
    assert!(finished.stderr.contains(&warning), "{}", finished.stderr);
}

#[test]
fn a_regrade_is_compared_with_the_newest_grading_of_the_collection_before_its_own() {
    let eval = Eval::new(script(&[]));
    write(&eval, &IDS, &json!({}));
    let (_, old) = run(&eval, &[]);
    let (_, new) = run(&eval, &IDS[..2]);
    grade(&eval, &old.id()).expect_code(0);
    let regraded = grade(&eval, &new.id());
    regraded.expect_code(1);
    let dir = RunDir::new(eval.env.path("out/runs").join(format!("{}.g2", new.id())));
    assert_eq!(previous(&dir)["runId"], format!("{}.g2", old.id()));
    assert!(regraded.stdout.contains("Regressed (2): c0, c1"), "{}", regraded.stdout);
    // The older collection's regrade has none before it.
    let first = RunDir::new(eval.env.path("out/runs").join(format!("{}.g2", old.id())));
    assert!(previous(&first).is_null());
}
