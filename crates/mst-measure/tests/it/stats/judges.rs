//! Judges against labels.

use mst_measure::stats::{JudgeCounts, PreferenceAgreement, Shortfall, corrected_rate};
use mst_model::Preferred;
use serde_json::Value;

use super::{Passes, assert_near, count, rows};

fn judge_counts(row: &Value) -> JudgeCounts {
    let at = |key: &str| row.get(key).map_or(0, count);
    JudgeCounts {
        tp: at("tp"),
        fn_: at("fn"),
        tn: at("tn"),
        fp: at("fp"),
        unknown_pass: at("unknownPass"),
        unknown_fail: at("unknownFail"),
    }
}

#[test]
fn a_judges_rates_equal_those_of_scikit_learn_and_meet_their_limits_exactly() {
    for row in rows(include_str!("../oracles/judge-calibration.json")) {
        let (id, out) = (row["id"].as_str().unwrap(), &row["out"]);
        let counts = judge_counts(&row["in"]);
        assert_near(counts.true_positive_rate(), &out["tpr"], 1e-12, id);
        assert_near(counts.true_negative_rate(), &out["tnr"], 1e-12, id);
        assert_near(counts.kappa(), &out["kappa"], 1e-12, id);
        assert_near(counts.unknown_rate(), &out["unknownRate"], 1e-12, id);
        let name = |shortfall| match shortfall {
            Shortfall::Labels => "labels",
            Shortfall::Classes => "classes",
            Shortfall::TruePositiveRate => "tpr",
            Shortfall::TrueNegativeRate => "tnr",
            Shortfall::Kappa => "kappa",
            Shortfall::Unknown => "unknown",
        };
        let reasons: Vec<&str> = counts.shortfalls().into_iter().map(name).collect();
        assert_eq!(serde_json::json!(reasons), out["reasons"], "{id}");
        assert_eq!(reasons.is_empty(), out["usable"].as_bool().unwrap(), "{id}");
    }
}

#[test]
fn a_pairwise_judge_agrees_with_a_tie_by_a_tie_only() {
    for row in rows(include_str!("../oracles/pairwise-agreement.json")) {
        let (id, out) = (row["id"].as_str().unwrap(), &row["out"]);
        let order = [Preferred::Baseline, Preferred::Candidate, Preferred::Tie];
        let mut agreement = PreferenceAgreement::default();
        for (i, label) in order.into_iter().enumerate() {
            for (j, judged) in order.into_iter().enumerate() {
                agreement.add_many(label, judged, count(&row["in"]["table"][i][j]));
            }
        }
        assert_eq!(agreement.labelled(), count(&out["labelled"]), "{id}");
        assert_near(agreement.agreement(), &out["agreement"], 1e-12, id);
        assert_near(agreement.judge_ties(), &out["judgeTies"], 1e-12, id);
        assert_near(agreement.kappa(), &out["kappa"], 1e-12, id);
    }
    let mut one = PreferenceAgreement::default();
    one.add(Preferred::Tie, Preferred::Candidate);
    assert_eq!((one.labelled(), one.agreement(), one.judge_ties()), (1, Some(0.0), Some(0.0)));
}

#[test]
fn a_corrected_rate_equals_the_published_formula() {
    for row in rows(include_str!("../oracles/judge-corrected-rate.json")) {
        let (id, out) = (row["id"].as_str().unwrap(), &row["out"]);
        let judged = Passes { passed: count(&row["in"]["passed"]), counted: count(&row["in"]["n"]) };
        let got = corrected_rate(judged, &judge_counts(&row["in"]));
        assert_near(got.map(|got| got.rate), &out["theta"], 1e-10, id);
        let range = got.and_then(|got| got.interval);
        assert_near(range.map(|range| range.lower), out["z196"].get(0).unwrap_or(&Value::Null), 1e-10, id);
        assert_near(range.map(|range| range.upper), out["z196"].get(1).unwrap_or(&Value::Null), 1e-10, id);
    }
}
