//! SARIF.

use mst_report::scan_sarif;

use crate::report;

#[test]
fn defects_and_lint_become_results_with_a_place() {
    insta::assert_json_snapshot!("notes.sarif", scan_sarif(&report("notes"), "gradable-reports/my notes/report.json"));
}

#[test]
fn each_result_points_at_its_rule() {
    for name in ["notes", "tidy", "hostile"] {
        let log = scan_sarif(&report(name), "report.json");
        let run = &log["runs"][0];
        for result in run["results"].as_array().unwrap() {
            let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
            assert_eq!(run["tool"]["driver"]["rules"][index]["id"], result["ruleId"]);
            let hidden = |char: char| matches!(char, '\u{202e}' | '\u{200b}');
            assert!(!result.to_string().contains(hidden), "{result}");
        }
    }
}
