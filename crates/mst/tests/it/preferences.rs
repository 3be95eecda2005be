//! Pairwise judges in a run of the real binary: which cases are compared, what a preference is made of, what has none.

use mst_testkit::{Reply, Rule, Script, When};
use serde_json::{Value, json};

use crate::eval::Eval;
use crate::run_dir::RunDir;
use crate::tape::{TAPE, alone, found};

/// The model of the pairwise judge, unless a test says otherwise: of another family than the client's.
const JUDGE: &str = "gpt-judge";

/// What the judge's model says.
fn says(word: &str) -> Reply {
    Reply::text(json!({ "preferred": word, "reasoning": format!("{word} is so") }).to_string())
}

pub(crate) fn down() -> Reply {
    Reply::status(500, "down").header("retry-after", "0")
}

/// A judge's reply about a case when the side's answer is shown as A.
fn first(side: &str, case: usize, reply: Reply) -> Rule {
    let text = format!("ANS-{side}-{case}\n<<<end of answer_A");
    Rule::new(When { model: Some(JUDGE.to_owned()), text: Some(text), ..When::default() }, [reply]).repeating()
}

/// A judge that gives the same reply about a case in both orders, in the words of the order.
pub(crate) fn always(case: usize, reply: &Reply) -> [Rule; 2] {
    [first("BASE", case, reply.clone()), first("CAND", case, reply.clone())]
}

/// A judge that finds the baseline better whatever the order.
pub(crate) fn for_the_baseline(case: usize) -> [Rule; 2] {
    [first("BASE", case, says("A")), first("CAND", case, says("B"))]
}

/// A script in which the variants answer `ANS-BASE-n` and `ANS-CAND-n`, and the judge what the rules say.
pub(crate) fn script(rules: impl IntoIterator<Item = Rule>) -> Script {
    let script = rules.into_iter().fold(Script::strict(), Script::rule);
    (1..=4).fold(script, |script, case| {
        script
            .always(format!("CAND Question {case}."), Reply::text(format!("ANS-CAND-{case}")))
            .always(format!("Question {case}."), Reply::text(format!("ANS-BASE-{case}")))
    })
}

fn cases(count: usize) -> Value {
    let case = |n| json!({ "id": format!("c{n}"), "input": format!("Question {n}."), "assertions": { "containsText": "ANS" } });
    (1..=count).map(case).collect()
}

/// Returns the config keys of two variants that are compared.
pub(crate) fn two_variants(more: &Value) -> Value {
    let mut keys = json!({
        "variants": [{ "name": "base" }, { "name": "cand", "inputTemplate": "CAND {{input}}" }],
        "pairwiseJudges": [{ "type": "preference", "model": JUDGE }],
    });
    keys.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
    keys
}

pub(crate) fn compared(script: Script, count: usize, more: &Value) -> Eval {
    let eval = Eval::new(script);
    eval.write(&json!({}), &cases(count), &two_variants(more));
    eval
}

/// Returns how many requests the judge's model got.
fn asked(eval: &Eval) -> usize {
    eval.provider.all_requests().iter().filter(|request| request.model.as_deref() == Some(JUDGE)).count()
}

/// Returns how many requests the client's model got.
fn collected(eval: &Eval) -> usize {
    eval.provider.all_requests().iter().filter(|request| request.model.as_deref() == Some("claude-x")).count()
}

fn path(case: &str) -> String {
    format!("scores/preference/cand/{case}.json")
}

/// Returns a stored preference of the candidate `cand`.
#[track_caller]
fn preference(dir: &RunDir, case: &str) -> Value {
    let stored = dir.json_files().into_iter().find(|(name, _)| *name == path(case));
    stored.unwrap_or_else(|| panic!("no preference of {case} in {:?}", dir.paths())).1["preference"].clone()
}

/// Returns what `summary.json` says of the candidate's comparison.
fn pairwise(dir: &RunDir) -> Value {
    dir.summary()["variants"][1]["pairwise"].clone()
}

