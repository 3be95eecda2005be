//! `mst grade --resume`: what has no verdict is asked, in the run itself, and nothing else is.

use mst_testkit::{Finished, Mode, Reply, Rule, Script, When};
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::background::Background;
use crate::eval::{Eval, case, done, lookup};
use crate::judges::{JUDGE, asked, judge, judged, no, rubric, script, stored, yes};
use crate::run_dir::RunDir;

fn down() -> Reply {
    Reply::status(500, "down").header("retry-after", "0")
}

/// Runs `mst grade` with more flags.
fn grade(eval: &Eval, run: &str, more: &[&str]) -> Finished {
    eval.mst(&[&["grade", run, "--config", "eval.json", "--output-dir", "out"], more].concat())
}

#[track_caller]
fn refused(eval: &Eval, run: &str, says: &str) -> Finished {
    let before = eval.provider.stats().requests;
    let finished = grade(eval, run, &["--resume"]);
    finished.expect_code(2);
    assert!(finished.stderr.contains(says), "{says}: {}", finished.stderr);
    assert_eq!(eval.provider.stats().requests, before, "{says}");
    finished
}

#[test]
fn a_run_that_is_not_there_is_told_in_grade_s_own_words() {
    let eval = judged(script(yes()), &json!([rubric()]));
    let finished = grade(&eval, "7f3c2a", &[]);
    finished.expect_code(2);
    assert!(finished.stderr.contains("run 7f3c2a cannot be graded: no run \"7f3c2a\""), "{}", finished.stderr);
}

/// Types the command that a run's hint names.
#[track_caller]
fn hinted(eval: &Eval, stderr: &str) -> Finished {
    let hint = stderr.lines().find_map(|line| line.split_once("to grade what has no verdict: mst ")).expect("a hint").1;
    eval.mst(&hint.split(' ').collect::<Vec<_>>())
}

/// Cases with ids of their own, judged by the config's judges, and more keys of the config.
fn many(script: Script, ids: &[String], judges: &Value, more: &Value) -> Eval {
    let eval = Eval::new(script);
    let cases: Value = ids.iter().map(|id| case(id, lookup())).collect();
    let mut keys = json!({ "judges": judges });
    keys.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
    eval.write(&json!({ "parts": eval.stdio("parts", Mode::Plain) }), &cases, &keys);
    eval
}

fn ids(count: usize) -> Vec<String> {
    (0..count).map(|number| format!("c{number:02}")).collect()
}

#[test]
fn what_has_no_verdict_is_graded_in_the_run_itself() {
    let eval = judged(script(down()), &json!([rubric()]));
    let finished = eval.run_with(&[]);
    finished.expect_code(6);
    let dir = eval.newest();
    let (collected, started) = (dir.run()["finishedAt"].clone(), eval.processes("parts"));
    let before = asked(&eval, "claude-x");
    assert_eq!(eval.latest(), None);
    eval.provider.set_script(script(yes()));
    let resumed = hinted(&eval, &finished.stderr);
    resumed.expect_code(0);
    assert_eq!((asked(&eval, "claude-x"), eval.processes("parts")), (before, started), "nothing is collected");
    assert_eq!((eval.runs().len(), dir.state("bin"), eval.latest()), (1, "pass", Some(dir.id())));
    assert_eq!(dir.run()["phases"], json!({ "collect": "complete", "grade": "complete" }));
    assert_eq!(dir.run()["finishedAt"], collected, "it was collected when it was");
    assert_eq!((&dir.trial("bin")["gradingError"], &dir.trial("bin")["error"]), (&Value::Null, &Value::Null));
    assert!(resumed.stdout.contains("1 of 1 case passed"), "{}", resumed.stdout);
    refused(&eval, &dir.id(), "nothing to grade: every trial has its verdicts");
}

#[test]
fn whatever_a_judge_had_no_verdict_for_is_completed() {
    for (what, reply, says) in [
        ("too many requests", Reply::status(429, "slow down").header("retry-after", "0"), "429"),
        ("a key that is refused", Reply::status(401, "no such key"), "401"),
        ("no answer in time", Reply::hang(), "did not answer within timeoutMs (400)"),
        ("an unreadable answer", Reply::text("Looks fine to me."), "no verdict"),
        ("an answer that is cut off", Reply::text("If it w").with_finish_reason("max_tokens"), "cut off at maxTokens"),
    ] {
        let entry = judge("task-completion", &json!({ "timeoutMs": 400 }));
        let eval = judged(script(reply), &json!([entry]));
        let finished = eval.run_with(&[]);
        finished.expect_code(6);
        let dir = eval.newest();
        assert_eq!((dir.state("bin"), &dir.run()["phases"]["grade"]), ("incomplete", &json!("partial")), "{what}");
        let error = dir.trial("bin")["gradingError"].as_str().expect("an error").to_owned();
        assert!(error.starts_with("judge.task-completion: ") && error.contains(says), "{what}: {error}");
        eval.provider.set_script(script(yes()));
        hinted(&eval, &finished.stderr).expect_code(0);
        assert_eq!((dir.state("bin"), &dir.run()["phases"]["grade"]), ("pass", &json!("complete")), "{what}");
    }
}

