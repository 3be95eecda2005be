//! A run that is recorded and replayed: the same results, without a key, a provider or a server.

use std::collections::BTreeMap;
use std::path::Path;

use mst_testkit::{Mode, Reply, Rule, Script, ToolCall, When};
use serde_json::{Value, json};

use crate::eval::{Eval, case, done, looks_up, lookup, prompt};
use crate::run_dir::RunDir;

pub(crate) const TAPE: &str = "run.tape";

/// What a run found, file by file, without ids and times.
pub(crate) fn found(dir: &RunDir) -> BTreeMap<String, Value> {
    let files = dir.json_files().into_iter().filter(|(name, _)| name != "run.json" && name != "summary.json");
    files.map(|(name, value)| (name, timeless(value))).collect()
}

fn timeless(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            let time = |key: &str| {
                ["runId", "startedAt", "completedAt"].contains(&key)
                    || key.starts_with("duration")
                    || key == "observation"
            };
            fields.into_iter().filter(|(key, _)| !time(key)).map(|(key, value)| (key, timeless(value))).collect()
        }
        Value::Array(items) => items.into_iter().map(timeless).collect(),
        other => other,
    }
}

/// Takes everything away that a live run needs: keys, addresses, programs.
pub(crate) fn alone(eval: &mut Eval) {
    let names: Vec<String> = eval.env.variables().keys().cloned().collect();
    for name in names
        .iter()
        .filter(|name| ["_API_KEY", "_BASE_URL", "_CREDENTIALS", "_PROJECT"].iter().any(|end| name.ends_with(end)))
    {
        eval.env.remove_variable(name);
    }
    eval.env.set_variable("PATH", "/nowhere");
    eval.provider.set_script(Script::strict());
}

/// Records a run, takes the outside away and replays the run. Returns both.
#[track_caller]
fn record_and_replay(eval: &mut Eval, code: i32) -> (RunDir, RunDir) {
    let (_, recorded) = eval.run_expecting(&["--record", TAPE], code);
    alone(eval);
    let (_, replayed) = eval.run_expecting(&["--replay", TAPE], code);
    (recorded, replayed)
}

#[test]
fn a_replay_finds_what_the_recording_found_at_any_concurrency() {
    let down = Reply::status(503, "down").header("retry-after", "0");
    let script = Script::strict()
        .rule(Rule::new(When::text("Case one:"), done()).repeating())
        .rule(
            Rule::new(When::text("Case two:"), [Reply::text("It is in bin 9.").with_thinking("Let me guess.")])
                .repeating(),
        )
        .always("Case a/b:", down);
    let mut eval = Eval::new(script);
    let cases = json!([
        case("one", lookup()),
        case("two", json!({ "containsText": "bin 7" })),
        case("a/b", json!({ "containsText": "bin 7" }))
    ]);
    let servers = json!({ "parts": eval.stdio("parts", Mode::Plain), "notes": eval.stdio("notes", Mode::Progress) });
    eval.write(&servers, &cases, &json!({ "concurrency": 4, "trials": 3, "variants": [{ "name": "plain", "servers": ["parts"] }, { "name": "both" }] }));
    let (_, recorded) = eval.run_expecting(&["--record", TAPE], 1);
    assert!(recorded.run().get("replayed").is_none());
    let (asked, started) = (eval.provider.stats().requests, eval.processes("parts"));
    alone(&mut eval);
    for concurrency in [8, 1, 8] {
        let mut config = eval.env.read_json("eval.json");
        config["concurrency"] = json!(concurrency);
        eval.env.write_json("eval.json", &config);
        let (finished, replayed) = eval.run_expecting(&["--replay", TAPE], 1);
        assert_eq!(found(&recorded), found(&replayed), "at {concurrency}");
        assert_eq!(replayed.run()["replayed"]["tape"], TAPE);
        assert_eq!(replayed.summary()["replayed"], true);
        assert!(finished.stdout.contains("replayed from the tape"), "{}", finished.stdout);
        assert!(!finished.stderr.contains("--resume"), "a replay is not resumed: {}", finished.stderr);
    }
    assert_eq!((eval.provider.stats().requests, eval.processes("parts")), (asked, started));
    eval.env.set_variable("ANTHROPIC_API_KEY", "sk-fake-anthropic-0001");
    let refused = eval.run_with(&["--resume", &eval.newest().id()]);
    refused.expect_code(2);
    assert!(refused.stderr.contains("replay the tape again"), "{}", refused.stderr);
}

