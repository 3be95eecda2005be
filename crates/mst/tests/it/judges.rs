//! Judges in a run of the real binary: each built-in one in each wire form, what has no verdict, which judges a case has.

use mst_testkit::{Form, Mode, Reply, Rule, Script, When};
use serde_json::{Value, json};

use crate::eval::{Eval, case, done, lookup};
use crate::run_dir::RunDir;
use crate::tape::{TAPE, alone, found};

/// The model of the judges, unless a test says otherwise: of another family than the client's.
pub(crate) const JUDGE: &str = "gpt-judge";

/// An answer that every built-in judge reads as a pass.
pub(crate) fn yes() -> Reply {
    Reply::text(r#"It is so. {"pass": true, "score": 1, "answer": "yes", "reasoning": "The lookup shows bin 7."}"#)
}

pub(crate) fn no() -> Reply {
    Reply::text(r#"{"pass": false, "score": 0.25, "answer": "no", "reasoning": "It names another bin."}"#)
}

pub(crate) fn unknown() -> Reply {
    Reply::text(r#"{"answer": "unknown", "reasoning": "The record does not show it."}"#)
}

/// A script in which a judge's model answers always the same, and every other one looks the part up.
pub(crate) fn script(judge: Reply) -> Script {
    Script::strict().model(JUDGE, judge).rule(Rule::new(When::default(), done()).repeating())
}

/// A judge with a model, and more options.
pub(crate) fn judge(name: &str, more: &Value) -> Value {
    let mut judge = json!({ "type": name, "model": JUDGE });
    judge.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
    judge
}

pub(crate) fn rubric() -> Value {
    judge("rubric", &json!({ "rubric": "correctness" }))
}

/// Makes an eval of one case with these config judges.
pub(crate) fn judged(script: Script, judges: &Value) -> Eval {
    let eval = Eval::new(script);
    eval.write(
        &json!({ "parts": eval.stdio("parts", Mode::Plain) }),
        &json!([case("bin", lookup())]),
        &json!({ "judges": judges }),
    );
    eval
}

/// Returns a judge's stored score of the first trial of the case `bin`.
#[track_caller]
pub(crate) fn stored(dir: &RunDir, judge: &str) -> Value {
    let path = |(path, _): &(String, Value)| path.starts_with("scores/") && path.ends_with("bin/0.json");
    let scores = dir.json_files().into_iter().filter(path).map(|(_, score)| score);
    let found = scores.into_iter().find(|score| score["grader"] == format!("judge.{judge}"));
    found.unwrap_or_else(|| panic!("{judge} has no score in {:?}", dir.paths()))["score"].clone()
}

/// Returns the requests that a model got.
pub(crate) fn asked(eval: &Eval, model: &str) -> usize {
    eval.provider.all_requests().iter().filter(|request| request.model.as_deref() == Some(model)).count()
}

#[test]
fn each_built_in_judge_judges_in_each_makers_form() {
    for (model, provider, form) in [
        ("claude-judge", "anthropic", Form::Anthropic),
        ("gpt-judge", "openai", Form::Responses),
        ("gemini-judge", "google", Form::Google),
    ] {
        let with = |name: &str, more: Value| {
            let mut entry = judge(name, &more);
            entry["model"] = json!(model);
            entry
        };
        let criteria = json!({ "criteria": [
            { "id": "gives-bin", "text": "The answer gives bin 7." },
            { "id": "says-how", "text": "The answer says how it knows.", "required": false },
        ] });
        let judges = json!([
            with("rubric", json!({ "rubric": "correctness" })),
            with("task-completion", json!({})),
            with("grounded-in-tools", json!({})),
            with("tool-use", json!({})),
            with("criteria", criteria),
        ]);
        let script = Script::strict().model(model, yes()).rule(Rule::new(When::default(), done()).repeating());
        let eval = judged(script, &judges);
        let dir = eval.run(0);
        for (name, calls) in
            [("correctness", 1), ("task-completion", 1), ("grounded-in-tools", 1), ("tool-use", 4), ("criteria", 2)]
        {
            let score = stored(&dir, name);
            assert_eq!((&score["pass"], &score["score"]), (&json!(true), &json!(1.0)), "{provider}: {score:#}");
            assert_eq!((&score["judgeProvider"], &score["judgeModel"]), (&json!(provider), &json!(model)), "{score:#}");
            assert_eq!(score["judgeIdentity"].as_str().map(str::len), Some(64));
            assert!(score["usage"]["inputTokens"].as_u64().is_some_and(|tokens| tokens >= calls), "{score:#}");
        }
        let parts = stored(&dir, "tool-use");
        let parts: Vec<&String> = parts["subScores"].as_object().expect("sub-scores").keys().collect();
        assert_eq!(parts, ["arguments", "error-recovery", "needed-calls", "tool-choice"]);
        let requests = eval.provider.all_requests();
        let of_judges: Vec<_> = requests.iter().filter(|request| request.model.as_deref() == Some(model)).collect();
        assert_eq!(of_judges.len(), 9, "{provider}");
        assert!(of_judges.iter().all(|request| request.form == Some(form)), "{provider}");
        // What judges use is no part of what the client used.
        let case = dir.case("bin");
        let tokens = |usage: &Value| usage["inputTokens"].as_u64().expect("tokens");
        let summed: u64 = ["correctness", "task-completion", "grounded-in-tools", "tool-use", "criteria"]
            .iter()
            .map(|name| tokens(&stored(&dir, name)["usage"]))
            .sum();
        assert_eq!(tokens(&case["judgeUsage"]), summed);
        assert_eq!(case["clientUsage"], dir.trial("bin")["clientUsage"]);
        assert_eq!(tokens(&dir.summary()["telemetry"]["totalJudgeUsage"]), summed);
    }
}

/// FC-22 and FC-20: what gives no verdict is neither a pass nor a fail, whatever it looks like.
#[test]
fn fc22_fc20_what_gives_no_verdict_is_neither_a_pass_nor_a_fail() {
    for (what, reply, says) in [
        ("a server error", Reply::status(500, "down").header("retry-after", "0"), "status 500"),
        ("a key that is refused", Reply::status(401, "no such key"), "401"),
        ("too many requests", Reply::status(429, "slow down").header("retry-after", "0"), "429"),
        ("nonsense", Reply::text("Looks fine to me."), ""),
        ("no score", Reply::text(r#"{"reasoning": "good"}"#), ""),
        ("a score out of range", Reply::text(r#"{"pass": true, "score": 9, "reasoning": "good"}"#), ""),
        ("no number", Reply::text(r#"{"pass": true, "score": null, "reasoning": "good"}"#), ""),
        ("a number as text", Reply::text(r#"{"pass": true, "score": "0.9", "reasoning": "good"}"#), ""),
        (
            "a verdict in thinking alone",
            Reply::text("Done.").with_thinking(r#"{"pass": true, "score": 1, "reasoning": "ok"}"#),
            "",
        ),
        ("no JSON", Reply::text("{'pass': True, 'score': 1}"), ""),
        (
            "a verdict cut off",
            Reply::text(r#"Were it so: {"pass": true, "score": 1, "reasoning": "x"}. But {"pass": false, "sco"#)
                .with_finish_reason("max_tokens"),
            "maxTokens",
        ),
        ("a refusal", Reply::refusal("I cannot judge that."), "refused"),
    ] {
        let mut entry = rubric();
        entry["model"] = json!("claude-judge");
        let script = Script::strict()
            .rule(Rule::new(When { model: Some("claude-judge".to_owned()), ..When::default() }, [reply]).repeating())
            .rule(Rule::new(When::default(), done()).repeating());
        let eval = judged(script, &json!([entry]));
        let finished = eval.run_with(&[]);
        assert_eq!(finished.code, Some(6), "{what}: {}", finished.stderr);
        let dir = eval.newest();
        assert_eq!(dir.state("bin"), "incomplete", "{what}");
        assert_eq!(dir.run()["phases"]["grade"], "partial", "{what}");
        let error = dir.trial("bin")["gradingError"].as_str().unwrap_or_default().to_owned();
        assert!(error.starts_with("judge.correctness: ") && error.contains(says), "{what}: {error}");
        assert_eq!(dir.trial("bin")["error"], format!("Not graded: {error}"), "{what}");
        assert_eq!(
            format!("judge.correctness: {}", stored(&dir, "correctness")["error"].as_str().expect("an error")),
            error
        );
        assert_eq!(eval.latest(), None, "{what}");
        assert_eq!((dir.metric("trial_pass_rate"), dir.metric("passed_rate")), (None, None), "{what}");
        assert!(finished.stderr.contains("--resume"), "{what}: {}", finished.stderr);
    }
}

/// FC-21: the last verdict in the answer counts.
#[test]
fn fc21_the_last_verdict_in_an_answer_counts() {
    for (answer, score) in [
        ("```json\n{\"pass\":true,\"score\":1,\"reasoning\":\"ok\"}\n```", 1.0),
        (
            r#"If it were fine I'd say {"pass":true,"score":1,"reasoning":"x"}. It isn't: {"pass":false,"score":0.25,"reasoning":"wrong bin"}"#,
            0.25,
        ),
        (r#"{"pass":true,"score":1,"reasoning":"It printed ```json {\"a\":{}}``` as asked, } included"}"#, 1.0),
        (r#"{"pass":true,"score":0.75,"reasoning":"x"} {"note":"done"}"#, 0.75),
    ] {
        let eval = judged(script(Reply::text(answer)), &json!([rubric()]));
        let dir = eval.run(i32::from(score < 0.7));
        assert_eq!(stored(&dir, "correctness")["score"], json!(score), "{answer}");
    }
}

/// FC-22 (c): a contradiction does not pass.
#[test]
fn fc22_a_score_below_the_threshold_fails_whatever_the_model_calls_it() {
    let answer = Reply::text(r#"{"pass": true, "score": 0, "reasoning": "?"}"#);
    let eval = judged(script(answer), &json!([rubric()]));
    let (finished, dir) = eval.run_expecting(&[], 1);
    assert_eq!((dir.state("bin"), &stored(&dir, "correctness")["score"]), ("fail", &json!(0.0)));
    assert!(finished.stdout.contains("judge.correctness"), "{}", finished.stdout);
}

/// FC-22 (h): another grader's fail stands, and the judge is asked again by a resume.
#[test]
fn fc22_another_graders_fail_stands_and_a_resume_asks_the_judge() {
    let down = Reply::status(500, "down").header("retry-after", "0");
    let eval = Eval::new(script(down));
    let cases = json!([case("bin", json!({ "containsText": "bin 9" }))]);
    eval.write(&json!({ "parts": eval.stdio("parts", Mode::Plain) }), &cases, &json!({ "judges": [rubric()] }));
    let dir = eval.run(1);
    assert_eq!((dir.state("bin"), &dir.run()["phases"]["grade"]), ("fail", &json!("partial")));
    let before = asked(&eval, "claude-x");
    eval.provider.set_script(script(yes()));
    let (_, resumed) = eval.run_expecting(&["--resume", &dir.id()], 1);
    assert_eq!(asked(&eval, "claude-x"), before, "the client is not asked again");
    assert_eq!(
        (&resumed.run()["phases"]["grade"], &stored(&resumed, "correctness")["pass"]),
        (&json!("complete"), &json!(true))
    );
    assert_eq!(resumed.state("bin"), "fail");
}

#[test]
fn a_resume_asks_only_the_judge_that_had_no_verdict() {
    let down = Reply::status(500, "down").header("retry-after", "0");
    let broken = Rule::new(When { model: Some("gemini-judge".to_owned()), ..When::default() }, [down]).repeating();
    let both = json!([rubric(), judge("task-completion", &json!({ "model": "gemini-judge" }))]);
    let scripted = |first: Rule| {
        Script::strict().rule(first).model(JUDGE, yes()).rule(Rule::new(When::default(), done()).repeating())
    };
    let eval = judged(scripted(broken), &both);
    let dir = eval.run(6);
    assert_eq!((stored(&dir, "correctness")["pass"].clone(), dir.state("bin")), (json!(true), "incomplete"));
    let before = asked(&eval, JUDGE);
    let fine = Rule::new(When { model: Some("gemini-judge".to_owned()), ..When::default() }, [yes()]).repeating();
    eval.provider.set_script(scripted(fine));
    let (_, resumed) = eval.run_expecting(&["--resume", &dir.id()], 0);
    assert_eq!(asked(&eval, JUDGE), before, "its verdict is kept");
    assert_eq!((resumed.state("bin"), &resumed.run()["phases"]["grade"]), ("pass", &json!("complete")));
    assert_eq!(eval.latest(), Some(resumed.id()));
}

#[test]
fn an_unreadable_answer_of_a_question_is_asked_for_once_more() {
    let replies = [Reply::text("Well."), yes()];
    let rule = Rule::new(When { model: Some(JUDGE.to_owned()), ..When::default() }, replies).by_arrival();
    let script = Script::strict().rule(rule).rule(Rule::new(When::default(), done()).repeating());
    let eval = judged(script, &json!([judge("task-completion", &json!({}))]));
    let dir = eval.run(0);
    assert_eq!((asked(&eval, JUDGE), &stored(&dir, "task-completion")["pass"]), (2, &json!(true)));
}

#[test]
fn what_a_judge_cannot_tell_does_not_pass_and_leaves_its_rate() {
    let eval = judged(script(unknown()), &json!([judge("task-completion", &json!({}))]));
    let (finished, dir) = eval.run_expecting(&[], 1);
    let score = stored(&dir, "task-completion");
    assert_eq!((&score["unknown"], &score["pass"]), (&json!(true), &json!(false)));
    assert_eq!((dir.state("bin"), dir.metric("judge_pass_rate")), ("fail", None));
    assert_eq!(dir.run()["phases"]["grade"], "complete", "{}", finished.stdout);
}

#[test]
fn a_trial_whose_client_had_an_error_is_not_judged() {
    let script =
        Script::strict().model(JUDGE, yes()).rule(Rule::new(When::default(), [Reply::refusal("No.")]).repeating());
    let eval = judged(script, &json!([rubric()]));
    let dir = eval.run(1);
    assert_eq!((asked(&eval, JUDGE), &stored(&dir, "correctness")["skipped"]), (0, &json!(true)));
    assert_eq!((dir.state("bin"), &dir.run()["phases"]["grade"]), ("fail", &json!("complete")));
}

#[test]
fn criteria_decide_as_they_are_required() {
    let criteria = json!({ "criteria": [
        { "id": "gives-bin", "text": "It gives bin 7." },
        { "id": "is-short", "text": "It is one short sentence.", "required": false },
    ] });
    let script = Script::strict()
        .rule(
            Rule::new(
                When { model: Some(JUDGE.to_owned()), text: Some("one short sentence".to_owned()), ..When::default() },
                [no()],
            )
            .repeating(),
        )
        .model(JUDGE, yes())
        .rule(Rule::new(When::default(), done()).repeating());
    let eval = judged(script, &json!([judge("criteria", &criteria)]));
    let dir = eval.run(0);
    let score = stored(&dir, "criteria");
    let verdicts: Vec<(&Value, &Value)> =
        score["criteria"].as_array().expect("criteria").iter().map(|one| (&one["id"], &one["verdict"])).collect();
    assert_eq!(verdicts, [(&json!("gives-bin"), &json!("pass")), (&json!("is-short"), &json!("fail"))]);
    assert_eq!((&score["pass"], &score["score"]), (&json!(true), &json!(1.0)));
}

#[test]
fn a_jury_decides_by_majority_and_is_recorded_member_by_member() {
    let member = |model: &str| json!({ "model": model });
    let jury = |models: &[&str]| {
        let members: Vec<Value> = models.iter().map(|model| member(model)).collect();
        json!([{ "type": "task-completion", "jury": members }])
    };
    let script = || {
        Script::strict()
            .model("gpt-judge", yes())
            .model("gemini-judge", yes())
            .model("claude-judge", no())
            .model("grok-judge", unknown())
            .rule(Rule::new(When { model: Some("claude-x".to_owned()), ..When::default() }, done()).repeating())
    };
    for (models, code, pass, unknown) in [
        (&["claude-judge", "gpt-judge", "gemini-judge"][..], 0, true, false),
        (&["claude-judge", "gpt-judge"], 1, false, true),
        (&["claude-judge", "grok-judge"], 1, false, false),
        (&["gpt-judge", "grok-judge"], 0, true, false),
    ] {
        let eval = judged(script(), &jury(models));
        let dir = eval.run(code);
        let score = stored(&dir, "task-completion");
        assert_eq!((&score["pass"], score["unknown"] == true), (&json!(pass), unknown), "{models:?}");
        let recorded =
            score["jury"].as_array().expect("a jury").iter().map(|one| one["judgeModel"].as_str().expect("a model"));
        assert_eq!(recorded.collect::<Vec<_>>(), models);
        assert_eq!(score["judgeModel"], models.join(", "));
    }
    let eval = judged(
        script().model("deepseek-judge", Reply::status(401, "no")),
        &jury(&["gpt-judge", "gemini-judge", "mistral-judge"]),
    );
    let dir = eval.run(6);
    let error = stored(&dir, "task-completion")["error"].as_str().expect("an error").to_owned();
    assert!(error.contains("jury member 3 (mistral-judge)"), "{error}");
}

/// FC-24: a judge of the client's own family is told of, once.
#[test]
fn fc24_a_judge_of_the_clients_family_is_told_of_once() {
    let mut entry = rubric();
    entry["model"] = json!("claude-judge");
    let script = Script::strict().model("claude-judge", yes()).rule(Rule::new(When::default(), done()).repeating());
    let eval = judged(script, &json!([entry]));
    let (finished, _) = eval.run_expecting(&["--trials", "3"], 0);
    assert_eq!(
        finished.stderr.matches("of the same family as the client's claude-x").count(),
        1,
        "{}",
        finished.stderr
    );
    assert!(finished.stdout.contains("Judges: correctness (claude-judge)"), "{}", finished.stdout);
    // However many models there are on both sides, one line names them all.
    let config = eval.env.read_json("eval.json");
    let mut several = config.clone();
    several["variants"] =
        json!([{ "name": "a" }, { "name": "b", "model": "claude-y" }, { "name": "c", "model": "gpt-x" }]);
    several["judges"] = json!([{ "type": "rubric", "rubric": "correctness",
        "jury": [{ "model": "claude-judge" }, { "model": "claude-jury" }, { "model": "mistral-jury" }] }]);
    eval.env.write_json("eval.json", &several);
    let finished = eval.run_with(&[]);
    let told: Vec<&str> = finished.stderr.lines().filter(|line| line.contains("of the same family")).collect();
    let names =
        "\"correctness\" asks claude-judge, claude-jury, of the same family as the clients' claude-x, claude-y:";
    assert!(told.len() == 1 && told[0].contains(names), "{told:?}");
    let other = judged(self::script(yes()), &json!([rubric()]));
    let (finished, _) = other.run_expecting(&[], 0);
    assert!(!finished.stderr.contains("family"), "{}", finished.stderr);
}

#[test]
fn a_case_overrides_the_config_and_keeps_what_it_leaves_out() {
    let eval = Eval::new(script(Reply::text(r#"{"pass": true, "score": 0.6, "reasoning": "so so", "answer": "yes"}"#)));
    let mut lenient = case("bin", lookup());
    lenient["judges"] = json!([
        { "type": "rubric", "rubric": "correctness", "threshold": 0.5, "reps": 2 },
        judge("task-completion", &json!({})),
    ]);
    let cases = json!([lenient, case("strict", lookup())]);
    eval.write(&json!({ "parts": eval.stdio("parts", Mode::Plain) }), &cases, &json!({ "judges": [rubric()] }));
    let dir = eval.run(1);
    assert_eq!((dir.state("bin"), dir.state("strict")), ("pass", "fail"));
    let score = stored(&dir, "correctness");
    assert_eq!((&score["scores"], &score["judgeModel"]), (&json!([0.6, 0.6]), &json!(JUDGE)));
    assert_eq!(stored(&dir, "task-completion")["pass"], true);
    // The case's own first, then the config's.
    assert_eq!(asked(&eval, JUDGE), 4);
    let recorded = dir.run()["judges"].clone();
    assert_eq!((recorded[0]["level"].clone(), recorded[0]["name"].clone()), (json!("config"), json!("correctness")));
    assert_eq!(recorded.as_array().map(Vec::len), Some(1), "a case's own judges are not in run.json");
}

#[test]
fn a_variants_judges_replace_the_configs() {
    let eval = Eval::new(script(yes()));
    let variants = json!([{ "name": "a" }, { "name": "b", "judges": [judge("task-completion", &json!({}))] }, { "name": "off", "judges": [] }]);
    eval.write(
        &json!({ "parts": eval.stdio("parts", Mode::Plain) }),
        &json!([case("bin", lookup())]),
        &json!({ "judges": [rubric()], "variants": variants }),
    );
    let (finished, dir) = eval.run_expecting(&[], 0);
    let recorded = dir.run()["judges"].clone();
    let levels: Vec<&Value> = recorded.as_array().expect("judges").iter().map(|judge| &judge["level"]).collect();
    assert_eq!(levels, ["config", "variant:b"]);
    let names: Vec<Value> =
        dir.run()["variants"].as_array().expect("variants").iter().map(|one| one["judges"].clone()).collect();
    assert_eq!(names, [json!(["correctness"]), json!(["task-completion"]), Value::Null]);
    assert_eq!(asked(&eval, JUDGE), 2);
    assert!(
        finished.stdout.contains("Judges: correctness (gpt-judge), task-completion (gpt-judge)"),
        "{}",
        finished.stdout
    );
}

/// FC-22 (g): a key that is not set ends the run before anything starts.
#[test]
fn fc22_without_the_judges_key_nothing_starts_and_without_grading_none_is_needed() {
    let mut eval = judged(script(yes()), &json!([rubric()]));
    eval.env.remove_variable("OPENAI_API_KEY");
    let finished = eval.run_with(&["--json"]);
    finished.expect_code(6);
    let error = finished.json()["error"].clone();
    assert_eq!(error["class"], "provider");
    let message = error["message"].as_str().expect("a message");
    assert!(message.contains("correctness") && message.contains("OPENAI_API_KEY"), "{message}");
    assert!(error["hints"].to_string().contains("--secrets-file"), "{error}");
    assert_eq!((eval.provider.all_requests().len(), eval.runs().len(), eval.processes("parts")), (0, 0, 0));
    let doctor = eval.mst(&["doctor", "--config", "eval.json", "--json"]);
    doctor.expect_code(6);
    let judges = doctor.json()["config"]["judges"].clone();
    assert_eq!((&judges[0]["judge"], &judges[0]["ready"]), (&json!("correctness"), &json!(false)), "{judges}");
    assert!(judges[0]["reason"].to_string().contains("OPENAI_API_KEY"), "{judges}");
    let dir = eval.run_expecting(&["--no-grade"], 0).1;
    assert_eq!(dir.run()["phases"]["grade"], "skipped");
    assert_eq!(asked(&eval, JUDGE), 0);
}

#[test]
fn a_judged_run_is_replayed_without_any_key() {
    let judges = json!([rubric(), judge("tool-use", &json!({ "reps": 2 }))]);
    let mut eval = judged(script(yes()), &judges);
    let (_, recorded) = eval.run_expecting(&["--record", TAPE, "--trials", "2"], 0);
    let requests = eval.provider.all_requests().len();
    alone(&mut eval);
    let (_, replayed) = eval.run_expecting(&["--replay", TAPE, "--trials", "2"], 0);
    assert_eq!(found(&recorded), found(&replayed));
    assert_eq!(eval.provider.all_requests().len(), requests);
    assert_eq!(recorded.run()["judges"], replayed.run()["judges"]);
}

#[test]
fn a_redacted_run_is_judged_by_the_answer_that_it_does_not_store() {
    let eval = Eval::new(script(yes()));
    let more = json!({ "judges": [rubric()], "redactStoredResponses": true });
    eval.write(&json!({ "parts": eval.stdio("parts", Mode::Plain) }), &json!([case("bin", lookup())]), &more);
    let dir = eval.run(0);
    let prompts = eval.provider.views().into_iter().filter(|view| view.prompt().contains("Part p-1 is in bin 7."));
    assert_eq!(prompts.count(), 1, "the judge sees the answer");
    assert_eq!(stored(&dir, "correctness")["pass"], true);
    let texts: Vec<String> = dir.json_files().into_iter().map(|(_, value)| value.to_string()).collect();
    assert!(texts.iter().all(|text| !text.contains("Part p-1 is in bin 7.")));
}

#[test]
fn judges_are_listed_and_shown() {
    let eval = Eval::new(Script::strict());
    let listed = eval.mst(&["judges", "--json"]).json();
    let names: Vec<&Value> = listed.as_array().expect("a list").iter().map(|one| &one["reference"]).collect();
    assert_eq!(names, ["rubric", "task-completion", "grounded-in-tools", "tool-use", "criteria", "preference"]);
    assert!(listed.as_array().expect("a list").iter().all(|one| one["version"].is_string()));
    let shown = eval.mst(&["judges", "show", "mst/judge/rubric", "--json"]).json();
    assert_eq!((&shown["reference"], &shown["options"]["required"]), (&json!("rubric"), &json!(["rubric"])));
    let text = eval.mst(&["judges", "show", "rubric"]).stdout;
    for word in ["correctness", "maxTokens", "4096"] {
        assert!(text.contains(word), "{word}: {text}");
    }
    let near = eval.mst(&["judges", "show", "tool-us"]);
    near.expect_code(2);
    assert!(near.stderr.contains("did you mean \"tool-use\"?"), "{}", near.stderr);
    let later = eval.mst(&["judges", "check"]);
    later.expect_code(2);
    assert!(later.stderr.contains("not available"), "{}", later.stderr);
}

#[test]
fn the_table_has_a_column_for_judges_where_there_are_some() {
    let eval = judged(script(yes()), &json!([rubric()]));
    let (finished, dir) = eval.run_expecting(&[], 0);
    assert_eq!(dir.metric("judge_pass_rate"), Some(1.0));
    assert!(finished.stdout.contains("Judge pass"), "{}", finished.stdout);
    let (finished, _) = Eval::passing().run_expecting(&[], 0);
    assert!(!finished.stdout.contains("Judge"), "{}", finished.stdout);
}

/// Collected without grades and graded later, or graded at once: the scores are the same, byte for byte but for the run's id.
#[test]
fn a_run_graded_later_has_the_scores_of_one_graded_at_once() {
    let member = |model: &str| json!({ "model": model });
    let criteria = json!([{ "id": "gives-bin", "text": "It gives bin 7." }, { "id": "short", "text": "It is short." }]);
    let judges = json!([
        judge("rubric", &json!({ "rubric": "correctness", "reps": 3 })),
        judge("task-completion", &json!({ "threshold": 0.9 })),
        judge("grounded-in-tools", &json!({})),
        judge("tool-use", &json!({})),
        judge("criteria", &json!({ "criteria": criteria })),
        { "type": "rubric", "name": "panel", "rubric": "conciseness",
            "jury": [member("gpt-judge"), member("gemini-judge"), member("grok-judge")] },
        { "type": "rubric", "name": "broken", "rubric": "correctness", "model": "mistral-judge" },
    ]);
    let fine = json!({ "containsText": ["Part p-1", "bin 7"], "matchesPattern": "bin \\d", "toolCallCount": { "exact": 1 },
        "toolsTriggered": { "calls": [{ "name": "lookup", "arguments": { "id": "p-1" } }] } });
    let wrong = json!({ "containsText": "bin 9", "matchesPattern": "^bin", "toolCallCount": { "max": 0 },
        "toolsTriggered": { "calls": [{ "name": "lookup", "arguments": { "id": "p-9" } }] } });
    let script = Script::strict()
        .model(JUDGE, yes())
        .model("gemini-judge", no())
        .model("grok-judge", yes())
        .model("mistral-judge", Reply::text("Looks fine."))
        .rule(Rule::new(When::text("Case refused:"), [Reply::refusal("No.")]).repeating())
        .rule(Rule::new(When::default(), done()).repeating());
    let eval = Eval::new(script);
    let cases = json!([case("bin", fine.clone()), case("wrong", wrong), case("refused", fine)]);
    let more = json!({ "judges": judges, "trials": 2 });
    eval.write(&json!({ "parts": eval.stdio("parts", Mode::Plain) }), &cases, &more);
    let at_once = eval.run(1);
    let later = eval.run_expecting(&["--no-grade"], 0).1;
    let before = (asked(&eval, "claude-x"), eval.processes("parts"));
    let finished = eval.mst(&["grade", &later.id(), "--config", "eval.json", "--output-dir", "out"]);
    finished.expect_code(1);
    assert_eq!((asked(&eval, "claude-x"), eval.processes("parts")), before, "no client and no server is started");
    let regrade = eval.runs().into_iter().find(|dir| dir.id() == format!("{}.g2", later.id())).expect("a regrade");
    let scores = |dir: &RunDir| -> Vec<(String, String)> {
        let read = |path: &String| fs_err::read_to_string(dir.path.join(path)).expect("a score");
        let paths = dir.paths().into_iter().filter(|path| path.starts_with("scores/"));
        paths.map(|path| (path.clone(), read(&path).replace(&dir.id(), "RUN"))).collect()
    };
    let written = scores(&at_once);
    assert_eq!(scores(&regrade), written);
    // Four assertions and seven judges, three cases, two trials.
    assert_eq!(written.len(), 11 * 3 * 2, "{:?}", written.iter().map(|(path, _)| path).collect::<Vec<_>>());
    for (grader, case, says) in [
        ("judge.broken", "bin", "\"error\": "),
        ("judge.broken", "refused", "\"skipped\": true"),
        ("judge.panel", "wrong", "\"jury\": ["),
        ("toolsTriggered", "wrong", "\"pass\": false"),
        ("regex", "bin", "\"pass\": true"),
    ] {
        let path = format!("scores/{grader}/default/{case}/1.json");
        let found = written.iter().find(|(found, _)| *found == path);
        assert!(found.is_some_and(|(_, text)| text.contains(says)), "{path}: {says}: {found:?}");
    }
    assert_eq!(scores(&later), [], "the graded run stays as it was");
    assert_eq!(regrade.run()["gradedFrom"], later.id());
    assert_eq!(regrade.trial("wrong")["transcript"], later.trial("wrong")["transcript"]);
    assert_eq!(regrade.trial("bin")["runId"], later.id());
    assert_eq!(
        (&regrade.run()["phases"]["collect"], &regrade.run()["phases"]["grade"]),
        (&json!("complete"), &json!("partial"))
    );
    assert_eq!(regrade.states(), at_once.states());
    assert_eq!(regrade.run()["variants"][0]["servers"], later.run()["variants"][0]["servers"]);
    assert!(finished.stderr.contains(&format!("The trials of {} are graded again", later.id())), "{}", finished.stderr);
}

#[test]
fn another_judge_grades_a_stored_run_and_labels_come_along() {
    let eval = judged(script(yes()), &json!([rubric()]));
    let dir = eval.run(0);
    let label = dir.path.join("labels/correctness/default/bin/0.json");
    fs_err::create_dir_all(label.parent().expect("a folder")).expect("a folder");
    fs_err::write(&label, "{}").expect("a label");
    eval.write_config(
        &json!({ "parts": eval.stdio("parts", Mode::Plain) }),
        &json!({ "judges": [judge("task-completion", &json!({}))] }),
    );
    eval.provider.set_script(script(no()));
    let grade = |code: i32| {
        let finished = eval.mst(&["grade", &dir.id(), "--config", "eval.json", "--output-dir", "out"]);
        finished.expect_code(code);
    };
    grade(1);
    grade(1);
    let ids: Vec<String> = eval.runs().iter().map(RunDir::id).collect();
    let id = dir.id();
    assert!(ids.contains(&format!("{id}.g2")) && ids.contains(&format!("{id}.g3")), "{ids:?}");
    let regrade = RunDir::new(dir.path.with_file_name(format!("{id}.g3")));
    assert_eq!((regrade.state("bin"), &stored(&regrade, "task-completion")["pass"]), ("fail", &json!(false)));
    assert!(regrade.path.join("labels/correctness/default/bin/0.json").is_file());
    assert!(!regrade.paths().iter().any(|path| path.contains("judge.correctness")));
    // Without a verdict the hint is to go on with this grading.
    eval.provider.set_script(script(Reply::text("?")));
    let finished = eval.mst(&["grade", &dir.id(), "--config", "eval.json", "--output-dir", "out"]);
    finished.expect_code(6);
    assert!(
        finished.stderr.contains(&format!("mst grade {id}.g4 --config eval.json --output-dir out --resume")),
        "{}",
        finished.stderr
    );
}

#[test]
fn what_cannot_be_graded_again_is_refused_and_leaves_nothing() {
    let eval = judged(script(yes()), &json!([rubric()]));
    let dir = eval.run(0);
    let refused = |says: &str, code: i32| {
        let finished = eval.mst(&["grade", &dir.id(), "--config", "eval.json", "--output-dir", "out"]);
        finished.expect_code(code);
        assert!(finished.stderr.contains(says), "{says}: {}", finished.stderr);
        assert_eq!(eval.runs().len(), 1, "{says}");
    };
    let servers = json!({ "parts": eval.stdio("parts", Mode::Plain) });
    eval.write(&servers, &json!([case("other", lookup())]), &json!({}));
    refused("is of no variant, case or trial", 2);
    eval.write(&servers, &json!([case("bin", lookup())]), &json!({ "name": "another" }));
    refused("it is a run of the eval \"parts-eval\"", 2);
    eval.write(
        &servers,
        &json!([case("bin", lookup())]),
        &json!({ "judges": [judge("rubric", &json!({ "rubric": "correctness", "apiKeyEnvVar": "NOT_SET" }))] }),
    );
    refused("NOT_SET", 6);
    eval.write_config(&servers, &json!({}));
    let trial = dir.path.join("transcripts/default/bin/0.json");
    let outside = eval.env.path("elsewhere.json");
    fs_err::rename(&trial, &outside).expect("moved");
    fs_err::os::unix::fs::symlink(&outside, &trial).expect("a link");
    refused("link", 2);
    fs_err::remove_file(&trial).expect("removed");
    fs_err::rename(&outside, &trial).expect("moved back");
    let mut record = dir.run();
    record["redactStoredResponses"] = json!(true);
    fs_err::write(dir.path.join("run.json"), record.to_string()).expect("written");
    refused("stored without answers", 2);
}
