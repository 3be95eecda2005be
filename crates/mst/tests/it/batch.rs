//! `mst batch`: which evals run, what is printed and skipped, and that one eval's trouble is its own.

use std::path::PathBuf;

use mst_testkit::{Finished, Mode, Reply, Rule, Script, When};
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::background::Background;
use crate::eval::{Eval, case, done, looks_up, lookup};

/// Case `sad` is answered without a call, every other one by the book.
fn script() -> Script {
    Script::strict()
        .rule(Rule::new(When::text("Case sad:"), [Reply::text("no idea")]).repeating())
        .rule(Rule::new(When::text("Case lost:"), [Reply::reset()]).repeating())
        .rule(Rule::new(When::default(), done()).repeating())
}

/// Writes `<folder>/<name>.json` with a dataset of its own in `data`.
fn write(eval: &Eval, path: &str, name: &str, cases: &[&str], more: &Value) {
    let dataset = format!("data/{name}.json");
    let cases: Vec<Value> = cases.iter().map(|id| case(id, lookup())).collect();
    eval.env.write_json(&dataset, &json!({ "name": name, "cases": cases }));
    let mut config = json!({ "name": name, "datasets": [dataset], "client": "api", "model": "claude-x",
        "redactStoredResponses": false, "servers": { "parts": eval.stdio(name, Mode::Plain) } });
    for (key, value) in more.as_object().into_iter().flatten() {
        config[key.as_str()] = value.clone();
    }
    eval.env.write_json(path, &config);
}

fn batch(eval: &Eval, more: &[&str]) -> Finished {
    eval.mst(&[&["batch", "--config-dir", "evals"], more].concat())
}

/// Returns the run directories of an eval's directory, by name.
fn runs(eval: &Eval, directory: &str) -> Vec<String> {
    let Ok(entries) = fs_err::read_dir(eval.env.path(directory).join("runs")) else { return Vec::new() };
    let names = entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("a name"));
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

