//! A result store between two machines: two directories of an eval with one store.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use mst_testkit::{Finished, Mode, Reply, Script};
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::background::Background;
use crate::eval::{Eval, case, done, looks_up, lookup};
use crate::run_dir::RunDir;

const STORE: &[&str] = &["--results", "file:shared"];

/// Where the store keeps the eval.
const SHARED: &str = "shared/parts-eval";

/// Runs the eval on this machine, with the store.
#[track_caller]
fn run_here(eval: &Eval, more: &[&str], code: i32) -> RunDir {
    eval.run_expecting(&[STORE, more].concat(), code).1
}

/// Does something with the eval on the other machine, with the store.
fn there(eval: &Eval, words: &[&str]) -> Finished {
    eval.mst(&[words, &["--config", "eval.json", "--output-dir", "there"], STORE].concat())
}

/// Returns the names below a folder of the test's, sorted.
fn names(eval: &Eval, folder: &str) -> Vec<String> {
    let Ok(entries) = fs_err::read_dir(eval.env.path(folder)) else { return Vec::new() };
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("text")).collect();
    names.sort();
    names
}

/// Returns a run in the store.
fn stored(eval: &Eval, id: &str) -> RunDir {
    RunDir::new(eval.env.path(SHARED).join("runs").join(id))
}

/// Returns the run that the store's `latest.json` names.
fn stored_latest(eval: &Eval) -> Option<String> {
    let text = fs_err::read_to_string(eval.env.path(SHARED).join("latest.json")).ok()?;
    let latest: Value = serde_json::from_str(&text).expect("JSON");
    Some(latest["runId"].as_str().expect("an id").to_owned())
}

/// Checks that the store has a run byte for byte, and that its manifest lists every file and nothing else.
#[track_caller]
fn is_kept(eval: &Eval, run: &RunDir) {
    let copy = stored(eval, &run.id());
    let manifest = copy.file("manifest.json");
    let listed: Vec<&String> = manifest["files"].as_object().expect("files").keys().collect();
    assert_eq!(listed, run.paths().iter().collect::<Vec<_>>());
    for path in run.paths() {
        let (own, kept) = (fs_err::read(run.path.join(&path)), fs_err::read(copy.path.join(&path)));
        assert_eq!(own.expect("a file"), kept.expect("a copy"), "{path}");
    }
    assert_eq!(copy.paths().len(), run.paths().len() + 1, "nothing else lies there");
}

/// The provider answers the first case and breaks at the second.
fn broken() -> Script {
    let down = Reply::status(503, "down").header("retry-after", "0");
    Script::strict().on("Case one:", done()).always("Case two:", down)
}

#[test]
fn a_run_is_kept_in_the_store_and_graded_on_another_machine() {
    let eval = Eval::passing();
    let run = run_here(&eval, &[], 0);
    is_kept(&eval, &run);
    assert_eq!(stored_latest(&eval), Some(run.id()));
    let (own, kept) = (eval.env.read_json("out/latest.json"), eval.env.read_json(format!("{SHARED}/latest.json")));
    assert_eq!(own, kept);

    let id = run.id();
    let graded = there(&eval, &["grade", &id[id.len() - 6..]]);
    graded.expect_code(0);
    assert!(graded.stderr.contains(&format!("Fetched run {id} from file:shared/parts-eval")), "{}", graded.stderr);
    assert_eq!(names(&eval, "there/runs"), [id.clone(), format!("{id}.g2")]);
    let fetched = RunDir::new(eval.env.path("there/runs").join(&id));
    assert_eq!(fetched.paths(), run.paths(), "a local run has no manifest");
    is_kept(&eval, &RunDir::new(eval.env.path("there/runs").join(format!("{id}.g2"))));
    assert_eq!(stored_latest(&eval), Some(format!("{id}.g2")));

    // The other machine's regrade is not here, and its number is taken.
    let here = eval.mst(&[&["grade", id.as_str(), "--config", "eval.json", "--output-dir", "out"], STORE].concat());
    here.expect_code(0);
    assert_eq!(names(&eval, "out/runs"), [id.clone(), format!("{id}.g3")]);
    assert_eq!(names(&eval, &format!("{SHARED}/runs")), [id.clone(), format!("{id}.g2"), format!("{id}.g3")]);
    // Without the store the number after the highest one here.
    let here = eval.mst(&["grade", id.as_str(), "--config", "eval.json", "--output-dir", "out"]);
    here.expect_code(0);
    assert_eq!(names(&eval, "out/runs"), [id.clone(), format!("{id}.g3"), format!("{id}.g4")]);
}

