//! Statistics against values made by other programs. Each file of `fixtures` names its source and tolerance.

use mst_measure::agreement::krippendorff_alpha;
use mst_measure::pairwise_summary;
use mst_measure::stats::{mean, quantile, wilson, wilson_of_share};
use mst_model::{Preference, Preferred};
use serde_json::Value;

fn fixture(text: &str) -> (Vec<Value>, f64) {
    let file: Value = serde_json::from_str(text).expect("a fixture is JSON");
    (file["rows"].as_array().expect("rows").clone(), file["tolerance"].as_f64().expect("a tolerance"))
}

#[test]
fn wilson_intervals_equal_those_of_statsmodels() {
    let (rows, tolerance) = fixture(include_str!("../fixtures/wilson.json"));
    for row in rows {
        let got = wilson(row["passed"].as_u64().unwrap(), row["counted"].as_u64().unwrap());
        let want = row["interval"].as_array().map(|ends| [ends[0].as_f64().unwrap(), ends[1].as_f64().unwrap()]);
        assert_eq!(got.is_some(), want.is_some(), "{row}");
        let (Some(got), Some([lower, upper])) = (got, want) else { continue };
        assert!((got.lower - lower).abs() <= tolerance && (got.upper - upper).abs() <= tolerance, "{row}: {got:?}");
        assert!(row["passed"] != 0 || got.lower.abs() == 0.0, "{row}: {got:?}");
        assert!(row["passed"] != row["counted"] || (got.upper - 1.0).abs() == 0.0, "{row}: {got:?}");
    }
}

#[test]
fn quantiles_equal_those_of_numpy() {
    let (rows, tolerance) = fixture(include_str!("../fixtures/quantiles.json"));
    for row in rows {
        let mut values = Vec::new();
        for value in row["values"].as_array().unwrap() {
            match value.as_array() {
                Some(pair) => {
                    values.extend(vec![pair[0].as_f64().unwrap(); usize::try_from(pair[1].as_u64().unwrap()).unwrap()]);
                }
                None => values.push(value.as_f64().unwrap()),
            }
        }
        let scale = values.iter().fold(1.0_f64, |most, value| most.max(value.abs()));
        for (q, want) in row["quantiles"].as_object().unwrap() {
            let got = quantile(&values, q.parse().unwrap());
            match want.as_f64() {
                Some(want) => assert!((got.unwrap() - want).abs() <= tolerance * scale, "{q} of {row}: {got:?}"),
                None => assert_eq!(got, None, "{q} of {row}"),
            }
        }
    }
}

#[test]
fn win_rates_equal_those_of_statsmodels() {
    let (rows, tolerance) = fixture(include_str!("../fixtures/win-rate.json"));
    let close = |got: f64, want: &Value| (got - want.as_f64().unwrap()).abs() <= tolerance;
    for row in rows {
        let count = |key: &str| row[key].as_u64().unwrap();
        let range = row["rate"].as_f64().and_then(|rate| wilson_of_share(rate, count("compared")));
        assert_eq!(range.is_some(), row["interval"].is_array(), "{row}");
        if let Some(range) = range {
            let ends = &row["interval"];
            assert!(close(range.lower, &ends[0]) && close(range.upper, &ends[1]), "{row}: {range:?}");
        }
        // A row of more cases than memory holds checks the interval alone.
        if count("compared") > 10_000 {
            continue;
        }
        let many = |key: &str, one: Preference| std::iter::repeat_n(one, usize::try_from(count(key)).unwrap());
        let of = |preference| Preference { preference: Some(preference), ..Preference::default() };
        let preferences: Vec<Preference> = many("candidateWins", of(Preferred::Candidate))
            .chain(many("baselineWins", of(Preferred::Baseline)))
            .chain(many("ties", of(Preferred::Tie)))
            .chain(many("skipped", Preference { skipped: Some(true), ..Preference::default() }))
            .chain(many("errors", Preference { error: Some("500".to_owned()), ..Preference::default() }))
            .collect();
        let found = pairwise_summary("preference", &preferences);
        let counts = [found.compared, found.skipped, found.errors].map(|counted| counted as u64);
        assert_eq!(counts, [count("compared"), count("skipped"), count("errors")], "{row}");
        assert_eq!(found.candidate_win_rate_ci, range, "{row}");
        match found.candidate_win_rate {
            Some(rate) => assert!(close(rate, &row["rate"]), "{row}: {rate}"),
            None => assert!(row["rate"].is_null(), "{row}"),
        }
    }
}

#[test]
fn alpha_equals_that_of_the_package_krippendorff() {
    let verdict = |member: char| match member {
        'P' => Some(true),
        'F' => Some(false),
        _ => None,
    };
    let (rows, tolerance) = fixture(include_str!("../fixtures/krippendorff.json"));
    for row in rows {
        let mut units: Vec<Vec<Option<bool>>> = Vec::new();
        for unit in row["units"].as_array().unwrap() {
            let text = unit.as_str().or(unit[0].as_str()).unwrap();
            let times = unit[1].as_u64().unwrap_or(1);
            units.extend((0..times).map(|_| text.chars().map(verdict).collect()));
        }
        match (krippendorff_alpha(units), row["alpha"].as_f64()) {
            (Some(got), Some(want)) => assert!((got - want).abs() <= tolerance, "{row}: {got}"),
            (got, want) => assert_eq!(got, want, "{row}"),
        }
    }
}

#[test]
fn a_mean_of_nothing_is_nothing() {
    assert_eq!(mean([]), None);
    assert_eq!(mean([1.0, 2.0]), Some(1.5));
}