#[test]
fn fc03_a_server_that_breaks_breaks_again_in_a_replay() {
    for mode in [
        Mode::DiesAtStart,
        Mode::DiesInCall,
        Mode::RpcError,
        Mode::MalformedResult,
        Mode::StrayLines,
        Mode::PagesTwo,
        Mode::PagesLoop,
        Mode::NoTools,
        Mode::Modern,
        Mode::LoneSurrogate,
        Mode::HostileText,
        Mode::AsksElicitation,
        Mode::AsksSampling,
        Mode::ResultImage,
    ] {
        for session in ["trial", "shared"] {
            let mut eval = Eval::new(looks_up());
            let mut server = eval.stdio("parts", mode);
            server["session"] = json!(session);
            eval.write(
                &json!({ "parts": server }),
                &json!([case("one", json!({ "containsText": "bin" }))]),
                &json!({}),
            );
            let code = eval.run_with(&["--record", TAPE]).code.expect("an exit code");
            let recorded = eval.newest();
            alone(&mut eval);
            let (_, replayed) = eval.run_expecting(&["--replay", TAPE], code);
            assert_eq!(found(&recorded), found(&replayed), "{mode:?} {session}");
        }
    }
}

#[test]
fn a_server_that_cannot_be_started_or_reached_is_the_same_in_a_replay() {
    for server in [
        json!({ "transport": "stdio", "command": "no-such-program-here" }),
        json!({ "transport": "http", "serverUrl": "http://127.0.0.1:9/mcp" }),
    ] {
        let mut eval = Eval::new(looks_up());
        eval.write(&json!({ "parts": server }), &json!([case("one", lookup())]), &json!({}));
        let (recorded, replayed) = record_and_replay(&mut eval, 4);
        assert_eq!(found(&recorded), found(&replayed));
    }
}

#[test]
fn a_trial_that_ran_out_of_time_does_so_again() {
    let mut eval = Eval::new(Script::strict().always("Case one:", Reply::hang()));
    eval.write(&json!({}), &json!([case("one", lookup())]), &json!({ "clientOptions": { "timeout": 300 } }));
    let (recorded, replayed) = record_and_replay(&mut eval, 1);
    assert_eq!(found(&recorded), found(&replayed));
    assert!(
        replayed.trial("one")["error"].as_str().expect("an error").contains("timeout"),
        "{}",
        replayed.trial("one")
    );
}

#[test]
fn tools_that_change_are_listed_again_at_the_same_place() {
    let mut script = Script::strict();
    for id in ["one", "two"] {
        let call = || Reply::call("list_notes", json!({}));
        script = script.on(format!("Case {id}:"), [call(), call(), Reply::text("done")]);
    }
    for session in ["trial", "shared"] {
        let mut eval = Eval::new(script.clone());
        let mut server = eval.stdio("notes", Mode::ListChanged);
        server["session"] = json!(session);
        let cases =
            json!([case("one", json!({ "containsText": "done" })), case("two", json!({ "containsText": "done" }))]);
        eval.write(&json!({ "notes": server }), &cases, &json!({ "concurrency": 1 }));
        let (recorded, replayed) = record_and_replay(&mut eval, 0);
        assert_eq!(found(&recorded), found(&replayed), "{session}");
    }
}

#[test]
fn skills_are_replayed_without_the_server_that_serves_them() {
    for (mode, skills) in
        [(Mode::Skills, "catalog"), (Mode::SkillsModern, "preload"), (Mode::SkillsBadDigest, "catalog")]
    {
        for session in ["trial", "shared"] {
            let report = json!({ "server": "parts", "uri": "skill://parts/bin-report/SKILL.md" });
            let shelves = json!({ "server": "parts", "uri": "parts://shelves" });
            let steps = [
                Reply::tools([ToolCall::named("read_skill", report), ToolCall::named("read_resource", shelves)]),
                Reply::text("Part p-1 is in bin 7."),
            ];
            let mut eval = Eval::new(Script::strict().rule(Rule::new(When::default(), steps).repeating()));
            let mut server = eval.stdio("parts", mode);
            server["session"] = json!(session);
            let cases = json!([case("a", json!({})), case("b", json!({}))]);
            let more = json!({ "clientOptions": { "skills": skills }, "metrics": ["skill_loaded"] });
            eval.write(&json!({ "parts": server }), &cases, &more);
            let (recorded, replayed) = record_and_replay(&mut eval, 0);
            for id in ["a", "b"] {
                let loads = recorded.trial(id)["skillLoads"].clone();
                assert!(loads.as_array().is_some_and(|loads| loads.len() > 1), "{mode:?} {session}: {loads}");
                assert_eq!(replayed.trial(id)["skillLoads"], loads, "{mode:?} {session}");
            }
        }
    }
}

