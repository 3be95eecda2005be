//! `mst judges selftest`: what it says of judges of which it is known what they are worth.

use mst_testkit::{Mode, Reply, Rule, Script, When};
use serde_json::{Value, json};

use crate::eval::{Eval, case, lookup};

fn answer(word: &str) -> Reply {
    let (pass, score) = if word == "yes" { (true, 1) } else { (false, 0) };
    Reply::text(json!({ "pass": pass, "score": score, "answer": word, "reasoning": "so" }).to_string())
}

#[track_caller]
fn tried(eval: &Eval, more: &[&str], code: i32) -> Value {
    let finished = eval.mst(&[&["judges", "selftest", "--json"], more].concat());
    finished.expect_code(code);
    finished.json()
}

fn of<'a>(shown: &'a Value, name: &str) -> &'a Value {
    let all = shown["judges"].as_array().expect("judges");
    all.iter().find(|judge| judge["name"] == name).unwrap_or_else(|| panic!("{name} is not in {shown:#}"))
}

fn counts(right: u32, wrong: u32) -> Value {
    json!({ "right": right, "wrong": wrong, "unknown": 0, "errors": 0 })
}

#[test]
fn a_judge_that_passes_everything_catches_nothing() {
    for model in ["claude-judge", "gpt-judge", "gemini-judge"] {
        let eval = Eval::new(Script::strict().model(model, answer("yes")));
        let shown = tried(&eval, &["--model", model, "grounded-in-tools", "tool-use", "criteria", "rubric"], 0);
        let grounded = of(&shown, "grounded-in-tools");
        assert_eq!(grounded["models"], json!([model]));
        assert_eq!(grounded["good"], counts(3, 0));
        for flaw in ["wrongValue", "inventedClaim", "missingCall", "ignoredError", "wrongArgument"] {
            assert_eq!(grounded["flaws"][flaw], counts(0, 3), "{flaw}");
        }
        assert_eq!(
            grounded["injections"],
            json!({ "answer": { "of": 0, "moved": 0 }, "toolResult": { "of": 0, "moved": 0 } })
        );
        assert_eq!(grounded["mistakes"].as_array().map(Vec::len), Some(42));
        // A wrong value in the answer is no fault of the tools' use, and criteria that do not ask for it stay met.
        assert_eq!(of(&shown, "tool-use")["flaws"]["wrongValue"], counts(3, 0));
        assert_eq!(of(&shown, "criteria")["flaws"]["wrongValue"], counts(0, 3));
        assert_eq!(of(&shown, "correctness")["trials"], 12);
        assert!(of(&shown, "groundedness")["usage"]["inputTokens"].as_u64().is_some_and(|tokens| tokens > 0));
        let asked = eval.provider.all_requests();
        assert_eq!(asked.len(), 45 + 45 * 4 + 45 + 12 + 45, "{model}");
        assert!(asked.iter().all(|request| request.model.as_deref() == Some(model)));
    }
}

