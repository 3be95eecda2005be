//! Flags and config keys that change how a run goes.

use mst_testkit::provider::Usage;
use mst_testkit::{Mode, Reply, Rule, Script, ToolCall, When};
use serde_json::{Value, json};

use crate::eval::{Eval, case, done, looks_up, lookup};

fn many(count: usize) -> Value {
    (0..count).map(|number| case(&format!("c{number}"), lookup())).collect()
}

#[test]
fn concurrency_is_as_many_trials_at_once_as_asked_and_no_more() {
    for concurrency in [1, 3, 8] {
        let eval = Eval::new(looks_up().latency_ms(120));
        let mut server = eval.stdio("parts", Mode::Plain);
        server["session"] = json!("shared");
        eval.write(&json!({ "parts": server }), &many(8), &json!({ "concurrency": concurrency }));
        eval.run(0);
        assert_eq!(eval.provider.stats().most_in_flight, concurrency);
    }
}

#[test]
fn a_shared_session_is_one_process_a_batch() {
    let eval = Eval::new(looks_up());
    for (session, most) in [("trial", 7), ("shared", 2)] {
        let mut server = eval.stdio(session, Mode::Plain);
        server["session"] = json!(session);
        eval.write(&json!({ "parts": server }), &many(6), &json!({ "concurrency": 3 }));
        eval.run(0);
        assert_eq!(eval.calls(session).len(), 6);
        // The readiness check may have a process of its own.
        let processes = eval.processes(session);
        assert!((most - 1..=most).contains(&processes), "{session}: {processes} processes");
    }
}

#[test]
fn batches_of_one_variant_do_not_share_a_session() {
    let eval = Eval::new(looks_up());
    let mut server = eval.stdio("parts", Mode::Plain);
    server["session"] = json!("shared");
    let mut other = case("other", lookup());
    other["model"] = json!("claude-y");
    eval.write(&json!({ "parts": server }), &json!([case("one", lookup()), other]), &json!({}));
    eval.run(0);
    // For each of the two batches a readiness check and a session.
    assert_eq!(eval.processes("parts"), 4);
}

#[test]
fn trials_and_thresholds_decide_a_case() {
    // The second of three trials answers wrongly.
    let reply = |text: &str| Reply::text(text);
    let script = |ids: [&str; 3]| {
        ids.into_iter().fold(Script::strict(), |script, id| {
            let replies = ["right", "wrong", "right"].map(reply);
            script.rule(Rule::new(When::text(format!("Case {id}:")), replies).by_arrival())
        })
    };
    let eval = Eval::new(script(["strict", "lenient", "own"]));
    let asks = |id: &str, more: Value| {
        let mut case = case(id, json!({ "containsText": "right" }));
        case.as_object_mut().expect("an object").extend(more.as_object().cloned().expect("keys"));
        case
    };
    let cases = json!([
        asks("strict", json!({})),
        asks("lenient", json!({ "passThreshold": 0.6 })),
        asks("own", json!({ "passThreshold": 0.7 }))
    ]);
    eval.write(&json!({}), &cases, &json!({ "trials": 3 }));
    let dir = eval.run(1);
    assert_eq!(["strict", "lenient", "own"].map(|id| dir.state(id)), ["fail", "pass", "fail"]);
    let case = dir.case("lenient");
    assert_eq!(case["passRate"], json!(2.0 / 3.0));
    let interval = (
        case["passRateCI"]["lower"].as_f64().expect("a bound"),
        case["passRateCI"]["upper"].as_f64().expect("a bound"),
    );
    assert!((interval.0 - 0.207_7).abs() < 1e-3 && (interval.1 - 0.938_5).abs() < 1e-3, "{interval:?}");
    assert_eq!(case["trialResults"].as_array().map(Vec::len), Some(3));
    assert!(case.get("transcript").is_none(), "a case of several trials has no transcript of its own");
    assert_eq!(dir.metric("trial_pass_rate"), Some(2.0 / 3.0));
    assert_eq!(dir.trials().len(), 9);
    eval.provider.set_script(script(["strict", "lenient", "own"]));
    let (_, narrowed) = eval.run_expecting(&["--trials", "1", "--case", "strict", "own"], 0);
    assert_eq!((narrowed.run()["partial"].clone(), narrowed.trials().len()), (json!(true), 2));
    assert_eq!(eval.latest(), Some(dir.id()), "a partial run became the latest");
}

