//! Intervals and standard errors.

use mst_measure::stats::{clustered, newcombe, t_interval};
use mst_model::Interval;
use serde_json::Value;

use super::{assert_near, number, numbers, passes, rows};

/// `[v, times]` is v as often.
fn repeated(values: &Value) -> Vec<f64> {
    let each = |value: &Value| match value.as_array() {
        Some(pair) => vec![number(&pair[0]); number(&pair[1]) as usize],
        None => vec![number(value)],
    };
    values.as_array().unwrap().iter().flat_map(each).collect()
}

#[test]
fn t_intervals_equal_those_of_scipy() {
    for row in rows(include_str!("../oracles/t-interval.json")) {
        let (id, out) = (row["id"].as_str().unwrap(), &row["out"]);
        let clamp = numbers(&row["in"]["clamp"]);
        let bounds = Interval { lower: clamp[0], upper: clamp[1] };
        let values = repeated(&row["in"]["values"]);
        let got = t_interval(&values, bounds);
        assert_near(Some(got.lower), &out["lower"], 1e-10, id);
        assert_near(Some(got.upper), &out["upper"], 1e-10, id);
        if let Some([lower, upper]) = out["raw"].as_array().map(Vec::as_slice) {
            let raw = t_interval(&values, Interval { lower: f64::NEG_INFINITY, upper: f64::INFINITY });
            assert_near(Some(raw.lower), lower, 1e-10, id);
            assert_near(Some(raw.upper), upper, 1e-10, id);
        }
    }
}

#[test]
fn differences_without_pairs_equal_those_of_statsmodels() {
    for row in rows(include_str!("../oracles/newcombe.json")) {
        let (id, out) = (row["id"].as_str().unwrap(), &row["out"]);
        let got = newcombe(passes(&row["in"]["candidate"]), passes(&row["in"]["baseline"]));
        assert_near(got.map(|(difference, _)| difference), &out["difference"], 1e-12, id);
        assert_eq!(got.is_some(), out["z196"].is_array(), "{id}");
        let Some((_, range)) = got else { continue };
        assert_near(Some(range.lower), &out["z196"][0], 1e-12, id);
        assert_near(Some(range.upper), &out["z196"][1], 1e-12, id);
    }
}

#[test]
fn clustered_standard_errors_equal_those_of_statsmodels() {
    for row in rows(include_str!("../oracles/cluster-se.json")) {
        let (id, out) = (row["id"].as_str().unwrap(), &row["out"]);
        let cases: Vec<Vec<f64>> = row["in"]["clusters"].as_array().unwrap().iter().flat_map(cluster).collect();
        let got = clustered(&cases);
        let plain = got.and_then(|got| {
            let groups = cases.len() as f64;
            got.standard_error.map(|error| error * ((groups - 1.0) / groups).sqrt())
        });
        for (got, want) in [
            (got.map(|got| got.mean), "mean"),
            (got.map(|got| got.case_mean), "meanOfCaseMeans"),
            (plain, "sePlain"),
            (got.and_then(|got| got.standard_error), "seCorrected"),
            (got.and_then(|got| got.case_standard_error), "seCaseMeans"),
            (got.and_then(|got| got.within), "varWithin"),
            (got.and_then(|got| got.between), "varBetween"),
        ] {
            assert_near(got, &out[want], 1e-12, &format!("{id} {want}"));
        }
    }
}

/// `[values, times]` is a case of these values as often.
fn cluster(case: &Value) -> Vec<Vec<f64>> {
    match case.as_array().unwrap().as_slice() {
        [Value::Array(values), times] => {
            vec![values.iter().map(number).collect(); number(times) as usize]
        }
        values => vec![values.iter().map(number).collect()],
    }
}
