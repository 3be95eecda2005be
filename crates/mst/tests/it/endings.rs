//! What broke is recorded as what broke, never as a grade.

use std::time::Duration;

use mst_testkit::provider::Usage;
use mst_testkit::{Mode, Reply, Rule, Script, ToolCall, When};
use serde_json::{Value, json};

use crate::eval::{Eval, case, done, lookup};
use crate::wire;

fn always(id: &str, reply: Reply) -> Rule {
    Rule::new(When::text(format!("Case {id}:")), [reply]).repeating()
}

#[test]
fn fc09_a_rate_limit_is_waited_for_and_leaves_one_record() {
    let script = Script::strict().rule(
        Rule::new(When::text("Case"), [Reply::rate_limited(1), Reply::rate_limited(1)].into_iter().chain(done()))
            .by_arrival(),
    );
    let eval = Eval::new(script);
    eval.write(&json!({ "parts": eval.stdio("parts", Mode::Plain) }), &json!([case("bin", lookup())]), &json!({}));
    let dir = eval.run(0);
    assert_eq!((dir.trials().len(), dir.state("bin")), (1, "pass"));
    let at: Vec<u64> = eval.provider.requests().iter().map(|request| request.at_ms).collect();
    assert!(at.len() == 4 && at[1] - at[0] >= 950 && at[2] - at[1] >= 950, "{at:?}");
}

#[test]
fn fc09_endings_name_what_broke_and_resume_collects_only_what_a_retry_can_help() {
    let silent = Reply::text("HTTP 429: quota exceeded").with_usage(Usage { input: 0, output: 0, ..Usage::default() });
    let busy = [Reply::tool(ToolCall::ending("lookup", json!({ "id": "busy" }))), Reply::text("The tool is busy.")];
    let script = Script::strict()
        .rule(always("limited", Reply::rate_limited(0)))
        .rule(always("denied", Reply::status(401, "invalid x-api-key")))
        .rule(always("cut", Reply::reset()))
        .rule(always("words", silent))
        .on("Case tool:", busy)
        .on("Case fine:", done());
    let eval = Eval::new(script);
    let ids = ["limited", "denied", "cut", "words", "tool", "fine"];
    let cases: Value = ids.iter().map(|id| case(id, lookup())).collect();
    eval.write(&json!({ "parts": eval.stdio("parts", Mode::Plain) }), &cases, &json!({ "concurrency": 6 }));
    // A failed case is certain, so it decides the exit status.
    let (finished, dir) = eval.run_expecting(&[], 1);
    let infrastructure = |id: &str| {
        let ending = dir.ending(id);
        assert_eq!(ending["kind"], "infrastructure", "{id}: {ending}");
        (ending["broke"].as_str().expect("what broke").to_owned(), ending["retryable"].as_bool().expect("yes or no"))
    };
    assert_eq!(infrastructure("limited"), ("provider".to_owned(), true));
    assert_eq!(infrastructure("denied"), ("setup".to_owned(), false));
    assert_eq!(infrastructure("cut"), ("network".to_owned(), true));
    let states = ids.map(|id| dir.state(id));
    assert_eq!(states, ["incomplete", "incomplete", "incomplete", "fail", "fail", "pass"]);
    let metrics = dir.summary()["metrics"].clone();
    assert_eq!((&metrics["total"], &metrics["passed"], &metrics["incomplete"]), (&json!(3), &json!(1), &json!(3)));
    assert_eq!(metrics["passRate"], json!(1.0 / 3.0));
    assert_eq!(dir.trials().len(), 6, "one record a trial");
    assert!((finished.stderr.clone() + &dir.trial("words").to_string()).contains("0 tokens"), "{}", finished.stderr);
    assert!(finished.stderr.contains(&format!("--resume {}", dir.id())), "{}", finished.stderr);
    let before = ids.map(|id| eval.asked(&format!("Case {id}:")));
    eval.provider.set_script(Script::strict().on("Case", done()));
    eval.run_expecting(&["--resume", &dir.id()], 1);
    let new: Vec<&str> = ids
        .into_iter()
        .zip(before)
        .filter(|(id, before)| eval.asked(&format!("Case {id}:")) > *before)
        .map(|(id, _)| id)
        .collect();
    assert_eq!(new, ["limited", "cut"]);
    assert_eq!(eval.runs().len(), 1);
    let states = ids.map(|id| dir.state(id));
    assert_eq!(states, ["pass", "incomplete", "pass", "fail", "fail", "pass"]);
}

