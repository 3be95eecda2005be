//! Runs of every provider, recorded and replayed without a provider, a key or a server.

use mst_testkit::{Mode, Reply, Rule, Script, ToolCall, When};
use serde_json::{Value, json};

use super::field::{BOTH, Field, Scenario};
use crate::eval::{case, done, looks_up, lookup};
use crate::tape::{TAPE, found};

/// Records a scenario over a transport, takes the outside away and replays it. Returns the recording and its tape.
#[track_caller]
fn replayed(scenario: &Scenario, transport: super::field::Transport) -> (Field, String) {
    let mut prepared = scenario.prepare(transport);
    let (_, recorded) = prepared.eval.run_expecting(&["--record", TAPE], scenario.code);
    let asked = prepared.eval.provider.stats().requests;
    prepared.leave_alone();
    let field = prepared.run(&["--replay", TAPE], scenario.code);
    assert_eq!(found(&recorded), found(&field.dir), "{transport:?}");
    assert_eq!(field.eval().provider.stats().requests, asked, "{transport:?}: a provider was asked");
    let tape = field.eval().env.read(TAPE);
    (field, tape)
}

#[test]
fn every_provider_s_run_is_replayed_over_each_transport() {
    let script = |id: &str, steps: Vec<Reply>| Rule::new(When::text(format!("Case {id}:")), steps).repeating();
    let calls = ["p-1", "p-2"].map(|id| ToolCall::ending("lookup", json!({ "id": id })));
    let broken = Reply::tool(ToolCall::ending("lookup", "{\"id\":"));
    let script = Script::strict()
        .rule(script("bin", done().to_vec()))
        .rule(script("turn", vec![Reply::tools(calls).with_thinking("Both."), Reply::text("bins 7 and 8")]))
        .rule(script("broken", vec![broken, Reply::text("bin 7")]))
        .rule(script("refused", vec![Reply::refusal("I can't help with that.")]))
        .rule(script("cut", vec![Reply::text("Part p-1 is").with_finish_reason("max_tokens")]))
        .rule(script("down", vec![Reply::status(503, "later").header("retry-after", "0")]))
        .rule(script("denied", vec![Reply::status(401, "no")]));
    let ids = ["bin", "turn", "broken", "refused", "cut", "down", "denied"];
    let cases: Value = ids.iter().map(|id| case(id, lookup())).collect();
    for transport in BOTH {
        let scenario = Scenario {
            more: json!({ "concurrency": 8 }),
            offline: true,
            code: 1,
            ..Scenario::new(Mode::Progress, script.clone(), cases.clone())
        };
        let (field, tape) = replayed(&scenario, transport);
        for secret in ["sk-fake", "fake-access-token", "fake-secret-0001", "fake-refresh-0001"] {
            assert!(!tape.contains(secret), "{secret} is on the tape");
        }
        field.each(|pair| {
            if !pair.is_offline() {
                let states = ids.map(|id| pair.state(id));
                assert_eq!(
                    states,
                    ["pass", "pass", "fail", "fail", "fail", "incomplete", "incomplete"],
                    "{}",
                    pair.name()
                );
            }
        });
    }
}

#[test]
fn what_was_answered_to_a_server_is_replayed() {
    let answers = json!({
        "elicitation": [{ "match": "size", "action": "accept", "content": { "size": "large" } }],
        "sampling": [{ "text": "bin 9" }], "roots": ["file:///parts"],
    });
    for mode in [Mode::AsksElicitation, Mode::ModernAsksMuch] {
        for (transport, session) in BOTH.into_iter().zip(["shared", "trial"]) {
            let entry = json!({ "session": session, "answers": answers });
            let scenario = Scenario { entry, ..Scenario::new(mode, looks_up(), json!([case("bin", lookup())])) };
            let (field, _) = replayed(&scenario, transport);
            field.each(|pair| {
                let requests = &pair.trial("bin")["clientDiagnostics"]["servers"][0]["requests"];
                let requests = requests.as_array().expect("what the server asked");
                assert!(!requests.is_empty(), "{mode:?}: {}", pair.name());
                assert!(
                    requests.iter().all(|one| one["outcome"] == "answered"),
                    "{mode:?}, {}: {requests:?}",
                    pair.name()
                );
            });
        }
    }
}
