//! Exact tests, and many of them at once.

use mst_measure::stats::{
    Assessment, Limit, Method, PairedCase, PairedChange, Passes, benjamini_hochberg, fisher_fell, holm,
    regression_cases,
};
use num_rational::BigRational;
use num_traits::ToPrimitive;
use proptest::prelude::*;
use serde_json::Value;

use super::{assert_near, assert_relative, count, counts, number, numbers, paired_cases, passes, rows};

#[test]
fn a_paired_change_equals_exact_enumeration() {
    for row in rows(include_str!("../oracles/sign-flip.json")) {
        let (id, out) = (row["id"].as_str().unwrap(), &row["out"]);
        let cases = paired_cases(&row["in"]["cases"]);
        let change = PairedChange::of(&cases, 1);
        assert_eq!(
            (change.cases as u64, change.differing as u64),
            (count(&out["cases"]), count(&out["nonzero"])),
            "{id}"
        );
        assert_near(change.mean, &out["mean"], 1e-10, id);
        assert_near(Some(change.interval.lower), &out["lower"], 1e-10, id);
        assert_near(Some(change.interval.upper), &out["upper"], 1e-10, id);
        assert_relative(change.p_better, number(&out["pBetter"]), 1e-9, id);
        assert_relative(change.p_worse, number(&out["pWorse"]), 1e-9, id);
        assert_eq!(change.method, Method::Exact, "{id}: even with a million distinct sums");
        for (variants, want) in out["assessment"].as_object().unwrap() {
            let variants: u32 = variants.parse().unwrap();
            let got = match PairedChange::of(&cases, variants).assessment {
                Assessment::Better => "better",
                Assessment::Worse => "worse",
                Assessment::Unclear => "unclear",
            };
            assert_eq!(got, want.as_str().unwrap(), "{id} with {variants} variants");
        }
    }
}

#[test]
fn fewer_than_six_differing_cases_say_how_many_are_missing() {
    for (worse, variants, missing) in [(0, 1, 6), (5, 1, 1), (6, 1, 0), (6, 2, 0), (60, 1, 0)] {
        let cases = paired_cases(&serde_json::json!([[1, 1, 0, 1, worse], [1, 1, 1, 1, 3]]));
        let change = PairedChange::of(&cases, variants);
        assert_eq!(change.missing_differing, missing, "{worse} of {variants}");
        assert_eq!(change.assessment == Assessment::Worse, missing == 0, "{worse} of {variants}");
    }
    assert_eq!(Limit::shared(2), Limit { numerator: 1, denominator: 80 });
}

#[test]
fn cases_with_more_trials_on_one_side_are_counted() {
    let cases = paired_cases(&serde_json::json!([[1, 3, 1, 3, 4], [1, 3, 1, 2, 5], [0, 0, 1, 2, 6]]));
    let change = PairedChange::of(&cases, 1);
    assert_eq!((change.cases, change.uneven), (9, 5));
}

#[test]
fn fishers_p_equals_that_of_scipy_and_is_exact() {
    for row in rows(include_str!("../oracles/fisher.json")) {
        let (id, out) = (row["id"].as_str().unwrap(), &row["out"]);
        let case = PairedCase { baseline: passes(&row["in"]["baseline"]), candidate: passes(&row["in"]["candidate"]) };
        let p = fisher_fell(case);
        assert_relative(p.to_f64().unwrap(), number(&out["p"]), 1e-9, id);
        if let Some(exact) = out["exact"].as_str() {
            assert_eq!(p, exact.parse::<BigRational>().unwrap(), "{id}");
        }
    }
}

/// The decimals of a file as exact fractions.
fn fractions(p: &Value) -> Vec<BigRational> {
    let exact = |p: f64| {
        let text = format!("{p:.20}");
        let digits = text.trim_end_matches('0').replace('.', "");
        let places = text.trim_end_matches('0').split('.').nth(1).map_or(0, str::len) as u32;
        BigRational::new(digits.parse().unwrap(), num_bigint::BigInt::from(10).pow(places))
    };
    // Seven decimals at most: more digits are those of the double.
    numbers(p).into_iter().map(|p| exact((p * 1e7).round() / 1e7)).map(|p| rounded(&p)).collect()
}

