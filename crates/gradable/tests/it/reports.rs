//! `report` and `fix`: what a scan left, in other forms.

use mst_testkit::TestEnv;
use serde_json::Value;

use crate::support::{run, scan_tools, three_tools};

/// Scans three tools into `out`.
fn scanned() -> TestEnv {
    let env = TestEnv::new();
    let finished = scan_tools(&env, &[], &three_tools());
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    env
}

#[test]
fn a_report_is_shown_as_markdown_a_page_and_sarif() {
    let env = scanned();
    let markdown = run(&env, &["report", "out"]);
    assert_eq!(markdown.code, Some(0), "{}", markdown.stderr);
    let beside = fs_err::read_to_string(env.path("out/report.md")).unwrap();
    assert_eq!(markdown.stdout, beside, "a report shown again is what the scan wrote");
    let page = run(&env, &["report", "out/report.json", "--format", "html", "--out", "page.html"]);
    assert_eq!((page.code, page.stdout.as_str()), (Some(0), ""), "{}", page.stderr);
    let page = fs_err::read_to_string(env.path("page.html")).unwrap();
    assert!(
        page.starts_with("<!doctype html>") && !page.contains("href=\"fix.md\""),
        "it does not know what is beside it"
    );
    let sarif = run(&env, &["report", "out", "--format", "sarif"]);
    let log: Value = serde_json::from_str(&sarif.stdout).unwrap();
    assert_eq!(log["version"], "2.1.0");
    assert_eq!(log["runs"][0]["artifacts"][0]["location"]["uri"], "out/report.json");
}

#[test]
fn a_scan_writes_sarif_beside_its_report() {
    let env = TestEnv::new();
    let finished = scan_tools(&env, &["--sarif", "found/log.sarif"], &three_tools());
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let log: Value = serde_json::from_str(&fs_err::read_to_string(env.path("found/log.sarif")).unwrap()).unwrap();
    let report: Value = serde_json::from_str(&fs_err::read_to_string(env.path("out/report.json")).unwrap()).unwrap();
    let defects = report["tools"].as_array().unwrap().iter().map(|tool| tool["defects"].as_array().unwrap().len());
    let lint = report["unscored"]["lint"].as_array().map_or(0, Vec::len);
    assert_eq!(log["runs"][0]["results"].as_array().unwrap().len(), defects.sum::<usize>() + lint);
}

#[test]
fn what_is_no_report_is_refused_by_name() {
    let env = scanned();
    fs_err::write(env.path("other.json"), "{\"format\": \"gradable.report/v9\"}").unwrap();
    fs_err::create_dir_all(env.path("failed")).unwrap();
    fs_err::write(env.path("failed/failed.json"), "{}").unwrap();
    for (path, says) in
        [("other.json", "gradable.report/v9"), ("failed", "the scan failed"), ("nowhere", "no such file")]
    {
        for command in ["report", "fix"] {
            let finished = run(&env, &[command, path]);
            assert_eq!((finished.code, finished.stdout.as_str()), (Some(2), ""));
            assert!(finished.stderr.contains(says), "{command} {path}: {}", finished.stderr);
        }
    }
}

#[test]
fn a_brief_quotes_the_texts_that_were_scanned() {
    let env = scanned();
    let brief = run(&env, &["fix", "out"]);
    assert_eq!(brief.code, Some(0), "{}", brief.stderr);
    assert_eq!(brief.stdout, fs_err::read_to_string(env.path("out/fix.md")).unwrap());
    assert!(brief.stdout.contains("Current description:\n\n```text\nUpdate part\n```"), "{}", brief.stdout);
}

#[test]
fn a_copy_of_another_surface_is_not_believed() {
    let env = scanned();
    let copy = env.path("out/surface.json");
    let text = fs_err::read_to_string(&copy).unwrap().replace("Update part", "Something else");
    fs_err::write(&copy, text).unwrap();
    let brief = run(&env, &["fix", "out"]);
    assert!(!brief.stdout.contains("Something else"), "{}", brief.stdout);
    assert!(brief.stdout.contains("The report holds no current descriptions."), "{}", brief.stdout);
    let asked = run(&env, &["fix", "out", "--surface", "out/surface.json"]);
    assert!(asked.stdout.contains("Something else"), "{}", asked.stdout);
    assert!(asked.stderr.contains("has changed since the scan"), "{}", asked.stderr);
}

#[test]
fn a_flag_that_needs_a_server_is_not_ignored() {
    let env = scanned();
    let finished = run(&env, &["fix", "out", "--env", "A=b"]);
    assert_eq!((finished.code, finished.stdout.as_str()), (Some(2), ""));
}

#[test]
fn a_report_that_its_own_data_does_not_give_is_not_shown() {
    let env = scanned();
    let mut report = env.read_json("out/report.json");
    report["score"]["total"] = 99.9.into();
    env.write_json("out/report.json", &report);
    for command in ["report", "fix"] {
        let finished = run(&env, &[command, "out"]);
        finished.expect_code(2);
        assert_eq!(finished.stdout, "");
        assert!(finished.stderr.contains("out does not agree with its own data: score.total"), "{}", finished.stderr);
    }
}

#[test]
fn a_brief_shows_what_cost_points() {
    let env = TestEnv::new();
    let text = "Long words about a part. ".repeat(400);
    let tools: Vec<Value> =
        ["get_part", "find_part"].iter().map(|name| serde_json::json!({ "name": name, "description": text })).collect();
    scan_tools(&env, &[], &tools.into()).expect_code(0);
    let brief = env.read("out/fix.md");
    for part in ["## Tasks that went wrong", "## Size of the definitions", "carries about", "- `get_part`: about"] {
        assert!(brief.contains(part), "{part} is not in\n{brief}");
    }
    assert!(!brief.contains("## Destructive calls"), "{brief}");
}

#[cfg(unix)]
#[test]
fn what_is_no_plain_file_is_written_to_and_stays_what_it_is() {
    use std::os::unix::fs::{FileTypeExt as _, symlink};
    let env = scanned();
    let written = |out: &str| run(&env, &["report", "out", "--out", out]);
    env.write("kept.md", "earlier");
    symlink(env.path("kept.md"), env.path("link.md")).unwrap();
    written("link.md").expect_code(0);
    assert!(fs_err::symlink_metadata(env.path("link.md")).unwrap().is_symlink());
    assert!(env.read("kept.md").starts_with("# "));
    symlink("/dev/full", env.path("full")).unwrap();
    let finished = written("full");
    finished.expect_code(8);
    assert!(fs_err::metadata("/dev/full").unwrap().file_type().is_char_device(), "{}", finished.stderr);
}