#[test]
fn a_regrade_is_resumed_as_a_run_of_its_own() {
    let eval = judged(script(yes()), &json!([rubric(), judge("task-completion", &json!({ "model": "gemini-judge" }))]));
    let with = |gemini: Reply| {
        let rule = Rule::new(When { model: Some("gemini-judge".to_owned()), ..When::default() }, [gemini]).repeating();
        let script = Script::strict().rule(rule).model(JUDGE, yes());
        script.rule(Rule::new(When::default(), done()).repeating())
    };
    eval.provider.set_script(with(yes()));
    let dir = eval.run(0);
    let collected = dir.text();
    eval.provider.set_script(with(down()));
    let finished = grade(&eval, &dir.id(), &[]);
    finished.expect_code(6);
    let regrade = RunDir::new(dir.path.with_file_name(format!("{}.g2", dir.id())));
    assert_eq!((regrade.state("bin"), eval.latest()), ("incomplete", Some(dir.id())));
    eval.provider.set_script(with(yes()));
    let before = (asked(&eval, JUDGE), asked(&eval, "gemini-judge"));
    hinted(&eval, &finished.stderr).expect_code(0);
    assert_eq!((asked(&eval, JUDGE), asked(&eval, "gemini-judge")), (before.0, before.1 + 1));
    assert_eq!((regrade.state("bin"), eval.latest()), ("pass", Some(regrade.id())));
    assert_eq!(regrade.run()["gradedFrom"], dir.id());
    assert_eq!(dir.text(), collected, "the run that collected stays as it was");
    assert!(!regrade.path.join("journal.jsonl").exists());
    refused(&eval, &regrade.id(), "nothing to grade");
}

#[test]
fn another_graders_fail_stands_and_its_judge_is_asked() {
    let eval = Eval::new(script(down()));
    let cases = json!([case("bin", json!({ "containsText": "bin 9" }))]);
    eval.write(&json!({ "parts": eval.stdio("parts", Mode::Plain) }), &cases, &json!({ "judges": [rubric()] }));
    let (finished, dir) = eval.run_expecting(&[], 1);
    assert_eq!((dir.state("bin"), &dir.run()["phases"]["grade"]), ("fail", &json!("partial")));
    eval.provider.set_script(script(yes()));
    hinted(&eval, &finished.stderr).expect_code(1);
    assert_eq!((dir.state("bin"), &dir.run()["phases"]["grade"]), ("fail", &json!("complete")));
    assert_eq!(stored(&dir, "correctness")["pass"], true);
}

/// The target of the format's *Judge identity*, at a tenth of a hundredth: only the changed case's calls are made.
#[test]
fn only_the_case_whose_own_judge_changed_is_asked_again() {
    let all = ids(100);
    let own = |reference: &str, model: &str| json!([{ "type": reference, "model": model }]);
    let eval = Eval::new(script(yes()));
    let write = |changed: Value| {
        let cases: Value = all
            .iter()
            .map(|id| {
                let mut one = case(id, lookup());
                one["judges"] = if id == "c42" { changed.clone() } else { own("task-completion", JUDGE) };
                one
            })
            .collect();
        eval.write(&json!({ "parts": eval.stdio("parts", Mode::Plain) }), &cases, &json!({ "trials": 2 }));
    };
    write(own("task-completion", JUDGE));
    let dir = eval.run(0);
    assert_eq!(asked(&eval, JUDGE), 200);
    let untouched = dir.path.join("scores/judge.task-completion/default/c41/0.json");
    let written = fs_err::metadata(&untouched).and_then(|data| data.modified()).expect("a file");
    let datasets = dir.run()["datasets"].clone();
    write(own("grounded-in-tools", "gemini-judge"));
    eval.provider
        .set_script(Script::strict().model("gemini-judge", no()).rule(Rule::new(When::default(), done()).repeating()));
    let before = eval.provider.stats().requests;
    grade(&eval, &dir.id(), &["--resume"]).expect_code(1);
    assert_eq!(eval.provider.stats().requests - before, 2, "one call a trial of the changed case");
    assert_eq!((dir.state("c42"), dir.state("c41"), eval.latest()), ("fail", "pass", Some(dir.id())));
    assert_eq!(fs_err::metadata(&untouched).and_then(|data| data.modified()).expect("a file"), written);
    let gone = "scores/judge.task-completion/default/c42/0.json";
    assert!(!dir.path.join(gone).exists(), "a judge that the case no longer has says nothing of it");
    assert!(dir.case("c42").to_string().contains("grounded-in-tools"));
    assert_ne!(dir.run()["datasets"], datasets, "the run says what it was graded with");
    refused(&eval, &dir.id(), "nothing to grade");
    // A case without any judge is graded by what it has.
    write(json!([]));
    grade(&eval, &dir.id(), &["--resume"]).expect_code(0);
    assert_eq!((dir.state("c42"), eval.provider.stats().requests - before), ("pass", 2));
}

