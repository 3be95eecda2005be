//! Answers that are none, in each stage: asked once more or not, and never a finding, a pass or a zero (FC-21, FC-22).

use mst_testkit::{FakeProvider, Reply, Rule, Script, TestEnv, Usage, When};
use serde_json::{Value, json};

use crate::judge_api::{DEFECTS, PAIRS, SELECTION, TASKS, asked, of_stage, scan_with};
use crate::support::{files, scan_tools, three_tools};

const JUDGE: &str = "api:anthropic/claude-x";

/// Starts a provider that answers one stage with these replies, the last again and again, and the others sensibly.
fn provider(stage: &str, replies: impl IntoIterator<Item = Reply>) -> FakeProvider {
    let rule = Rule::new(of_stage(stage), replies).repeating().by_arrival();
    FakeProvider::start_now(Script::automatic().rule(rule))
}

/// A usable answer of each stage, by the word of its prompt.
fn usable(stage: &str) -> Value {
    let names = ["get_part", "update_part", "delete_part"];
    match stage {
        TASKS => {
            let mut tasks: Vec<Value> = names
                .iter()
                .map(|name| json!({ "prompt": format!("Do {} for p-1", name.replace('_', " ")), "tool": name }))
                .collect();
            tasks.push(json!({ "prompt": "Sing a song", "tool": null }));
            json!({ "tasks": tasks })
        }
        DEFECTS => {
            json!({ "tools": names.iter().map(|name| json!({ "tool": name, "defects": [] })).collect::<Vec<_>>() })
        }
        PAIRS => json!({ "pairs": [{ "a": "get_part", "b": "update_part", "severity": "medium", "reason": "r" }] }),
        _ => json!({ "tool": "get_part", "arguments": { "part_id": "p-1" }, "confirmFirst": false }),
    }
}

/// An answer of the right form that an example would show, and that must not be taken.
fn example(stage: &str) -> Value {
    match stage {
        TASKS => json!({ "tasks": [{ "prompt": "An example", "tool": null }] }),
        DEFECTS => json!({ "tools": [] }),
        PAIRS => json!({ "pairs": [] }),
        _ => json!({ "tool": null }),
    }
}

#[test]
fn fc21_an_answer_is_found_wherever_it_stands() {
    for stage in [TASKS, DEFECTS, PAIRS, SELECTION] {
        let (usable, example) = (usable(stage).to_string(), example(stage).to_string());
        let mut reports = Vec::new();
        for text in [
            usable.clone(),
            format!("```json\n{usable}\n```"),
            format!("It might be {example}, but it is not. Here it is: {usable}"),
            format!("{usable}\n{{\"note\": \"done\"}}"),
            format!("<think>{example}</think>\n\n{usable}"),
        ] {
            let (env, finished) = scan_with(&provider(stage, [Reply::text(&text)]), JUDGE);
            finished.expect_code(0);
            let mut report = env.read_json("out/report.json");
            report["scannedAt"] = Value::Null;
            reports.push((text, report.to_string()));
        }
        for (text, report) in &reports {
            assert_eq!(*report, reports[0].1, "{stage}: {text}");
        }
    }
}

#[test]
fn fc21_an_unreadable_answer_is_asked_for_once_more_and_one_that_was_cut_off_is_not() {
    for (stage, name) in [(TASKS, "tasks"), (DEFECTS, "defects"), (PAIRS, "confusability"), (SELECTION, "selection")] {
        let (usable, example) = (usable(stage).to_string(), example(stage).to_string());
        // A first answer that cannot be read costs one more question, and nothing else.
        let once = provider(stage, [Reply::text("Hmm, hard to say."), Reply::text(&usable)]);
        let (_, finished) = scan_with(&once, JUDGE);
        finished.expect_code(0);
        let unreadable = [
            Reply::text("Hmm, hard to say."),
            Reply::text(usable.replace('"', "'")),
            Reply::text("Done.").with_thinking(&usable),
            Reply::text(format!("For example {example}. Now: {}", &usable[..usable.len() - 2])),
        ];
        for reply in unreadable {
            let shown = format!("{name}: {:?}", reply.text);
            let twice = provider(stage, [reply]);
            let (env, finished) = scan_with(&twice, JUDGE);
            finished.expect_code(6);
            let failed = env.read_json("out/failed.json");
            assert_eq!(failed["stage"], name, "{shown}");
            let reason = failed["reason"].as_str().unwrap_or_default();
            assert!(reason.contains("nor when it was asked for once more"), "{shown}: {reason}");
            assert!(!files(&env, "out").contains(&"report.json".to_owned()));
            if stage != SELECTION {
                assert_eq!(asked(&twice, stage), 2, "{shown}");
            }
        }
        let cut = Reply::text(format!("For example {example}. Now: {{\"ta")).with_finish_reason("max_tokens");
        let cut = provider(stage, [cut]);
        let (env, finished) = scan_with(&cut, JUDGE);
        finished.expect_code(6);
        let reason = env.read_json("out/failed.json")["reason"].to_string();
        assert!(reason.contains("was cut off at the output limit"), "{name}: {reason}");
        if stage != SELECTION {
            assert_eq!(asked(&cut, stage), 1, "{name}");
        }
    }
}

