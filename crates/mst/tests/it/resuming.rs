//! What `--resume` refuses, and how it finds a run.

use mst_testkit::{Mode, Reply, Script};
use serde_json::json;

use crate::eval::{Eval, case, done, looks_up, lookup};
use crate::run_dir::RunDir;

/// The provider answers the first case and breaks at the second, whose retries it wants at once.
fn broken() -> Script {
    let down = Reply::status(503, "down").header("retry-after", "0");
    Script::strict().on("Case one:", done()).always("Case two:", down)
}

/// A run whose second case is incomplete, since its provider broke.
fn incomplete() -> (Eval, RunDir) {
    let eval = Eval::new(
        Script::strict().on("Case one:", done()).always("Case two:", Reply::status(400, "x").header("x", "y")),
    );
    eval.provider.set_script(broken());
    let cases = json!([case("one", lookup()), case("two", lookup())]);
    eval.write(&json!({ "parts": eval.stdio("parts", Mode::Plain) }), &cases, &json!({}));
    let (_, dir) = eval.run_expecting(&[], 6);
    assert_eq!((dir.state("one"), dir.state("two")), ("pass", "incomplete"));
    (eval, dir)
}

#[test]
fn a_run_is_found_by_its_id_its_end_or_its_directory() {
    let (eval, dir) = incomplete();
    let id = dir.id();
    let path = dir.path.display().to_string();
    eval.provider.set_script(broken());
    for name in [id.as_str(), &id[id.len() - 6..], &path] {
        eval.run_expecting(&["--resume", name], 6);
        assert_eq!(eval.runs().len(), 1, "{name}");
    }
    eval.provider.set_script(looks_up());
    eval.run_expecting(&["--resume", &id], 0);
    assert_eq!((dir.state("one"), dir.state("two"), eval.latest()), ("pass", "pass", Some(id.clone())));
    let nothing = eval.run_with(&["--resume", &id]);
    nothing.expect_code(2);
    assert!(nothing.stderr.contains("nothing is missing"), "{}", nothing.stderr);
}

#[test]
fn a_resume_that_cannot_be_the_same_run_is_refused_before_anything_is_spent() {
    let (eval, dir) = incomplete();
    let id = dir.id();
    let before = (dir.text(), eval.provider.stats().requests);
    let refused = |more: &[&str], word: &str| {
        let finished = eval.run_with(more);
        finished.expect_code(2);
        assert!(finished.stderr.contains(word), "{word:?}: {}", finished.stderr);
    };
    refused(&["--resume", "ffffff"], "ffffff");
    refused(&["--resume", ""], "a value is required for '--resume <RUN>'");
    refused(&["--resume", "nonsense/.."], "nonsense");
    refused(&["--resume", &id, "--trials", "2"], "--trials");
    refused(&["--resume", &id, "--case", "two"], "--case");
    let config = eval.env.read_json("eval.json");
    let mut changed = config.clone();
    changed["temperature"] = json!(0.5);
    eval.env.write_json("eval.json", &changed);
    refused(&["--resume", &id], "eval config changed");
    changed = config.clone();
    changed["name"] = json!("another-eval");
    eval.env.write_json("eval.json", &changed);
    refused(&["--resume", &id], "another-eval");
    eval.env.write_json("eval.json", &config);
    let dataset = eval.env.read_json("parts.json");
    let mut more_cases = dataset.clone();
    more_cases["cases"].as_array_mut().expect("cases").push(case("three", lookup()));
    eval.env.write_json("parts.json", &more_cases);
    refused(&["--resume", &id], "parts");
    eval.env.write_json("parts.json", &dataset);
    let mut record = dir.run();
    record["phases"]["collect"] = json!("someday");
    fs_err::write(dir.path.join("run.json"), record.to_string()).expect("a file");
    refused(&["--resume", &id], "someday");
    assert_eq!(eval.provider.stats().requests, before.1, "a model was asked");
    assert_eq!(eval.runs().len(), 1);
}

#[test]
fn a_narrowed_run_is_resumed_as_it_was_narrowed() {
    let eval = Eval::new(broken());
    let cases = json!([case("one", lookup()), case("two", lookup()), case("three", lookup())]);
    eval.write(&json!({ "parts": eval.stdio("parts", Mode::Plain) }), &cases, &json!({}));
    let (finished, dir) = eval.run_expecting(&["--case", "one", "two"], 6);
    assert!(finished.stderr.contains("partial"), "{}", finished.stderr);
    assert_eq!(
        (dir.run()["partial"].clone(), dir.run()["selection"].clone()),
        (json!(true), json!({ "cases": ["one", "two"] }))
    );
    eval.provider.set_script(looks_up());
    eval.run_expecting(&["--resume", &dir.id()], 0);
    assert_eq!(dir.states().into_keys().collect::<Vec<_>>(), ["default/one", "default/two"]);
    assert_eq!(eval.latest(), None, "a partial run is never the latest");
}

#[test]
fn unknown_fields_of_a_stored_run_survive_a_resume() {
    let (eval, dir) = incomplete();
    for (name, pointer) in [("run.json", ""), ("transcripts/default/one/0.json", "/transcript")] {
        let mut stored = dir.file(name);
        stored.pointer_mut(pointer).expect("an object")["xAddedLater"] = json!({ "kept": [1, null] });
        fs_err::write(dir.path.join(name), format!("{stored:#}\n")).expect("a file");
    }
    eval.provider.set_script(looks_up());
    eval.run_expecting(&["--resume", &dir.id()], 0);
    assert_eq!(dir.run()["xAddedLater"], json!({ "kept": [1, null] }));
    assert_eq!(dir.file("transcripts/default/one/0.json")["transcript"]["xAddedLater"], json!({ "kept": [1, null] }));
}