#[test]
fn a_run_never_mixes_two_gradings() {
    let eval = judged(script(down()), &json!([rubric()]));
    let dir = eval.run(6);
    let id = dir.id();
    eval.provider.set_script(script(yes()));
    let (config, dataset) = (eval.env.read_json("eval.json"), eval.env.read_json("parts.json"));
    let before = dir.text();
    let config_with = |key: &str, value: Value| {
        let mut changed = config.clone();
        changed[key] = value;
        eval.env.write_json("eval.json", &changed);
    };
    let case_with = |key: &str, value: Value| {
        eval.env.write_json("eval.json", &config);
        let mut changed = dataset.clone();
        changed["cases"][0][key] = value;
        eval.env.write_json("parts.json", &changed);
    };
    config_with("judges", json!([rubric(), judge("task-completion", &json!({}))]));
    refused(&eval, &id, "no longer those that graded it: \"task-completion\"");
    config_with("judges", json!([judge("rubric", &json!({ "rubric": "correctness", "threshold": 0.9 }))]));
    let finished = refused(&eval, &id, "no longer those that graded it: \"correctness\"");
    assert!(finished.stderr.contains("without --resume"), "{}", finished.stderr);
    config_with("judges", json!([]));
    refused(&eval, &id, "no longer those that graded it: \"correctness\"");
    config_with("temperature", json!(0.5));
    refused(&eval, &id, "the eval config changed since it was graded");
    config_with("name", json!("another"));
    refused(&eval, &id, "it is a run of the eval \"parts-eval\"");
    case_with("assertions", json!({ "containsText": "bin 7" }));
    refused(&eval, &id, "cases of the dataset \"parts\" changed in more than their judges");
    case_with("expected", json!({ "answer": "bin 7" }));
    refused(&eval, &id, "cases of the dataset \"parts\" changed in more than their judges");
    // What a case's judge is told to compare with is no part of who it is.
    case_with("judges", json!([{ "type": "task-completion", "model": JUDGE, "reference": "bin 7" }]));
    refused(&eval, &id, "cases of the dataset \"parts\" changed in more than their judges");
    assert_eq!(dir.text(), before, "a refusal leaves the run as it was");
    case_with("judges", json!([{ "type": "task-completion", "model": JUDGE }]));
    grade(&eval, &id, &["--resume"]).expect_code(0);
    assert_eq!((dir.state("bin"), &stored(&dir, "task-completion")["pass"]), ("pass", &json!(true)));
}

#[test]
fn what_grading_cannot_complete_is_refused_with_what_can() {
    let eval = judged(script(yes()), &json!([rubric()]));
    let ungraded = eval.run_expecting(&["--no-grade"], 0).1;
    refused(&eval, &ungraded.id(), "is graded without --resume, as a run of its own");
    grade(&eval, &ungraded.id(), &[]).expect_code(0);
    refused(&eval, "ffffff", "ffffff");
    let mut record = ungraded.run();
    record["phases"]["grade"] = json!("partial");
    let with = |key: &str, value: Value| {
        let mut changed = record.clone();
        changed[key] = value;
        fs_err::write(ungraded.path.join("run.json"), changed.to_string()).expect("written");
    };
    with("redactStoredResponses", json!(true));
    refused(&eval, &ungraded.id(), "stored without answers");
    with("replayed", json!({ "tape": "t", "sha256": "0", "recordedAt": "2026-01-01T00:00:00Z", "recordedWith": "1" }));
    refused(&eval, &ungraded.id(), "replayed from a tape");
    with("variants", json!([]));
    refused(&eval, &ungraded.id(), "`mst run --resume` collects the rest");
    // A trial that was never graded is one without a verdict.
    fs_err::write(ungraded.path.join("run.json"), record.to_string()).expect("written");
    grade(&eval, &ungraded.id(), &["--resume"]).expect_code(0);
    assert_eq!(ungraded.state("bin"), "pass");
    let trial = ungraded.path.join("transcripts/default/bin/0.json");
    fs_err::remove_file(&trial).expect("removed");
    refused(&eval, &ungraded.id(), "one trial was not collected, and `mst run --resume` collects it");
}

