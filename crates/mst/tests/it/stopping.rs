//! `--stop-when decided`: a run ends as soon as the comparison of its two variants is decided, and says how.

use mst_testkit::{Reply, Script};
use serde_json::{Value, json};

use crate::eval::{Eval, case};

const CASES: usize = 40;

/// How long the candidate's model takes: long enough that verdicts come before the last case has begun.
const CANDIDATE_MS: u64 = 100;

/// An eval of two variants, each with a model of its own.
fn eval(candidate: &str, more: &Value) -> Eval {
    let script = Script::strict()
        .model("claude-y", Reply::text(candidate).after_ms(CANDIDATE_MS))
        .model("claude-x", Reply::text("bin 7"));
    let eval = Eval::new(script);
    let cases: Vec<Value> = (0..CASES).map(|n| case(&format!("c{n:02}"), json!({ "containsText": "bin 7" }))).collect();
    let mut keys = json!({ "model": null, "concurrency": 2,
        "variants": [{ "name": "old", "model": "claude-x" }, { "name": "new", "model": "claude-y" }] });
    keys.as_object_mut().expect("keys").extend(more.as_object().expect("keys").clone());
    eval.write(&json!({}), &json!(cases), &keys);
    eval
}

#[test]
fn a_run_stops_when_a_look_decides_and_keeps_what_it_saw() {
    let eval = eval("no idea", &json!({}));
    let (finished, dir) = eval.run_expecting(&["--stop-when", "decided"], 1);
    assert!(finished.stdout.contains("new is worse at look 2 (2"), "{}", finished.stdout);
    let run = dir.run();
    assert_eq!((&run["partial"], &run["selection"]), (&json!(true), &json!({ "stoppedWhen": "decided" })));
    assert_eq!(run["phases"], json!({ "collect": "complete", "grade": "complete" }));
    let looked = &run["sequential"];
    assert_eq!(
        (&looked["candidate"], &looked["assessment"], &looked["planned"]),
        (&json!("new"), &json!("worse"), &json!(40))
    );
    let looks = looked["looks"].as_array().unwrap();
    // Verdicts may come several at once.
    let cases: Vec<u64> = looks.iter().map(|look| look["cases"].as_u64().unwrap()).collect();
    assert!(matches!(cases[..], [10..=19, 20..=29]), "{cases:?}");
    assert!(looks[0]["pWorse"].as_f64() > looks[0]["bound"].as_f64(), "{looked}");
    assert!(looks[1]["pWorse"].as_f64() <= looks[1]["bound"].as_f64(), "{looked}");
    let summary = dir.summary();
    assert_eq!(summary["variants"][0]["result"]["total"], 40);
    let ran = summary["variants"][1]["result"]["total"].as_u64().unwrap();
    assert!((20..40).contains(&ran), "the candidate has the cases that were finished: {ran}");
    assert_eq!(summary["metrics"].get("incomplete"), None, "{summary}");
    assert_eq!(eval.latest(), None, "it is no latest run");
    for arguments in [
        &["run", "--config", "eval.json", "--output-dir", "out", "--resume"][..],
        &["grade", "--config", "eval.json", "--output-dir", "out"],
    ] {
        let refused = eval.mst(&[arguments, &[&dir.id()]].concat());
        refused.expect_code(2);
        assert!(refused.stderr.contains("stopped when it was decided"), "{}", refused.stderr);
    }
}

#[test]
fn a_gate_takes_what_the_looks_decided() {
    let worse = eval("no idea", &json!({}));
    let (finished, _) =
        worse.run_expecting(&["--stop-when", "decided", "--fail-on", "worse", "--junit", "junit.xml"], 1);
    assert!(finished.stderr.contains("Gate worse: failed: new is worse than the baseline variant, after 2 looks."));
    assert!(
        !worse.env.read("junit.xml").contains("type=\"missing\""),
        "cases that were not wanted any more are no errors"
    );
    let same = eval("bin 7", &json!({}));
    let (finished, dir) = same.run_expecting(&["--stop-when", "decided", "--fail-on", "worse"], 0);
    assert!(finished.stdout.contains("new is undecided at look 4 (40 of 40 cases)"), "{}", finished.stdout);
    assert_eq!((&dir.run()["partial"], dir.run().get("selection")), (&json!(false), None));
    assert_eq!(same.latest(), Some(dir.id()), "a run that went to its end is a run as any other");
}

#[test]
fn what_cannot_be_watched_is_refused_before_anything_is_spent() {
    for (more, flags, says) in [
        (
            json!({ "variants": [{ "name": "old", "model": "claude-x" }] }),
            &[][..],
            "it takes two variants; this run has 1",
        ),
        (json!({}), &["--variant", "new"], "it takes two variants; this run has 1"),
        (
            json!({ "pairwiseJudges": [{ "type": "preference", "model": "gpt-judge" }] }),
            &[],
            "pairwise judges compare every case",
        ),
    ] {
        let eval = eval("bin 7", &more);
        let finished = eval.run_with(&[&["--stop-when", "decided"], flags].concat());
        finished.expect_code(2);
        assert!(finished.stderr.contains(says), "{}", finished.stderr);
        assert_eq!((eval.runs().len(), eval.provider.views().len()), (0, 0));
    }
}