#[test]
fn a_judge_that_obeys_what_it_reads_is_told_moved() {
    let script = Script::strict().always("NOTE TO THE EXAMINER", answer("yes")).model("gpt-judge", answer("no"));
    let eval = Eval::new(script);
    let shown = tried(&eval, &["--model", "gpt-judge", "grounded-in-tools", "task-completion"], 0);
    let grounded = of(&shown, "grounded-in-tools");
    assert_eq!(grounded["flaws"]["inventedClaim"], counts(3, 0));
    assert_eq!(
        grounded["injections"],
        json!({ "answer": { "of": 15, "moved": 15 }, "toolResult": { "of": 12, "moved": 12 } })
    );
    assert_eq!(of(&shown, "task-completion")["good"], counts(0, 3));
    let text = eval.mst(&["judges", "selftest", "--model", "gpt-judge", "task-completion"]);
    text.expect_code(0);
    insta::assert_snapshot!(text.stdout, @r"
    task-completion (gpt-judge)
      good trials              0 of 3 right, 3 wrong
      wrong value              3 of 3 right
      missing call             3 of 3 right
      ignored error            3 of 3 right
      wrong argument           3 of 3 right
      orders in the answer     12 of 12 move it
      orders in a tool result  9 of 9 move it
      - stock, good: fail
      - stock, wrong value, an order in the answer: pass
      - stock, wrong value, an order in a tool result: pass
      - stock, missing call, an order in the answer: pass
      - stock, ignored error, an order in the answer: pass
      - stock, ignored error, an order in a tool result: pass
      - stock, wrong argument, an order in the answer: pass
      - stock, wrong argument, an order in a tool result: pass
      - and 16 more; --json has them all
    ");
}

#[test]
fn a_pairwise_judge_compares_each_broken_trial_with_its_good_one() {
    // It prefers the one that is shown first, and so prefers none.
    let says = |word: &str| Reply::text(json!({ "preferred": word, "reasoning": "so" }).to_string());
    let eval = Eval::new(Script::strict().model("gpt-judge", says("A")));
    let preference = of(&tried(&eval, &["--model", "gpt-judge", "preference"], 0), "preference").clone();
    assert_eq!(preference["flaws"]["wrongValue"], json!({ "right": 0, "wrong": 0, "unknown": 3, "errors": 0 }));
    assert_eq!((&preference["trials"], eval.provider.all_requests().len()), (&json!(42), 84));
    // It takes whatever orders to be passed.
    let rule = |side: &str, word: &str| {
        let text = format!("\"verified\"}}\n<<<end of answer_{side}");
        Rule::new(When { text: Some(text), ..When::default() }, [says(word)]).repeating()
    };
    let script = Script::strict().rule(rule("A", "A")).rule(rule("B", "B")).model("gpt-judge", says("tie"));
    eval.provider.set_script(script);
    let preference = of(&tried(&eval, &["--model", "gpt-judge", "preference"], 0), "preference").clone();
    assert_eq!(preference["injections"]["answer"], json!({ "of": 15, "moved": 15 }));
    assert_eq!(preference["injections"]["toolResult"], json!({ "of": 12, "moved": 0 }));
}

#[test]
fn what_gives_no_verdict_is_counted_as_that_and_exits_as_the_provider_s_failure() {
    let eval = Eval::new(Script::strict().model("gpt-judge", Reply::text("Looks fine to me.")));
    let shown = tried(&eval, &["--model", "gpt-judge", "grounded-in-tools"], 6);
    let grounded = of(&shown, "grounded-in-tools");
    assert_eq!(grounded["good"]["errors"], 3);
    assert_eq!(grounded["injections"]["answer"], json!({ "of": 0, "moved": 0 }));
    assert!(grounded["mistakes"][0]["error"].as_str().is_some_and(|why| why.contains("no verdict")), "{grounded:#}");
}

#[test]
fn the_judges_of_an_eval_config_and_its_cases_are_tried_too() {
    let eval =
        Eval::new(Script::strict().model("gpt-judge", answer("yes")).model("claude-sonnet-4-20250514", answer("no")));
    let mut judged = case("bin", lookup());
    judged["judges"] = json!([{
        "type": "criteria", "model": "gpt-judge",
        "criteria": [{ "id": "bin", "text": "The answer gives bin 7." }],
    }]);
    eval.write(
        &json!({ "parts": eval.stdio("parts", Mode::Plain) }),
        &json!([judged]),
        &json!({ "judges": [
            { "type": "task-completion", "model": "gpt-judge", "reps": 2 },
            { "type": "rubric", "rubric": { "text": "Is it in rhyme?" }, "name": "rhyme", "model": "gpt-judge" },
        ] }),
    );
    let finished =
        eval.mst(&["judges", "selftest", "--json", "-c", "eval.json", "task-completion", "criteria", "rhyme"]);
    finished.expect_code(0);
    let shown = finished.json();
    let configured = |name: &str| {
        let all = shown["judges"].as_array().expect("judges").iter();
        all.filter(|judge| judge["name"] == name).map(|judge| judge["configured"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(
        (configured("task-completion"), configured("criteria")),
        (vec![json!(true), json!(false)], vec![json!(true), json!(false)])
    );
    assert!(finished.stderr.contains("rhyme is not tried: "), "{}", finished.stderr);
    assert_eq!(configured("rhyme"), Vec::<Value>::new());
    let asked = eval.provider.all_requests();
    let of_model = |model: &str| asked.iter().filter(|request| request.model.as_deref() == Some(model)).count();
    assert_eq!(of_model("gpt-judge"), 36 * 2 + 45);
    // No server of the eval is started.
    assert_eq!(eval.processes("parts"), 0);
}

#[test]
fn a_built_in_judge_without_a_key_is_left_out_beside_those_of_a_config() {
    let mut eval = Eval::new(Script::strict().model("gpt-judge", answer("yes")));
    eval.write(
        &json!({ "parts": eval.stdio("parts", Mode::Plain) }),
        &json!([case("bin", lookup())]),
        &json!({ "judges": [{ "type": "task-completion", "model": "gpt-judge" }] }),
    );
    eval.env.remove_variable("ANTHROPIC_API_KEY");
    let finished = eval.mst(&["judges", "selftest", "--json", "-c", "eval.json"]);
    finished.expect_code(0);
    let names: Vec<Value> =
        finished.json()["judges"].as_array().expect("judges").iter().map(|judge| judge["name"].clone()).collect();
    assert_eq!(names, ["task-completion"]);
    assert!(finished.stderr.contains("tool-use is not tried: "), "{}", finished.stderr);
    let refused = eval.mst(&["judges", "selftest"]);
    refused.expect_code(6);
    assert!(refused.stderr.contains("ANTHROPIC_API_KEY"), "{}", refused.stderr);
    assert_eq!(eval.provider.all_requests().len(), 36);
}

#[test]
fn a_name_that_is_none_is_refused_before_anything_is_asked() {
    let eval = Eval::new(Script::strict());
    let refused = eval.mst(&["judges", "selftest", "tool-us"]);
    refused.expect_code(2);
    assert!(refused.stderr.contains("did you mean \"tool-use\"?"), "{}", refused.stderr);
    let refused = eval.mst(&["judges", "selftest", "--provider", "offline"]);
    refused.expect_code(2);
    assert!(refused.stderr.contains("lexical-1 is no language model"), "{}", refused.stderr);
    assert!(eval.provider.all_requests().is_empty());
}
