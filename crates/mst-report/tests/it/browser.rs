//! Every page in a real browser. `MST_CI_SERVERS` names the folder with `browser/node_modules`, which holds axe-core and
//! puppeteer-core; `CHROMIUM` names the browser when it is not `/usr/bin/chromium`.

use std::path::PathBuf;
use std::process::Command;

use mst_model::FailedScan;
use mst_report::{Board, BoardRow, FailedRow, LeftOut, PageLinks, board_html, scan_html};

use crate::board::{failed, named};
use crate::report;

/// Writes the pages into a folder of their own and returns their paths.
fn pages(folder: &std::path::Path) -> Vec<PathBuf> {
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
    pages
        .into_iter()
        .map(|(name, html)| {
            let path = folder.join(format!("{name}.html"));
            fs_err::write(&path, html).unwrap();
            path
        })
        .collect()
}

#[test]
#[ignore = "needs node and chromium"]
#[expect(clippy::disallowed_methods, reason = "a test starts a browser, and reads where it is")]
fn pages_are_accessible_in_light_and_dark_on_a_screen_and_a_phone() {
    let modules =
        PathBuf::from(std::env::var("MST_CI_SERVERS").expect("MST_CI_SERVERS names the folder with browser/"));
    let folder = tempfile::tempdir().unwrap();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/browser.mjs");
    let output = Command::new("node")
        .arg(script)
        .arg(modules.join("browser/node_modules"))
        .args(pages(folder.path()))
        .output()
        .expect("node is there");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    let problems: Vec<String> = serde_json::from_str(&text).unwrap();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
