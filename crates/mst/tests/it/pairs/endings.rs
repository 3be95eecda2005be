//! What broke, and the exit status that says so, for each provider.

use mst_testkit::provider::Usage;
use mst_testkit::{Mode, Reply, Rule, Script, When};
use serde_json::{Value, json};

use super::field::{BOTH, Prepared, Provider, Scenario, Transport};
use crate::eval::{Eval, case, done, looks_up, lookup};
use crate::wire;

/// One case for each provider, all of them at once, which variants are not.
pub(super) fn a_case_each(eval: &Eval, id: &str, assertions: &Value) -> Vec<Value> {
    let of = |one: &wire::Wire| {
        let mut case = case(id, assertions.clone());
        case["id"] = json!(format!("{id}-{}", one.name));
        case["model"] = json!(one.model);
        case["clientOptions"] = one.options.clone();
        case
    };
    wire::all(&eval.provider).iter().map(of).collect()
}

#[test]
fn fc09_every_provider_s_retry_after_is_waited_for() {
    let mut eval = Eval::new(Script::strict());
    wire::with_google_login(&mut eval);
    let wires = wire::all(&eval.provider);
    let script = wires.iter().fold(Script::strict(), |script, one| {
        let when = When { model: Some(one.model.to_owned()), ..When::default() };
        let replies = [Reply::rate_limited(1), Reply::rate_limited(1)].into_iter().chain(done());
        script.rule(Rule::new(when, replies).by_arrival())
    });
    eval.provider.set_script(script);
    let cases = json!(a_case_each(&eval, "bin", &lookup()));
    eval.write(&json!({ "parts": eval.stdio("parts", Mode::Plain) }), &cases, &json!({ "concurrency": wires.len() }));
    let dir = eval.run(0);
    assert_eq!(dir.trials().len(), wires.len(), "one record a trial");
    for one in &wires {
        let requests = eval.provider.requests().into_iter();
        let at: Vec<u64> = requests
            .filter(|request| request.model.as_deref() == Some(one.model))
            .map(|request| request.at_ms)
            .collect();
        assert!(at.len() == 4 && at[1] - at[0] >= 950 && at[2] - at[1] >= 950, "{}: {at:?}", one.name);
    }
}

#[test]
fn fc09_no_provider_s_or_tool_s_words_decide_an_ending() {
    let nothing = Usage { input: 0, output: 0, ..Usage::default() };
    let script = Script::strict()
        .always("Case words:", Reply::text("HTTP 429: quota exceeded").with_usage(nothing))
        .rule(Rule::new(When::text("Case tool:"), [done()[0].clone(), Reply::text("The tool is busy.")]).repeating());
    let cases = json!([case("words", lookup()), case("tool", json!({ "containsText": "bin 7" }))]);
    Scenario { code: 1, ..Scenario::new(Mode::Busy, script, cases) }.over(&BOTH, |pair| {
        for id in ["words", "tool"] {
            let trial = pair.trial(id);
            assert_eq!(
                (pair.state(id), &trial["ending"]),
                ("fail", &json!({ "kind": "trial" })),
                "{}/{id}",
                pair.name()
            );
        }
        let noted = pair.trial("words")["clientDiagnostics"].to_string();
        assert!(noted.contains("0 tokens"), "{}: {noted}", pair.name());
        assert_eq!(pair.events("tool")[0]["isError"], true, "{}", pair.name());
        assert!(pair.told("tool")[0].contains("429 slow down"), "{}", pair.name());
    });
}

#[test]
fn fc09_a_server_that_takes_no_more_requests_breaks_no_provider_s_score() {
    let scenario =
        Scenario { code: 4, ..Scenario::new(Mode::RateLimitedAlways, looks_up(), json!([case("bin", lookup())])) };
    scenario.over(&[Transport::Http], |pair| {
        let ending = pair.trial("bin")["ending"].clone();
        let what = (&ending["kind"], &ending["broke"], &ending["retryable"]);
        assert_eq!(what, (&json!("infrastructure"), &json!("network"), &json!(true)), "{}: {ending}", pair.name());
        assert_eq!(pair.state("bin"), "incomplete", "{}", pair.name());
    });
}

#[test]
fn fc36_every_provider_s_outcome_has_its_status_over_http() {
    let two = |reply: Reply| {
        let one = Rule::new(When::text("Case one:"), done()).repeating();
        Script::strict().always("Case two:", reply).rule(one)
    };
    let cases = json!([case("one", lookup()), case("two", lookup())]);
    let scenario = |code, script| Scenario { code, ..Scenario::new(Mode::Plain, script, cases.clone()) };
    for (code, script) in [(0, looks_up()), (1, two(Reply::text("no idea")))] {
        let field = scenario(code, script).run(Transport::Http);
        assert!(!field.printed.contains(['\u{1b}', '\r']), "{}", field.printed);
        field.each(|pair| {
            let two = if code == 0 { "pass" } else { "fail" };
            assert_eq!((pair.state("one"), pair.state("two")), ("pass", two), "{}", pair.name());
        });
    }
    let broken = two(Reply::status(503, "later").header("retry-after", "0"));
    std::thread::scope(|scope| {
        for (code, script) in [(5, two(Reply::status(401, "no"))), (6, broken)] {
            let prepared = scenario(code, script).prepare(Transport::Http);
            scope.spawn(move || by_itself(&prepared, code));
        }
    });
}

/// Runs each provider by itself: the status of a run is that of what broke in it.
fn by_itself(prepared: &Prepared, code: i32) {
    for Provider { name, .. } in &prepared.providers {
        let finished = prepared.eval.run_with(&["--variant", name, "--json"]);
        assert_eq!(finished.code, Some(code), "{name}:\n{}\n{}", finished.stdout, finished.stderr);
        assert!(!finished.stderr.contains(['\u{1b}', '\r']), "{name}: {:?}", finished.stderr);
        assert_eq!(finished.json()["variants"].as_array().map(Vec::len), Some(1), "{name}");
    }
}
