//! The eval's history: what runs leave in `history.json`, and what `mst history` prints of it.

use mst_testkit::{Finished, Mode, Reply, Rule, Script, TestEnv, When};
use serde_json::{Value, json};

use crate::eval::{Eval, case, done, lookup};

const IDS: [&str; 8] = ["c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7"];

fn script(failing: &[&str]) -> Script {
    let wrong = |script: Script, id: &&str| script.on(format!("Case {id}:"), [Reply::text("Part p-1 is somewhere.")]);
    failing.iter().fold(Script::strict(), wrong).rule(Rule::new(When::default(), done()).repeating())
}

fn write(eval: &Eval, ids: &[&str], more: &Value) {
    let cases: Value = ids.iter().map(|id| case(id, lookup())).collect();
    eval.write(&json!({ "parts": eval.stdio("parts", Mode::Plain) }), &cases, more);
}

/// Reads `history.json`.
#[track_caller]
fn history(eval: &Eval) -> Value {
    let text = fs_err::read_to_string(eval.env.path("out").join("history.json")).expect("a run leaves its history");
    serde_json::from_str(&text).expect("history.json holds JSON")
}

/// Returns each row's id, newest first.
fn ids(history: &Value) -> Vec<String> {
    let rows = history["rows"].as_array().expect("rows");
    rows.iter().map(|row| row["runId"].as_str().expect("an id").to_owned()).collect()
}

fn told(eval: &Eval, more: &[&str]) -> Finished {
    eval.mst(&[&["history", "out"], more].concat())
}

#[test]
fn every_run_and_regrade_has_a_row_newest_first() {
    let eval = Eval::passing();
    let full = eval.run(0).id();
    eval.run_with(&["--max-cases", "1"]).expect_code(0);
    let partial = eval.newest().id();
    eval.mst(&["grade", &full, "--config", "eval.json", "--output-dir", "out"]).expect_code(0);
    let whole = history(&eval);
    let (regrade, rows) = (format!("{full}.g2"), &whole["rows"]);
    assert_eq!(ids(&whole), [partial, regrade.clone(), full]);
    assert_eq!((&rows[0]["partial"], &rows[0]["era"]), (&json!(true), &Value::Null));
    assert_eq!((&rows[1]["era"], &rows[1]["supersededBy"]), (&json!(1), &Value::Null));
    assert_eq!((&rows[2]["era"], &rows[2]["supersededBy"]), (&Value::Null, &json!(regrade)));
    let measures = &rows[1]["variants"]["default"];
    assert_eq!((&measures["cases"], &measures["measures"]["passRate"]), (&json!({ "bin": [1, 1] }), &json!(1.0)));
}

/// Takes out what is another in every run.
fn plain(text: &str, runs: &[String]) -> String {
    let named =
        |text: String, (at, id): (usize, &String)| text.replace(id.as_str(), &format!("{:23}", format!("[run {at}]")));
    let text = runs.iter().enumerate().fold(text.to_owned(), named);
    let timed = text.lines().map(|line| match line.rsplit_once(' ') {
        Some((rest, "s")) => {
            let rest = rest.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
            format!("{rest}[time]")
        }
        _ => line.to_owned(),
    });
    timed.collect::<Vec<_>>().join("\n")
}

#[test]
fn the_history_is_printed_with_eras_changes_and_what_flipped() {
    let eval = Eval::new(script(&[]));
    write(&eval, &IDS, &json!({}));
    let mut runs = vec![eval.run(0).id()];
    eval.provider.set_script(script(&IDS[..7]));
    runs.push(eval.run(1).id());
    eval.provider.set_script(script(&[]));
    write(&eval, &IDS, &json!({ "model": "claude-y" }));
    runs.push(eval.run(0).id());
    runs.push(eval.run_expecting(&["--case", "c0"], 0).1.id());
    runs.push(eval.run_expecting(&["--no-grade"], 0).1.id());
    let whole = history(&eval);
    assert_eq!(whole["rows"][3]["regressed"], json!(true));
    let finished = told(&eval, &[]);
    finished.expect_code(0);
    assert_eq!(finished.stderr, "");
    insta::assert_snapshot!("the history as text", plain(&finished.stdout, &runs));
    let json = told(&eval, &["--json"]);
    json.expect_code(0);
    let shown: Value = serde_json::from_str(&json.stdout).expect("one JSON value");
    assert_eq!(shown, whole, "what is printed is what is stored");
    // The eval is found by its config, and in the usual directory.
    write(&eval, &IDS, &json!({}));
    eval.mst(&["run", "--config", "eval.json"]).expect_code(0);
    eval.mst(&["history"]).expect_code(0);
    eval.mst(&["history", "--config", "eval.json"]).expect_code(0);
    for (arguments, says) in [
        (vec!["history".to_owned(), "none".to_owned()], "none has no runs"),
        (vec!["history".to_owned(), format!("out/runs/{}", runs[0])], "it is a run"),
    ] {
        let refused = eval.mst(&arguments);
        refused.expect_code(2);
        assert!(refused.stderr.contains(says), "{says}: {}", refused.stderr);
    }
}