#[test]
fn selection_flags_narrow_a_run_and_unknown_names_are_refused() {
    let eval = Eval::new(looks_up());
    let tagged = |id: &str, tags: Value| json!({ "id": id, "input": format!("Case {id}:"), "tags": tags });
    let cases = json!([
        tagged("a", json!(["x"])),
        tagged("b", json!(["y"])),
        tagged("c", json!(["x", "y"])),
        tagged("d", json!([]))
    ]);
    let variants = json!([{ "name": "one" }, { "name": "two" }]);
    eval.write(&json!({ "parts": eval.stdio("parts", Mode::Plain) }), &cases, &json!({ "variants": variants }));
    let table: [(&[&str], &[&str]); 4] = [
        (&["--filter-tag", "x", "--variant", "two"], &["two/a", "two/c"]),
        (&["--max-cases", "1"], &["one/a", "two/a"]),
        (&["--case", "d", "--variant", "one"], &["one/d"]),
        (&["--filter-tag", "y", "--max-cases", "1", "--variant", "two"], &["two/b"]),
    ];
    for (flags, expected) in table {
        let (_, dir) = eval.run_expecting(flags, 0);
        assert_eq!(dir.states().into_keys().collect::<Vec<_>>(), expected, "{flags:?}");
        assert_eq!(dir.run()["partial"], true);
    }
    let asked = eval.provider.stats().requests;
    for flags in [
        &["--case", "nope"][..],
        &["--variant", "nope"],
        &["--filter-tag", "nope"],
        &["--trials", "0"],
        &["--max-cases", "-1"],
    ] {
        let finished = eval.run_with(flags);
        finished.expect_code(2);
        assert!(finished.stderr.contains(flags[1]), "{flags:?}: {}", finished.stderr);
    }
    assert_eq!((eval.provider.stats().requests, eval.latest()), (asked, None));
}

#[test]
fn no_grade_collects_and_grades_nothing() {
    let eval = Eval::passing();
    let (finished, dir) = eval.run_expecting(&["--no-grade"], 0);
    assert!(finished.stdout.contains("1 of 1 case collected, not graded"), "{}", finished.stdout);
    assert_eq!(dir.run()["phases"], json!({ "collect": "complete", "grade": "skipped" }));
    assert_eq!(dir.summary()["metrics"], json!({ "total": 1, "collected": 1, "failedToCollect": 0 }));
    assert_eq!(dir.summary()["graded"], false);
    assert!(dir.paths().iter().all(|path| !path.starts_with("scores/")), "{:?}", dir.paths());
    assert_eq!(eval.latest(), None);
}

#[test]
fn variants_with_other_tool_texts_are_compared_with_the_baseline() {
    let call = |name: &str| [Reply::call(name, json!({ "id": "p-1" })), Reply::text("done")];
    let cost = Usage { input: 10, ..Usage::default() };
    let worse = Reply::text("I do not know.").with_usage(cost);
    let script = Script::strict()
        .rule(Rule::new(When { model: Some("claude-y".to_owned()), ..When::default() }, [worse]).repeating())
        .rule(Rule::new(When::text("Case"), call("find_bin")).repeating());
    let eval = Eval::new(script);
    let described = json!({ "lookup": { "name": "find_bin", "description": "Find the bin of a part.", "inputSchema":
        { "type": "object", "properties": { "id": { "type": "string", "description": "such as p-1" } } } } });
    let variants = json!([{ "name": "worse", "model": "claude-y" }, { "name": "renamed", "tools": described }]);
    let more = json!({ "variants": variants, "baseline": "renamed" });
    eval.write(&json!({ "parts": eval.stdio("parts", Mode::Plain) }), &many(2), &more);
    let dir = eval.run(1);
    let offered = eval
        .provider
        .views()
        .into_iter()
        .find(|view| view.tool("find_bin").is_some())
        .expect("the new name was offered");
    let tool = offered.tool("find_bin").expect("offered");
    assert_eq!(
        (tool.description.as_str(), &tool.schema["properties"]["id"]["description"]),
        ("Find the bin of a part.", &json!("such as p-1"))
    );
    assert!(offered.tool("lookup").is_none() && offered.tool("echo").is_some());
    assert!(eval.calls("parts").iter().all(|(name, _)| name == "lookup"));
    let event = crate::run_dir::events(&dir.trial_of(Some("renamed"), "c0")).remove(0);
    assert_eq!((&event["name"], &event["rawName"]), (&json!("lookup"), &json!("find_bin")));
    let summary = dir.summary();
    assert_eq!(summary["variants"][0]["name"], "renamed", "the baseline comes first");
    let delta = &summary["variantDeltas"]["worse"];
    assert_eq!(
        (&delta["baseline"], &delta["passRate"], &delta["passRateDelta"]),
        (&json!("renamed"), &json!(0.0), &json!(-1.0)),
        "{delta:#}"
    );
    assert_eq!(delta["trialPassRateDelta"], json!(-1.0));
    assert!(summary["variantDeltas"].get("renamed").is_none());
    assert_eq!(dir.run()["baseline"], "renamed");
}

