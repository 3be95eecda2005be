//! `mst compare` over real runs: the three answers, what forbids one, and what is refused.

use mst_testkit::{Finished, Mode, Reply, Rule, Script, When};
use serde_json::{Value, json};

use crate::eval::{Eval, case, done, lookup};
use crate::judges::{judge, rubric, yes};
use crate::run_dir::RunDir;

/// Answers every case rightly but these.
fn script(failing: &[&str]) -> Script {
    let script = Script::strict().model(crate::judges::JUDGE, yes());
    let script = failing
        .iter()
        .fold(script, |script, id| script.on(format!("Case {id}:"), [Reply::text("Part p-1 is somewhere.")]));
    script.rule(Rule::new(When::default(), done()).repeating())
}

/// Writes an eval of these cases, with more keys of its config.
fn write(eval: &Eval, ids: &[&str], more: &Value) {
    let cases: Value = ids.iter().map(|id| case(id, lookup())).collect();
    eval.write(&json!({ "parts": eval.stdio("parts", Mode::Plain) }), &cases, more);
}

/// Runs an eval in which these cases fail.
fn run(eval: &Eval, failing: &[&str]) -> RunDir {
    eval.provider.set_script(script(failing));
    eval.run(i32::from(!failing.is_empty()))
}

fn compare(eval: &Eval, old: &str, new: &str, more: &[&str]) -> Finished {
    eval.mst(&[&["compare", old, new, "--output-dir", "out"], more].concat())
}

/// Compares as JSON, expects an exit status, and returns what is said of the only variant.
#[track_caller]
fn compared(eval: &Eval, old: &RunDir, new: &RunDir, code: i32) -> Value {
    let finished = compare(eval, &old.id(), &new.id(), &["--json"]);
    finished.expect_code(code);
    let whole: Value = serde_json::from_str(&finished.stdout).expect("one JSON value");
    whole["variants"]["default"].clone()
}

const IDS: [&str; 8] = ["c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7"];

/// Takes the ids of runs out of a text.
fn plain(text: &str, old: &RunDir, new: &RunDir) -> String {
    text.replace(&old.id(), "[old]").replace(&new.id(), "[new]")
}

#[test]
fn a_drop_is_worse_a_gain_is_not_and_few_cases_cannot_tell() {
    let eval = Eval::new(script(&[]));
    write(&eval, &IDS, &json!({}));
    let (good, bad) = (run(&eval, &[]), run(&eval, &IDS[..7]));
    let worse = compare(&eval, &good.id(), &bad.id(), &[]);
    worse.expect_code(1);
    assert_eq!(worse.stderr, "");
    let gain = compare(&eval, &bad.id(), &good.id(), &[]);
    gain.expect_code(0);
    let again = run(&eval, &[]);
    compared(&eval, &good, &again, 0);
    let few = run(&eval, &IDS[..2]);
    let open = compare(&eval, &good.id(), &few.id(), &[]);
    open.expect_code(3);
    let texts = [plain(&worse.stdout, &good, &bad), plain(&gain.stdout, &bad, &good), plain(&open.stdout, &good, &few)];
    insta::assert_snapshot!("the three answers as text", texts.join("\n"));
    let json = compare(&eval, &good.id(), &few.id(), &["--json", "--margin", "0.9"]);
    json.expect_code(0);
    let mut whole: Value = serde_json::from_str(&json.stdout).expect("one JSON value");
    whole["baseline"]["timestamp"] = json!("[time]");
    whole["candidate"]["timestamp"] = json!("[time]");
    insta::assert_snapshot!("a comparison as JSON", plain(&format!("{whole:#}"), &good, &few));
    let requests = eval.provider.stats().requests;
    compare(&eval, &good.id(), &few.id(), &[]).expect_code(3);
    assert_eq!(eval.provider.stats().requests, requests, "nothing is asked");
}