#[test]
fn a_changed_prompt_is_a_miss_that_names_the_difference() {
    let mut eval = Eval::passing();
    let cases = json!([case("bin", lookup()), case("other", lookup())]);
    eval.env.write_json("parts.json", &json!({ "name": "parts", "cases": cases }));
    eval.run_expecting(&["--record", TAPE], 0);
    alone(&mut eval);
    let mut changed = cases.clone();
    changed[0]["input"] = json!(prompt("bin").replace("which bin", "which box"));
    eval.env.write_json("parts.json", &json!({ "name": "parts", "cases": changed }));
    let (finished, dir) = eval.run_expecting(&["--replay", TAPE], 3);
    assert_eq!((dir.state("bin"), dir.state("other")), ("incomplete", "pass"));
    let ending = dir.ending("bin");
    assert_eq!((&ending["broke"], &ending["retryable"]), (&json!("collection"), &json!(false)));
    insta::assert_snapshot!(
        ending["reason"].as_str().expect("a reason"),
        @r#"the tape lacks this model request of default/bin/0; the nearest, number 1 of 2, differs at /messages/0/text: recorded "Case bin: which bin is part p-1 in?", asked "Case bin: which box is part p-1 in?""#
    );
    assert!(finished.stderr.contains("/messages/0/text"), "{}", finished.stderr);

    eval.env.write_json("parts.json", &json!({ "name": "parts", "cases": cases }));
    let (_, dir) = eval.run_expecting(&["--replay", TAPE, "--trials", "2"], 3);
    let reason = dir.trials().into_iter().find_map(|(_, trial)| trial["ending"]["reason"].as_str().map(str::to_owned));
    insta::assert_snapshot!(
        reason.expect("a trial that the tape lacks"),
        @"parts could not be replayed (start): the tape has no server request of default/bin/1"
    );
    eval.run_expecting(&["--replay", TAPE, "--case", "bin"], 0);
}

#[test]
fn fc35_no_credential_is_on_a_tape_and_a_replay_needs_none() {
    const TOKEN: &str = "tk/9+Xc=31aa";
    let call = |arguments: Value| Reply::call("lookup", arguments);
    let script = Script::strict()
        .on("Case bin:", [call(json!({ "id": TOKEN, TOKEN: "key" })), Reply::text(format!("The token is {TOKEN}."))])
        .on("Case said:", [Reply::text("You said env-secret-123.")]);
    let mut eval = Eval::new(script);
    let mut server = eval.stdio("docs", Mode::Environment);
    server["env"] = json!({ "DOCS_API_TOKEN": TOKEN });
    eval.env.set_variable("OTHER_TOKEN", "env-secret-123");
    let mut said = case("said", json!({ "containsText": "You said" }));
    said["input"] = json!("Case said: env-secret-123, twice: env-secret-123");
    eval.write(&json!({ "docs": server }), &json!([case("bin", json!({})), said]), &json!({}));
    let (_, recorded) = eval.run_expecting(&["--record", TAPE], 0);
    let tape = eval.env.read(TAPE);
    for secret in
        [TOKEN, r"tk\/9+Xc=31aa", "tk%2F9%2BXc%3D31aa", "Ym90OnRrLzkrWGM9MzFhYQ==", "env-secret-123", "sk-fake"]
    {
        assert!(!tape.contains(secret), "{secret} is on the tape");
    }
    assert!(tape.contains("[REDACTED]"));
    alone(&mut eval);
    eval.env.remove_variable("OTHER_TOKEN");
    let (_, replayed) = eval.run_expecting(&["--replay", TAPE], 0);
    let (mut before, after) = (found(&recorded), found(&replayed));
    // What was a secret is none any more where the variable is not set: the case's own words.
    before.remove("results.json");
    let same =
        before.iter().filter(|(name, _)| !name.contains("said")).all(|(name, value)| after.get(name) == Some(value));
    assert!(same, "{before:#?}\n{after:#?}");
    assert_eq!((replayed.state("bin"), replayed.state("said")), ("pass", "pass"));
}

