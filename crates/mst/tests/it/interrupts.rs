//! Ctrl-C once, twice, and a kill: what is kept, and what a resume collects.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use mst_testkit::{Mode, Reply, Rule, Script, ToolCall, When};
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::background::{Background, Ended};
use crate::eval::{Eval, case, lookup};
use crate::run_dir::RunDir;

const CASES: usize = 8;

/// Eight cases, two at once, each call of a tool over half a second long; the first can be made to fail.
fn slow(fails: bool) -> Eval {
    let eval = Eval::new(script(fails));
    let mut server = eval.stdio("parts", Mode::SlowCall);
    server["args"].as_array_mut().expect("arguments").extend([json!("--delay-ms"), json!("600")]);
    let cases: Value = (0..CASES).map(|number| case(&format!("c{number}"), lookup())).collect();
    eval.write(&json!({ "parts": server }), &cases, &json!({ "concurrency": 2 }));
    eval.env.write_json(
        "out/latest.json",
        &json!({ "format": "mst.run/v1", "kind": "latest", "runId": "20200101T000000Z-000000",
        "createdAt": "2020-01-01T00:00:00Z", "path": "runs/20200101T000000Z-000000" }),
    );
    eval
}

fn script(fails: bool) -> Script {
    let calls = |id: &str| [Reply::tool(ToolCall::ending("lookup", json!({ "id": id }))), Reply::text("done")];
    let first = Rule::new(When::text("Case c0:"), calls(if fails { "p-2" } else { "p-1" })).repeating();
    Script::strict().rule(first).rule(Rule::new(When::text("Case"), calls("p-1")).repeating())
}

fn saved(eval: &Eval) -> BTreeSet<String> {
    let Some(dir) = eval.runs().pop() else { return BTreeSet::new() };
    if !dir.path.join("transcripts").is_dir() {
        return BTreeSet::new();
    }
    // A file that is being written has another name until it is complete; a kill may leave it, and the folder it was for.
    let paths = dir.paths().into_iter();
    paths
        .filter_map(|path| Some(path.strip_prefix("transcripts/default/")?.strip_suffix("/0.json")?.to_owned()))
        .collect()
}

fn after_three(eval: &Eval) -> Background {
    let mut run = Background::start(eval, &[]);
    run.wait_until("three trials were saved", || saved(eval).len() >= 3);
    run
}

#[track_caller]
fn resumes_exactly(eval: &Eval, dir: &RunDir, kept: &BTreeSet<String>, code: i32) {
    let before: Vec<usize> = (0..CASES).map(|number| eval.asked(&format!("Case c{number}:"))).collect();
    let (_, resumed) = eval.run_expecting(&["--resume", &dir.id()], code);
    assert_eq!((resumed.id(), eval.runs().len()), (dir.id(), 1));
    for (number, before) in before.into_iter().enumerate() {
        let id = format!("c{number}");
        let asked = eval.asked(&format!("Case {id}:")) - before;
        assert_eq!(asked, if kept.contains(&id) { 0 } else { 2 }, "{id} of {kept:?}");
    }
    assert_eq!(resumed.run()["phases"], json!({ "collect": "complete", "grade": "complete" }));
    assert_eq!((resumed.trials().len(), resumed.states().len()), (CASES, CASES));
    assert_eq!(eval.latest(), Some(dir.id()), "latest.json follows the completed run");
    let journal = fs_err::read_to_string(resumed.path.join("journal.jsonl")).expect("a journal");
    let lines = journal.lines().map(|line| serde_json::from_str::<Value>(line).expect("a line of JSON"));
    let named: BTreeSet<String> = lines.map(|line| line["caseId"].to_string()).collect();
    assert_eq!(named.len(), CASES, "{journal}");
}