#[test]
fn runs_are_found_without_flags_by_directory_and_by_short_form() {
    let eval = Eval::new(script(&[]));
    write(&eval, &IDS, &json!({}));
    let (old, new) = (run(&eval, &[]), run(&eval, &[]));
    let path = |dir: &RunDir| format!("out/runs/{}", dir.id());
    eval.mst(&["compare", &path(&old), &path(&new)]).expect_code(0);
    let short = |dir: &RunDir| dir.id()[dir.id().len() - 6..].to_owned();
    compare(&eval, &short(&old), &format!("{}:default", short(&new)), &[]).expect_code(0);
    let lost = eval.mst(&["compare", &short(&old), &short(&new)]);
    lost.expect_code(2);
    assert!(lost.stderr.contains("--output-dir DIR or --config FILE"), "{}", lost.stderr);
    eval.run_with(&[]).expect_code(0);
    eval.mst(&["run", "--config", "eval.json"]).expect_code(0);
    let own = fs_err::read_dir(eval.env.path(".mcp-test-results/parts-eval/runs")).expect("runs").next();
    let id = own.expect("a run").expect("an entry").file_name().into_string().expect("text");
    eval.mst(&["compare", &id, &path(&new)]).expect_code(0);
}

#[test]
fn variants_of_one_run_are_compared_by_name() {
    let eval = Eval::new(script(&[]));
    write(&eval, &IDS, &json!({ "variants": [{ "name": "a" }, { "name": "b" }] }));
    let dir = run(&eval, &[]);
    let id = dir.id();
    compare(&eval, &format!("{id}:a"), &format!("{id}:b"), &[]).expect_code(0);
    compare(&eval, &id, &id, &["--baseline-variant", "a"]).expect_code(0);
    for (old, new, more, says) in [
        (id.clone(), id.clone(), &[][..], "compared with itself"),
        (format!("{id}:c"), id.clone(), &[], "has no variant \"c\""),
        (id.clone(), id.clone(), &["--variant", "bb"], "did you mean \"b\"?"),
    ] {
        let refused = compare(&eval, &old, &new, more);
        refused.expect_code(2);
        assert!(refused.stderr.contains(says), "{says}: {}", refused.stderr);
    }
}

#[test]
fn of_several_variants_the_exit_code_is_that_of_the_worst_answer() {
    let eval = Eval::new(script(&[]));
    write(&eval, &IDS, &json!({ "variants": [{ "name": "a" }, { "name": "b", "inputTemplate": "B {{input}}" }] }));
    let good = run(&eval, &[]);
    // Only what `b` asks begins so.
    let script = |failing: usize| {
        let wrong = |script: Script, id: &&str| {
            let wrong = Rule::new(When::text(format!("B Case {id}:")), [Reply::text("Part p-1 is somewhere.")]);
            script.rule(wrong.repeating())
        };
        IDS[..failing].iter().fold(Script::strict(), wrong).rule(Rule::new(When::default(), done()).repeating())
    };
    for (failing, code, answers) in [(7, 1, ["not worse", "worse"]), (2, 3, ["not worse", "cannot tell"])] {
        eval.provider.set_script(script(failing));
        let (_, bad) = eval.run_expecting(&[], 1);
        let finished = compare(&eval, &good.id(), &bad.id(), &["--json"]);
        finished.expect_code(code);
        let whole: Value = serde_json::from_str(&finished.stdout).expect("one JSON value");
        let said = ["a", "b"].map(|name| whole["variants"][name]["answer"].as_str().expect("an answer").to_owned());
        assert_eq!(said, answers);
        compare(&eval, &good.id(), &bad.id(), &["--variant", "a"]).expect_code(0);
    }
}

#[test]
fn a_narrowed_run_is_told_as_one_and_to_what() {
    let eval = Eval::new(script(&[]));
    write(&eval, &IDS, &json!({}));
    let full = run(&eval, &[]);
    let (_, narrowed) = eval.run_expecting(&["--case", "c0", "c1"], 0);
    let told = compare(&eval, &full.id(), &narrowed.id(), &[]);
    assert!(told.stderr.contains("is partial: flags narrowed it to cases c0, c1"), "{}", told.stderr);
    assert!(!told.stderr.contains("datasets differ"), "{}", told.stderr);
    // Two full runs of other cases are of other datasets.
    write(&eval, &IDS[..7], &json!({}));
    let fewer = run(&eval, &[]);
    let told = compare(&eval, &full.id(), &fewer.id(), &[]);
    assert!(told.stderr.contains("datasets differ: parts"), "{}", told.stderr);
}

