//! Agent Skills in a whole run: what is recorded, graded, measured and said.

use mst_testkit::mcp::FakeMcpHttp;
use mst_testkit::{Mode, Reply, Rule, Script, ToolCall, When};
use serde_json::{Value, json};

use crate::eval::{Eval, case};
use crate::run_dir::events;
use crate::wire;

const REPORT: &str = "skill://parts/bin-report/SKILL.md";

fn read_skill() -> Reply {
    Reply::call("read_skill", json!({ "server": "parts", "uri": REPORT }))
}

/// Loads the skill, looks the part up and answers.
fn loads() -> Script {
    let lookup = Reply::tool(ToolCall::ending("lookup", json!({ "id": "p-1" })));
    let replies = [read_skill(), lookup, Reply::text("Part p-1 is in bin 7.")];
    Script::strict().rule(Rule::new(When::default(), replies).repeating())
}

/// Expects that the skill is loaded before part p-1 is looked up.
fn skill_first() -> Value {
    let calls = json!([{ "name": "bin-report", "kind": "skill", "server": "parts" }, { "name": "lookup" }]);
    json!({ "toolsTriggered": { "calls": calls, "order": "strict", "exclusive": true }, "toolCallCount": { "exact": 1 } })
}

fn metrics() -> Value {
    json!(["skill_loaded", "skill_before_tool", "skill_verification_failed"])
}

#[test]
fn every_wire_form_loads_a_skill_and_its_assertions_see_it() {
    let mut eval = Eval::new(loads());
    wire::with_google_login(&mut eval);
    let wires = wire::all(&eval.provider);
    let more = json!({ "variants": wire::variants(&wires), "metrics": metrics(),
        "clientOptions": { "systemPrompt": "Be brief.", "skills": "catalog" } });
    eval.write(&json!({ "parts": eval.stdio("parts", Mode::Skills) }), &json!([case("bin", skill_first())]), &more);
    let dir = eval.run(0);
    assert_eq!(dir.states().len(), wires.len());
    for one in &wires {
        let name = one.name;
        let trial = dir.trial_of(Some(name), "bin");
        let skill = events(&trial).remove(0);
        let recorded = ["kind", "source", "name", "server", "rawName", "isError"].map(|key| skill[key].clone());
        let expected =
            [json!("skill"), json!("mcp"), json!("bin-report"), json!("parts"), json!("read_skill"), json!(false)];
        assert_eq!(recorded, expected, "{name}");
        let load = json!([{ "name": "bin-report", "uri": REPORT, "server": "parts", "kind": "skill",
            "via": "read_skill", "verified": true, "afterToolCalls": 0 }]);
        assert_eq!(trial["skillLoads"], load, "{name}");
        assert_eq!(dir.case_of(Some(name), "bin")["skillLoads"], load, "{name}");
    }
    for variant in dir.summary()["variants"].as_array().expect("variants") {
        let metrics = &variant["metrics"];
        let of = ["skill_loaded_rate", "skill_before_tool_rate", "skill_verification_failed_rate", "tool_count_mean"];
        assert_eq!(of.map(|name| metrics[name].as_f64()), [Some(1.0), Some(1.0), Some(0.0), Some(1.0)], "{variant}");
        assert_eq!(metrics["builtin_event_count_mean"], json!(0.0), "a skill that a server serves is none of them");
    }
    let systems: Vec<String> = eval.provider.views().into_iter().map(|view| view.system).collect();
    assert!(systems.iter().all(|system| system.starts_with("Be brief.\n\nMCP servers offer skills")), "{systems:?}");
}

#[test]
fn skill_metrics_are_there_where_skills_are_offered() {
    for transport in ["stdio", "http"] {
        let preload =
            Rule::new(When { system: Some("They stand below".into()), ..When::default() }, [Reply::text("ok")]);
        let off = Rule::new(When { system: Some("Off.".into()), ..When::default() }, [Reply::text("ok")]);
        let mut script = loads();
        script.rules.splice(0..0, [preload.repeating(), off.repeating()]);
        let eval = Eval::new(script);
        let server = (transport == "http").then(|| FakeMcpHttp::start_mode(Mode::SkillsModern));
        let entry = match &server {
            Some(server) => json!({ "transport": "http", "serverUrl": server.url() }),
            None => eval.stdio("parts", Mode::Skills),
        };
        let variants = json!([
            { "name": "off", "clientOptions": { "systemPrompt": "Off." } },
            { "name": "catalog", "clientOptions": { "skills": "catalog" } },
            { "name": "preload", "clientOptions": { "skills": "preload" } },
        ]);
        eval.write(
            &json!({ "parts": entry }),
            &json!([case("bin", json!({}))]),
            &json!({ "variants": variants, "metrics": metrics() }),
        );
        let summary = eval.run(0).summary();
        let found: Vec<_> = summary["variants"]
            .as_array()
            .expect("variants")
            .iter()
            .map(|variant| {
                let of = ["skill_loaded_rate", "skill_before_tool_rate", "skill_verification_failed_rate"];
                (of.map(|name| variant["metrics"][name].as_f64()), variant["unavailableMetrics"].clone())
            })
            .collect();
        let chosen = json!(["skill_loaded", "skill_before_tool"]);
        assert_eq!(
            found,
            [
                ([None, None, None], metrics()),
                ([Some(1.0), Some(1.0), Some(0.0)], Value::Null),
                ([None, None, Some(0.0)], chosen),
            ],
            "{transport}"
        );
    }
}