fn rounded(p: &BigRational) -> BigRational {
    let scale = BigRational::from_integer(10_000_000.into());
    (p * &scale).round() / scale
}

fn assert_adjusted(rows: Vec<Value>, adjust: fn(&[BigRational]) -> Vec<BigRational>, doubles: fn(&[f64]) -> Vec<f64>) {
    let level = BigRational::new(1.into(), 20.into());
    for row in rows {
        let (id, out) = (row["id"].as_str().unwrap(), &row["out"]);
        let exact = adjust(&fractions(&row["in"]["p"]));
        let near = doubles(&numbers(&row["in"]["p"]));
        let want = numbers(&out["adjusted"]);
        assert_eq!((exact.len(), near.len()), (want.len(), want.len()), "{id}");
        for ((exact, near), want) in exact.iter().zip(&near).zip(&want) {
            assert!(
                (exact.to_f64().unwrap() - want).abs() <= 1e-12 && (near - want).abs() <= 1e-12,
                "{id}: {near} {want}"
            );
        }
        let rejected: Vec<usize> = (0..exact.len()).filter(|index| exact[*index] <= level).collect();
        assert_eq!(rejected, counts(&out["reject"]), "{id}");
    }
}

#[test]
fn holms_adjustment_equals_that_of_statsmodels() {
    assert_adjusted(rows(include_str!("../oracles/holm.json")), holm, holm);
}

#[test]
fn benjamini_and_hochbergs_adjustment_equals_that_of_statsmodels() {
    let rows = rows(include_str!("../oracles/benjamini-hochberg.json"));
    assert_adjusted(rows, benjamini_hochberg, benjamini_hochberg);
}

#[test]
fn a_regression_case_is_broken_at_its_limit_too() {
    for row in rows(include_str!("../oracles/broken-cases.json")) {
        let (id, out) = (row["id"].as_str().unwrap(), &row["out"]);
        let cases = regression_cases(&paired_cases(&row["in"]["cases"]));
        let (p, adjusted) = (numbers(&out["p"]), numbers(&out["adjusted"]));
        assert_eq!(cases.len(), p.len(), "{id}");
        for ((case, p), adjusted) in cases.iter().zip(p).zip(adjusted) {
            assert!((case.p - p).abs() <= 1e-9 && (case.adjusted - adjusted).abs() <= 1e-9, "{id}: {case:?}");
        }
        let broken: Vec<usize> = (0..cases.len()).filter(|index| cases[*index].broken).collect();
        assert_eq!(broken, counts(&out["broken"]), "{id}");
    }
}

proptest! {
    #[test]
    fn what_is_better_one_way_is_worse_the_other_way(
        counts in prop::collection::vec((0_u64..4, 0_u64..4, 0_u64..3), 0..40),
    ) {
        let side = |passed: u64, counted: u64| Passes { passed: passed.min(counted), counted };
        let forth: Vec<PairedCase> = counts
            .iter()
            .map(|(old, new, fewer)| PairedCase { baseline: side(*old, 3), candidate: side(*new, 3 - fewer) })
            .collect();
        let back: Vec<PairedCase> =
            forth.iter().map(|case| PairedCase { baseline: case.candidate, candidate: case.baseline }).collect();
        let (forth, back) = (PairedChange::of(&forth, 1), PairedChange::of(&back, 1));
        prop_assert!((forth.p_better - back.p_worse).abs() < 1e-12 && (forth.p_worse - back.p_better).abs() < 1e-12);
        prop_assert!(forth.p_better + forth.p_worse >= 1.0 - 1e-12);
        prop_assert_eq!(forth.assessment == Assessment::Better, back.assessment == Assessment::Worse);
        prop_assert!((forth.interval.lower + back.interval.upper).abs() < 1e-12);
    }

    #[test]
    fn an_adjusted_p_is_at_least_its_own_and_holms_at_least_the_other(p in prop::collection::vec(0.0..1.0, 0..30)) {
        for ((p, strict), mild) in p.iter().zip(holm(&p)).zip(benjamini_hochberg(&p)) {
            prop_assert!(mild >= p - 1e-15 && strict >= mild - 1e-15 && strict <= 1.0);
        }
    }
}