/// Thirty cases whose judge takes a while, and a wait until some of them have a verdict.
fn slow(trials: u32) -> (Eval, Script) {
    let keys = json!({ "concurrency": 2, "trials": trials });
    (many(script(yes().after_ms(150)), &ids(30), &json!([rubric()]), &keys), script(yes()))
}

fn verdicts(dir: &RunDir) -> usize {
    let scores = dir.path.join("scores/judge.correctness/default");
    let Ok(cases) = fs_err::read_dir(scores) else { return 0 };
    let read = |path: std::path::PathBuf| fs_err::read_to_string(path.join("0.json")).unwrap_or_default();
    cases.filter(|case| read(case.as_ref().expect("an entry").path()).contains("\"pass\": true")).count()
}

fn start(eval: &Eval, run: &str, more: &[&str]) -> Background {
    let arguments = [&["grade", run, "--config", "eval.json", "--output-dir", "out"], more].concat();
    Background::start_with(eval, &arguments)
}

#[test]
fn an_interrupt_of_grading_leaves_a_run_that_grading_completes() {
    let (eval, quick) = slow(1);
    let collecting = eval.run_expecting(&["--no-grade"], 0).1;
    let regrade = RunDir::new(collecting.path.with_file_name(format!("{}.g2", collecting.id())));
    let mut graded = 0;
    for more in [&[][..], &["--resume"]] {
        let run = if more.is_empty() { collecting.id() } else { regrade.id() };
        let mut running = start(&eval, &run, more);
        running.wait_until("some trials were judged", || verdicts(&regrade) >= graded + 3);
        running.interrupt_group();
        let ended = running.end();
        assert_eq!(ended.code, Some(130), "{}", ended.stderr);
        graded = verdicts(&regrade);
        assert!(graded < 30, "{graded}");
        assert_eq!(regrade.run()["phases"], json!({ "collect": "complete", "grade": "partial" }));
        assert_eq!(eval.latest(), None);
        let command = format!("mst grade {} --config eval.json --output-dir out --resume", regrade.id());
        assert!(ended.stderr.contains(&command), "{}", ended.stderr);
    }
    eval.provider.set_script(quick);
    let before = eval.provider.stats().requests;
    grade(&eval, &regrade.id(), &["--resume"]).expect_code(0);
    assert_eq!(eval.provider.stats().requests - before, 30 - graded, "what has a verdict is not asked");
    assert_eq!((verdicts(&regrade), eval.latest()), (30, Some(regrade.id())));
    assert!(regrade.states().values().all(|state| *state == "pass"));
}

#[test]
fn a_killed_grading_goes_on_where_it_was() {
    let (eval, quick) = slow(2);
    // The run itself, killed while its last trials are judged, and a regrade.
    let mut running = Background::start(&eval, &[]);
    running.wait_until("trials were judged and all collected", || {
        let dir = eval.runs().pop();
        dir.is_some_and(|dir| dir.path.join("run.json").is_file() && dir.run()["variants"] != json!([]))
    });
    running.signal(Signal::KILL);
    running.end();
    let dir = eval.newest();
    eval.provider.set_script(quick);
    grade(&eval, &dir.id(), &["--resume"]).expect_code(0);
    assert_eq!((&dir.run()["phases"]["collect"], eval.latest()), (&json!("complete"), Some(dir.id())));
    let regrade = RunDir::new(dir.path.with_file_name(format!("{}.g2", dir.id())));
    let write = |model: &str| {
        let judges = json!([judge("rubric", &json!({ "rubric": "correctness", "model": model }))]);
        eval.write_config(
            &json!({ "parts": eval.stdio("parts", Mode::Plain) }),
            &json!({ "judges": judges, "concurrency": 2, "trials": 2 }),
        );
    };
    write("gemini-judge");
    eval.provider.set_script(Script::strict().model("gemini-judge", yes().after_ms(150)));
    let mut running = start(&eval, &dir.id(), &[]);
    running.wait_until("some trials were judged", || verdicts(&regrade) >= 3);
    running.signal(Signal::KILL);
    running.end();
    let graded = verdicts(&regrade);
    // As if it had been killed before it had everything.
    let mut record = regrade.run();
    record["variants"] = json!([]);
    fs_err::write(regrade.path.join("run.json"), record.to_string()).expect("written");
    fs_err::remove_file(regrade.path.join("transcripts/default/c29/1.json")).expect("removed");
    eval.provider.set_script(Script::strict().model("gemini-judge", yes()));
    grade(&eval, &regrade.id(), &["--resume"]).expect_code(0);
    assert!(graded >= 3, "{graded}");
    assert_eq!((regrade.trials().len(), eval.latest()), (60, Some(regrade.id())));
    assert_eq!(regrade.run()["variants"][0]["servers"], dir.run()["variants"][0]["servers"]);
    assert_eq!(regrade.run()["variants"][0]["readiness"], dir.run()["variants"][0]["readiness"]);
}