#[test]
fn fc22_a_judge_that_cannot_judge_fails_the_scan_and_never_scores_it() {
    let silent = |stage| provider(stage, [Reply::status(400, "no")]);
    for (stage, name) in [(TASKS, "tasks"), (DEFECTS, "defects"), (PAIRS, "confusability"), (SELECTION, "selection")] {
        let (env, finished) = scan_with(&silent(stage), JUDGE);
        finished.expect_code(6);
        assert_eq!(env.read_json("out/failed.json")["stage"], name);
        assert!(!files(&env, "out").contains(&"report.json".to_owned()));
    }
    for (stage, answer, reason) in [
        (TASKS, json!({ "tasks": [] }), "no request that was asked for"),
        (TASKS, json!({ "tasks": [{ "prompt": "x", "tool": "no_such_tool" }] }), "is none of the tools"),
        (TASKS, json!({ "tasks": [{ "prompt": "call get_part now", "tool": "get_part" }] }), "says the tool's name"),
        (DEFECTS, json!({ "tools": null }), "is no list"),
        (
            DEFECTS,
            json!({ "tools": [{ "tool": "get_part", "defects": [{ "type": "ugly", "reason": "r" }] }] }),
            "is no type of defect",
        ),
        (
            PAIRS,
            json!({ "pairs": [{ "a": "get_part", "b": "get_part", "severity": "low", "reason": "r" }] }),
            "paired with itself",
        ),
        (
            PAIRS,
            json!({ "pairs": [{ "a": "get_part", "b": "x", "severity": "low", "reason": "r" }] }),
            "is none of the tools",
        ),
        (
            PAIRS,
            json!({ "pairs": [{ "a": "get_part", "b": "update_part", "severity": 9, "reason": "r" }] }),
            "`severity` is no text",
        ),
        (SELECTION, json!({ "tool": 7 }), "neither a name nor null"),
        (SELECTION, json!({ "tool": "none" }), "which is no tool"),
        (SELECTION, json!({ "tool": "get_part", "confirmFirst": "yes" }), "neither true nor false"),
    ] {
        let (env, finished) = scan_with(&provider(stage, [Reply::text(answer.to_string())]), JUDGE);
        finished.expect_code(6);
        let told = env.read_json("out/failed.json")["reason"].as_str().unwrap_or_default().to_owned();
        assert!(told.contains(reason), "{answer}: {told}");
    }
}

#[test]
fn fc22_a_tool_that_the_judge_left_out_is_asked_about_once_more() {
    let partial = json!({ "tools": [{ "tool": "get_part", "defects": [] }, { "tool": "delete_part", "defects": [] }] });
    let rest = json!({ "tools": [{ "tool": "update_part", "defects": [{ "type": "no_return_description", "reason": "r" }],
        "suggestedDescription": "Updates a part." }] });
    let again = provider(DEFECTS, [Reply::text(partial.to_string()), Reply::text(rest.to_string())]);
    let (env, finished) = scan_with(&again, JUDGE);
    finished.expect_code(0);
    assert_eq!(asked(&again, DEFECTS), 2);
    let second =
        &again.views().into_iter().filter(|view| view.system.contains(DEFECTS)).nth(1).expect("a second question");
    assert!(second.prompt().contains("update_part") && !second.prompt().contains("delete_part"), "{}", second.prompt());
    assert_eq!(env.read_json("out/report.json")["tools"][1]["defects"][0]["type"], "no_return_description");

    let never = provider(DEFECTS, [Reply::text(partial.to_string())]);
    let (env, finished) = scan_with(&never, JUDGE);
    finished.expect_code(6);
    let reason = env.read_json("out/failed.json")["reason"].as_str().unwrap_or_default().to_owned();
    assert!(reason.contains("update_part") || reason.contains("once more"), "{reason}");
}

