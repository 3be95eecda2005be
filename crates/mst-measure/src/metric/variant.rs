//! A variant's metrics from its cases' rows.

use mst_model::Evidence;
use serde_json::{Map, Value};

use super::{ListedMetric, Measure};
use crate::case_count::CaseCount;
use crate::row::TrialRow;
use crate::stats::mean;
use crate::verdict::TrialVerdict;

/// What is always computed.
const CORE: [&str; 10] = [
    "passed",
    "trial_pass",
    "tool_count",
    "mcp_call_count",
    "builtin_event_count",
    "tool_search_hit",
    "input_tokens",
    "output_tokens",
    "cost_usd",
    "duration_s",
];

/// One case's rows and what they come to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CountedCase<'a> {
    /// Its trials.
    pub(crate) rows: &'a [TrialRow],
    /// Its count.
    pub(crate) count: CaseCount,
}

impl CountedCase<'_> {
    /// Returns the trials that count for measurements: all but infrastructure failures.
    pub(crate) fn measured(&self) -> impl Iterator<Item = &TrialRow> {
        self.rows.iter().filter(|row| row.verdict != TrialVerdict::Infrastructure)
    }
}

/// Returns a variant's metrics (core ones first, then the listed ones) and the listed ones without a value.
///
/// `passed` and `trial_pass` count complete cases; measurements count the trials of incomplete cases too.
pub(crate) fn variant_metrics(
    cases: &[CountedCase<'_>],
    listed: &[ListedMetric],
    graded: bool,
) -> (Map<String, Value>, Vec<String>) {
    let mut metrics = Map::new();
    for name in CORE {
        if let Some((key, value)) = metric(name, name, cases, graded) {
            metrics.insert(key, value);
        }
    }
    let mut unavailable = Vec::new();
    for ListedMetric { metric: wanted, name } in listed {
        match metric(wanted, name, cases, graded) {
            Some((key, value)) => {
                metrics.insert(key, value);
            }
            None => unavailable.push(name.clone()),
        }
    }
    (metrics, unavailable)
}

/// Returns the key and value of one metric under a name; `None` when no case has a value.
fn metric(metric: &str, name: &str, cases: &[CountedCase<'_>], graded: bool) -> Option<(String, Value)> {
    let rate = |value: f64| (format!("{name}_rate"), Value::from(value));
    match metric {
        "passed" => graded.then(|| passed_rate(cases)).flatten().map(rate),
        "trial_pass" => graded.then(|| trial_pass_rate(cases)).flatten().map(rate),
        "first_tool" => first_tools(cases).map(|tools| (name.to_owned(), tools)),
        "write_case_passed" => graded.then(|| write_case_passed(cases)).flatten().map(rate),
        "write_evidence" => {
            let weakest = cases.iter().flat_map(CountedCase::measured).filter_map(|row| row.write_evidence).min()?;
            Some((name.to_owned(), weakest.as_str().into()))
        }
        other => {
            let measure = Measure::ALL.into_iter().find(|measure| measure.name() == other)?;
            let value = measured_mean(cases, measure)?;
            let suffix = if measure.is_share() { "rate" } else { "mean" };
            Some((format!("{name}_{suffix}"), value.into()))
        }
    }
}

/// Returns the share of complete cases that passed.
pub(crate) fn passed_rate(cases: &[CountedCase<'_>]) -> Option<f64> {
    mean(cases.iter().filter(|case| case.count.complete).map(|case| f64::from(u8::from(case.count.pass))))
}

/// Returns the mean over complete cases of the share of their trials that passed.
pub(crate) fn trial_pass_rate(cases: &[CountedCase<'_>]) -> Option<f64> {
    mean(cases.iter().filter(|case| case.count.complete).filter_map(|case| case.count.share()))
}

/// Returns the mean over cases of each case's mean over its trials, of those that have a value.
fn measured_mean(cases: &[CountedCase<'_>], measure: Measure) -> Option<f64> {
    mean(cases.iter().filter_map(|case| mean(case.measured().filter_map(|row| row.measures.get(measure)))))
}

/// Returns the first tool of each case's first trial, of the cases that have one.
fn first_tools(cases: &[CountedCase<'_>]) -> Option<Value> {
    let tools: Vec<Value> = cases
        .iter()
        .filter_map(|case| case.measured().next())
        .filter(|row| row.evidence != Some(Evidence::None))
        .filter_map(|row| row.first_tool.as_deref().map(Value::from))
        .collect();
    (!tools.is_empty()).then_some(Value::Array(tools))
}

/// Returns the share of complete cases with a graded write that passed.
fn write_case_passed(cases: &[CountedCase<'_>]) -> Option<f64> {
    let writes = cases.iter().filter(|case| case.count.complete && case.measured().any(|row| row.graded_writes));
    mean(writes.map(|case| f64::from(u8::from(case.count.pass))))
}
