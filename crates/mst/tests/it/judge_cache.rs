//! `--judge-cache`: the same judge, given the same, is paid once.

use mst_testkit::{Finished, Mode, Reply, Rule, Script, When};
use serde_json::{Value, json};

use crate::eval::{Eval, case, done, lookup};
use crate::judges::{JUDGE, asked, judge, judged, no, rubric, script, stored, yes};
use crate::run_dir::RunDir;

const CACHE: [&str; 2] = ["--judge-cache", "cache"];

fn grade(eval: &Eval, run: &str, more: &[&str]) -> Finished {
    eval.mst(&[&["grade", run, "--config", "eval.json", "--output-dir", "out"], more].concat())
}

/// Returns every entry of the cache, with its path.
fn entries(eval: &Eval) -> Vec<(String, Value)> {
    RunDir::new(eval.env.path("cache")).json_files()
}

fn without(mut score: Value, keys: &[&str]) -> Value {
    let fields = score.as_object_mut().expect("a score");
    fields.retain(|key, _| !keys.contains(&key.as_str()));
    score
}

#[test]
fn a_verdict_of_the_same_judge_on_the_same_input_is_not_paid_twice() {
    let judges = json!([
        judge("rubric", &json!({ "rubric": "correctness", "reps": 2 })),
        judge("tool-use", &json!({})),
        { "type": "task-completion", "jury": [{ "model": JUDGE }, { "model": "gpt-other" }, { "model": "gpt-third" }] },
    ]);
    let models = Script::strict().model(JUDGE, yes()).model("gpt-other", yes()).model("gpt-third", no());
    let eval = judged(models.rule(Rule::new(When::default(), done()).repeating()), &judges);
    let (_, first) = eval.run_expecting(&CACHE, 0);
    let calls = eval.provider.stats().requests;
    assert_eq!(entries(&eval).len(), 3, "one entry a judge: its reps and its jury are part of it");
    for (path, entry) in entries(&eval) {
        let key = entry["key"].as_str().expect("a key");
        assert_eq!(path, format!("{}/{key}.json", &key[..2]));
        assert_eq!((&entry["format"], &entry["kind"]), (&json!("mst.judge-cache/v1"), &json!("score")));
        assert_eq!(entry["verdict"]["usage"], Value::Null);
    }
    grade(&eval, &first.id(), &CACHE).expect_code(0);
    assert_eq!(eval.provider.stats().requests, calls, "every verdict was there");
    let again = RunDir::new(first.path.with_file_name(format!("{}.g2", first.id())));
    for name in ["correctness", "tool-use", "task-completion"] {
        let (paid, cached) = (stored(&first, name), stored(&again, name));
        assert_eq!((&paid["cached"], &cached["cached"]), (&Value::Null, &json!(true)), "{name}");
        assert_eq!(cached["usage"], Value::Null, "{name}: nothing was spent");
        assert!(paid["usage"]["inputTokens"].is_u64(), "{name}");
        assert_eq!(without(paid, &["usage"]), without(cached, &["cached"]), "{name}");
    }
    assert_eq!(again.case("bin")["judgeUsage"], Value::Null);
    assert_eq!(again.summary()["variants"][0]["metrics"].get("judge_input_tokens_mean"), None);
    // Another judge, or another input, is asked.
    eval.write_config(
        &json!({ "parts": eval.stdio("parts", Mode::Plain) }),
        &json!({ "judges": [judge("rubric", &json!({ "rubric": "correctness", "reps": 3 }))] }),
    );
    grade(&eval, &first.id(), &CACHE).expect_code(0);
    assert_eq!(eval.provider.stats().requests - calls, 3);
}

#[test]
fn a_new_regrade_with_a_warm_cache_pays_only_for_the_case_whose_judge_changed() {
    let eval = Eval::new(script(yes()));
    let write = |changed: &str| {
        let cases: Value = (0..40)
            .map(|number| {
                let mut one = case(&format!("c{number}"), lookup());
                let name = if number == 7 { changed } else { "task-completion" };
                one["judges"] = json!([judge(name, &json!({}))]);
                one
            })
            .collect();
        eval.write(&json!({ "parts": eval.stdio("parts", Mode::Plain) }), &cases, &json!({}));
    };
    write("task-completion");
    let (_, dir) = eval.run_expecting(&CACHE, 0);
    assert_eq!(asked(&eval, JUDGE), 40);
    write("grounded-in-tools");
    grade(&eval, &dir.id(), &CACHE).expect_code(0);
    assert_eq!(asked(&eval, JUDGE), 41);
    // What a resume asks is kept too.
    write("rubric");
    let missing = grade(&eval, &dir.id(), &CACHE);
    missing.expect_code(2);
    assert_eq!(asked(&eval, JUDGE), 41);
}