fn interrupted(fails: bool) -> (Eval, Ended, RunDir, BTreeSet<String>) {
    let eval = slow(fails);
    let run = after_three(&eval);
    run.interrupt_group();
    let ended = run.end();
    let dir = eval.newest();
    let is_trial = |trial: &&(String, Value)| trial.1["ending"]["kind"] == "trial";
    let kept = dir
        .trials()
        .iter()
        .filter(is_trial)
        .map(|(_, trial)| trial["caseId"].as_str().expect("an id").to_owned())
        .collect();
    (eval, ended, dir, kept)
}

#[test]
fn fc30_an_interrupt_keeps_what_is_finished_and_resume_collects_the_rest() {
    for fails in [false, true] {
        let (eval, ended, dir, kept) = interrupted(fails);
        assert_eq!(ended.code, Some(130), "{}", ended.stderr);
        assert!((3..CASES).contains(&kept.len()), "{kept:?}");
        for (_, trial) in dir.trials().iter().filter(|(_, trial)| trial["ending"]["kind"] == "trial") {
            assert!(
                crate::run_dir::events(trial).iter().all(|event| event["isError"] != true),
                "a cut trial counts: {trial}"
            );
        }
        assert_eq!(dir.run()["phases"]["collect"], "partial");
        assert_eq!(eval.latest().as_deref(), Some("20200101T000000Z-000000"), "latest.json moved");
        assert!(ended.stderr.contains(&format!("--resume {}", dir.id())), "{}", ended.stderr);
        assert_eq!(eval.env.left_over(), []);
        resumes_exactly(&eval, &dir, &kept, i32::from(fails));
        if fails {
            assert_eq!(dir.state("c0"), "fail");
        }
    }
}

#[test]
fn fc30_a_second_interrupt_cuts_trials_off_and_leaves_no_process() {
    let eval = slow(false);
    let run = after_three(&eval);
    run.interrupt_group();
    std::thread::sleep(Duration::from_millis(150));
    let second = Instant::now();
    run.signal(Signal::INT);
    let ended = run.end();
    assert_eq!(ended.code, Some(130), "{}", ended.stderr);
    assert!(second.elapsed() < Duration::from_secs(8), "{:?}", second.elapsed());
    assert_eq!(eval.env.left_over(), []);
    let dir = eval.newest();
    assert!(!dir.json_files().is_empty(), "every stored file parses");
    assert_eq!(eval.latest().as_deref(), Some("20200101T000000Z-000000"));
}

#[test]
fn a_request_to_end_is_an_interrupt_too() {
    let eval = slow(false);
    let run = after_three(&eval);
    run.signal(Signal::TERM);
    let ended = run.end();
    assert_eq!(ended.code, Some(130), "{}", ended.stderr);
    assert_eq!(eval.newest().run()["phases"]["collect"], "partial");
    assert_eq!(eval.env.left_over(), []);
}

#[test]
fn a_killed_run_is_resumed_with_exactly_what_it_lacks() {
    let eval = slow(false);
    let run = after_three(&eval);
    run.signal(Signal::KILL);
    run.end();
    let dir = eval.newest();
    let kept = saved(&eval);
    assert!((3..CASES).contains(&kept.len()), "{kept:?}");
    assert_eq!(dir.run()["phases"]["collect"], "partial");
    dir.json_files();
    resumes_exactly(&eval, &dir, &kept, 0);
    let strays: Vec<String> =
        dir.paths().into_iter().filter(|path| path.contains("tmp") || path.ends_with('~')).collect();
    assert_eq!(strays, [] as [&str; 0]);
}

#[test]
fn a_torn_journal_is_only_a_hint() {
    let eval = slow(false);
    let run = after_three(&eval);
    run.signal(Signal::KILL);
    run.end();
    let (dir, kept) = (eval.newest(), saved(&eval));
    fs_err::write(dir.path.join("journal.jsonl"), "{\"variant\":\"default\",\"caseId\":\"c5\",\"tri").expect("a file");
    resumes_exactly(&eval, &dir, &kept, 0);
}