fn grade(dir: &RunDir) -> Value {
    dir.run()["phases"]["grade"].clone()
}

/// FC-24: a judge that follows the order gives a tie, ties count in the rate, an error is no preference.
#[test]
fn fc24_the_order_decides_nothing_and_the_rate_says_of_what_it_is() {
    let rules = [
        always(1, &says("A")).to_vec(),
        for_the_baseline(2).to_vec(),
        vec![first("BASE", 3, says("tie")), first("CAND", 3, says("A"))],
        vec![first("BASE", 4, says("B")), first("CAND", 4, down())],
    ];
    let eval = compared(script(rules.concat()), 4, &json!({}));
    let (finished, dir) = eval.run_expecting(&[], 6);
    let shown = ["c1", "c2", "c3", "c4"].map(|case| preference(&dir, case));
    let of = |at: usize| (shown[at]["preference"].clone(), shown[at]["consistent"].clone());
    assert_eq!(of(0), (json!("tie"), json!(false)));
    assert_eq!(of(1), (json!("baseline"), json!(true)));
    assert_eq!(of(2), (json!("tie"), json!(false)));
    assert_eq!(of(3), (Value::Null, Value::Null));
    assert!(shown[3]["error"].to_string().contains("status 500"), "{}", shown[3]);
    let compared = pairwise(&dir);
    let mut summary = compared["summary"][0].clone();
    let usage = summary.as_object_mut().expect("a summary").remove("usage").expect("usage");
    assert_eq!(summary["candidateWinRate"], json!(1.0 / 3.0));
    assert_eq!(summary["consistency"], json!(1.0 / 3.0));
    for (key, count) in
        [("compared", 3), ("candidateWins", 0), ("baselineWins", 1), ("ties", 2), ("errors", 1), ("skipped", 0)]
    {
        assert_eq!(summary[key], count, "{key}: {summary}");
    }
    assert_eq!((&compared["baseline"], &compared["candidate"]), (&json!("base"), &json!("cand")));
    let telemetry = dir.summary()["telemetry"].clone();
    assert_eq!((&telemetry["pairwiseJudgeUsage"], &telemetry["totalJudgeUsage"]), (&usage, &usage));
    assert_eq!(dir.summary()["variants"][0]["pairwise"], Value::Null, "the baseline has none");
    assert_eq!((grade(&dir), eval.latest()), (json!("partial"), None));
    for text in ["Against base:", "0.0%", "33.3%", "66.7%", "6.1% to 79.2%", "1 error"] {
        assert!(finished.stdout.contains(text), "{text}: {}", finished.stdout);
    }
    assert!(finished.stderr.contains("No preference of \"preference\": cand/c4: "), "{}", finished.stderr);
    assert!(finished.stderr.contains("--resume"), "{}", finished.stderr);
}

#[test]
fn reasoning_of_the_swapped_order_says_so() {
    let spoken = |forward: &str, swapped: &str| {
        let rules = [first("BASE", 1, says(forward)), first("CAND", 1, says(swapped))];
        preference(&compared(script(rules), 1, &json!({})).run(0), "c1")["reasoning"].clone()
    };
    assert_eq!(spoken("tie", "A"), "tie is so");
    assert_eq!(spoken("A", "tie"), "Asked with the candidate as A: tie is so");
}

/// FC-24: a judge of the client's own family is told of, once.
#[test]
fn fc24_a_pairwise_judge_of_the_clients_family_is_told_of_once() {
    let judge = Rule::new(When { model: Some("claude-y".to_owned()), ..When::default() }, [says("tie")]).repeating();
    let entry = json!({ "pairwiseJudges": [{ "type": "preference", "model": "claude-y" }] });
    let eval = compared(script([judge]), 2, &entry);
    let (finished, _) = eval.run_expecting(&[], 0);
    assert_eq!(finished.stderr.matches("of the same family as").count(), 1, "{}", finished.stderr);
    assert!(finished.stdout.contains("Judges: preference (claude-y)"), "{}", finished.stdout);
}

