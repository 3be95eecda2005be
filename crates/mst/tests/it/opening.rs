//! The report that a run leaves and `mst open`, which finds, builds and shows it.

use std::path::{Path, PathBuf};

use mst_testkit::{Finished, Mode, Reply, Rule, Script, When};
use serde_json::json;

use crate::eval::{Eval, case};

/// Opens with `--print` and returns the page's path.
fn printed(eval: &Eval, arguments: &[&str]) -> PathBuf {
    let all = [&["open", "--print"], arguments].concat();
    PathBuf::from(eval.mst(&all).expect_code(0).stdout.trim_end())
}

fn stamp(page: &Path) -> String {
    let text = fs_err::read_to_string(page).expect("a page");
    let (_, rest) = text.split_once("<meta name=\"mst-report\" content=\"").expect("it says what it was made of");
    rest.split('"').next().expect("it ends").to_owned()
}

#[test]
fn a_run_leaves_its_report_and_says_where() {
    let eval = Eval::passing();
    let (finished, run) = eval.run_expecting(&[], 0);
    let page = eval.env.path("out/runs").join(run.id()).join("report/index.html");
    assert!(
        finished.stderr.contains(&format!("Report: out/runs/{}/report/index.html", run.id())),
        "{}",
        finished.stderr
    );
    let text = fs_err::read_to_string(&page).expect("there");
    assert!(text.contains("all passed") && text.contains("cases/index.js"), "{text}");
    assert!(page.with_file_name("cases").join("0.js").is_file());
    assert!(eval.env.path("out/history/index.html").is_file(), "the history has its page");
    eval.mst(&["grade", &run.id(), "--config", "eval.json", "--output-dir", "out"]).expect_code(0);
    assert!(eval.newest().paths().iter().any(|path| path.ends_with("report/index.html")), "a regrade has one too");
}

#[test]
fn without_a_report_open_builds_it_and_keeps_it_while_the_run_is_as_it_was() {
    let eval = Eval::passing();
    let (finished, run) = eval.run_expecting(&["--no-report"], 0);
    assert!(!finished.stderr.contains("Report:") && !run.paths().iter().any(|path| path.contains("report")));
    let out = eval.env.path("out");
    let id = run.id();
    let short = &id[id.len() - 6..];
    let folder = format!("out/runs/{id}");
    let page = printed(&eval, &["-d", "out"]);
    assert_eq!(page, out.join("runs").join(&id).join("report/index.html"));
    let made = fs_err::metadata(&page).expect("built").modified().expect("a time");
    for arguments in [&[short, "-d", "out"][..], &[&id, "-d", "."], &["out"], &[&folder]] {
        assert_eq!(printed(&eval, arguments), page, "{arguments:?}");
    }
    assert_eq!(fs_err::metadata(&page).expect("there").modified().expect("a time"), made, "it was not built again");
    // A run that changed, or a page of another builder, is built again.
    let before = stamp(&page);
    let record = out.join("runs").join(&id).join("run.json");
    let text = fs_err::read_to_string(&record)
        .expect("there")
        .replace("\"partial\": false", "\"partial\": false, \"later\": 1");
    fs_err::write(&record, text).expect("written");
    printed(&eval, &[short, "-d", "out"]);
    assert_ne!(stamp(&page), before);
    fs_err::write(&page, fs_err::read_to_string(&page).expect("there").replace("content=\"1-", "content=\"0-"))
        .expect("written");
    printed(&eval, &[short, "-d", "out"]);
    assert!(stamp(&page).starts_with("1-"));
}

#[test]
fn where_nothing_opens_pages_the_path_is_what_is_left() {
    let eval = Eval::passing();
    let run = eval.run(0);
    let finished = eval.mst(&["open", "out"]);
    assert!(
        finished.expect_code(0).stdout.trim_end().ends_with(&format!("{}/report/index.html", run.id())),
        "{finished:?}"
    );
}

#[test]
fn history_is_opened_from_a_run_or_its_eval() {
    let eval = Eval::passing();
    let run = eval.run(0);
    let page = printed(&eval, &["out", "--history"]);
    assert_eq!(page, eval.env.path("out/history/index.html"));
    assert_eq!(printed(&eval, &[&run.id(), "-d", "out", "--history"]), page);
    let text = fs_err::read_to_string(page).expect("built");
    assert!(text.contains(&format!("../runs/{}/report/index.html", run.id())), "{text}");
}

#[test]
fn without_a_run_open_says_so_and_fails() {
    let eval = Eval::passing();
    let refused = |finished: Finished, words: &str| {
        assert_eq!(finished.code, Some(1), "{finished:?}");
        assert!(finished.stderr.contains(words) && finished.stdout.is_empty(), "{finished:?}");
    };
    refused(eval.mst(&["open"]), "there is no run in .mcp-test-results");
    eval.run(0);
    refused(eval.mst(&["open", "abcdef", "-d", "out"]), "no run \"abcdef\"");
}

#[test]
fn fc33_what_a_server_says_is_text_in_the_report_and_whole_in_the_run() {
    let hostile = "</script><img src=x onerror=alert(1)>\u{2028}";
    let script = Script::strict().rule(Rule::new(When::default(), [Reply::text(hostile)]).repeating());
    let eval = Eval::new(script);
    let parts = eval.stdio("parts", Mode::Plain);
    eval.write(&json!({ "parts": parts }), &json!([case("<b>x</b>", json!({ "containsText": "img" }))]), &json!({}));
    let (finished, run) = eval.run_expecting(&[], 0);
    assert_eq!(finished.code, Some(0));
    let folder = eval.env.path("out/runs").join(run.id()).join("report");
    for file in ["index.html", "cases/0.js", "cases/index.js"] {
        let text = fs_err::read_to_string(folder.join(file)).expect("there");
        assert!(!text.contains("<img") && !text.contains("<b>x"), "{file}");
    }
    assert!(run.text().contains("</script><img"), "the run's own files keep the exact text");
}
