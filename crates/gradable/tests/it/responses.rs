//! `gradable scan --responses`: answer sizes from a run of `mst`.

use std::path::{Path, PathBuf};

use mst_testkit::TestEnv;
use serde_json::{Value, json};

use crate::support::{run, scan_tools, three_tools};

fn released() -> PathBuf {
    let runs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/runs/v1/small/runs");
    runs.join("20261007T182504Z-7f3c2a")
}

/// Copies a run, so that it can be changed.
fn copy(from: &Path, to: &Path) {
    fs_err::create_dir_all(to).expect("a folder");
    for entry in fs_err::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs_err::copy(entry.path(), target).expect("a copy");
        }
    }
}

/// The answers of a run's MCP servers, counted here: bytes and results.
fn counted(run: &Path) -> (usize, usize) {
    let mut sum = (0, 0);
    let mut folders = vec![run.join("transcripts")];
    while let Some(folder) = folders.pop() {
        for entry in fs_err::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let trial: Value = serde_json::from_slice(&fs_err::read(path).expect("a file")).expect("JSON");
            for event in trial["transcript"]["events"].as_array().into_iter().flatten() {
                if let (Some(output), "mcp") = (event["output"].as_str(), event["source"].as_str().unwrap_or_default())
                {
                    sum = (sum.0 + output.len(), sum.1 + 1);
                }
            }
        }
    }
    sum
}

#[test]
fn answers_of_a_run_count_in_the_economics() {
    let env = TestEnv::new();
    let run_folder = released();
    let at = run_folder.display().to_string();
    let finished = scan_tools(&env, &["--responses", &at], &three_tools());
    finished.expect_code(2);
    assert!(
        finished.stderr.contains("is of another server: the tools that answered in it (lookup)"),
        "{}",
        finished.stderr
    );
    let mut tools = three_tools();
    tools[0]["name"] = "lookup".into();
    scan_tools(&env, &["--responses", &at], &tools).expect_code(0);
    let report = env.read_json("out/report.json");
    let (bytes, results) = counted(&run_folder);
    let economics = &report["economics"];
    assert_eq!(economics["avgResponseTokens"], json!(bytes as f64 / 4.0 / results as f64));
    assert_eq!(economics["responseSource"]["runId"], "20261007T182504Z-7f3c2a");
    assert_eq!(economics["responseSource"]["results"], results);
    assert_eq!(report["score"]["categories"]["economics"]["inputs"]["responseEfficiency"], 1.0);
    run(&env, &["score", "out"]).expect_code(0);
}

#[test]
fn runs_that_cannot_tell_are_refused_before_anything_is_read() {
    let env = TestEnv::new();
    let run_folder = env.path("runs/20261007T182504Z-7f3c2a");
    copy(&released(), &run_folder);
    let at = run_folder.display().to_string();
    let refused = |flags: &[&str], right: &str| {
        let finished = scan_tools(&env, flags, &three_tools());
        finished.expect_code(2);
        assert!(finished.stderr.contains(right), "{}", finished.stderr);
        assert!(!env.path("out/report.json").exists());
    };
    refused(&["--responses", "absent"], "absent");
    refused(&["--responses", &at, "--responses-server", "other"], "no server \"other\" answered");
    let mut record = env.read_json("runs/20261007T182504Z-7f3c2a/run.json");
    record["redactStoredResponses"] = json!(true);
    env.write_json("runs/20261007T182504Z-7f3c2a/run.json", &record);
    refused(&["--responses", &at], "was stored redacted");
}