#[test]
fn a_preference_is_stored_with_its_judge_its_baseline_and_its_identity() {
    let eval = compared(script(for_the_baseline(1)), 1, &json!({}));
    let (finished, dir) = eval.run_expecting(&["--json"], 0);
    let stored = dir.json_files().into_iter().find(|(name, _)| *name == path("c1")).expect("a preference").1;
    let of = |key: &str| stored[key].as_str().unwrap_or_default().to_owned();
    assert_eq!((of("format"), of("kind"), of("runId")), ("mst.run/v1".into(), "preference".into(), dir.id()));
    assert_eq!(
        (of("judge"), of("variant"), of("baseline"), of("caseId")),
        ("preference".into(), "cand".into(), "base".into(), "c1".into())
    );
    let recorded = dir.run()["judges"].clone();
    assert_eq!((&recorded[0]["level"], &recorded[0]["type"]), (&json!("pairwise"), &json!("preference")));
    assert_eq!(recorded[0]["identity"], stored["preference"]["judgeIdentity"]);
    assert_eq!(recorded[0]["version"], stored["preference"]["version"]);
    assert_eq!(stored["preference"]["model"], JUDGE);
    let printed = finished.json()["variants"][1]["pairwise"].clone();
    assert_eq!(printed["cases"][0]["preferences"][0], stored["preference"]);
    assert_eq!((grade(&dir), eval.latest()), (json!("complete"), Some(dir.id())));
}

#[test]
fn each_variant_is_compared_with_the_named_baseline_and_the_last_trial_speaks() {
    let reply = |text: &str| Reply::text(text.to_owned());
    let twice = |prompt: &str, name: &str| {
        let replies = [reply(&format!("ANS-{name}-first")), reply(&format!("ANS-{name}-last"))];
        Rule::new(When::text(prompt), replies).by_arrival()
    };
    let judge = Rule::new(When { model: Some(JUDGE.to_owned()), ..When::default() }, [says("tie")]).repeating();
    let script =
        [judge, twice("CAND Question 1.", "CAND"), twice("THIRD Question 1.", "THIRD"), twice("Question 1.", "BASE")];
    let script = script.into_iter().fold(Script::strict(), Script::rule);
    let variants = json!([
        { "name": "cand", "inputTemplate": "CAND {{input}}" },
        { "name": "third", "inputTemplate": "THIRD {{input}}" },
        { "name": "base" },
    ]);
    let eval = compared(script, 1, &json!({ "variants": variants, "baseline": "base", "trials": 2 }));
    let dir = eval.run(0);
    let names: Vec<Value> = dir.summary()["variants"]
        .as_array()
        .expect("variants")
        .iter()
        .map(|one| json!([one["name"], one["pairwise"]["baseline"]]))
        .collect();
    assert_eq!(names, [json!(["base", null]), json!(["cand", "base"]), json!(["third", "base"])]);
    let prompts: Vec<String> = eval.provider.views().iter().map(|view| view.prompt().to_owned()).collect();
    let of_judge: Vec<&String> = prompts.iter().filter(|text| text.contains("<<<answer_A")).collect();
    assert_eq!(of_judge.len(), 4);
    assert!(of_judge.iter().all(|text| text.contains("ANS-BASE-last") && !text.contains("-first")), "{of_judge:?}");
}

