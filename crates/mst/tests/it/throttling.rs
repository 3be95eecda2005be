//! Limits, and providers that throttle: who waits, who goes on, and what is told of it.

use mst_testkit::{Form, Mode, Reply, Rule, Script, When};
use serde_json::{Value, json};

use crate::eval::{Eval, case, looks_up, lookup};
use crate::wire;

fn cases(count: usize, more: &Value) -> Value {
    (0..count)
        .map(|at| {
            let mut case = case(&format!("c{at}"), json!({ "containsText": "bin 7" }));
            for (key, value) in more.as_object().expect("keys of a case") {
                case[key] = value.clone();
            }
            case
        })
        .collect()
}

/// A script that answers every case, and refuses the first calls of a form.
fn refusing_first(form: Option<Form>, refusal: &Reply, times: usize) -> Script {
    let answer = Reply::text("Part p-1 is in bin 7.").after_ms(30);
    // Late enough that every call that begins at once has been sent before the first refusal is known.
    let refusal = refusal.clone().after_ms(400);
    let replies = (0..times).map(|_| refusal.clone()).chain([answer.clone()]);
    let refusing = Rule::new(When { form, ..When::default() }, replies).by_arrival().repeating();
    Script::strict().rule(refusing).rule(Rule::new(When::default(), [answer]).repeating())
}

#[test]
fn limits_hold_for_a_provider_and_for_a_server() {
    for (limits, most) in [
        (json!({ "providers": { "anthropic": 2 } }), 2),
        (json!({ "servers": { "parts": 1 } }), 1),
        (json!({ "providers": { "openai": 1 } }), 6),
    ] {
        let eval = Eval::new(looks_up().latency_ms(40));
        let servers = json!({ "parts": eval.stdio("parts", Mode::Plain) });
        let cases: Value = (0..12).map(|at| case(&format!("c{at}"), lookup())).collect();
        eval.write(&servers, &cases, &json!({ "concurrency": 6, "limits": limits }));
        eval.run(0);
        let seen = eval.provider.stats().most_in_flight;
        assert!(seen <= most && (most < 6 || seen > 2), "{limits}: {seen} at once");
    }
}

#[test]
fn fc09_one_refusal_slows_every_call_to_its_provider_and_no_trial_is_lost() {
    let eval = Eval::new(refusing_first(None, &Reply::rate_limited(1), 8));
    eval.write(&json!({}), &cases(24, &json!({})), &json!({ "concurrency": 8 }));
    let (finished, dir) = eval.run_expecting(&[], 0);
    assert_eq!(dir.trials().len(), 24);
    let at: Vec<u64> = eval.provider.requests().iter().map(|request| request.at_ms).collect();
    assert_eq!(at.len(), 24 + 8, "each refused call was asked once more: {at:?}");
    assert!(at[8] - at[7] >= 950, "nothing came before its time: {at:?}");
    let throttling = &dir.run()["throttling"]["anthropic"];
    assert_eq!((&throttling["refused"], &throttling["lowestConcurrency"]), (&json!(8), &json!(4)), "{throttling}");
    assert!(throttling["waitedMs"].as_u64().is_some_and(|waited| waited >= 8_000), "{throttling}");
    assert_eq!(dir.summary()["telemetry"]["throttling"]["anthropic"], *throttling);
    let told: Vec<&str> = finished.stderr.lines().filter(|line| line.contains("throttle")).collect();
    assert_eq!(told.len(), 2, "{}", finished.stderr);
    assert!(told[0].starts_with("anthropic throttles ("), "{told:?}");
    assert!(told[1].starts_with("anthropic throttled: 8 times, lowest concurrency 4, calls waited "), "{told:?}");
}

#[test]
fn fc09_the_other_providers_go_on_while_one_throttles() {
    let refusals = [
        Reply::rate_limited(2),
        Reply::status(529, "overloaded").header("retry-after", "2"),
        Reply::status(503, "later").header("retry-after", "2"),
    ];
    let probe = Eval::new(Script::strict());
    let count = wire::makers(&probe.provider).len();
    for (at, refusal) in refusals.into_iter().enumerate().take(count) {
        let eval = Eval::new(Script::strict());
        let wires = wire::makers(&eval.provider);
        let slow = &wires[at];
        // Every trial of the slow provider comes first, and takes every place there is.
        let of = |wire: &wire::Wire, at: usize| {
            let mut case = case(&format!("{}-{at}", wire.name), json!({ "containsText": "bin 7" }));
            case["model"] = json!(wire.model);
            case
        };
        let others = wires.iter().filter(|wire| wire.name != slow.name);
        let first = (0..6).map(|at| of(slow, at));
        let cases: Value = first.chain(others.flat_map(|wire| (0..6).map(move |at| of(wire, at)))).collect();
        eval.provider.set_script(refusing_first(Some(slow.form), &refusal, 3));
        eval.write(&json!({}), &cases, &json!({ "concurrency": 3 }));
        let dir = eval.run(0);
        let requests = eval.provider.requests();
        let times = |is_slow: bool| -> Vec<u64> {
            let mine = requests.iter().filter(|request| (request.form == Some(slow.form)) == is_slow);
            mine.map(|request| request.at_ms).collect()
        };
        let (slow_at, others_at) = (times(true), times(false));
        let again = slow_at.iter().find(|at| **at >= slow_at[0] + 1_900).expect("it was asked again");
        assert!(others_at.iter().all(|at| at < again), "{}: {slow_at:?} {others_at:?}", slow.name);
        assert!(slow_at.iter().all(|at| at - slow_at[0] < 700 || at >= again), "{}: {slow_at:?}", slow.name);
        let seen = dir.run()["throttling"].as_object().expect("a map").keys().cloned().collect::<Vec<_>>();
        assert_eq!(seen, [slow.name], "the others were not throttled");
    }
}