#[test]
fn what_a_machine_collected_without_grading_another_grades() {
    let eval = Eval::passing();
    let run = run_here(&eval, &["--no-grade"], 0);
    is_kept(&eval, &run);
    assert_eq!(stored_latest(&eval), None, "an ungraded run is nobody's latest");
    let graded = there(&eval, &["grade", &run.id()]);
    graded.expect_code(0);
    assert_eq!(stored_latest(&eval), Some(format!("{}.g2", run.id())));
}

#[test]
fn a_run_that_lacks_trials_is_completed_on_another_machine() {
    let eval = Eval::new(broken());
    let cases = json!([case("one", lookup()), case("two", lookup())]);
    eval.write(
        &json!({ "parts": eval.stdio("parts", Mode::Plain) }),
        &cases,
        &json!({ "results": { "store": "file:./shared" } }),
    );
    let (finished, run) = eval.run_expecting(&[], 6);
    assert!(finished.stderr.contains("Kept in file:./shared/parts-eval: "), "{}", finished.stderr);
    is_kept(&eval, &run);
    assert_eq!(stored_latest(&eval), eval.latest());
    eval.provider.set_script(looks_up());
    let asked = eval.asked("Case one:");
    let resumed = there(&eval, &["run", "--resume", &run.id()]);
    resumed.expect_code(0);
    assert_eq!(eval.asked("Case one:"), asked, "what was there is not collected again");
    let completed = RunDir::new(eval.env.path("there/runs").join(run.id()));
    assert_eq!((completed.state("one"), completed.state("two")), ("pass", "pass"));
    is_kept(&eval, &completed);
    assert_eq!(stored_latest(&eval), Some(run.id()));
    let nothing = there(&eval, &["run", "--resume", &run.id()]);
    nothing.expect_code(2);
    is_kept(&eval, &completed);
}

#[test]
fn the_flag_goes_before_the_config_whose_paths_start_at_the_config() {
    let eval = Eval::passing();
    let config = eval.env.read_json("eval.json");
    let mut deeper = config.clone();
    deeper["datasets"] = json!(["../parts.json"]);
    deeper["results"] = json!({ "store": { "type": "file", "dir": "kept" } });
    eval.env.write_json("deep/eval.json", &deeper);
    let run = |more: &[&str]| eval.mst(&[&["run", "--config", "deep/eval.json", "--output-dir", "out"], more].concat());
    run(&[]).expect_code(0);
    assert_eq!(names(&eval, "deep/kept/parts-eval/runs").len(), 1);
    run(&["--results", "file:other"]).expect_code(0);
    assert_eq!(names(&eval, "other/parts-eval/runs").len(), 1);
    assert_eq!(names(&eval, "deep/kept/parts-eval/runs").len(), 1);
    let planned = run(&["--dry-run"]);
    planned.expect_code(0);
    let planned: Value = serde_json::from_str(&planned.stdout).expect("JSON");
    assert_eq!(planned["results"], json!({ "store": "file:deep/kept" }));
}

#[test]
fn a_store_that_is_none_is_refused_before_anything_is_spent() {
    let eval = Eval::passing();
    for (store, word) in [
        ("gs://my-bucket/evals", "the result store \"gcs\" (gs://…) is not available in this version of mst"),
        ("acme/result-store/eval-results", "\"acme/result-store/eval-results\" is not available in this version"),
        ("fiel:./shared", "did you mean \"file:./shared\"?"),
        ("./shared", "did you mean \"file:./shared\"?"),
        ("s3://bucket", "there is no result store \"s3\""),
    ] {
        for command in ["run", "grade", "batch"] {
            let words: &[&str] = match command {
                "run" => &["run", "--config", "eval.json"],
                "grade" => &["grade", "7f3c2a", "--config", "eval.json"],
                _ => &["batch", "--configs", "eval.json"],
            };
            let refused = eval.mst(&[words, &["--results", store]].concat());
            refused.expect_code(2);
            assert!(refused.stderr.contains(word), "{command} {store}: {}", refused.stderr);
            assert_eq!(refused.stdout, "");
        }
    }
    let mut config = eval.env.read_json("eval.json");
    config["results"] = json!({ "store": "gs://my-bucket/evals" });
    eval.env.write_json("eval.json", &config);
    let refused = eval.run_with(&["--json"]);
    refused.expect_code(2);
    let told: Value = serde_json::from_str(&refused.stdout).expect("one JSON value");
    assert!(told["error"]["line"].is_number() && told["error"]["file"] == "eval.json", "{told:#}");
    config.as_object_mut().expect("an object").remove("results");
    eval.env.write_json("eval.json", &config);
    fs_err::write(eval.env.path("taken"), "a file").expect("written");
    let refused = eval.run_with(&["--results", "file:taken"]);
    refused.expect_code(8);
    assert!(refused.stderr.contains("taken is no directory"), "{}", refused.stderr);
    assert_eq!((eval.provider.stats().requests, eval.runs().len()), (0, 0));
}

