//! However a run ends, nothing that it started is left: not a server that ignores every request to end, and not the process
//! that it left behind in a session of its own.

use std::time::{Duration, Instant};

use mst_testkit::{Mode, Reply, Script};
use rustix::process::Signal;
use serde_json::json;

use crate::background::Background;
use crate::eval::{Eval, case, looks_up, lookup};

/// Two cases on a server that cannot be stopped.
fn runaway(script: Script) -> Eval {
    let eval = Eval::new(script);
    let server = eval.stdio("parts", Mode::Runaway);
    let cases = json!([case("bin", lookup()), case("bin2", lookup())]);
    eval.write(&json!({ "parts": server }), &cases, &json!({ "concurrency": 2 }));
    eval
}

/// Starts a run whose model never answers, and waits until servers and their sleepers are there.
fn under_way() -> (Eval, Background) {
    let eval = runaway(Script::strict().on("Case", [Reply::text("late").after_ms(60_000)]));
    let mut run = Background::start(&eval, &[]);
    run.wait_until("two trials have their servers", || eval.received("parts", "tools/list").len() >= 3);
    let sleepers = || eval.env.left_over().iter().filter(|process| process.command == "sleep 999").count();
    run.wait_until("two servers run with their sleepers", || sleepers() >= 2);
    (eval, run)
}

#[track_caller]
fn nothing_is_left_within(eval: &Eval, limit: Duration) {
    let end = Instant::now() + limit;
    while !eval.env.left_over().is_empty() {
        assert!(Instant::now() < end, "left over: {:?}", eval.env.left_over());
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn fc03_a_killed_run_leaves_no_server_and_nothing_that_a_server_started() {
    let (eval, run) = under_way();
    run.signal(Signal::KILL);
    run.end();
    nothing_is_left_within(&eval, Duration::from_secs(10));
}

#[test]
fn fc30_an_interrupted_run_leaves_no_server_and_nothing_that_a_server_started() {
    for times in [1, 2] {
        let (eval, run) = under_way();
        for _ in 0..times {
            run.interrupt_group();
            std::thread::sleep(Duration::from_millis(100));
        }
        assert_eq!(run.end().code, Some(130));
        assert_eq!(eval.env.left_over(), [], "{times}");
    }
}

#[test]
fn fc03_a_run_that_ends_by_itself_has_ended_everything() {
    let eval = runaway(looks_up());
    let run = Background::start(&eval, &[]);
    let ended = run.end();
    assert_eq!(eval.env.left_over(), []);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
}

#[test]
fn the_guardian_is_no_command_for_people() {
    let eval = Eval::passing();
    let finished = eval.mst(&["guardian"]);
    finished.expect_code(2);
    assert_eq!(finished.stderr, "error: `mst guardian` is started by a run, for itself: stdin is no socket of a run\n");
    assert!(!eval.mst(&["--help"]).stdout.contains("guardian"));
}

#[test]
fn servers_start_ahead_of_their_trials_and_none_starts_for_nobody() {
    const CASES: usize = 12;
    const AT_ONCE: usize = 3;
    let eval = Eval::new(looks_up());
    let server = eval.stdio("parts", Mode::Plain);
    let cases: serde_json::Value = (0..CASES).map(|number| case(&format!("c{number}"), lookup())).collect();
    eval.write(&json!({ "parts": server }), &cases, &json!({ "concurrency": AT_ONCE }));
    eval.run(0);
    assert_eq!(eval.processes("parts"), 1 + CASES, "one was checked, and one for each trial");
    let (mut alive, mut most) = (0_usize, 0);
    for line in eval.env.read_lines("parts.log") {
        if line.get("start").is_some() {
            alive += 1;
            most = most.max(alive);
        } else if line.get("eof").is_some() {
            alive -= 1;
        }
    }
    let cores = std::thread::available_parallelism().expect("cores").get();
    assert!((2..=AT_ONCE + AT_ONCE.min(cores)).contains(&most), "{most} at once");
}

#[test]
fn a_server_that_is_not_ready_has_none_started_for_its_trials() {
    let eval = Eval::new(looks_up());
    let cases: serde_json::Value = (0..9).map(|number| case(&format!("c{number}"), lookup())).collect();
    eval.write(&json!({ "parts": eval.stdio("parts", Mode::NoTools) }), &cases, &json!({ "concurrency": 2 }));
    eval.run(4);
    assert!(eval.processes("parts") <= 1 + 2, "{}", eval.processes("parts"));
    assert_eq!(eval.env.left_over(), []);
}