#[test]
fn the_history_is_a_cache_that_is_built_again_from_the_runs() {
    let eval = Eval::new(script(&[]));
    write(&eval, &IDS, &json!({}));
    eval.run(0);
    eval.run(0);
    let whole = history(&eval);
    let path = eval.env.path("out").join("history.json");
    fs_err::write(&path, "{ not json").expect("written");
    let mended = told(&eval, &[]);
    mended.expect_code(0);
    assert!(mended.stderr.contains("the history was built again, since it could not be read"), "{}", mended.stderr);
    assert_eq!(history(&eval), whole);
    fs_err::remove_file(&path).expect("removed");
    told(&eval, &["--rebuild"]).expect_code(0);
    assert_eq!(history(&eval), whole);
    // A run that is gone is gone from the history, and one of another format is skipped with why.
    let oldest = eval.runs().remove(0);
    let record = fs_err::read_to_string(oldest.path.join("run.json")).expect("a record");
    fs_err::write(oldest.path.join("run.json"), record.replace("mst.run/v1", "mst.run/v7")).expect("written");
    let skipped = told(&eval, &[]);
    skipped.expect_code(0);
    let line = format!("Skipped runs/{}: runs/{}/run.json: format \"mst.run/v7\"", oldest.id(), oldest.id());
    assert!(skipped.stderr.contains(&line), "{}", skipped.stderr);
    assert_eq!(history(&eval)["skipped"][0]["path"], format!("runs/{}", oldest.id()));
    fs_err::remove_dir_all(&oldest.path).expect("removed");
    told(&eval, &[]).expect_code(0);
    assert_eq!(
        (history(&eval)["rows"].as_array().map(Vec::len), history(&eval)["skipped"].clone()),
        (Some(1), json!([]))
    );
}

#[test]
fn a_history_that_cannot_be_written_fails_no_run() {
    let eval = Eval::new(script(&[]));
    write(&eval, &IDS, &json!({}));
    fs_err::create_dir_all(eval.env.path("out").join("history.json")).expect("made");
    let finished = eval.run_with(&[]);
    finished.expect_code(0);
    assert!(finished.stderr.contains("the history was not updated"), "{}", finished.stderr);
}

#[test]
fn an_incomplete_run_s_row_is_replaced_when_it_is_resumed() {
    let eval = Eval::new(script(&[]));
    write(&eval, &IDS, &json!({}));
    let down = Reply::status(500, "down").header("retry-after", "0");
    eval.provider.set_script(
        Script::strict()
            .rule(Rule::new(When::text("Case c3:"), [down]).repeating())
            .rule(Rule::new(When::default(), done()).repeating()),
    );
    eval.run_with(&[]);
    let id = eval.newest().id();
    let row = history(&eval)["rows"][0].clone();
    assert_eq!((&row["status"], &row["variants"]["default"]["incomplete"]), (&json!("incomplete"), &json!(1)), "{row}");
    assert_eq!(row["variants"]["default"]["measures"]["infrastructureFailures"], 1);
    eval.provider.set_script(script(&[]));
    eval.run_with(&["--resume", &id]).expect_code(0);
    let whole = history(&eval);
    assert_eq!((ids(&whole), &whole["rows"][0]["status"]), (vec![id], &json!("complete")));
}

#[test]
fn a_batch_leaves_each_eval_its_history() {
    let eval = Eval::new(script(&[]));
    write(&eval, &IDS, &json!({}));
    let config = fs_err::read_to_string(eval.env.path("eval.json")).expect("a config");
    eval.env.write("other.json", config.replace("parts-eval", "other-eval"));
    eval.mst(&["batch", "--configs", "eval.json", "other.json", "--workers", "2"]).expect_code(0);
    for name in ["parts-eval", "other-eval"] {
        let path = eval.env.path(format!(".mcp-test-results/{name}/history.json"));
        let text = fs_err::read_to_string(path).expect("a history");
        assert!(text.contains("\"status\":\"complete\""), "{text}");
    }
    let several = eval.mst(&["history"]);
    several.expect_code(2);
    assert!(several.stderr.contains("2 evals have runs"), "{}", several.stderr);
}

#[test]
fn names_from_a_dataset_drive_no_terminal_and_a_closed_pipe_is_quiet() {
    let hostile = "c0\u{1b}]8;;https://example.invalid\u{7}\nerror: fake";
    let eval = Eval::new(script(&[]));
    write(&eval, &["c1", hostile], &json!({}));
    eval.run(0);
    eval.provider.set_script(Script::strict().rule(Rule::new(When::default(), [Reply::text("no")]).repeating()));
    eval.run(1);
    let finished = told(&eval, &[]);
    assert!(finished.stdout.contains("regressed (2): c1, c0\\u{1b}"), "{}", finished.stdout);
    for text in [&finished.stdout, &finished.stderr] {
        assert!(!text.contains('\u{1b}') && !text.contains("\nerror"), "{text}");
    }
    let line = format!("'{}' history out | head -n 1", TestEnv::mst().display());
    let shell = eval.env.run(std::path::Path::new("/bin/sh"), ["-c", &line]);
    shell.expect_code(0);
    assert_eq!((shell.stdout.lines().count(), shell.stderr.as_str()), (1, ""));
}