#[test]
fn a_case_that_errored_in_either_variant_is_not_compared() {
    let rules = [
        Rule::new(When::text("CAND Question 1."), [Reply::refusal("No.")]).repeating(),
        Rule::new(When::text("CAND Question 3."), [Reply::text("ANS-CAND-3")]).repeating(),
        Rule::new(When::text("Question 3."), [Reply::status(401, "no")]).repeating(),
    ];
    let eval = compared(script(rules.into_iter().chain(for_the_baseline(2))), 3, &json!({}));
    let finished = eval.run_with(&[]);
    let dir = eval.newest();
    let compared = pairwise(&dir);
    assert_eq!(compared["errored"], json!(["c1", "c3"]), "{}", finished.stderr);
    assert_eq!(compared["cases"].as_array().map(Vec::len), Some(1));
    assert_eq!((asked(&eval), dir.paths().iter().filter(|path| path.contains("/preference/")).count()), (2, 1));
    assert!(finished.stdout.contains("2 trial errors"), "{}", finished.stdout);
    // What was not to be compared lacks nothing.
    assert_eq!(grade(&dir), "complete");
}

#[test]
fn without_the_baseline_nothing_is_compared_and_a_note_says_so() {
    let mut eval = compared(script(for_the_baseline(1)), 1, &json!({}));
    eval.env.remove_variable("OPENAI_API_KEY");
    let (finished, dir) = eval.run_expecting(&["--variant", "cand"], 0);
    assert!(finished.stderr.contains("--variant leaves the baseline \"base\" out"), "{}", finished.stderr);
    assert!(!finished.stderr.contains("OPENAI_API_KEY"), "{}", finished.stderr);
    assert_eq!((asked(&eval), grade(&dir)), (0, json!("complete")));
    assert_eq!(dir.summary()["variants"][0]["pairwise"], Value::Null);
    let (finished, _) = eval.run_expecting(&["--variant", "base"], 0);
    assert!(finished.stderr.contains("leaves the baseline alone"), "{}", finished.stderr);
}

/// A pairwise judge that fails to start is told of before anything is spent and at the end, and the run keeps its results.
#[test]
fn fc22_a_pairwise_judge_without_its_key_is_told_of_and_the_run_keeps_its_results() {
    let mut eval = compared(script(for_the_baseline(1)), 1, &json!({}));
    let key = eval.env.variables().get("OPENAI_API_KEY").expect("a key").clone();
    eval.env.remove_variable("OPENAI_API_KEY");
    let (finished, dir) = eval.run_expecting(&[], 6);
    let told = finished.stderr.find("cannot compare").expect("a warning");
    let run = finished.stderr.find("Run 2").expect("the run's first line");
    assert!(told < run, "before anything is spent: {}", finished.stderr);
    assert!(finished.stderr.contains("No preference of \"preference\": cand/c1: "), "{}", finished.stderr);
    assert_eq!(finished.stderr.matches("OPENAI_API_KEY").count(), 2, "{}", finished.stderr);
    assert_eq!((dir.run()["phases"]["collect"].clone(), grade(&dir)), (json!("complete"), json!("partial")));
    assert_eq!(dir.summary()["metrics"]["passRate"], 1.0);
    assert!(preference(&dir, "c1")["error"].to_string().contains("OPENAI_API_KEY"));
    let doctor = eval.mst(&["doctor", "--config", "eval.json", "--json"]);
    doctor.expect_code(6);
    let judges = doctor.json()["config"]["judges"].clone();
    assert_eq!((&judges[0]["judge"], &judges[0]["kind"]), (&json!("preference"), &json!("pairwise")), "{judges}");
    assert_eq!(judges[0]["ready"], false);

    eval.env.set_variable("OPENAI_API_KEY", &key);
    let before = collected(&eval);
    let (_, resumed) = eval.run_expecting(&["--resume", &dir.id()], 0);
    assert_eq!((collected(&eval), asked(&eval)), (before, 2));
    assert_eq!((grade(&resumed), eval.latest()), (json!("complete"), Some(resumed.id())));
    assert_eq!(preference(&resumed, "c1")["preference"], "baseline");
}