#[test]
fn fc22_an_unset_key_is_found_before_a_server_is_reached_and_a_rejected_one_is_authentication() {
    let provider = FakeProvider::start_now(Script::automatic());
    let mut env = TestEnv::new().with_provider(&provider);
    env.remove_variable("ANTHROPIC_API_KEY");
    env.remove_variable("ANTHROPIC_BASE_URL");
    let finished = scan_tools(&env, &["--judge", JUDGE], &three_tools());
    finished.expect_code(6);
    assert!(finished.stderr.contains("ANTHROPIC_API_KEY"), "{}", finished.stderr);
    assert_eq!(provider.requests().len(), 0);

    let rejected = FakeProvider::start_now(
        Script::automatic()
            .rule(Rule::new(When::default(), [Reply::status(401, "bad key sk-fake-anthropic-0001")]).repeating()),
    );
    let (env, finished) = scan_with(&rejected, JUDGE);
    finished.expect_code(5);
    let failed = env.read("out/failed.json");
    assert!(
        !failed.contains("sk-fake-anthropic-0001") && !finished.stderr.contains("sk-fake-anthropic-0001"),
        "{failed}"
    );
}

#[test]
fn a_second_model_that_answers_is_not_hidden() {
    let body = json!({ "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-fallback", "stop_reason": "end_turn",
        "stop_sequence": null, "content": [{ "type": "text", "text": "{\"tool\": null}" }],
        "usage": { "input_tokens": 10, "output_tokens": 2 } });
    let one = When { text: Some("Hum tune 1".to_owned()), ..of_stage(SELECTION) };
    let script = Script::automatic().rule(Rule::new(one, [Reply::raw(200, body)]).repeating());
    let (env, finished) = scan_with(&FakeProvider::start_now(script), JUDGE);
    finished.expect_code(0);
    let judge = &env.read_json("out/report.json")["judge"];
    assert_eq!(judge["model"], "claude-fallback + claude-x");
    assert_eq!(judge["stages"]["tasks"]["model"], "claude-x");
}

#[test]
fn fc35_a_provider_that_repeats_the_key_it_refuses_does_not_leak_it() {
    let key = "sk-fake-anthropic-0001";
    let provider = provider(TASKS, [Reply::status(400, format!("no such key: {key}"))]);
    let (env, finished) = scan_with(&provider, JUDGE);
    finished.expect_code(6);
    assert!(!finished.stderr.contains(key), "{}", finished.stderr);
    assert!(finished.stderr.contains("no such key"), "{}", finished.stderr);
    assert!(!env.read("out/failed.json").contains(key));
}

#[test]
fn a_call_that_no_report_can_hold_is_asked_for_once_more() {
    let huge = json!({ "tool": "get_part", "arguments": { "part_id": "x".repeat(100_000) }, "confirmFirst": true });
    let provider = provider(SELECTION, [Reply::text(huge.to_string())]);
    let (env, finished) = scan_with(&provider, JUDGE);
    finished.expect_code(6);
    assert!(env.read("out/failed.json").contains("`arguments` takes"), "{}", env.read("out/failed.json"));
}

#[test]
fn a_usage_beyond_all_numbers_is_no_crash() {
    let usage = Usage { input: u64::MAX, output: u64::MAX, ..Usage::default() };
    let answer = json!({ "tool": null, "arguments": null, "confirmFirst": false });
    let provider = provider(SELECTION, [Reply::text(answer.to_string()).with_usage(usage)]);
    let (_env, finished) = scan_with(&provider, JUDGE);
    assert!(!finished.stderr.contains("panicked"), "{}", finished.stderr);
}