#[test]
fn other_judges_leave_no_answer() {
    let eval = Eval::new(script(&[]));
    write(&eval, &IDS, &json!({ "judges": [rubric()] }));
    let old = run(&eval, &[]);
    write(&eval, &IDS, &json!({ "judges": [judge("rubric", &json!({ "rubric": "completeness" }))] }));
    let new = run(&eval, &[]);
    let said = compared(&eval, &old, &new, 3);
    assert_eq!((&said["answer"], &said["judgesDiffer"]), (&json!("cannot tell"), &json!(true)), "{said}");
    let text = compare(&eval, &old.id(), &new.id(), &[]);
    assert!(text.stderr.contains("the judges differ"), "{}", text.stderr);
    assert!(text.stderr.contains("the eval config changed"), "{}", text.stderr);
    assert!(!text.stdout.contains("Change over"), "{}", text.stdout);
}

#[test]
fn incomplete_cases_are_left_out_on_both_sides_and_counted() {
    let eval = Eval::new(script(&[]));
    write(&eval, &IDS, &json!({}));
    let old = run(&eval, &[]);
    let down = Reply::status(500, "down").header("retry-after", "0");
    eval.provider.set_script(
        Script::strict()
            .rule(Rule::new(When::text("Case c3:"), [down]).repeating())
            .rule(Rule::new(When::default(), done()).repeating()),
    );
    eval.run_with(&[]).expect_code(6);
    let new = eval.newest();
    assert_eq!(new.state("c3"), "incomplete");
    for (old, new) in [(&old, &new), (&new, &old)] {
        let said = compared(&eval, old, new, 0);
        assert_eq!((&said["incomplete"], &said["change"]["cases"]), (&json!(["c3"]), &json!(7)), "{said}");
        assert_eq!((&said["regressed"], &said["improved"]), (&json!([]), &json!([])), "{said}");
        let text = compare(&eval, &old.id(), &new.id(), &[]);
        assert!(text.stderr.contains("1 case left out: incomplete on a side"), "{}", text.stderr);
    }
}

#[test]
fn what_has_no_rates_or_no_case_in_common_is_refused() {
    let eval = Eval::new(script(&[]));
    write(&eval, &IDS, &json!({}));
    let old = run(&eval, &[]);
    eval.run_with(&["--no-grade"]).expect_code(0);
    let ungraded = eval.newest();
    write(&eval, &["other"], &json!({}));
    let other = run(&eval, &[]);
    let damaged = run(&eval, &[]);
    eval.env.write(format!("out/runs/{}/results.json", damaged.id()), "{\"format\": \"mst.run/v1\", \"cases\": [");
    for (new, says) in [
        (ungraded.id(), "was collected and not graded"),
        (other.id(), "have no case in common"),
        (damaged.id(), "the file is damaged"),
        ("ffffff".to_owned(), "no run \"ffffff\""),
    ] {
        for more in [&[][..], &["--json"]] {
            let refused = compare(&eval, &old.id(), &new, more);
            refused.expect_code(2);
            assert!(refused.stderr.contains(says), "{says}: {}", refused.stderr);
        }
    }
    let margin = compare(&eval, &old.id(), &old.id(), &["--margin", "5"]);
    margin.expect_code(2);
}

#[test]
fn names_from_a_dataset_drive_no_terminal() {
    let hostile = "c0\u{1b}]8;;https://example.invalid\u{7}\nerror: fake";
    let eval = Eval::new(script(&[]));
    write(&eval, &["c1", hostile], &json!({}));
    let old = run(&eval, &[]);
    write(&eval, &["c1"], &json!({}));
    let new = run(&eval, &[]);
    let finished = compare(&eval, &old.id(), &new.id(), &[]);
    assert!(finished.stdout.contains("Removed (1): c0\\u{1b}"), "{}", finished.stdout);
    for text in [&finished.stdout, &finished.stderr] {
        assert!(!text.contains('\u{1b}') && !text.contains("\nerror"), "{text}");
    }
}