#[test]
fn a_folder_of_evals_runs_in_name_order_and_each_has_a_line() {
    let eval = Eval::new(script());
    write(&eval, "evals/b.json", "second", &["one", "sad"], &json!({}));
    write(&eval, "evals/a.json", "first", &["two"], &json!({}));
    write(&eval, "evals/deeper/c.json", "third", &["three"], &json!({}));
    eval.env.write_json("evals/cases.json", &json!({ "name": "d", "cases": [case("x", json!({}))] }));
    eval.env.write_json("evals/mst.config.json", &json!({ "settings": {} }));
    let finished = batch(&eval, &[]);
    finished.expect_code(1);
    insta::assert_snapshot!(finished.stdout, @r"
    evals/a.json: 1 of 1 case passed (100.0%)
    evals/b.json: 1 of 2 cases passed (50.0%)
    2 evals: 1 passed, 1 failed
    ");
    for told in ["evals/cases.json: left out, a dataset", "mst.config.json: left out", "sad: ", "Run directory: "] {
        assert!(finished.stderr.contains(told), "{told}: {}", finished.stderr);
    }
    assert_eq!(runs(&eval, ".mcp-test-results/first").len(), 1);
    assert_eq!(runs(&eval, ".mcp-test-results/second").len(), 1);
}

#[test]
fn every_mistake_of_every_eval_is_told_before_anything_is_spent() {
    let eval = Eval::new(script());
    write(&eval, "evals/a.json", "first", &["one"], &json!({}));
    write(&eval, "evals/b.json", "second", &["two"], &json!({ "modle": "x" }));
    write(&eval, "evals/c.json", "third", &["three"], &json!({ "datasets": ["nowhere.json"] }));
    eval.env.write("evals/d.json", "{ \"name\": ");
    let finished = batch(&eval, &["--json"]);
    finished.expect_code(2);
    assert!(eval.provider.requests().is_empty() && runs(&eval, ".mcp-test-results/first").is_empty());
    let error = &finished.json()["error"];
    let files: Vec<&str> =
        error["mistakes"].as_array().expect("mistakes").iter().filter_map(|one| one["file"].as_str()).collect();
    assert_eq!(files, ["evals/b.json", "evals/c.json", "evals/d.json"], "{error:#}");
}

#[test]
fn one_evals_trouble_is_its_own() {
    let eval = Eval::new(script());
    write(
        &eval,
        "evals/a.json",
        "first",
        &["one"],
        &json!({ "servers": { "parts": eval.stdio("x", Mode::DiesAtStart) } }),
    );
    write(
        &eval,
        "evals/b.json",
        "second",
        &["two"],
        &json!({ "servers": { "parts": eval.stdio("y", Mode::WriteHints) } }),
    );
    write(&eval, "evals/c.json", "third", &["three"], &json!({}));
    let finished = batch(&eval, &["--workers", "3", "--json", "--junit", "junit.xml"]);
    finished.expect_code(2);
    let report = eval.env.read("junit.xml");
    assert!(report.contains("<testsuites name=\"mst\" tests=\"3\" failures=\"0\" errors=\"2\""), "{report}");
    assert!(report.contains("<testsuite name=\"third/default\""), "{report}");
    assert!(report.contains("<error message=\"the eval did not run to its end\""), "{report}");
    let json = finished.json();
    let classes: Vec<_> = json["items"].as_array().expect("items").iter().map(|item| &item["class"]).collect();
    assert_eq!(classes, ["server", "usage", "success"], "{json:#}");
    assert_eq!(json["class"], "usage");
    assert_eq!(
        json["totals"],
        json!({ "evals": 3, "passed": 1, "failed": 0, "incomplete": 1, "errors": 1, "skipped": 0, "notRun": 0 })
    );
    assert!(json["items"][1]["error"]["message"].as_str().is_some_and(|text| text.contains("save_note")), "{json:#}");
    assert_eq!(json["items"][2]["summary"]["metrics"]["passed"], 1);
    assert!(finished.stderr.contains("error: evals/b.json: "), "{}", finished.stderr);
}

#[test]
fn what_has_a_whole_run_is_skipped_and_its_result_still_counts() {
    let eval = Eval::new(script());
    write(&eval, "evals/a.json", "first", &["one"], &json!({}));
    write(&eval, "evals/b.json", "second", &["sad"], &json!({}));
    write(&eval, "evals/c.json", "third", &["lost"], &json!({}));
    batch(&eval, &["--skip-existing"]).expect_code(1);
    let asked = eval.provider.requests().len();
    let again = batch(&eval, &["--skip-existing", "--json"]);
    again.expect_code(1);
    let json = again.json();
    assert_eq!((&json["totals"]["skipped"], &json["totals"]["incomplete"]), (&json!(2), &json!(1)), "{json:#}");
    assert_eq!(json["items"][1]["runId"], runs(&eval, ".mcp-test-results/second")[0]);
    assert_eq!(
        eval.asked("Case one:") + eval.asked("Case sad:") + eval.asked("Case lost:"),
        eval.provider.requests().len()
    );
    assert!(eval.provider.requests().len() > asked, "the incomplete eval runs again");
    assert_eq!(eval.asked("Case one:"), 2, "the whole one does not");

    // Datasets are not part of the config's hash: an edited case runs all the same.
    write(&eval, "evals/a.json", "first", &["one", "four"], &json!({}));
    let edited = batch(&eval, &["--skip-existing"]);
    edited.expect_code(1);
    assert!(edited.stdout.contains("evals/a.json: 2 of 2 cases passed"), "{}", edited.stdout);
    assert!(edited.stdout.contains("evals/b.json: skipped; run "), "{}", edited.stdout);
    assert_eq!(runs(&eval, ".mcp-test-results/first").len(), 2);
}

#[test]
fn evals_of_one_name_are_told_apart_or_refused() {
    let eval = Eval::new(script());
    write(&eval, "x/eval.json", "same", &["one"], &json!({}));
    fs_err::create_dir_all(eval.env.path("y")).expect("a folder");
    fs_err::copy(eval.env.path("x/eval.json"), eval.env.path("y/eval.json")).expect("a copy");
    let both = ["batch", "--configs", "x/eval.json", "y/eval.json"];
    let refused = eval.mst(&both);
    refused.expect_code(2);
    assert!(refused.stderr.contains("x/eval.json and y/eval.json would share the directory"), "{}", refused.stderr);
    let twice = eval.mst(&["batch", "--configs", "x/eval.json", "./x/eval.json", "--output-root", "out"]);
    twice.expect_code(2);
    assert!(twice.stderr.contains("./x/eval.json is in the batch twice"), "{}", twice.stderr);
    assert!(eval.provider.requests().is_empty());

    eval.mst(&[&both[..], &["--output-root", "out"]].concat()).expect_code(0);
    let mut directories: Vec<String> = fs_err::read_dir(eval.env.path("out"))
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("a name"))
        .collect();
    directories.sort();
    assert_eq!(directories.len(), 2);
    assert!(directories.iter().all(|name| name.starts_with("eval-") && name.len() == 13), "{directories:?}");
    // The directory follows the file's place, so that an edited config finds its earlier runs.
    write(&eval, "x/eval.json", "same", &["one", "two"], &json!({ "maxToolCalls": 3 }));
    eval.mst(&["batch", "--configs", "x/eval.json", "--output-root", "out"]).expect_code(0);
    let counts: Vec<usize> = directories.iter().map(|name| runs(&eval, &format!("out/{name}")).len()).collect();
    assert_eq!(counts.iter().sum::<usize>(), 3, "{counts:?}");
}