#[test]
fn a_run_that_cannot_be_kept_fails_the_command_and_stays_where_it_is() {
    let eval = Eval::passing();
    let first = run_here(&eval, &[], 0);
    let runs = eval.env.path(SHARED).join("runs");
    fs_err::rename(&runs, runs.with_file_name("moved")).expect("moved");
    fs_err::write(&runs, "a file where the runs were").expect("written");
    let (finished, run) = eval.run_expecting(STORE, 8);
    let told = format!("the run is in out/runs/{} and was not kept in file:shared/parts-eval: ", run.id());
    assert!(finished.stderr.contains(&told), "{}", finished.stderr);
    assert!(finished.stdout.contains("1 of 1 case passed"), "{}", finished.stdout);
    assert_eq!((run.state("bin"), eval.latest()), ("pass", Some(run.id())));
    assert_eq!(stored_latest(&eval), Some(first.id()));
    let json = eval.run_with(&[STORE, &["--json"]].concat());
    json.expect_code(8);
    let told: Value = serde_json::from_str(&json.stdout).expect("one JSON value");
    assert_eq!(told["error"]["class"], "machine");
}

#[test]
fn a_run_that_is_not_as_its_manifest_says_is_not_fetched() {
    let eval = Eval::passing();
    let run = run_here(&eval, &[], 0);
    let copy = stored(&eval, &run.id());
    let manifest = fs_err::read(copy.path.join("manifest.json")).expect("there");
    let transcript = copy.path.join("transcripts/default/bin/0.json");
    let text = fs_err::read_to_string(&transcript).expect("there");
    let refused = |word: &str| {
        for words in [["grade", &run.id()].as_slice(), &["run", "--resume", &run.id()]] {
            let refused = there(&eval, words);
            refused.expect_code(2);
            assert!(refused.stderr.contains(word), "{words:?} {word}: {}", refused.stderr);
            assert_eq!(names(&eval, "there/runs"), Vec::<String>::new());
        }
    };
    fs_err::write(&transcript, text.replace("bin 7", "bin 8")).expect("written");
    refused("transcripts/default/bin/0.json has other bytes than its manifest says");
    fs_err::remove_file(&transcript).expect("removed");
    refused("transcripts/default/bin/0.json is not there");
    fs_err::write(&transcript, &text).expect("written");
    fs_err::remove_file(copy.path.join("manifest.json")).expect("removed");
    refused("has no manifest: it is being uploaded, or its upload failed");
    fs_err::write(copy.path.join("manifest.json"), &manifest).expect("written");
    for name in ["ffffff", "20200101T000000Z-000000"] {
        let absent = there(&eval, &["grade", name]);
        absent.expect_code(2);
        let told = format!("no run {name:?}, neither in there/runs nor in file:shared/parts-eval");
        assert!(absent.stderr.contains(&told), "{}", absent.stderr);
    }
    there(&eval, &["grade", &run.id()]).expect_code(0);
}

