//! `leaderboard`: a site from many reports.

use mst_testkit::TestEnv;
use serde_json::{Value, json};

use crate::support::{files, run, scan_tools, three_tools};

/// Scans once and leaves the report below `reports/` under each name.
fn reports(names: &[&str]) -> TestEnv {
    let env = TestEnv::new();
    let finished = scan_tools(&env, &[], &three_tools());
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    for name in names {
        put(&env, name, |report| report["target"]["name"] = json!(name));
    }
    env
}

/// Leaves a changed copy of the report below `reports/`.
fn put(env: &TestEnv, folder: &str, change: impl FnOnce(&mut Value)) {
    let mut report = read(env, "out/report.json");
    change(&mut report);
    env.write_json(format!("reports/{folder}/report.json"), &report);
}

fn read(env: &TestEnv, path: &str) -> Value {
    env.read_json(path)
}

fn failure() -> Value {
    json!({
        "format": "gradable.failed/v1", "target": { "name": "broken", "transport": "stdio", "command": ["broken"] },
        "stage": "ingest", "reason": "broken ended before it answered", "failedAt": "2026-11-30T18:02:11.000Z",
    })
}

#[test]
fn a_site_ranks_reports_and_says_what_it_left_out() {
    let env = reports(&["one", "two"]);
    env.write_json("reports/deep/er/failed.json", &failure());
    env.write_json("reports/ci/report.json", &json!({ "stats": {} }));
    fs_err::create_dir_all(env.path("reports/torn")).unwrap();
    fs_err::write(env.path("reports/torn/report.json"), "{\"format\": ").unwrap();
    put(&env, "forged", |report| report["score"]["total"] = json!(99.9));
    put(&env, "flattered", |report| {
        report["unscored"]["interval"] =
            json!({ "level": 0.95, "lower": 99.0, "upper": 100.0, "resamples": 2000, "seed": 1 });
    });
    let finished = run(&env, &["leaderboard", "reports", "--out", "site", "--json"]);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let board: Value = serde_json::from_str(&finished.stdout).unwrap();
    assert_eq!(board["comparable"], true);
    let ranked = board["configurations"][0]["reports"].as_array().unwrap();
    assert_eq!(ranked.iter().map(|one| &one["server"]).collect::<Vec<_>>(), ["one", "two"]);
    assert_eq!(board["failed"][0]["reason"], "broken ended before it answered");
    let left_out: Vec<&Value> = board["leftOut"].as_array().unwrap().iter().map(|one| &one["file"]).collect();
    assert_eq!(left_out, ["ci/report.json", "flattered/report.json", "forged/report.json", "torn/report.json"]);
    assert_eq!(read(&env, "site/leaderboard.json"), board);
    assert_eq!(files(&env, "site/reports/one"), ["fix.md", "report.html", "report.json", "report.md"]);
    assert_eq!(read(&env, "site/reports/one/report.json"), read(&env, "reports/one/report.json"));
    let index = fs_err::read_to_string(env.path("site/index.html")).unwrap();
    for link in ["reports/one/report.html", "reports/two/fix.md"] {
        assert!(index.contains(&format!("href=\"{link}\"")), "{link}");
    }
    let page = fs_err::read_to_string(env.path("site/reports/one/report.html")).unwrap();
    assert!(page.contains("href=\"../../index.html\""), "a page leads back to the board");
}

#[test]
fn a_site_below_the_reports_is_not_read_again_and_what_is_gone_is_taken_out() {
    let env = reports(&["one", "two"]);
    for _ in 0..2 {
        let finished = run(&env, &["leaderboard", "reports", "--out", "reports/site"]);
        assert_eq!(finished.code, Some(0), "{}", finished.stderr);
        assert!(finished.stdout.starts_with("2 reports ranked"), "{}", finished.stdout);
    }
    fs_err::write(env.path("reports/site/reports/two/mine.txt"), "kept").unwrap();
    fs_err::remove_dir_all(env.path("reports/two")).unwrap();
    let finished = run(&env, &["leaderboard", "reports", "--out", "reports/site"]);
    assert!(finished.stdout.starts_with("1 report ranked"), "{}", finished.stdout);
    assert_eq!(files(&env, "reports/site/reports"), ["one", "two"]);
    assert_eq!(files(&env, "reports/site/reports/two"), ["mine.txt"], "only what the command wrote is taken away");
}

#[test]
fn a_folder_that_is_not_a_sites_is_left_alone() {
    let env = reports(&["one"]);
    fs_err::create_dir_all(env.path("home")).unwrap();
    fs_err::write(env.path("home/index.html"), "mine").unwrap();
    for (arguments, says) in [
        (["leaderboard", "reports", "--out", "home"], "is not a page that this command made"),
        (["leaderboard", "reports", "--out", "reports"], "the reports stand in"),
        (["leaderboard", "reports", "--out", "."], "the reports stand in"),
        (["leaderboard", "out/report.json", "--out", "site"], "is not a folder"),
        (["leaderboard", "home", "--out", "site"], "there is no report.json"),
    ] {
        let finished = run(&env, &arguments);
        assert_eq!((finished.code, finished.stdout.as_str()), (Some(2), ""), "{arguments:?}");
        assert!(finished.stderr.contains(says), "{arguments:?}: {}", finished.stderr);
    }
    assert_eq!(fs_err::read_to_string(env.path("home/index.html")).unwrap(), "mine");
    assert!(files(&env, "site").is_empty());
}

#[test]
fn fc33_a_servers_name_is_no_path_and_no_markup() {
    let env = reports(&[]);
    for (at, name) in ["../../../escape", "<script>alert(1)</script>", "\u{202e}"].iter().enumerate() {
        put(&env, &at.to_string(), |report| report["target"]["name"] = json!(name));
    }
    let finished = run(&env, &["leaderboard", "reports", "--out", "site"]);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    assert_eq!(files(&env, "site/reports"), ["escape", "script-alert-1-script", "server"]);
    let index = fs_err::read_to_string(env.path("site/index.html")).unwrap();
    assert!(!index.contains("<script") && !index.contains('\u{202e}'), "{index}");
}

#[test]
fn five_hundred_reports_make_one_board() {
    let names: Vec<String> = (0..500).map(|at| format!("server-{at}")).collect();
    let env = reports(&names.iter().map(String::as_str).collect::<Vec<_>>());
    let finished = run(&env, &["leaderboard", "reports", "--out", "site"]);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    assert!(finished.stdout.starts_with("500 reports ranked, 1 judge configuration"), "{}", finished.stdout);
    assert_eq!(files(&env, "site/reports").len(), 500);
}
