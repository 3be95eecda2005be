//! Every page in a real browser. `MST_CI_SERVERS` names the folder with `browser/node_modules`, which holds axe-core and
//! puppeteer-core; `CHROMIUM` names the browser when it is not `/usr/bin/chromium`.

use std::path::{Path, PathBuf};
use std::process::Command;

use mst_model::{CaseResult, FailedScan, History};
use mst_report::{Board, BoardRow, FailedRow, LeftOut, PageLinks, Script, board_html, history_html, scan_html};
use serde_json::json;

use crate::board::{failed, named};
use crate::{report, runs};

/// Writes the pages of scans into a folder of their own and returns their paths.
fn scan_pages(folder: &Path) -> Vec<String> {
    let mut pages: Vec<(&str, String)> = ["notes", "tidy", "hostile"]
        .into_iter()
        .map(|name| (name, scan_html(&report(name), PageLinks::BESIDE)))
        .collect();
    let rows = (0..500).map(|at| {
        let middle = f64::from(at) / 5.0;
        BoardRow::of(&named(&format!("server-{at}"), Some((middle - 4.0, middle + 3.0)))).unwrap()
    });
    let others = ["tidy", "hostile"].map(|name| BoardRow::of(&report(name)).unwrap());
    let long: FailedScan = FailedScan { reason: "<b>no</b> line\n".repeat(40), ..failed() };
    let left_out =
        vec![LeftOut { file: "<i>/report.json".to_owned(), reason: "</ul><script>alert(1)</script>".to_owned() }];
    let board =
        Board::new(rows.chain(others).collect(), vec![FailedRow::of(&failed()), FailedRow::of(&long)], left_out);
    pages.push(("board", board_html(&board)));
    pages.push(("empty", board_html(&Board::new(Vec::new(), Vec::new(), Vec::new()))));
    pages.into_iter().map(|(name, html)| written(folder, name, &html)).collect()
}

fn written(folder: &Path, name: &str, html: &str) -> String {
    let path = folder.join(format!("{name}.html"));
    fs_err::write(&path, html).unwrap();
    path.to_str().unwrap().to_owned()
}

/// Writes a run's report and returns its page.
fn report_page(folder: &Path, name: &str, (page, scripts): &(String, Vec<Script>)) -> String {
    let folder = folder.join(name);
    fs_err::create_dir_all(folder.join("cases")).unwrap();
    for script in scripts {
        fs_err::write(folder.join("cases").join(&script.name), &script.text).unwrap();
    }
    written(&folder, "index", page)
}

/// A report of 250 cases in two variants; every fifth case regressed.
fn large() -> (String, Vec<Script>) {
    let trials = |wrong: bool| {
        let each = (0..3).map(|number| {
            runs::trial(number, Some(if wrong && number > 0 { "list" } else { "find" }), "It is in bin 7.")
        });
        each.collect::<Vec<_>>()
    };
    let cases: Vec<CaseResult> = ["base", "a&b"]
        .into_iter()
        .flat_map(|variant| (0..250).map(move |at| (variant, at)))
        .map(|(variant, at)| {
            runs::case(&format!("c{at:03}"), variant, &trials(variant == "a&b" && at % 5 == 0), "Which bin is it in?")
        })
        .collect();
    runs::built(&runs::record(&json!({})), Some(&runs::summary(&json!({}))), &cases)
}

/// Runs a script of the browser's, and fails with what it prints.
#[expect(clippy::disallowed_methods, reason = "a test starts a browser, and reads where it is")]
fn expect_nothing(script: &str, arguments: &[String]) {
    let modules =
        PathBuf::from(std::env::var("MST_CI_SERVERS").expect("MST_CI_SERVERS names the folder with browser/"));
    let output = Command::new("node")
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it").join(script))
        .arg(modules.join("browser/node_modules"))
        .args(arguments)
        .output()
        .expect("node is there");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    let problems: Vec<String> = serde_json::from_str(&text).unwrap();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
#[ignore = "needs node and chromium"]
fn pages_are_accessible_in_light_and_dark_on_a_screen_and_a_phone() {
    let folder = tempfile::tempdir().unwrap();
    expect_nothing("browser.mjs", &scan_pages(folder.path()));
}

#[test]
#[ignore = "needs node and chromium"]
fn fc33_reports_of_runs_are_accessible_run_nothing_and_ask_for_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let hostile = report_page(folder.path(), "hostile", &runs::hostile());
    let large = report_page(folder.path(), "large", &large());
    let texts = runs::hostile_texts();
    let empty = History { format: "mst.history/v1".to_owned(), rows: Vec::new(), skipped: Vec::new() };
    let pages = [
        large.clone(),
        format!("{large}#case=c000&variant=a%26b&trial=1"),
        hostile.clone(),
        format!("{hostile}#case=%3Cb%3Ex%3C%2Fb%3E&variant=base&trial=1"),
        format!("{hostile}#case=%3Cb%3Ex%3C%2Fb%3E&variant=a%26b&trial=0"),
        format!("{hostile}#case=%3Cb%3Ex%3C%2Fb%3E&variant=a%26b&trial=1"),
        written(folder.path(), "history", &history_html(&runs::history("the model changed"), "parts", &|_| true)),
        written(folder.path(), "history-hostile", &history_html(&runs::history(&texts), &texts, &|_| true)),
        written(folder.path(), "history-empty", &history_html(&empty, "e", &|_| true)),
    ];
    expect_nothing("browser.mjs", &pages);
}

#[test]
#[ignore = "needs node and chromium"]
fn a_report_is_read_with_a_keyboard_and_by_address() {
    let folder = tempfile::tempdir().unwrap();
    let page = report_page(folder.path(), "large", &large());
    expect_nothing("keys.mjs", &[page]);
}