/// An upload that is killed leaves no manifest, or a run that is all there; what was the latest stays.
#[test]
fn a_killed_upload_leaves_no_half_run_in_the_store() {
    let eval = Eval::passing();
    let first = run_here(&eval, &[], 0);
    let cases: Value = (0..40).map(|number| case(&format!("c{number}"), lookup())).collect();
    eval.write(
        &json!({ "parts": eval.stdio("parts", Mode::Plain) }),
        &cases,
        &json!({ "concurrency": 8, "trials": 5, "results": { "store": "file:shared" } }),
    );
    let run = Background::start(&eval, &[]);
    let end = Instant::now() + Duration::from_mins(1);
    while names(&eval, &format!("{SHARED}/runs")).len() < 2 {
        assert!(Instant::now() < end, "no upload began");
        std::thread::sleep(Duration::from_millis(1));
    }
    run.signal(Signal::KILL);
    run.end();
    let dir = eval.newest();
    assert_ne!(dir.id(), first.id());
    assert_eq!(dir.run()["phases"], json!({ "collect": "complete", "grade": "complete" }));
    let is_whole = stored(&eval, &dir.id()).path.join("manifest.json").is_file();
    let graded = there(&eval, &["grade", &dir.id()]);
    if is_whole {
        graded.expect_code(0);
        is_kept(&eval, &dir);
    } else {
        graded.expect_code(2);
        // It may have been killed before its first file was whole.
        let is_refused = graded.stderr.contains("has no manifest") || graded.stderr.contains("no run");
        assert!(is_refused, "{}", graded.stderr);
        assert_eq!(names(&eval, "there/runs"), Vec::<String>::new());
        assert_eq!(stored_latest(&eval), Some(first.id()));
    }
}

#[test]
fn a_batch_keeps_its_runs_and_leaves_out_what_the_store_has() {
    let eval = Eval::passing();
    let batch = |root: &str, more: &[&str]| {
        eval.mst(&[&["batch", "--configs", "eval.json", "--output-root", root], STORE, more].concat())
    };
    batch("first", &[]).expect_code(0);
    let ids = names(&eval, &format!("{SHARED}/runs"));
    assert_eq!(ids.len(), 1);
    assert_eq!(stored_latest(&eval).as_ref(), ids.first());
    let asked = eval.provider.stats().requests;
    let skipped = batch("second", &["--skip-existing", "--json"]);
    skipped.expect_code(0);
    let told: Value = serde_json::from_str(&skipped.stdout).expect("JSON");
    assert_eq!(told["items"][0]["skipped"], true);
    assert_eq!(told["items"][0]["directory"], format!("file:shared/parts-eval/runs/{}", ids[0]));
    assert_eq!(eval.provider.stats().requests, asked);
    // Of a run that is not all there nothing is believed.
    fs_err::remove_file(stored(&eval, &ids[0]).path.join("manifest.json")).expect("removed");
    batch("third", &["--skip-existing"]).expect_code(0);
    assert!(eval.provider.stats().requests > asked);
    assert_eq!(names(&eval, &format!("{SHARED}/runs")).len(), 2);
}

/// Returns the rows of the store's history: each run with whether it has a pass rate.
fn history(eval: &Eval) -> Vec<(String, Value)> {
    let history = eval.env.read_json(format!("{SHARED}/history.json"));
    assert_eq!(history["format"], "mst.history/v1");
    let rows = history["rows"].as_array().expect("rows").iter();
    rows.map(|row| (row["runId"].as_str().expect("an id").to_owned(), row["status"].clone())).collect()
}

#[test]
fn a_store_has_a_history_of_the_runs_of_every_machine() {
    let eval = Eval::passing();
    let first = run_here(&eval, &[], 0);
    assert_eq!(history(&eval), [(first.id(), json!("complete"))]);
    there(&eval, &["run", "--no-grade"]).expect_code(0);
    let second = names(&eval, "there/runs").pop().expect("a run");
    assert_eq!(history(&eval), [(second.clone(), json!("ungraded")), (first.id(), json!("complete"))]);
    there(&eval, &["grade", &second]).expect_code(0);
    let ids: Vec<String> = history(&eval).into_iter().map(|(id, _)| id).collect();
    assert_eq!(ids, [format!("{second}.g2"), second.clone(), first.id()]);
    // One that is not all there is no run yet, one that is not as its manifest says is told, and a damaged file is built
    // again.
    fs_err::remove_file(stored(&eval, &second).path.join("manifest.json")).expect("removed");
    let summary = stored(&eval, &first.id()).path.join("summary.json");
    fs_err::write(&summary, fs_err::read_to_string(&summary).expect("there").replace("parts-eval", "other"))
        .expect("written");
    fs_err::write(eval.env.path(SHARED).join("history.json"), "{").expect("written");
    let (finished, third) = eval.run_expecting(STORE, 0);
    assert!(finished.stderr.contains("the history in file:shared/parts-eval was built again"), "{}", finished.stderr);
    let ids: Vec<String> = history(&eval).into_iter().map(|(id, _)| id).collect();
    assert_eq!(ids, [third.id(), format!("{second}.g2")]);
    let skipped = eval.env.read_json(format!("{SHARED}/history.json"))["skipped"].clone();
    assert_eq!(skipped[0]["path"], format!("runs/{}", first.id()));
    assert!(skipped[0]["why"].as_str().expect("a reason").starts_with("summary.json has "), "{skipped}");
}