#[test]
fn what_is_no_verdict_is_not_kept() {
    for reply in [
        Reply::status(500, "down").header("retry-after", "0"),
        Reply::text("Well."),
        Reply::text(r#"{"pass": true, "score": 1, "reasoning": "x"} {"pass"#).with_finish_reason("max_tokens"),
    ] {
        let eval = judged(script(reply), &json!([rubric()]));
        let (_, dir) = eval.run_expecting(&CACHE, 6);
        assert!(!eval.env.path("cache").exists(), "{:?}", entries(&eval));
        eval.provider.set_script(script(yes()));
        grade(&eval, &dir.id(), &["--resume", "--judge-cache", "cache"]).expect_code(0);
        assert_eq!((entries(&eval).len(), stored(&dir, "correctness")["cached"].clone()), (1, Value::Null));
        let before = asked(&eval, JUDGE);
        grade(&eval, &dir.id(), &CACHE).expect_code(0);
        assert_eq!(asked(&eval, JUDGE), before);
    }
}

#[test]
fn an_entry_that_cannot_be_used_is_told_once_and_asked_again() {
    let cases = json!([case("bin", lookup()), case("other", lookup())]);
    let eval = Eval::new(script(yes()));
    eval.write(&json!({ "parts": eval.stdio("parts", Mode::Plain) }), &cases, &json!({ "judges": [rubric()] }));
    let (_, dir) = eval.run_expecting(&CACHE, 0);
    let whole = entries(&eval);
    let damages: [fn(String) -> String; 3] = [
        |text| text[..text.len() / 2].to_owned(),
        |text| text.replace("judge-cache/v1", "judge-cache/v7"),
        |text| text.replace("\"kind\": \"score\"", "\"kind\": \"preference\""),
    ];
    for damage in damages {
        for (path, _) in &whole {
            let path = eval.env.path("cache").join(path);
            let text = fs_err::read_to_string(&path).expect("an entry");
            fs_err::write(&path, damage(text)).expect("written");
        }
        let before = asked(&eval, JUDGE);
        let finished = grade(&eval, &dir.id(), &CACHE);
        finished.expect_code(0);
        assert_eq!(asked(&eval, JUDGE) - before, 2);
        assert_eq!(finished.stderr.matches("--judge-cache: ").count(), 1, "{}", finished.stderr);
        assert_eq!(entries(&eval), whole, "what was asked again is kept");
    }
}

#[test]
fn a_redacted_run_keeps_no_other_output_and_no_secret() {
    let secret = "planted-key-of-no-worth-1234";
    let says = format!(r#"{{"pass": true, "score": 1, "reasoning": "It used {secret}."}}"#);
    let eval = judged(script(Reply::text(says)), &json!([rubric()]));
    let more = json!({ "judges": [rubric()], "redactStoredResponses": true });
    eval.write_config(&json!({ "parts": eval.stdio("parts", Mode::Plain) }), &more);
    eval.env.write_json("secrets.json", &json!({ "PLANTED_TOKEN": secret }));
    let flags = [&CACHE[..], &["--secrets-file", "secrets.json"]].concat();
    eval.run_expecting(&flags, 0);
    let [(_, entry)] = &entries(&eval)[..] else { panic!("{:?}", entries(&eval)) };
    assert!(!entry.to_string().contains(secret), "{entry}");
    assert!(entry.to_string().contains("[REDACTED]"), "{entry}");
    assert_eq!(entry["verdict"]["metadata"], Value::Null);
}

#[test]
fn a_cache_that_cannot_be_is_refused_before_anything_is_spent() {
    let eval = judged(script(yes()), &json!([rubric()]));
    fs_err::write(eval.env.path("file"), "x").expect("written");
    let finished = eval.run_with(&["--judge-cache", "file/below"]);
    finished.expect_code(8);
    assert!(finished.stderr.contains("file/below"), "{}", finished.stderr);
    // A tape holds what was asked, and a cache asks nothing.
    for flags in [["--record", "tape"], ["--replay", "tape"], ["--no-grade", "--quiet"]] {
        let finished = eval.run_with(&[&CACHE[..], &flags[..]].concat());
        finished.expect_code(2);
        assert!(finished.stderr.contains("cannot be used with"), "{}", finished.stderr);
    }
    assert_eq!((eval.provider.stats().requests, eval.runs().len()), (0, 0));
    let dir = eval.run(0);
    let before = eval.provider.stats().requests;
    grade(&eval, &dir.id(), &["--judge-cache", "file"]).expect_code(8);
    assert_eq!((eval.provider.stats().requests, eval.runs().len()), (before, 1));
}
