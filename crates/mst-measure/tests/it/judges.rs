//! Metrics of judges, and how their scores stand in results.

use indexmap::IndexMap;
use mst_measure::{JudgeRow, JudgeTable, ListedMetric, VerdictCounts};
use mst_model::{GraderName, GraderScore};
use serde_json::{Value, json};

use crate::run::{Case, Run, broken, graded, judged};

fn of_judge(metric: &str, judge: &str) -> ListedMetric {
    ListedMetric { metric: metric.to_owned(), name: format!("{metric}_{judge}"), judge: Some(judge.to_owned()) }
}

/// Returns the metrics of a variant with these cases that start with `judge`, those without a value last.
fn metrics(cases: Vec<Case>) -> Value {
    let mut run = Run::new(vec![("default", cases)]).listing(&[
        "judge_name",
        "judge_cost_usd",
        "judge_input_tokens",
        "judge_output_tokens",
    ]);
    run.listed.extend([
        of_judge("judge_pass_for", "a"),
        of_judge("judge_score_for", "a"),
        of_judge("judge_pass_for", "z"),
    ]);
    let summary = run.summary();
    let mut found: Value = serde_json::to_value(&summary.variants[0].metrics).unwrap();
    found.as_object_mut().unwrap().retain(|key, _| key.starts_with("judge"));
    found["unavailable"] = json!(summary.variants[0].unavailable_metrics);
    found
}

#[test]
fn judges_are_measured_in_the_last_trial_of_each_case_that_has_verdicts() {
    let cases = vec![
        Case::new("both", 1, 1.0, vec![judged(&[("a", 'P', 1.0), ("b", 'F', 0.25)])]),
        Case::new("last", 2, 0.0, vec![judged(&[("a", 'F', 0.0)]), judged(&[("a", 'P', 0.5)])]),
        Case::new("broke-last", 2, 0.0, vec![judged(&[("a", 'F', 0.0)]), broken(&Value::Null)]),
        Case::new("unknown", 1, 1.0, vec![judged(&[("a", '?', 0.0), ("b", 'P', 0.75)])]),
        Case::new("skipped", 1, 1.0, vec![judged(&[("a", '-', 0.0)])]),
        // One judge without a verdict leaves the whole trial ungraded.
        Case::new("ungraded", 1, 1.0, vec![judged(&[("a", 'E', 0.0), ("b", 'P', 1.0)])]),
    ];
    assert_eq!(
        metrics(cases),
        json!({
            "judge_pass_rate": 0.5,
            "judge_score": { "a": 0.5, "b": 0.5 },
            "judge_name": ["a", "b"],
            "judge_input_tokens_mean": 160.0,
            "judge_output_tokens_mean": 16.0,
            "judge_pass_for_a_rate": 2.0 / 3.0,
            "judge_score_for_a_mean": 0.5,
            "unavailable": ["judge_cost_usd", "judge_pass_for_z"],
        })
    );
}

#[test]
fn without_a_verdict_of_a_judge_its_metrics_are_unavailable_and_not_zero() {
    for cases in [
        vec![Case::new("plain", 1, 1.0, vec![graded(true, &Value::Null)])],
        vec![Case::new("skipped", 1, 1.0, vec![judged(&[("a", '-', 0.0)])])],
    ] {
        let every = ["judge_name", "judge_cost_usd", "judge_input_tokens", "judge_output_tokens"];
        let of_one = ["judge_pass_for_a", "judge_score_for_a", "judge_pass_for_z"];
        let all = [&every[..], &of_one[..]].concat();
        assert_eq!(metrics(cases), json!({ "unavailable": all }));
    }
}

#[test]
fn deltas_of_scores_are_judge_by_judge() {
    let variant =
        |a: f64, second: &str| vec![Case::new("c", 1, 1.0, vec![judged(&[("a", 'P', a), (second, 'P', 1.0)])])];
    let run = Run::new(vec![("base", variant(0.5, "b")), ("next", variant(0.75, "c"))]);
    let deltas = &run.summary().variant_deltas["next"].metric_deltas;
    assert_eq!(deltas["judge_score"], json!({ "a": 0.25 }));
    assert_eq!(deltas["judge_pass_rate"], json!(0.0));
}

