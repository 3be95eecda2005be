//! Budgets: a run stops before the trial that would pass one, with what it has, and a resume goes on.

use mst_testkit::provider::Usage;
use mst_testkit::{Finished, Reply, Rule, Script, When};
use serde_json::{Value, json};

use crate::eval::{Eval, case};
use crate::run_dir::RunDir;

const CASES: usize = 20;

/// Tokens of an answer of the client's model, in and out together.
const TOKENS: u64 = 20;

/// What an answer costs, in USD, at 100 USD per million tokens.
const COST: f64 = 0.002;

/// What a judge's answer costs, in USD: half as many tokens.
const JUDGE_COST: f64 = 0.001;

const JUDGE: &str = "gpt-judge";

fn used(tokens: u64) -> Usage {
    Usage { input: tokens - 5, output: 2, cache_read: 3, ..Usage::default() }
}

fn answer() -> Reply {
    Reply::text("It is in bin 7.").with_usage(used(TOKENS))
}

fn verdict() -> Reply {
    Reply::text(r#"{"pass": true, "score": 1, "reasoning": "It says bin 7."}"#).with_usage(used(TOKENS / 2))
}

fn price() -> Value {
    json!({ "input": 100, "output": 100 })
}

/// Makes an eval of 20 cases, each one request long.
fn eval(answer: Reply, concurrency: u32, more: &Value) -> Eval {
    let script = Script::strict().model(JUDGE, verdict()).rule(Rule::new(When::default(), [answer]).repeating());
    let eval = Eval::new(script);
    let cases: Vec<Value> = (0..CASES).map(|n| case(&format!("c{n:02}"), json!({ "containsText": "bin 7" }))).collect();
    let mut keys = json!({ "pricing": { "claude-x": price(), JUDGE: price() }, "concurrency": concurrency });
    keys.as_object_mut().expect("keys").extend(more.as_object().expect("keys").clone());
    eval.write(&json!({}), &json!(cases), &keys);
    eval
}

fn judges() -> Value {
    json!({ "judges": [{ "type": "rubric", "rubric": "correctness", "model": JUDGE }] })
}

fn requests(eval: &Eval, model: &str) -> usize {
    eval.provider.all_requests().iter().filter(|request| request.model.as_deref() == Some(model)).count()
}

/// Runs with flags, expects the budget to stop it, and checks what the run says of itself.
#[track_caller]
fn stopped(eval: &Eval, flags: &[&str]) -> (Finished, RunDir) {
    let (finished, dir) = eval.run_expecting(flags, 7);
    let run = dir.run();
    assert_eq!(run["phases"], json!({ "collect": "partial", "grade": "partial" }));
    let note = run["notes"].as_array().and_then(|notes| notes.last()?.as_str()).unwrap_or_default().to_owned();
    assert!(note.starts_with("the budget --max-"), "{note}");
    assert!(finished.stderr.contains(&format!("Stopped: {note}.")), "{}", finished.stderr);
    assert!(finished.stdout.contains("stopped by its budget"), "{}", finished.stdout);
    assert!(finished.stderr.contains(&format!("--resume {}", dir.id())), "{}", finished.stderr);
    assert_eq!(eval.latest(), None);
    (finished, dir)
}

/// Returns a number of the summary's telemetry.
fn total(dir: &RunDir, pointer: &str) -> f64 {
    dir.summary()["telemetry"].pointer(pointer).and_then(Value::as_f64).unwrap_or_default()
}

#[track_caller]
fn assert_near(got: f64, want: f64) {
    assert!((got - want).abs() < 1e-9, "{got}, not {want}");
}

#[test]
fn a_cost_or_a_number_of_tokens_stops_the_run_before_it_is_passed_whatever_the_concurrency() {
    for concurrency in [1, 8] {
        for (flag, value, says) in [
            ("--max-cost-usd", "0.011", "$0.01 used, and one more uses about $0.002"),
            ("--max-tokens-total", "119", "100 tokens used, and one more uses about 20 tokens"),
        ] {
            let eval = eval(answer(), concurrency, &json!({}));
            let (finished, dir) = stopped(&eval, &[flag, value]);
            assert_eq!(requests(&eval, "claude-x"), 5, "{flag}, {concurrency} at once");
            assert!(finished.stderr.contains(says), "{}", finished.stderr);
            assert!(finished.stdout.contains("5 of 20 trials saved"), "{}", finished.stdout);
            // The command that is printed has the limit, and with it a resume stops again after as much.
            assert!(finished.stderr.contains(&format!("{flag} {value} --resume")), "{}", finished.stderr);
            let id = dir.id();
            for so_far in [10, 15] {
                stopped(&eval, &[flag, value, "--resume", &id]);
                assert_eq!(requests(&eval, "claude-x"), so_far, "{flag}, {concurrency} at once");
            }
            eval.run_expecting(&[flag, value, "--resume", &id], 0);
            assert_eq!((requests(&eval, "claude-x"), eval.latest()), (CASES, Some(id)));
            assert_near(total(&dir, "/totalClientUsage/estimatedCostUsd"), COST * CASES as f64);
            assert_eq!(dir.run()["phases"], json!({ "collect": "complete", "grade": "complete" }));
        }
    }
}

#[test]
fn minutes_stop_the_run_before_a_trial_that_would_end_too_late() {
    for concurrency in [1, 8] {
        // One answer takes two seconds, and two of them do not fit into three.
        let eval = eval(answer().after_ms(2000), concurrency, &json!({}));
        let (finished, dir) = stopped(&eval, &["--max-minutes", "0.05"]);
        assert_eq!(requests(&eval, "claude-x"), concurrency as usize, "{}", finished.stderr);
        eval.provider.set_script(Script::strict().rule(Rule::new(When::default(), [answer()]).repeating()));
        eval.run_expecting(&["--max-minutes", "5", "--resume", &dir.id()], 0);
        assert_eq!(requests(&eval, "claude-x"), CASES);
    }
}

#[test]
fn what_judges_use_counts_too() {
    for concurrency in [1, 8] {
        let eval = eval(answer(), concurrency, &judges());
        let (_, dir) = stopped(&eval, &["--max-cost-usd", "0.0155"]);
        assert_eq!((requests(&eval, "claude-x"), requests(&eval, JUDGE)), (5, 5), "3 tenths of a cent each");
        eval.run_expecting(&["--resume", &dir.id()], 0);
        assert_eq!((requests(&eval, "claude-x"), requests(&eval, JUDGE)), (CASES, CASES));
        assert_near(total(&dir, "/totalClientUsage/estimatedCostUsd"), COST * CASES as f64);
        assert_near(total(&dir, "/totalJudgeUsage/estimatedCostUsd"), JUDGE_COST * CASES as f64);
    }
}

#[test]
fn a_resume_that_only_lacks_verdicts_is_limited_too() {
    for concurrency in [1, 8] {
        let eval = eval(answer(), concurrency, &judges());
        let down = Reply::status(400, "no");
        let broken = Script::strict().model(JUDGE, down).rule(Rule::new(When::default(), [answer()]).repeating());
        eval.provider.set_script(broken);
        let (_, dir) = eval.run_expecting(&[], 6);
        eval.provider.forget();
        let works = Script::strict().model(JUDGE, verdict());
        eval.provider.set_script(works);
        let flags = ["--max-tokens-total", "75", "--resume", &dir.id()];
        let (finished, _) = eval.run_expecting(&flags, 7);
        assert_eq!((requests(&eval, "claude-x"), requests(&eval, JUDGE)), (0, 7), "{}", finished.stderr);
        assert_eq!(dir.run()["phases"], json!({ "collect": "complete", "grade": "partial" }));
        eval.run_expecting(&["--resume", &dir.id()], 0);
        assert_eq!(requests(&eval, JUDGE), CASES);
    }
}

#[test]
fn what_a_provider_does_not_report_stops_the_run_at_once() {
    for (flag, value) in [("--max-cost-usd", "1"), ("--max-tokens-total", "1000")] {
        let eval = eval(answer().without_usage(), 8, &json!({}));
        let (finished, dir) = stopped(&eval, &[flag, value, "--max-minutes", "5"]);
        assert_eq!(requests(&eval, "claude-x"), 1, "nothing shows what the others would use");
        assert!(finished.stderr.contains("default/c00, trial 0: the client reported no usage"), "{}", finished.stderr);
        let again = format!("--max-minutes 5 --resume {}", dir.id());
        assert!(finished.stderr.contains(&again), "{}", finished.stderr);
        assert!(!finished.stderr.contains(&format!("{flag} {value} --max-minutes 5 --resume")), "{}", finished.stderr);
    }
    let eval = eval(answer().without_usage(), 8, &json!({}));
    eval.run_expecting(&["--max-minutes", "5"], 0);
}

#[test]
fn an_attempt_that_its_provider_refused_costs_nothing_and_hides_no_other() {
    let eval = eval(answer(), 8, &json!({}));
    let script = Script::strict()
        .always("Case c00:", Reply::status(400, "context_length_exceeded"))
        .always("Case c03:", Reply::status(401, "no such key"))
        .rule(Rule::new(When::default(), [answer()]).repeating());
    eval.provider.set_script(script);
    let (_, dir) = stopped(&eval, &["--max-cost-usd", "0.011"]);
    let states = eval.provider.all_requests().len();
    assert_eq!(states, 7, "5 answers and 2 refusals: {:?}", dir.states());
}

#[test]
fn a_budget_comes_before_a_failed_case_in_the_exit_code_and_stands_in_the_json() {
    let eval = eval(Reply::text("No idea.").with_usage(used(TOKENS)), 1, &json!({}));
    let finished = eval.run_with(&["--max-cost-usd", "0.011", "--json"]);
    finished.expect_code(7);
    let reached = &finished.json()["budgetReached"];
    assert_eq!((&reached["flag"], &reached["unmeasured"]), (&json!("max-cost-usd"), &Value::Null));
    assert_near(reached["used"].as_f64().expect("a number"), 0.01);
    assert_near(reached["next"].as_f64().expect("a number"), COST);
}

#[test]
fn a_run_that_ends_within_its_budget_says_nothing_of_it() {
    let eval = eval(answer(), 8, &json!({}));
    let all = COST * CASES as f64;
    let (finished, dir) = eval.run_expecting(&["--max-cost-usd", &all.to_string(), "--max-minutes", "10"], 0);
    assert!(!finished.stderr.contains("budget") && dir.run().get("notes").is_none(), "{}", finished.stderr);
}

#[test]
fn the_offline_baseline_uses_nothing() {
    let eval = eval(answer(), 8, &json!({ "model": "lexical-1", "pricing": null }));
    let finished = eval.run_with(&["--max-cost-usd", "0.01", "--max-tokens-total", "10"]);
    assert!(matches!(finished.code, Some(0 | 1)), "{}", finished.stderr);
    assert!(finished.stdout.contains("of 20 cases passed"), "{}", finished.stdout);
}

#[test]
fn a_budget_that_cannot_be_held_is_refused_before_anything_is_spent() {
    let cost = ["--max-cost-usd", "1"];
    let tokens = ["--max-tokens-total", "1000"];
    let minutes = ["--max-minutes", "1"];
    let bare = json!({ "pricing": null });
    let mut judged = judges();
    judged["pricing"] = json!({ "claude-x": price() });
    let replay = ["--max-minutes", "1", "--replay", "tape.jsonl"];
    let dry = ["--max-cost-usd", "1", "--dry-run"];
    for (what, more, flags, says) in [
        ("a value", json!({}), &["--max-cost-usd", "0"][..], &["--max-cost-usd", "a number over 0"][..]),
        ("a value", json!({}), &["--max-cost-usd", "nan"], &["--max-cost-usd"]),
        ("a value", json!({}), &["--max-minutes", "-1"], &["--max-minutes", "a number over 0"]),
        ("a value", json!({}), &["--max-tokens-total", "1.5"], &["--max-tokens-total", "a whole number over 0"]),
        (
            "redacted",
            json!({ "redactStoredResponses": true }),
            &tokens,
            &["eval.json:", "\"redactStoredResponses\": true"],
        ),
        (
            "redacted by default",
            json!({ "redactStoredResponses": null }),
            &minutes,
            &["eval.json:1:", "redactStoredResponses"],
        ),
        ("no price", bare.clone(), &cost, &["eval.json:1:", "\"claude-x\"", "pricing"]),
        ("no price, and a dry run", bare, &dry, &["eval.json:1:", "\"claude-x\"", "pricing"]),
        ("no price of a judge", judged, &cost, &["\"gpt-judge\"", "pricing"]),
        ("another model's price", json!({ "pricing": { "other": price() } }), &cost, &["claude-x", "eval.json:"]),
        ("a replay", json!({}), &replay, &["replayed run has no budget"]),
    ] {
        let eval = eval(answer(), 1, &more);
        let finished = eval.run_with(flags);
        finished.expect_code(2);
        for word in says {
            assert!(finished.stderr.contains(word), "{what}, {word:?}: {}", finished.stderr);
        }
        assert_eq!((eval.provider.stats().requests, eval.runs().len()), (0, 0), "{what}");
    }
    // A judge that is not asked needs no price.
    let mut judged = judges();
    judged["pricing"] = json!({ "claude-x": price() });
    eval(answer(), 8, &judged).run_expecting(&["--max-cost-usd", "1", "--no-grade"], 0);
}

#[test]
fn a_batch_refuses_budgets_by_name() {
    let eval = eval(answer(), 1, &json!({}));
    for flag in ["--max-cost-usd", "--max-tokens-total", "--max-minutes"] {
        let finished = eval.mst(&["batch", "--configs", "eval.json", flag, "1"]);
        finished.expect_code(2);
        assert!(finished.stderr.contains(&format!("`{flag}` is not available")), "{}", finished.stderr);
    }
    assert_eq!(eval.provider.stats().requests, 0);
}

/// Grades a run again.
fn grade(eval: &Eval, run: &str, more: &[&str]) -> Finished {
    eval.mst(&[&["grade", run, "--config", "eval.json", "--output-dir", "out"], more].concat())
}

#[test]
fn a_regrade_stops_at_its_budget_and_a_resume_grades_the_rest() {
    for concurrency in [1, 8] {
        for (flag, value) in [("--max-cost-usd", "0.0055"), ("--max-tokens-total", "55")] {
            let eval = eval(answer(), concurrency, &judges());
            let (_, dir) = eval.run_expecting(&["--no-grade"], 0);
            let finished = grade(&eval, &dir.id(), &[flag, value]);
            finished.expect_code(7);
            assert_eq!((requests(&eval, "claude-x"), requests(&eval, JUDGE)), (CASES, 5), "{}", finished.stderr);
            let regrade = format!("{}.g2", dir.id());
            let again = format!("mst grade {regrade} --config eval.json --output-dir out {flag} {value} --resume");
            assert!(finished.stderr.contains(&again), "{}", finished.stderr);
            grade(&eval, &regrade, &["--resume"]).expect_code(0);
            assert_eq!((requests(&eval, "claude-x"), requests(&eval, JUDGE)), (CASES, CASES));
        }
    }
}

#[test]
fn a_verdict_from_the_cache_uses_nothing_of_a_budget() {
    let eval = eval(answer(), 8, &judges());
    let (_, dir) = eval.run_expecting(&["--judge-cache", "cache"], 0);
    assert_eq!(requests(&eval, JUDGE), CASES);
    let finished = grade(&eval, &dir.id(), &["--judge-cache", "cache", "--max-cost-usd", "0.0001"]);
    finished.expect_code(0);
    assert_eq!(requests(&eval, JUDGE), CASES, "every verdict was there: {}", finished.stderr);
    // Without the cache the same budget pays for the first verdict alone, which is over it.
    let finished = grade(&eval, &dir.id(), &["--max-cost-usd", "0.0001"]);
    finished.expect_code(7);
    assert_eq!(requests(&eval, JUDGE), CASES + 1, "{}", finished.stderr);
}