#[test]
fn fc09_every_wire_form_says_what_broke() {
    let faults = [
        ("denied", Reply::status(401, "no"), "setup", false),
        ("cut", Reply::reset(), "network", true),
        ("broken", Reply::status(503, "try later").header("retry-after", "0"), "provider", true),
    ];
    let script = faults.iter().fold(Script::strict(), |script, (id, reply, ..)| script.rule(always(id, reply.clone())));
    let mut eval = Eval::new(script);
    wire::with_google_login(&mut eval);
    let wires = wire::all(&eval.provider);
    // Cases with settings of their own run at once, which variants do not.
    let of = |one: &wire::Wire, id: &str| json!({ "id": format!("{id}-{}", one.name), "input": format!("Case {id}:"), "model": one.model, "clientOptions": one.options });
    let cases: Value = wires.iter().flat_map(|one| faults.iter().map(move |(id, ..)| of(one, id))).collect();
    eval.write(&json!({}), &cases, &json!({ "concurrency": 40 }));
    let (_, dir) = eval.run_expecting(&[], 5);
    for one in &wires {
        for (id, _, broke, retryable) in &faults {
            let id = format!("{id}-{}", one.name);
            let ending = dir.ending(&id);
            assert_eq!((&ending["broke"], &ending["retryable"]), (&json!(broke), &json!(retryable)), "{id}: {ending}");
        }
    }
    assert!(dir.states().values().all(|state| *state == "incomplete"));
    assert!(dir.summary()["metrics"].get("passRate").is_none(), "{}", dir.summary()["metrics"]);
    eval.provider.set_script(Script::strict().always("Case", Reply::text("ok")));
    let (_, dir) = eval.run_expecting(&["--resume", &dir.id()], 5);
    for one in &wires {
        let states = faults.each_ref().map(|(id, ..)| dir.state(&format!("{id}-{}", one.name)));
        assert_eq!(states, ["incomplete", "pass", "pass"], "{}: what a retry cannot help is left", one.name);
    }
}

#[test]
fn a_time_limit_ends_a_trial_as_a_trial_with_what_there_was() {
    let replies = [Reply::tool(ToolCall::ending("lookup", json!({ "id": "p-1" }))), Reply::hang()];
    let eval = Eval::new(Script::strict().rule(Rule::new(When::text("Case"), replies).by_turn()));
    eval.write(
        &json!({ "parts": eval.stdio("parts", Mode::Plain) }),
        &json!([case("bin", lookup())]),
        &json!({ "timeout": 2_500 }),
    );
    let finished = eval.run_with(&[]);
    assert!(finished.wall < Duration::from_secs(20) && finished.left_over.is_empty(), "{finished:?}");
    let dir = eval.newest();
    assert_eq!(dir.events("bin").len(), 1, "the partial transcript is kept");
    let trial = dir.trial("bin");
    assert!(trial.to_string().contains("2500") || trial.to_string().contains("timeout"), "{trial}");
    assert_eq!(trial["ending"]["kind"], "trial", "{trial}");
    finished.expect_code(1);
}

#[test]
fn an_answer_cut_short_stays_an_answer_and_is_told() {
    let cut = Reply::text("Part p-1 is in").with_finish_reason("max_tokens");
    let mut eval = Eval::new(Script::strict().always("Case", cut));
    wire::with_google_login(&mut eval);
    let wires = wire::all(&eval.provider);
    let cases = json!([case("bin", json!({ "containsText": "bin 7" }))]);
    eval.write(&json!({}), &cases, &json!({ "variants": wire::variants(&wires), "maxTokens": 5 }));
    let dir = eval.run(1);
    assert_eq!(eval.provider.stats().requests, wires.len(), "asked again");
    for one in &wires {
        let trial = dir.trial_of(Some(one.name), "bin");
        assert_eq!(trial["transcript"]["finalText"], "Part p-1 is in", "{}", one.name);
        assert!(trial["clientDiagnostics"]["notes"].to_string().contains("maxTokens"), "{}: {trial}", one.name);
    }
}

#[test]
fn calls_of_a_turn_cut_short_are_not_sent() {
    let cut = Reply::tool(ToolCall::ending("lookup", json!({ "id": "p-1" }))).with_finish_reason("max_tokens");
    let mut eval = Eval::new(Script::strict().always("Case", cut));
    wire::with_google_login(&mut eval);
    let wires = wire::all(&eval.provider);
    let more = json!({ "variants": wire::variants(&wires), "maxTokens": 5 });
    eval.write(&json!({ "parts": eval.stdio("parts", Mode::Plain) }), &json!([case("bin", json!({}))]), &more);
    let dir = eval.run(1);
    assert_eq!((eval.provider.stats().requests, eval.calls("parts")), (wires.len(), Vec::new()));
    for one in &wires {
        let case = dir.case_of(Some(one.name), "bin");
        assert!(case["error"].as_str().is_some_and(|error| error.contains("maxTokens")), "{}: {case}", one.name);
    }
}
