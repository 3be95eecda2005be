//! What a run does when its disk fills, can no longer be written, or loses the run's directory.
//!
//! File systems of a test's own need a mount namespace, which root may make.

use std::path::{Path, PathBuf};

use mst_testkit::mcp::stdio_entry;
use mst_testkit::{Finished, Mode, Reply, Rule, Script, TestEnv, When};
use serde_json::{Value, json};

use crate::background::Background;
use crate::eval::{Eval, case, done, looks_up, lookup};

/// An eval of many cases, one after the other, whose answers take a moment.
fn slow(cases: usize, answer: &str) -> Eval {
    let [call, _] = done();
    let say = Reply::text(answer).after_ms(30);
    let eval = Eval::new(Script::strict().rule(Rule::new(When::default(), [call, say]).repeating().by_turn()));
    let cases: Vec<Value> = (0..cases).map(|n| case(&format!("c{n}"), lookup())).collect();
    let mut server = stdio_entry(Mode::Plain, None);
    server["session"] = json!("shared");
    eval.write(&json!({ "parts": server }), &json!(cases), &json!({ "concurrency": 2 }));
    eval
}

/// Runs the eval in a mount namespace whose `out` is a small file system; `then` is a shell command that runs beside it.
fn run_on_small_disk(eval: &Eval, size: &str, then: &str) -> Finished {
    let out = eval.env.path("out");
    fs_err::create_dir_all(&out).expect("a folder");
    let keep = eval.env.path("kept");
    let script = format!(
        "mount -t tmpfs -o size={size} tmpfs '{out}' || exit 99\n{then}\n\
         '{mst}' run --config eval.json --output-dir out; code=$?\n\
         wait; cp -r '{out}' '{keep}'; exit $code",
        out = out.display(),
        keep = keep.display(),
        mst = TestEnv::mst().display(),
    );
    eval.env.run(Path::new("unshare"), ["-m", "sh", "-c", &script])
}

/// Checks what every failed disk leaves: one line that names a path and a reason, whole files alone, and little spent.
fn check(eval: &Eval, finished: &Finished, reason: &str, kept: &Path) -> PathBuf {
    finished.expect_code(8);
    let line = finished.stderr.lines().find(|line| line.contains(reason)).unwrap_or_default();
    assert!(line.contains("out/runs/") && line.contains(reason), "{}", finished.stderr);
    assert_eq!(finished.stderr.matches(reason).count(), 1, "{}", finished.stderr);
    let run = only_folder(&kept.join("runs"));
    let mut saved = 0;
    for path in files(&run) {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        assert!(!name.starts_with(".tmp-"), "{}", path.display());
        if path.extension().is_some_and(|ending| ending == "json") {
            let text = fs_err::read_to_string(&path).expect("a file");
            let _whole: Value =
                serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            saved += usize::from(path.starts_with(run.join("transcripts")));
        }
    }
    let asked = eval.provider.views().iter().filter(|view| !view.ends_with_results).count();
    assert!(saved > 0 && asked <= saved + 4, "{asked} trials were begun and {saved} saved");
    run
}

fn only_folder(folder: &Path) -> PathBuf {
    let mut entries = fs_err::read_dir(folder).expect("a folder");
    let only = entries.next().expect("a run").expect("an entry").path();
    assert!(entries.next().is_none());
    only
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs_err::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found
}

/// Moves what a small file system kept to where the eval's runs are, and resumes it.
fn resume(eval: &Eval, kept: &Path, run: &Path) {
    let out = eval.env.path("out");
    fs_err::remove_dir_all(&out).expect("removed");
    fs_err::rename(kept, &out).expect("moved");
    eval.provider.set_script(looks_up());
    let id = run.file_name().expect("a name").to_string_lossy().into_owned();
    eval.run_expecting(&["--resume", &id], 0);
    assert_eq!(eval.latest(), Some(id));
}

#[test]
#[ignore = "needs a mount"]
fn a_full_disk_stops_the_run_and_what_was_saved_is_gone_on_with() {
    let eval = slow(60, &"x".repeat(20_000));
    let finished = run_on_small_disk(&eval, "700k", "");
    let kept = eval.env.path("kept");
    let run = check(&eval, &finished, "No space left on device", &kept);
    resume(&eval, &kept, &run);
}

#[test]
#[ignore = "needs root"]
fn a_permission_that_is_lost_stops_the_run_and_what_was_saved_is_gone_on_with() {
    let eval = slow(200, "Part p-1 is in bin 7.");
    let script = format!(
        "chown -R 65534 . && (until [ \"$(cat out/runs/*/journal.jsonl 2>/dev/null | wc -l)\" -ge 5 ]; do sleep 0.05; done\n\
         chmod 555 out/runs/*/transcripts/*) &\n\
         sleep 0.3; setpriv --reuid=65534 --regid=65534 --clear-groups '{}' run --config eval.json --output-dir out\n\
         code=$?; chmod 755 out/runs/*/transcripts/*; exit $code",
        TestEnv::mst().display(),
    );
    let finished = eval.env.run(Path::new("sh"), ["-c", &script]);
    let out = eval.env.path("out");
    let run = check(&eval, &finished, "Permission denied", &out);
    eval.provider.set_script(looks_up());
    let id = run.file_name().expect("a name").to_string_lossy().into_owned();
    eval.run_expecting(&["--resume", &id], 0);
    assert_eq!(eval.latest(), Some(id));
}

#[test]
#[ignore = "needs a mount"]
fn a_read_only_disk_is_found_out_before_anything_is_spent() {
    let eval = slow(3, "Part p-1 is in bin 7.");
    let then = format!("mount -o remount,ro '{}'", eval.env.path("out").display());
    let finished = run_on_small_disk(&eval, "5m", &then);
    finished.expect_code(8);
    assert!(finished.stderr.contains("Read-only file system"), "{}", finished.stderr);
    assert_eq!(eval.provider.stats().requests, 0);
}

#[test]
fn a_run_whose_directory_is_removed_stops_and_does_not_come_back() {
    let eval = slow(300, "Part p-1 is in bin 7.");
    let mut running = Background::start(&eval, &[]);
    let runs = eval.env.path("out").join("runs");
    let journal = || eval.runs().first().map(|run| run.path.join("journal.jsonl"));
    running.wait_until("the first trials are saved", || {
        journal().and_then(|path| fs_err::read_to_string(path).ok()).is_some_and(|text| text.lines().count() >= 3)
    });
    // A file that is written just now may be in the way of a try.
    assert!((0..100).any(|_| fs_err::remove_dir_all(&runs).is_ok() || !runs.exists()), "it cannot be removed");
    let finished = running.end();
    assert_eq!(finished.code, Some(8), "{}", finished.stderr);
    assert!(finished.stderr.contains("out/runs"), "{}", finished.stderr);
    assert!(eval.provider.stats().requests < 400, "the run went on");
    assert!(files_or_none(&runs).is_empty(), "{:?}", files_or_none(&runs));
}

fn files_or_none(folder: &Path) -> Vec<PathBuf> {
    if folder.is_dir() { files(folder) } else { Vec::new() }
}