#[test]
fn a_case_has_one_judge_score_with_an_entry_each_where_there_are_several() {
    let one = judged(&[("correctness", 'P', 0.9)]);
    let two = || judged(&[("a", 'P', 0.9), ("b", '?', 0.0)]);
    let run = Run::new(vec![(
        "default",
        vec![Case::new("one", 1, 1.0, vec![one]), Case::new("two", 2, 0.0, vec![two(), two()])],
    )]);
    let results = serde_json::to_value(run.results()).unwrap();
    let short = |case: &Value| {
        let mut case = case.clone();
        let keep = ["id", "pass", "scores", "judgeUsage"];
        case.as_object_mut().unwrap().retain(|key, _| keep.contains(&key.as_str()));
        case
    };
    insta::assert_json_snapshot!(json!([short(&results[0]), short(&results[1])]));
    let trials = results[1]["trialResults"].as_array().unwrap();
    assert!(trials.iter().all(|trial| trial["scores"] == results[1]["scores"]));
    assert_eq!(trials[0]["judgeUsage"], json!({ "inputTokens": 200, "outputTokens": 20 }));
}

/// Returns the rows of trials that have one score of the judge `j` each.
fn rows(scores: Value) -> Vec<JudgeRow> {
    let mut table = JudgeTable::default();
    for score in scores.as_array().unwrap() {
        let score: GraderScore = serde_json::from_value(score.clone()).unwrap();
        table.add(&IndexMap::from([(GraderName::from("judge.j"), score)]));
    }
    table.rows()
}

#[test]
fn a_table_has_a_row_a_judge_and_counts_what_came_of_each_trial() {
    let by = |model: &str, identity: &str, more: Value| {
        let mut score = json!({ "pass": false, "judgeModel": model, "judgeIdentity": identity });
        score.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        score
    };
    let found = rows(json!([
        by("m", "1", json!({ "pass": true, "score": 1, "highVariance": true })),
        by("m", "1", json!({ "score": 0.5 })),
        by("m", "2", json!({ "unknown": true, "score": 0.1 })),
        by("n", "2", json!({ "pass": true, "skipped": true, "judgeUnversioned": true })),
        by("n", "2", json!({ "error": "500" })),
    ]));
    let counts = VerdictCounts { passed: 1, failed: 1, unknown: 1, skipped: 1, errors: 1 };
    let row = JudgeRow {
        name: "j".to_owned(),
        counts,
        mean_score: Some(0.75),
        high_variance: 1,
        models: vec!["m".to_owned(), "n".to_owned()],
        identities: vec!["1".to_owned(), "2".to_owned()],
        is_unversioned: true,
        ..JudgeRow::default()
    };
    assert_eq!(found, [row]);
    assert_eq!(counts.pass_rate(), Some(0.5));
    assert_eq!(VerdictCounts { unknown: 3, ..VerdictCounts::default() }.pass_rate(), None);
}

#[test]
fn criteria_have_rows_in_place_of_their_judges() {
    let listed = |verdicts: [&str; 2]| json!([{ "id": "a", "verdict": verdicts[0], "identity": "ia" }, { "id": "b", "verdict": verdicts[1], "identity": "ib" }]);
    let found = rows(json!([
        { "pass": true, "criteria": listed(["pass", "fail"]) },
        { "pass": false, "criteria": listed(["unknown", "fail"]) },
        { "pass": true, "skipped": true, "criteria": listed(["unknown", "unknown"]) },
    ]));
    let short: Vec<_> = found.iter().map(|row| (row.name.as_str(), row.counts, row.identities.join(","))).collect();
    let a = VerdictCounts { passed: 1, unknown: 1, skipped: 1, ..VerdictCounts::default() };
    let b = VerdictCounts { failed: 2, skipped: 1, ..VerdictCounts::default() };
    assert_eq!(short, [("j#a", a, "ia".to_owned()), ("j#b", b, "ib".to_owned())]);
}

#[test]
fn a_jury_shows_each_members_counts_and_how_far_they_agree() {
    let trial = |verdicts: &str| {
        let member = |(index, verdict): (usize, char)| {
            json!({ "pass": verdict == 'P', "unknown": (verdict == '?').then_some(true), "judgeModel": format!("m{index}"),
                "judgeIdentity": format!("i{index}") })
        };
        let jury: Vec<Value> = verdicts.chars().enumerate().map(member).collect();
        json!({ "pass": true, "judgeModel": "m0, m1", "jury": jury })
    };
    let found = rows(json!([trial("PP"), trial("PF"), trial("FF"), trial("P?")]));
    assert_eq!(found[0].models, ["m0", "m1"]);
    let counts = |passed, failed, unknown| VerdictCounts { passed, failed, unknown, ..VerdictCounts::default() };
    let members: Vec<_> = found[0].members.iter().map(|one| (one.identity.as_str(), one.counts)).collect();
    assert_eq!(members, [("i0", counts(3, 1, 0)), ("i1", counts(1, 2, 1))]);
    // Six verdicts that count, three of each, one trial split: 1 - (2/6) / (18/30).
    assert!((found[0].agreement.unwrap() - 4.0 / 9.0).abs() < 1e-12);
    assert_eq!(rows(json!([trial("PP"), trial("PP")]))[0].agreement, None, "no variation");
}