#[test]
fn a_template_wraps_the_input_and_a_tool_map_names_it_for_assertions() {
    let eval = Eval::new(Script::strict().on("Please: Case", done()));
    let expects = json!({ "toolsTriggered": { "calls": [{ "name": "find" }] } });
    let more = json!({ "inputTemplate": "Please: {{input}} ({{input}})", "toolMap": { "find": ["parts.lookup"] } });
    eval.write(&json!({ "parts": eval.stdio("parts", Mode::Plain) }), &json!([case("bin", expects)]), &more);
    let dir = eval.run(0);
    let input = crate::eval::prompt("bin");
    assert_eq!(eval.provider.views()[0].prompt(), format!("Please: {input} ({input})"));
    assert_eq!(dir.case("bin")["request"]["input"], json!(input));
}

#[test]
fn a_cases_own_client_settings_win() {
    let eval = Eval::new(looks_up());
    let mut own = case("own", lookup());
    own["model"] = json!("gpt-x");
    own["clientOptions"] = json!({ "maxTokens": 321 });
    eval.write(
        &json!({ "parts": eval.stdio("parts", Mode::Plain) }),
        &json!([case("bin", lookup()), own]),
        &json!({ "maxTokens": 77 }),
    );
    let dir = eval.run(0);
    let sent =
        |form| eval.provider.requests().into_iter().find(|request| request.form == Some(form)).expect("asked").body;
    assert_eq!(sent(mst_testkit::Form::Anthropic)["max_tokens"], 77);
    assert_eq!(sent(mst_testkit::Form::Responses)["max_output_tokens"], 321);
    assert_eq!(dir.case("own")["request"]["model"], "gpt-x");
}

#[test]
fn an_option_key_hashes_what_looks_like_a_credential() {
    let key = "0123456789abcdef".repeat(4);
    let mut eval = Eval::new(looks_up());
    let options = json!({ "env": { "OUR_TOKEN": "tok-abcdefgh" }, "systemPrompt": "Be brief." });
    let more = json!({ "clientOptions": options });
    eval.write(&json!({ "parts": eval.stdio("parts", Mode::Plain) }), &json!([case("bin", lookup())]), &more);
    let recorded = |eval: &Eval| {
        let dir = eval.run(0);
        let run = dir.run();
        assert!(!dir.text().contains("tok-abcdefgh"));
        (run["optionKey"].as_str().expect("a fingerprint").to_owned(), run["variants"][0]["clientOptions"].clone())
    };
    let (first, options) = recorded(&eval);
    assert!(options.to_string().contains("hmac:"), "{options}");
    let stored = eval.env.read("out/option-key");
    assert!(stored.trim().len() == 64 && stored.trim().bytes().all(|byte| byte.is_ascii_hexdigit()), "{stored:?}");
    assert_eq!(recorded(&eval), (first.clone(), options.clone()), "the key is kept");
    eval.env.set_variable("MST_OPTION_KEY", &key);
    let (other, other_options) = recorded(&eval);
    assert!(other != first && other_options != options, "{other_options}");
    // The first 16 hex digits of the key's SHA-256.
    assert_eq!(other.len(), 16);
    eval.env.set_variable("MST_OPTION_KEY", "short");
    let finished = eval.run_with(&[]);
    finished.expect_code(2);
    assert!(finished.stderr.contains("MST_OPTION_KEY") && !finished.stderr.contains("short"), "{}", finished.stderr);
}