#[test]
fn the_previous_run_is_the_store_s_newest() {
    let eval = Eval::passing();
    let first = run_here(&eval, &[], 0);
    let run_there = |out: &str| {
        let words = [&["run", "--config", "eval.json", "--output-dir", out], STORE].concat();
        let finished = eval.mst(&words);
        finished.expect_code(0);
        (
            RunDir::new(
                eval.env.path(format!("{out}/runs")).join(names(&eval, &format!("{out}/runs")).pop().expect("a run")),
            ),
            finished,
        )
    };
    let (second, _) = run_there("there");
    assert_eq!(second.summary()["previousRun"]["runId"], first.id());
    assert_eq!(second.summary()["previousRun"]["sameConfig"], true);
    // What is not all there, or is not as its manifest says, is passed over.
    fs_err::remove_file(stored(&eval, &second.id()).path.join("manifest.json")).expect("removed");
    let (third, _) = run_there("elsewhere");
    assert_eq!(third.summary()["previousRun"]["runId"], first.id());
    let results = stored(&eval, &third.id()).path.join("results.json");
    fs_err::write(&results, fs_err::read_to_string(&results).expect("there") + " ").expect("written");
    let (fourth, finished) = run_there("anywhere");
    assert_eq!(fourth.summary()["previousRun"]["runId"], first.id());
    let told = format!("run {} is passed over as the previous run: ", third.id());
    assert!(
        finished.stderr.contains(&told) && finished.stderr.contains("results.json has more"),
        "{}",
        finished.stderr
    );
    assert_eq!(eval.run(0).summary()["previousRun"]["runId"], first.id(), "without the store it is the one here");
}

#[test]
fn a_run_whose_copy_failed_is_copied_again_by_name() {
    let eval = Eval::passing();
    let run = run_here(&eval, &["--no-grade"], 0);
    let upload = |name: &str, more: &[&str]| {
        eval.mst(&[&["runs", "upload", name, "--config", "eval.json", "--output-dir", "out"], more].concat())
    };
    fs_err::remove_file(stored(&eval, &run.id()).path.join("manifest.json")).expect("removed");
    fs_err::write(stored(&eval, &run.id()).path.join("left over.json"), "{}").expect("written");
    let id = run.id();
    upload(&id[id.len() - 6..], STORE).expect_code(0);
    is_kept(&eval, &run);
    // A run that was made without the store, and is the latest here.
    let later = eval.run(0);
    let uploaded = upload(&later.id(), STORE);
    uploaded.expect_code(0);
    assert!(uploaded.stderr.contains("Kept in file:shared/parts-eval: "), "{}", uploaded.stderr);
    is_kept(&eval, &later);
    assert_eq!((stored_latest(&eval), history(&eval).len()), (Some(later.id()), 2));
    upload(&later.id(), STORE).expect_code(0);
    let none = upload(&later.id(), &[]);
    none.expect_code(2);
    assert!(none.stderr.contains("names no result store"), "{}", none.stderr);
    upload("ffffff", STORE).expect_code(2);
}