#[test]
fn a_skill_that_fails_its_check_is_told_once_and_counted() {
    let eval = Eval::new(loads());
    let more = json!({ "metrics": metrics(), "trials": 3, "clientOptions": { "skills": "catalog" } });
    let cases = json!([case("bin", skill_first()), case("again", json!({}))]);
    eval.write(&json!({ "parts": eval.stdio("parts", Mode::SkillsBadSize) }), &cases, &more);
    let (finished, dir) = eval.run_expecting(&[], 1);
    let told = "parts: the model was not given the skill \"bin-report\": skill://parts/bin-report/SKILL.md has ";
    assert_eq!(finished.stderr.matches(told).count(), 1, "{}", finished.stderr);
    let rates = ["skill_loaded_rate", "skill_before_tool_rate", "skill_verification_failed_rate"];
    assert_eq!(rates.map(|name| dir.metric(name)), [Some(0.0), Some(0.0), Some(1.0)]);
    let trial = dir.trials().remove(0).1;
    assert_eq!((&trial["skillLoads"][0]["verified"], events(&trial).len()), (&json!(false), 1), "{trial}");
}

#[test]
fn a_run_without_any_skill_says_so_once() {
    let eval = Eval::new(Script::strict().rule(Rule::new(When::default(), [Reply::text("ok")]).repeating()));
    let cases = json!([case("a", json!({})), case("b", json!({}))]);
    let more = json!({ "clientOptions": { "skills": "preload" } });
    eval.write(&json!({ "parts": eval.stdio("parts", Mode::Plain) }), &cases, &more);
    let finished = eval.run_expecting(&[], 0).0;
    let told = "skills is \"preload\", and no server (parts) serves skills: the model was offered none";
    assert_eq!(finished.stderr.matches(told).count(), 1, "{}", finished.stderr);
}

#[test]
fn a_name_that_a_skill_tool_has_stops_the_run_without_a_request_and_a_rename_helps() {
    let eval = Eval::new(Script::strict().rule(Rule::new(When::default(), [Reply::text("ok")]).repeating()));
    let servers = json!({ "parts": eval.stdio("parts", Mode::SkillsClash) });
    let options = json!({ "skills": "catalog" });
    eval.write(&servers, &json!([case("bin", json!({}))]), &json!({ "clientOptions": options }));
    let finished = eval.run_expecting(&[], 3).0;
    assert!(finished.stderr.contains("parts lists the tool \"read_skill\""), "{}", finished.stderr);
    assert_eq!(eval.provider.stats().requests, 0);
    let tools = json!({ "read_skill": { "name": "own_skill" }, "read_resource": { "name": "own_resource" } });
    let variants = json!([{ "name": "renamed", "tools": tools }]);
    eval.write_config(&servers, &json!({ "clientOptions": options, "variants": variants }));
    eval.run(0);
}

#[test]
fn an_unknown_mode_is_refused_before_anything_starts() {
    let eval = Eval::passing();
    let servers = json!({ "parts": eval.stdio("parts", Mode::Plain) });
    eval.write_config(&servers, &json!({ "clientOptions": { "skills": "on" } }));
    let finished = eval.run_with(&["--dry-run"]);
    finished.expect_code(2);
    for word in ["skills", "\"off\"", "\"catalog\"", "\"preload\""] {
        assert!(finished.stderr.contains(word), "{}", finished.stderr);
    }
    for mode in ["off", "catalog", "preload"] {
        eval.write_config(&servers, &json!({ "clientOptions": { "skills": mode } }));
        eval.run_with(&["--dry-run"]).expect_code(0);
    }
    assert_eq!(eval.processes("parts"), 0);
}