/// FC-22: what is no preference is neither a win nor a tie, whatever it looks like.
#[test]
fn fc22_what_gives_no_preference_counts_for_neither_side() {
    for (what, reply) in [
        ("a key that is refused", Reply::status(401, "no such key")),
        ("nonsense", Reply::text("Both are fine.")),
        ("another word", Reply::text(r#"{"preferred": "C", "reasoning": "?"}"#)),
        ("nothing", Reply::text(r#"{"preferred": null, "reasoning": "?"}"#)),
        ("a refusal", Reply::refusal("I cannot say.")),
        ("an answer cut off", Reply::text(r#"{"preferred": "A", "reas"#).with_finish_reason("length")),
    ] {
        let eval = compared(script(always(1, &reply)), 1, &json!({}));
        let dir = eval.run_expecting(&[], 6).1;
        let found = preference(&dir, "c1");
        assert!(found["error"].is_string() && found["preference"].is_null(), "{what}: {found}");
        let summary = pairwise(&dir)["summary"][0].clone();
        assert_eq!((&summary["compared"], &summary["errors"]), (&json!(0), &json!(1)), "{what}");
        assert_eq!((&summary["candidateWinRate"], grade(&dir)), (&Value::Null, json!("partial")), "{what}");
    }
}

#[test]
fn a_resume_asks_only_for_what_has_no_preference() {
    let first_time = [always(1, &down()), for_the_baseline(2)].concat();
    let eval = compared(script(first_time), 2, &json!({}));
    let dir = eval.run(6);
    let kept = preference(&dir, "c2");
    let paid = preference(&dir, "c1")["usage"]["inputTokens"].as_u64().unwrap_or_default();
    eval.provider.set_script(script([for_the_baseline(1), always(2, &down())].concat()));
    let before = (collected(&eval), asked(&eval));
    let (_, resumed) = eval.run_expecting(&["--resume", &dir.id()], 0);
    assert_eq!((collected(&eval), asked(&eval)), (before.0, before.1 + 2));
    assert_eq!((preference(&resumed, "c2"), grade(&resumed)), (kept, json!("complete")));
    let found = preference(&resumed, "c1");
    assert_eq!(found["preference"], "baseline");
    assert_eq!(found["usage"]["inputTokens"].as_u64(), Some(paid + 200), "what an error cost stays counted");
    let again = eval.run_with(&["--resume", &dir.id()]);
    again.expect_code(2);
    assert!(again.stderr.contains("nothing is missing"), "{}", again.stderr);
}

#[test]
fn a_case_whose_trial_was_collected_again_is_compared_again() {
    let eval = compared(script([for_the_baseline(1), for_the_baseline(2)].concat()), 2, &json!({}));
    let dir = eval.run(0);
    fs_err::remove_file(dir.path.join("transcripts/base/c1/0.json")).expect("a transcript");
    let before = (collected(&eval), asked(&eval));
    let (_, resumed) = eval.run_expecting(&["--resume", &dir.id()], 0);
    assert_eq!((collected(&eval), asked(&eval)), (before.0 + 1, before.1 + 2), "c1 alone, in both orders");
    assert_eq!(pairwise(&resumed)["summary"][0]["compared"], 2);
}

#[test]
fn a_case_that_errors_when_it_is_collected_again_has_no_preference_any_more() {
    let eval = compared(script([for_the_baseline(1), for_the_baseline(2)].concat()), 2, &json!({}));
    let dir = eval.run(0);
    assert!(dir.paths().contains(&path("c1")));
    fs_err::remove_file(dir.path.join("transcripts/cand/c1/0.json")).expect("a transcript");
    let refuses = Rule::new(When::text("CAND Question 1."), [Reply::refusal("No.")]).repeating();
    eval.provider.set_script(script([refuses].into_iter().chain(for_the_baseline(2))));
    let before = asked(&eval);
    let (_, resumed) = eval.run_expecting(&["--resume", &dir.id()], 1);
    assert_eq!((asked(&eval), pairwise(&resumed)["errored"].clone()), (before, json!(["c1"])));
    let left: Vec<String> = resumed.paths().into_iter().filter(|path| path.contains("/preference/")).collect();
    assert_eq!(left, [path("c2")]);
}

#[test]
fn grading_that_is_resumed_asks_only_for_what_has_no_preference() {
    let eval = compared(script([always(1, &down()), for_the_baseline(2)].concat()), 2, &json!({}));
    let (finished, dir) = eval.run_expecting(&[], 6);
    let kept = preference(&dir, "c2");
    assert!(finished.stderr.contains("to grade what has no verdict: mst grade "), "{}", finished.stderr);
    eval.provider.set_script(script([for_the_baseline(1), always(2, &down())].concat()));
    let before = (collected(&eval), asked(&eval));
    let graded = eval.mst(&["grade", &dir.id(), "--config", "eval.json", "--output-dir", "out", "--resume"]);
    graded.expect_code(0);
    assert_eq!((collected(&eval), asked(&eval)), (before.0, before.1 + 2));
    assert_eq!((preference(&dir, "c2"), grade(&dir), eval.latest()), (kept, json!("complete"), Some(dir.id())));
    assert_eq!(pairwise(&dir)["summary"][0]["compared"], 2);
}

#[test]
fn a_cached_preference_is_not_paid_again_and_says_what_it_is() {
    let eval = compared(script([always(1, &down()), for_the_baseline(2)].concat()), 2, &json!({}));
    let dir = eval.run_expecting(&["--judge-cache", "cache"], 6).1;
    eval.provider.set_script(script([for_the_baseline(1), always(2, &down())].concat()));
    let before = asked(&eval);
    let regrade = ["grade", &dir.id(), "--config", "eval.json", "--output-dir", "out", "--judge-cache", "cache"];
    eval.mst(&regrade).expect_code(0);
    assert_eq!(asked(&eval), before + 2, "what had no preference is not in the cache");
    let again = RunDir::new(dir.path.with_file_name(format!("{}.g2", dir.id())));
    let (mut cached, mut given) = (preference(&again, "c2"), preference(&dir, "c2"));
    assert_eq!(
        (&cached["cached"], &cached["usage"], &preference(&again, "c1")["cached"]),
        (&json!(true), &Value::Null, &Value::Null)
    );
    cached.as_object_mut().expect("a preference").remove("cached");
    given.as_object_mut().expect("a preference").remove("usage");
    assert_eq!(cached, given);
    eval.mst(&regrade).expect_code(0);
    assert_eq!(asked(&eval), before + 2);
}

#[test]
fn comparisons_are_priced_and_a_budget_leaves_to_a_resume_what_it_has_no_room_for() {
    let prices = json!({ "claude-x": { "input": 1, "output": 1 }, JUDGE: { "input": 1000, "output": 0 } });
    let rules = || (1..=4).flat_map(for_the_baseline);
    let whole = compared(script(rules()), 4, &json!({ "pricing": prices }));
    let telemetry = whole.run(0).summary()["telemetry"].clone();
    let cost = |usage: &Value| usage["estimatedCostUsd"].as_f64().expect("a cost");
    let pairs = cost(&telemetry["pairwiseJudgeUsage"]);
    assert!((pairs - 0.8).abs() < 1e-9, "four pairs in two orders, 100 tokens of 0.001 each: {pairs}");
    for concurrency in [1, 8] {
        let eval = compared(script(rules()), 4, &json!({ "pricing": prices, "concurrency": concurrency }));
        let (finished, dir) = eval.run_expecting(&["--max-cost-usd", "0.5"], 7);
        assert_eq!(asked(&eval), 4, "two pairs of 0.2 each fit");
        assert_eq!(dir.run()["phases"], json!({ "collect": "complete", "grade": "partial" }));
        let left = ["c1", "c2", "c3", "c4"].map(|case| preference(&dir, case)["error"].clone());
        let why = json!("the run's budget was reached before it was asked");
        assert_eq!(left.iter().filter(|error| **error == why).count(), 2, "{left:?}");
        assert!(
            finished.stderr.contains("Stopped: the budget --max-cost-usd 0.5 was reached: "),
            "{}",
            finished.stderr
        );
        assert!(finished.stderr.contains(&dir.id()), "{}", finished.stderr);
        eval.run_expecting(&["--resume", &dir.id(), "--max-cost-usd", "0.5"], 0);
        assert_eq!(asked(&eval), 8);
        assert!((cost(&dir.summary()["telemetry"]["pairwiseJudgeUsage"]) - pairs).abs() < 1e-9);
    }
    let unpriced = compared(script(rules()), 1, &json!({ "pricing": { "claude-x": { "input": 1, "output": 1 } } }));
    let refused = unpriced.run_with(&["--max-cost-usd", "1"]);
    refused.expect_code(2);
    assert!(refused.stderr.contains("no price for \"gpt-judge\""), "{}", refused.stderr);
    assert_eq!((collected(&unpriced), asked(&unpriced)), (0, 0));
}

/// Collected without grades and graded later, or graded at once: the preferences are the same.
#[test]
fn a_regrade_compares_again_and_no_grade_compares_nothing() {
    let eval = compared(script([for_the_baseline(1), always(2, &says("A"))].concat()), 2, &json!({}));
    let at_once = eval.run(0);
    let before = asked(&eval);
    let later = eval.run_expecting(&["--no-grade"], 0).1;
    assert_eq!(asked(&eval), before, "no pairwise judge is asked");
    assert!(!later.paths().iter().any(|path| path.contains("preference")));
    let finished = eval.mst(&["grade", &later.id(), "--config", "eval.json", "--output-dir", "out"]);
    finished.expect_code(0);
    let regrade = RunDir::new(later.path.with_file_name(format!("{}.g2", later.id())));
    for case in ["c1", "c2"] {
        assert_eq!(preference(&regrade, case), preference(&at_once, case));
    }
    assert_eq!(pairwise(&regrade), pairwise(&at_once));
    assert_eq!(regrade.run()["judges"], at_once.run()["judges"]);
    assert!(finished.stdout.contains("Against base:"), "{}", finished.stdout);
}

#[test]
fn a_compared_run_is_replayed_without_any_key() {
    let rules = [for_the_baseline(1), always(2, &says("A"))].concat();
    let entry = json!({ "pairwiseJudges": [{ "type": "preference", "model": JUDGE, "reps": 2 }] });
    let mut eval = compared(script(rules), 2, &entry);
    let (_, recorded) = eval.run_expecting(&["--record", TAPE], 0);
    assert_eq!(asked(&eval), 8);
    let requests = eval.provider.all_requests().len();
    alone(&mut eval);
    let (_, replayed) = eval.run_expecting(&["--replay", TAPE], 0);
    assert_eq!(found(&recorded), found(&replayed));
    assert_eq!(eval.provider.all_requests().len(), requests);
    assert_eq!(pairwise(&recorded)["cases"], pairwise(&replayed)["cases"]);
}

#[test]
fn a_redacted_run_is_compared_by_the_answers_that_it_does_not_store() {
    let rules = [for_the_baseline(1), for_the_baseline(2)].concat();
    let eval = compared(script(rules), 2, &json!({ "redactStoredResponses": null }));
    let dir = eval.run(0);
    assert_eq!(pairwise(&dir)["summary"][0]["baselineWins"], 2);
    let texts: Vec<String> = dir.json_files().into_iter().map(|(_, value)| value.to_string()).collect();
    assert!(texts.iter().all(|text| !text.contains("ANS-")), "no answer is stored");
}

#[test]
fn judges_and_pairwise_judges_use_is_counted_together_and_apart() {
    let rubric = json!([{ "type": "rubric", "rubric": "correctness", "model": "gemini-judge" }]);
    let verdict = Reply::text(r#"{"pass": true, "score": 1, "reasoning": "so"}"#);
    let judge = Rule::new(When { model: Some("gemini-judge".to_owned()), ..When::default() }, [verdict]).repeating();
    let rules = std::iter::once(judge).chain(for_the_baseline(1));
    let eval = compared(script(rules), 1, &json!({ "judges": rubric }));
    let (finished, dir) = eval.run_expecting(&[], 0);
    let telemetry = dir.summary()["telemetry"].clone();
    let tokens = |usage: &Value| usage["inputTokens"].as_u64().expect("tokens");
    let of_judges: u64 = dir.summary()["variants"]
        .as_array()
        .expect("variants")
        .iter()
        .map(|variant| tokens(&variant["result"]["totalJudgeUsage"]))
        .sum();
    let of_pairwise = tokens(&telemetry["pairwiseJudgeUsage"]);
    assert_eq!(tokens(&telemetry["totalJudgeUsage"]), of_judges + of_pairwise);
    assert_eq!(of_pairwise, tokens(&pairwise(&dir)["usage"]));
    let line = "Judges: correctness (gemini-judge), preference (gpt-judge)";
    assert!(finished.stdout.contains(line), "{}", finished.stdout);
}

#[test]
fn a_case_may_be_named_as_the_file_of_anothers_preference() {
    let eval = Eval::new(script([for_the_baseline(1), for_the_baseline(2)].concat()));
    let mut cases = cases(2);
    cases[0]["id"] = json!("c");
    cases[1]["id"] = json!("c.json");
    eval.write(&json!({}), &cases, &two_variants(&json!({})));
    let dir = eval.run(0);
    assert_eq!(pairwise(&dir)["summary"][0]["compared"], 2);
    fs_err::remove_file(dir.path.join("transcripts/base/c.json/0.json")).expect("a transcript");
    eval.run_expecting(&["--resume", &dir.id()], 0);
}

#[test]
fn the_dry_run_lists_pairwise_judges_and_asks_none() {
    let eval = compared(script([]), 1, &json!({}));
    let finished = eval.run_with(&["--dry-run"]);
    finished.expect_code(0);
    assert_eq!(finished.json()["pairwiseJudges"], json!(["preference"]));
    assert_eq!(eval.provider.all_requests().len(), 0);
}

#[test]
fn preference_is_listed_as_a_pairwise_judge_and_shown() {
    let eval = Eval::new(Script::strict());
    let listed = eval.mst(&["judges", "--json"]).json();
    let preference = listed.as_array().expect("a list").last().expect("judges").clone();
    assert_eq!((&preference["reference"], &preference["kind"]), (&json!("preference"), &json!("pairwise")));
    assert_eq!(preference["swapPositions"], true);
    let shown = eval.mst(&["judges", "show", "mst/pairwise-judge/preference", "--json"]).json();
    assert_eq!(shown["options"]["properties"]["reference"]["default"], true);
    let text = eval.mst(&["judges", "show", "preference"]).stdout;
    for word in ["Orders: both", "reference", "Version: v1-"] {
        assert!(text.contains(word), "{word}: {text}");
    }
}

#[test]
fn what_pairwise_judges_cannot_take_is_refused_before_anything_starts() {
    let eval = compared(script([]), 1, &json!({}));
    for (entry, says) in [
        (json!([{ "type": "preference", "jury": [{ "model": "a" }] }]), "pairwise judges take no jury"),
        (json!(["preference", "preference"]), "/pairwiseJudges/0"),
        (json!([{ "type": "preference", "modle": "m" }]), "did you mean \"model\"?"),
        (json!(["rubric"]), "it belongs in \"judges\""),
        (json!(["preferences"]), "did you mean \"preference\"?"),
    ] {
        eval.write_config(&json!({}), &two_variants(&json!({ "pairwiseJudges": entry })));
        let finished = eval.run_with(&[]);
        finished.expect_code(2);
        assert!(finished.stderr.contains(says), "{says}: {}", finished.stderr);
    }
    assert_eq!((eval.provider.all_requests().len(), eval.runs().len()), (0, 0));
}
