//! Statistics against the values of other programs (`oracles/`, each file with its sources and tolerance), and against what
//! their methods claim, by simulation.

mod comparing;
mod exact;
mod intervals;
mod judges;
mod planning;
mod simulations;

use mst_measure::stats::{PairedCase, Passes};
use serde_json::Value;

/// The rows of an oracle.
fn rows(text: &str) -> Vec<Value> {
    let file: Value = serde_json::from_str(text).expect("an oracle is JSON");
    let rows = file["rows"].as_array().expect("rows").clone();
    assert!(!rows.is_empty());
    rows
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

fn count(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("{value} is no count"))
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("a list").iter().map(number).collect()
}

fn counts(value: &Value) -> Vec<usize> {
    value.as_array().expect("a list").iter().map(|each| count(each) as usize).collect()
}

fn passes(value: &Value) -> Passes {
    Passes { passed: count(&value[0]), counted: count(&value[1]) }
}

/// `[baseline passed, counted, candidate passed, counted, times]`, once without the last.
fn paired_cases(value: &Value) -> Vec<PairedCase> {
    let each = |case: &Value| {
        let side = |at: usize| Passes { passed: count(&case[at]), counted: count(&case[at + 1]) };
        let times = case.get(4).map_or(1, |times| count(times) as usize);
        vec![PairedCase { baseline: side(0), candidate: side(2) }; times]
    };
    value.as_array().expect("a list").iter().flat_map(each).collect()
}

/// Both are there and within a distance, or neither is.
fn assert_near(got: Option<f64>, want: &Value, absolute: f64, what: &str) {
    assert_eq!(got.is_some(), !want.is_null(), "{what}: {got:?}, not {want}");
    if let Some(got) = got {
        assert!((got - number(want)).abs() <= absolute, "{what}: {got}, not {want}");
    }
}

fn assert_relative(got: f64, want: f64, relative: f64, what: &str) {
    assert!((got - want).abs() <= relative * want.abs(), "{what}: {got}, not {want}");
}
