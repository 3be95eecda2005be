//! `mst plan`: what a number of cases and trials would see, from stored runs or a guess.

use mst_testkit::{Reply, Rule, Script, When};
use serde_json::{Value, json};

use crate::eval::{Eval, case};

/// An eval of twelve cases, of which some pass.
fn eval() -> Eval {
    let eval = Eval::new(answers(&["c1", "c2"]));
    let cases: Vec<Value> = (0..12).map(|n| case(&format!("c{n}"), json!({ "containsText": "bin 7" }))).collect();
    let price = json!({ "claude-x": { "input": 100, "output": 100 } });
    eval.write(&json!({}), &json!(cases), &json!({ "trials": 2, "concurrency": 1, "pricing": price }));
    eval
}

/// Answers wrongly for some cases.
fn answers(failing: &[&str]) -> Script {
    let failing =
        failing.iter().fold(Script::strict(), |script, id| script.always(format!("Case {id}:"), Reply::text("no")));
    failing.rule(Rule::new(When::default(), [Reply::text("bin 7")]).repeating())
}

fn plan(eval: &Eval, more: &[&str]) -> mst_testkit::Finished {
    eval.mst(&[&["plan", "--config", "eval.json", "--output-dir", "out"], more].concat())
}

#[test]
fn without_a_run_or_a_guess_nothing_can_be_planned() {
    let eval = eval();
    let finished = plan(&eval, &[]);
    finished.expect_code(2);
    assert!(
        finished.stderr.contains("there is no whole, graded run of variant default to plan from"),
        "{}",
        finished.stderr
    );
    assert!(finished.stderr.contains("--rate 0.85"), "{}", finished.stderr);
    let guessed = plan(&eval, &["--rate", "0.85", "--json", "--cases", "5,60", "--trials", "3", "--budget-usd", "10"]);
    guessed.expect_code(0);
    let shown = guessed.json();
    assert_eq!(shown["designs"][0]["smallestDrop"], Value::Null, "five cases see nothing: {shown}");
    let drop = shown["designs"][1]["smallestDrop"].as_f64().unwrap();
    assert!((0.09..0.13).contains(&drop), "{shown}");
    assert_eq!((&shown["costPerTrialUsd"], &shown["budget"]["trials"]), (&Value::Null, &Value::Null));
    let shown =
        plan(&eval, &["--rate", "0.85", "--case-spread", "0.3", "--cases", "60", "--trials", "3", "--json"]).json();
    assert!(shown["designs"][0]["smallestDrop"].as_f64().unwrap() > drop, "{shown}");
    assert_eq!(eval.provider.views().len(), 0);
}

#[test]
fn two_runs_show_how_much_results_vary_and_what_a_trial_costs() {
    let eval = eval();
    for failing in [&["c1", "c2"], &["c2", "c3"]] {
        eval.provider.set_script(answers(failing));
        let finished = eval.run_with(&[]);
        assert!(matches!(finished.code, Some(0 | 1)), "{}", finished.stderr);
        if eval.runs().len() == 1 {
            let nothing = plan(&eval, &[]);
            nothing.expect_code(2);
            assert!(nothing.stderr.contains("nothing varies in run"), "{}", nothing.stderr);
        }
        let one = plan(&eval, &["--json", "--case-spread", "0.2"][..if eval.runs().len() == 1 { 3 } else { 1 }]).json();
        let known = one["from"]["runs"].as_array().unwrap().len();
        assert_eq!(known, eval.runs().len(), "{one}");
    }
    let shown = plan(&eval, &["--json", "--budget-usd", "1"]).json();
    assert_eq!(shown["from"]["cases"], 12);
    assert_eq!(shown["now"], json!({ "cases": 12, "trials": 2 }));
    // One case got better and one worse, in every trial: 2/11 of variance, all of it between cases.
    let variance = &shown["variance"];
    assert!(
        (variance["case"].as_f64().unwrap() - 2.0 / 11.0).abs() < 1e-9 && variance["trial"] == json!(0.0),
        "{shown}"
    );
    let cost = shown["costPerTrialUsd"].as_f64().unwrap();
    let design = &shown["designs"][0];
    assert_eq!((&design["cases"], &design["trials"]), (&json!(12), &json!(1)));
    assert!((design["costUsd"].as_f64().unwrap() - 12.0 * cost).abs() < 1e-9, "{shown}");
    let trials = shown["budget"]["trials"].as_f64().unwrap();
    assert!(trials * cost <= 1.0 + 1e-6 && (trials + 1.0) * cost > 1.0, "{shown}");
    assert!(shown["budget"]["ofTheseCases"]["cases"].as_u64().unwrap() <= 12, "{shown}");
    let screen = plan(&eval, &["--budget-usd", "1"]);
    screen.expect_code(0);
    assert!(screen.stdout.contains("Smallest drop") && screen.stdout.contains("$1.0000 pays for"), "{}", screen.stdout);
    assert!(screen.stderr.contains("Simulated by the sign-flip test itself: 4,000 runs"), "{}", screen.stderr);
    let ids: Vec<String> = eval.runs().iter().map(crate::run_dir::RunDir::id).collect();
    let named = plan(&eval, &["--json", "--runs", &ids[0], &ids[1]]).json();
    assert_eq!(named["variance"], shown["variance"]);
    plan(&eval, &["--runs", &ids[0], "ffffff"]).expect_code(2);
    plan(&eval, &["--variant", "defualt"]).expect_code(2);
}
