//! Leaderboards.

use mst_model::{FailedScan, ScanReport, StageJudge};
use mst_report::{Board, BoardRow, FailedRow, LeftOut, NoPlace, board_html, board_json};
use serde_json::{Value, json};

use crate::pages::without_style;
use crate::report;

/// A report like `notes` under another name, with the range that is given.
pub(crate) fn named(name: &str, interval: Option<(f64, f64)>) -> ScanReport {
    let mut report = report("notes");
    name.clone_into(&mut report.target.name);
    let known = report.unscored.interval.take().unwrap();
    report.unscored.interval = interval.map(|(lower, upper)| mst_model::ScoreInterval { lower, upper, ..known });
    report
}

/// Takes the findings away, which raises the score.
fn better(mut report: ScanReport) -> ScanReport {
    report.confusable_pairs.clear();
    report.tools.iter_mut().for_each(|tool| tool.defects.clear());
    report.score = mst_measure::rubric::rubric_score(&mst_measure::rubric::ScoreInput {
        baseline: &report.harness.baseline.results,
        tools: &report.tools,
        confusable_pairs: &report.confusable_pairs,
        definition_tokens: report.economics.definition_tokens,
        avg_response_tokens: None,
    })
    .unwrap();
    report
}

/// Puts a model in every stage.
fn judged_by(mut report: ScanReport, cli: &str, model: &str) -> ScanReport {
    let set = |judge: &mut StageJudge| {
        cli.clone_into(&mut judge.cli);
        model.clone_into(&mut judge.model);
    };
    let stages = report.judge.stages.as_mut().unwrap();
    for stage in [&mut stages.tasks, &mut stages.defects, &mut stages.confusability, &mut stages.selection] {
        set(stage.as_mut().unwrap());
    }
    cli.clone_into(&mut report.judge.cli);
    model.clone_into(&mut report.judge.model);
    report
}

fn board(reports: &[ScanReport]) -> Board {
    Board::new(reports.iter().map(|report| BoardRow::of(report).unwrap()).collect(), Vec::new(), Vec::new())
}

pub(crate) fn failed() -> FailedScan {
    serde_json::from_value(json!({
        "format": "gradable.failed/v1",
        "target": { "name": "broken", "transport": "stdio", "command": ["broken-server"] },
        "stage": "ingest",
        "reason": "the server ended before it answered\nstderr: <b>no such module</b>",
        "failedAt": "2026-11-30T18:02:11.000Z",
    }))
    .unwrap()
}

#[test]
fn a_board_of_several_judges_ranks_within_each_and_claims_no_comparison() {
    let reports = [
        named("notes", Some((61.2, 82.9))),
        better(named("memory", Some((70.0, 90.0)))),
        report("tidy"),
        judged_by(named("notes", None), "opencode", "deepseek/deepseek-v4-flash"),
        judged_by(named("memory", None), "opencode", "deepseek/deepseek-v4-flash"),
    ];
    let rows = reports.iter().map(|report| BoardRow::of(report).unwrap()).collect();
    let left_out = vec![LeftOut { file: "ci/report.json".to_owned(), reason: "no `format`".to_owned() }];
    let board = Board::new(rows, vec![FailedRow::of(&failed())], left_out);
    let html = board_html(&board);
    insta::assert_snapshot!("board.html", without_style(&html));
    insta::assert_json_snapshot!("board.json", board_json(&board));
    assert!(html.contains("Scores in different tables are not comparable."), "{html}");
}

#[test]
fn one_configuration_is_comparable_unless_it_is_the_offline_one() {
    let one = judged_by(named("notes", None), "claude", "m");
    assert!(board_html(&board(&[one])).contains("so their scores can be compared"));
    let offline = board_html(&board(&[named("notes", None)]));
    assert!(!offline.contains("so their scores can be compared"));
    assert!(offline.contains("never compared with a language model"));
    assert!(board_html(&board(&[])).contains("There is no scored report."));
}

#[test]
fn neighbours_whose_ranges_overlap_are_marked_and_ranks_have_ranges() {
    let reports = [
        better(named("first", Some((80.5, 90.0)))),
        named("second", Some((70.0, 80.4))),
        named("third", Some((60.0, 72.0))),
        named("without", None),
    ];
    let json = board_json(&board(&reports));
    let rows = json["configurations"][0]["reports"].as_array().unwrap();
    let seen: Vec<Value> =
        rows.iter().map(|row| json!([row["server"], row["rank"], row["rankRange"], row.get("overlapsNext")])).collect();
    assert_eq!(
        json!(seen),
        json!([
            ["first", 1, [1, 1], false],
            ["second", 2, [2, 4], true],
            // The same total: one rank for the three.
            ["third", 2, [2, 4], null],
            ["without", 2, [2, 3], null],
        ])
    );
}

#[test]
fn of_several_reports_of_one_server_the_newest_is_ranked() {
    let old = named("notes", None);
    let mut new = better(named("notes", None));
    new.scanned_at = "2026-12-01T00:00:00.000Z".parse_time();
    let mut elsewhere = named("notes", None);
    elsewhere.target.command = Some(vec!["other-server".to_owned()]);
    let board = board(&[old, new, elsewhere]);
    assert_eq!(board.ranked(), 2);
    let json = board_json(&board);
    assert_eq!(json["earlier"][0]["scannedAt"], "2026-11-30T18:02:11.000Z");
    assert_eq!(json["configurations"][0]["reports"][0]["scannedAt"], "2026-12-01T00:00:00.000Z");
    let folders: std::collections::BTreeSet<_> = board.folders().iter().collect();
    assert_eq!(folders.len(), 3, "each has a folder of its own: {folders:?}");
    let html = board_html(&board);
    assert!(html.contains("other-server"), "servers of one name are told apart");
}

#[test]
fn a_score_that_was_only_written_down_has_no_place() {
    let mut forged = report("notes");
    forged.score.total = 99.0;
    forged.score.grade = mst_model::Grade::A;
    let error = BoardRow::of(&forged).unwrap_err();
    assert!(matches!(error, NoPlace::OtherScore { .. }));
    assert_eq!(error.to_string(), "its score does not follow from its parts: it says 99.0 (A), and they give 75.5 (C)");
}

#[test]
fn fc33_a_folder_is_letters_digits_and_hyphens_whatever_a_server_calls_itself() {
    for (name, want) in [
        ("../../etc/passwd", "etc-passwd"),
        ("CON", "con-server"),
        ("com1", "com1-server"),
        ("مرحبا", "server"),
        ("a\u{202e}b", "a-b"),
        ("@scope/Server.js", "scope-server-js"),
    ] {
        let board = board(&[named(name, None)]);
        assert_eq!(board.folders(), [want], "{name}");
    }
    let hostile = board_html(&board(&[report("hostile")]));
    for never in ["<script", "<img", "\u{202e}", "style=\""] {
        assert!(!hostile.contains(never), "{never}");
    }
}

trait ParseTime {
    fn parse_time(&self) -> mst_model::Timestamp;
}

impl ParseTime for str {
    fn parse_time(&self) -> mst_model::Timestamp {
        serde_json::from_value(json!(self)).unwrap()
    }
}