#[test]
fn runs_here_and_in_the_store_are_listed_newest_first() {
    let eval = Eval::passing();
    let empty = eval.mst(&["runs", "list", "--json"]);
    empty.expect_code(0);
    assert_eq!(empty.stdout, "[]\n");
    let run = |out: &str, more: &[&str]| {
        let folder = format!("{out}/runs");
        let before = names(&eval, &folder);
        eval.mst(&[&["run", "--config", "eval.json", "--output-dir", out], more].concat()).expect_code(0);
        // Of two runs of one second the last need not have the last name.
        names(&eval, &folder).into_iter().find(|name| !before.contains(name)).expect("a run")
    };
    let first = run(".mcp-test-results/parts-eval", STORE);
    let only_there = run("there", &[STORE, &["--case", "bin"]].concat());
    let last = run(".mcp-test-results/parts-eval", &["--no-grade"]);
    fs_err::create_dir_all(eval.env.path(".mcp-test-results/parts-eval/runs/20200101T000000Z-abcdef")).expect("made");
    let list = |more: &[&str]| {
        let listed = eval.mst(&[&["runs", "list", "--json"], more].concat());
        listed.expect_code(0);
        let rows: Vec<Value> = serde_json::from_str(&listed.stdout).expect("a list");
        rows
    };
    let shown = |rows: &[Value]| -> Vec<Value> {
        rows.iter()
            .map(|row| json!([row["runId"], row["status"], row["in"], row["passRate"], row["partial"]]))
            .collect()
    };
    let unreadable = json!(["20200101T000000Z-abcdef", null, "here", null, null]);
    let here = [
        json!([last, "ungraded", "here", null, false]),
        json!([first, "complete", "here", 1.0, false]),
        unreadable.clone(),
    ];
    for more in [
        &[][..],
        &["-d", ".mcp-test-results"],
        &["--output-dir", ".mcp-test-results/parts-eval"],
        &["--config", "eval.json"],
    ] {
        let rows = list(more);
        assert_eq!(shown(&rows), here, "{more:?}");
        assert!(rows[2]["error"].as_str().expect("a reason").contains("it has no run.json"), "{rows:?}");
        assert_eq!(rows[1]["variants"], json!(["default"]));
    }
    let both = [
        json!([last, "ungraded", "here", null, false]),
        json!([only_there, "complete", "store", 1.0, true]),
        json!([first, "complete", "both", 1.0, false]),
        unreadable,
    ];
    for more in [&[][..], &["--output-dir", ".mcp-test-results/parts-eval"], &["--config", "eval.json"]] {
        assert_eq!(shown(&list(&[STORE, more].concat())), both, "{more:?}");
    }
    let text = eval.mst(&[&["runs", "list"], STORE].concat());
    text.expect_code(0);
    let ids = [(&last, "[last]"), (&only_there, "[there]"), (&first, "[first]")];
    let masked = |text: &str| {
        let lines =
            text.lines().map(|line| ids.iter().fold(line.to_owned(), |line, (id, name)| line.replace(*id, name)));
        lines.map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect::<Vec<_>>()
    };
    let words = masked(&text.stdout);
    assert_eq!(words[0], "Run Collected Status Passed Pass rate Variants In");
    assert!(words[1].starts_with("[last] ") && words[1].ends_with(" ungraded - - default here"), "{words:?}");
    assert!(words[2].ends_with(" complete, partial 1/1 100% default store"), "{words:?}");
    assert!(words[3].ends_with(" complete 1/1 100% default both"), "{words:?}");
    assert_eq!(words[4], "20200101T000000Z-abcdef - unreadable - - - here");
    assert!(text.stderr.contains("20200101T000000Z-abcdef cannot be read: "), "{}", text.stderr);
    for (more, word) in [
        (["-d", "nothing"], "nothing"),
        (["--output-dir", "nothing"], "nothing has no runs"),
        (["--results", "gs://x"], "not available"),
        (["-d", ".mcp-test-results/parts-eval"], "--output-dir .mcp-test-results/parts-eval"),
    ] {
        let refused = eval.mst(&[&["runs", "list"], &more[..]].concat());
        refused.expect_code(2);
        assert!(refused.stderr.contains(word), "{more:?}: {}", refused.stderr);
    }
}

#[test]
fn a_redacted_run_is_kept_redacted() {
    let eval = Eval::passing();
    let mut config = eval.env.read_json("eval.json");
    config["redactStoredResponses"] = json!(true);
    eval.env.write_json("eval.json", &config);
    let run = run_here(&eval, &[], 0);
    is_kept(&eval, &run);
    let copied: PathBuf = stored(&eval, &run.id()).path;
    let text = fs_err::read_to_string(copied.join("transcripts/default/bin/0.json")).expect("there");
    assert!(!text.contains("bin 7"), "{text}");
    assert!(!eval.env.path(SHARED).join("option-key").exists(), "the key never leaves the machine");
}