#[test]
fn a_tape_that_cannot_be_used_is_refused_before_anything_is_spent() {
    let eval = Eval::passing();
    let refused = |more: &[&str], words: &str| {
        let finished = eval.run_with(more);
        finished.expect_code(2);
        assert!(finished.stderr.contains(words), "{words:?}: {}", finished.stderr);
    };
    eval.env.write("there.tape", "something");
    refused(&["--record", "there.tape"], "exists already");
    assert_eq!(eval.env.read("there.tape"), "something");
    refused(&["--record", "nowhere/run.tape"], "nowhere/run.tape");
    refused(&["--record", TAPE, "--replay", TAPE], "--replay");
    refused(&["--record", TAPE, "--resume", "ffffff"], "--resume");
    refused(&["--replay", TAPE, "--resume", "ffffff"], "--resume");
    refused(&["--replay", "there.tape"], "there.tape:1: this is no tape");
    refused(&["--replay", "nowhere.tape"], "nowhere.tape");
    eval.env.write("newer.tape", "{\"format\":\"mst.tape/v2\"}\n");
    refused(&["--replay", "newer.tape"], "mst.tape/v2");
    eval.env.write(
        "broken.tape",
        "{\"format\":\"mst.tape/v1\",\"mst\":\"0.1.0\",\"createdAt\":\"2026-11-30T23:53:51.509Z\"}\n{}\n{}\n",
    );
    refused(&["--replay", "broken.tape"], "broken.tape:2: not a line of a tape");
    let mut server =
        json!({ "transport": "http", "serverUrl": "http://127.0.0.1:9/mcp", "auth": { "accessToken": "abc" } });
    eval.write_config(&json!({ "parts": server }), &json!({}));
    refused(&["--record", TAPE], "fewer than 4 characters");
    server["auth"] = json!({ "accessTokenEnv": "NOT_SET" });
    eval.write_config(&json!({ "parts": server }), &json!({}));
    let finished = eval.run_with(&["--record", TAPE]);
    finished.expect_code(5);
    assert!(!eval.env.path(TAPE).exists(), "a run that did not start leaves no tape");
    assert_eq!((eval.provider.stats().requests, eval.runs().len()), (0, 0));
}

#[test]
fn a_tape_that_was_cut_short_is_replayed_as_far_as_it_goes() {
    let mut eval = Eval::passing();
    let (_, recorded) = eval.run_expecting(&["--record", TAPE], 0);
    alone(&mut eval);
    let tape = eval.env.read(TAPE);
    let end = tape.trim_end().rfind('\n').expect("lines");
    eval.env.write(TAPE, &tape[..end + 8]);
    let (finished, replayed) = eval.run_expecting(&["--replay", TAPE], 0);
    assert!(finished.stderr.contains("is torn") && finished.stderr.contains("cut short"), "{}", finished.stderr);
    assert_eq!(found(&recorded), found(&replayed));
}

#[test]
fn every_example_replays_from_its_tape_without_anything_else() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut eval = Eval::new(Script::strict());
    alone(&mut eval);
    for (example, code, trials, failed) in [
        ("quickstart", 0, 4, vec![]),
        ("everything", 0, 2, vec![]),
        ("hosted", 0, 6, vec![]),
        ("two-servers", 1, 12, vec!["as-listed/word"]),
    ] {
        let path = |name: &str| examples.join(example).join(name).display().to_string();
        let (config, tape, out) = (path("eval.json"), path("run.tape"), format!("out-{example}"));
        let finished = eval.mst(&["run", "--config", &config, "--output-dir", &out, "--replay", &tape]);
        finished.expect_code(code);
        let mut runs = fs_err::read_dir(eval.env.path(&out).join("runs")).expect("a folder of runs");
        let dir = RunDir::new(runs.next().expect("a run").expect("an entry").path());
        let states = dir.states();
        let others: Vec<&str> = states.iter().filter(|(_, state)| **state != "pass").map(|(name, _)| &**name).collect();
        assert_eq!((others, dir.trials().len()), (failed, trials), "{example}");
        let answers = dir.trials().into_iter().filter(|(_, trial)| trial["transcript"]["finalText"].is_string());
        assert_eq!(answers.count(), trials, "{example}");
    }
}