#[test]
fn ctrl_c_stops_the_whole_batch_and_keeps_what_is_saved() {
    let eval = Eval::new(looks_up());
    for name in ["a", "b", "c"] {
        let mut server = eval.stdio(name, Mode::SlowCall);
        server["args"].as_array_mut().expect("arguments").extend([json!("--delay-ms"), json!("600")]);
        let cases: Vec<String> = (0..6).map(|number| format!("{name}{number}")).collect();
        let cases: Vec<&str> = cases.iter().map(String::as_str).collect();
        write(&eval, &format!("evals/{name}.json"), name, &cases, &json!({ "servers": { "parts": server } }));
    }
    let mut run = Background::start_with(&eval, &["batch", "--config-dir", "evals", "--workers", "2", "--json"]);
    let saved = |name: &str| {
        let id = runs(&eval, &format!(".mcp-test-results/{name}")).pop()?;
        let folder: PathBuf = eval.env.path(format!(".mcp-test-results/{name}/runs/{id}/transcripts/default"));
        fs_err::read_dir(folder).ok().map(Iterator::count)
    };
    run.wait_until("both evals saved a trial", || saved("a") >= Some(1) && saved("b") >= Some(1));
    run.signal(Signal::INT);
    let ended = run.end();
    assert_eq!(ended.code, Some(130), "{}", ended.stderr);
    let json: Value = serde_json::from_str(&ended.stdout).expect("one JSON value");
    assert_eq!(json["class"], "interrupted");
    let states: Vec<_> = json["items"].as_array().expect("items").iter().map(|item| item["notRun"] == true).collect();
    assert_eq!(states, [false, false, true], "{json:#}");
    assert!(saved("a") >= Some(1) && saved("c").is_none());
}

#[test]
fn a_dry_run_says_what_would_run_and_flags_of_later_are_refused() {
    let eval = Eval::new(script());
    write(&eval, "evals/a.json", "first", &["one", "two"], &json!({ "trials": 3 }));
    let dry = batch(&eval, &["--dry-run"]);
    dry.expect_code(0);
    insta::assert_snapshot!(dry.stdout, @"evals/a.json: 6 trials of 2 cases in 1 variant, into ./.mcp-test-results/first");
    let json = batch(&eval, &["--dry-run", "--json"]).json();
    assert_eq!((&json["items"][0]["config"], &json["items"][0]["name"]), (&json!("evals/a.json"), &json!("first")));
    assert!(eval.provider.requests().is_empty());
    for flag in ["--plugins", "--runner", "--runner-option"] {
        let refused = batch(&eval, &[flag, "x"]);
        refused.expect_code(2);
        assert!(refused.stderr.contains("is not available in this version"), "{flag}: {}", refused.stderr);
    }
    // A tape is of one run.
    for flag in ["--record", "--replay"] {
        let refused = batch(&eval, &[flag, "run.tape"]);
        refused.expect_code(2);
        assert!(refused.stderr.contains(flag), "{flag}: {}", refused.stderr);
    }
    let none = eval.mst(&["batch"]);
    none.expect_code(2);
    assert!(none.stderr.contains("--configs") && none.stderr.contains("--config-dir"), "{}", none.stderr);
}