#[test]
fn waiting_for_a_provider_before_a_trial_begins_is_not_the_trial_s_time() {
    let eval = Eval::new(refusing_first(None, &Reply::rate_limited(2), 1));
    eval.write(&json!({}), &cases(3, &json!({})), &json!({ "concurrency": 1, "timeout": 4_000 }));
    let dir = eval.run(0);
    let times: Vec<f64> =
        dir.trials().iter().map(|(_, trial)| trial["durationMs"].as_f64().expect("a number")).collect();
    assert!(times[0] >= 1_900.0, "the refused call is the trial's own time: {times:?}");
    let eval = Eval::new(refusing_first(None, &Reply::rate_limited(2), 2));
    eval.write(&json!({}), &cases(6, &json!({})), &json!({ "concurrency": 2, "timeout": 4_000 }));
    let dir = eval.run(0);
    let waited = |trial: &Value| trial["durationMs"].as_f64().is_some_and(|time| time >= 1_500.0);
    assert_eq!(dir.trials().iter().filter(|(_, trial)| waited(trial)).count(), 2, "only those that were refused");
}

#[test]
fn a_provider_that_wants_more_than_a_minute_is_not_waited_for() {
    let eval = Eval::new(Script::strict().rule(Rule::new(When::default(), [Reply::rate_limited(300)]).repeating()));
    eval.write(&json!({}), &cases(4, &json!({})), &json!({}));
    let (_, dir) = eval.run_expecting(&[], 6);
    assert_eq!(eval.provider.stats().requests, 1, "it was asked again before its time");
    for at in 0..4 {
        let ending = dir.ending(&format!("c{at}"));
        assert_eq!((&ending["broke"], &ending["retryable"]), (&json!("provider"), &json!(true)), "{ending}");
    }
}

#[test]
fn fc11_a_late_tool_is_met_alike_in_every_wire_form() {
    let replies = [
        Reply::tool(mst_testkit::ToolCall::ending("list_notes", json!({}))),
        Reply::call("purge", json!({})),
        Reply::text("x"),
    ];
    let mut eval = Eval::new(Script::strict().on("Case", replies));
    wire::with_google_login(&mut eval);
    let wires = wire::all(&eval.provider);
    let servers = json!({ "docs": eval.stdio("docs", Mode::ListChanged) });
    eval.write(&servers, &json!([case("bin", json!({}))]), &json!({ "variants": wire::variants(&wires) }));
    let (_, dir) = eval.run_expecting(&[], 3);
    for one in &wires {
        let ending = dir.trial_of(Some(one.name), "bin")["ending"].clone();
        assert_eq!(
            (&ending["broke"], &ending["retryable"]),
            (&json!("setup"), &json!(false)),
            "{}: {ending}",
            one.name
        );
        assert!(
            ending["reason"].as_str().is_some_and(|reason| reason.contains("docs.purge")),
            "{}: {ending}",
            one.name
        );
    }
    assert!(eval.calls("docs").iter().all(|(name, _)| name == "list_notes"), "{:?}", eval.calls("docs"));
}

#[test]
fn a_live_server_takes_a_flag_and_stands_in_the_run() {
    let eval = Eval::new(Script::strict().on("Case", [Reply::text("done")]));
    let servers = json!({ "docs": eval.stdio("docs", Mode::WriteHints) });
    let live = json!({ "writes": { "docs": "live" } });
    eval.write(&servers, &json!([case("bin", json!({ "toolCallCount": { "max": 9 } }))]), &live);
    for more in [&[][..], &["--dry-run"]] {
        let finished = eval.run_with(more);
        finished.expect_code(2);
        for text in ["eval.json:", "docs", "--allow-live-writes"] {
            assert!(finished.stderr.contains(text), "{text}: {}", finished.stderr);
        }
    }
    assert_eq!((eval.runs().len(), eval.provider.stats().requests, eval.processes("docs")), (0, 0, 0));
    let (_, dir) = eval.run_expecting(&["--allow-live-writes"], 0);
    assert_eq!(dir.run()["variants"][0]["writeModes"], json!({ "docs": "live" }));
    eval.provider.set_script(Script::strict().always("Case", Reply::reset()));
    let (finished, dir) = eval.run_expecting(&["--allow-live-writes"], 6);
    let again = format!("--allow-live-writes --resume {}", dir.id());
    assert!(finished.stderr.contains(&again), "{}", finished.stderr);
}