#[test]
fn the_root_dir_is_where_relative_paths_are_looked_up_second() {
    let eval = Eval::new(Script::strict().on("Case", [Reply::text("ok")]));
    eval.env.write_json(
        "elsewhere/eval.json",
        &json!({ "name": "moved", "datasets": ["cases.json"], "client": "api", "model": "claude-x" }),
    );
    eval.env.write_json("root/cases.json", &json!({ "name": "cases", "cases": [case("bin", json!({}))] }));
    let finished = eval.mst(&["run", "-c", "elsewhere/eval.json", "--root-dir", "root"]);
    finished.expect_code(0);
    assert!(eval.env.path("root/.mcp-test-results/moved/latest.json").is_file(), "{}", finished.stderr);
    let missing = eval.mst(&["run", "-c", "elsewhere/eval.json"]);
    missing.expect_code(2);
    assert!(missing.stderr.contains("elsewhere/cases.json"), "{}", missing.stderr);
}

#[test]
fn a_folder_of_datasets_is_one_dataset() {
    let eval = Eval::new(Script::strict().always("Case", Reply::text("ok")));
    eval.write_config(&json!({}), &json!({ "datasets": [{ "type": "dir", "path": "sets", "recursive": true }] }));
    eval.env.write_json("sets/a.json", &json!({ "name": "a", "cases": [case("one", json!({}))] }));
    eval.env.write_json("sets/deep/b.json", &json!({ "name": "b", "cases": [case("two", json!({}))] }));
    let dir = eval.run(0);
    assert_eq!(dir.states().into_keys().collect::<Vec<_>>(), ["default/one", "default/two"]);
    assert_eq!(dir.run()["datasets"][0]["name"], "sets");
    eval.env.write_json(
        "sets/deep/c.json",
        &json!({ "name": "c", "cases": [{ "id": "three", "input": "x", "inptu": 1 }] }),
    );
    let finished = eval.run_with(&["--dry-run"]);
    finished.expect_code(2);
    assert!(finished.stderr.contains("c.json:") && finished.stderr.contains("inptu"), "{}", finished.stderr);
}

#[test]
fn the_offline_model_needs_neither_key_nor_network_and_says_so() {
    let mut eval = Eval::new(Script::strict());
    eval.env.remove_variable("ANTHROPIC_API_KEY");
    let more = json!({ "variants": [{ "name": "by-model", "model": "lexical-1" },
        { "name": "by-provider", "clientOptions": { "provider": "offline" } }], "model": null });
    eval.write(&json!({ "parts": eval.stdio("parts", Mode::Plain) }), &json!([case("bin", lookup())]), &more);
    let (finished, dir) = eval.run_expecting(&[], 0);
    assert!(finished.stdout.contains("offline baseline"), "{}", finished.stdout);
    assert!(dir.run()["notes"].to_string().contains("lexical-1"), "{}", dir.run()["notes"]);
    assert!(dir.metric("input_tokens_mean").is_none(), "a lexical model has no tokens");
    assert_eq!(eval.provider.all_requests().len(), 0);
}

#[test]
fn results_of_a_step_are_on_disk_before_the_run_ends() {
    let eval = Eval::new(Script::strict().on("Case c0:", done()).on(
        "Case c1:",
        [Reply::tool(ToolCall::ending("lookup", json!({ "id": "p-1" }))).after_ms(3_000), Reply::text("x")],
    ));
    eval.write(&json!({ "parts": eval.stdio("parts", Mode::Plain) }), &many(2), &json!({}));
    let mut run = crate::background::Background::start(&eval, &[]);
    run.wait_until("the first trial was saved", || {
        eval.runs().last().is_some_and(|dir| dir.path.join("transcripts/default/c0/0.json").is_file())
    });
    let dir = eval.newest();
    run.wait_until("run.json was there", || dir.path.join("run.json").is_file());
    assert_eq!(dir.run()["phases"], json!({ "collect": "partial", "grade": "partial" }));
    assert_eq!(eval.latest(), None);
    assert_eq!(run.end().code, Some(0));
    assert_eq!(eval.latest(), Some(dir.id()));
}
