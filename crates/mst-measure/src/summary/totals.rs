//! Totals over every variant.

use mst_model::{SummaryMetrics, Telemetry, Usage};
use serde_json::{Map, Value};

use super::variant::CountedVariant;

/// Returns a graded run's totals over complete cases, then the first variant's metrics.
pub(super) fn graded(variants: &[CountedVariant<'_>], first: Option<&Map<String, Value>>) -> SummaryMetrics {
    let (complete, passed) = variants
        .iter()
        .map(CountedVariant::complete_and_passed)
        .fold((0, 0), |(complete, passed), (more, more_passed)| (complete + more, passed + more_passed));
    let every: usize = variants.iter().map(|variant| variant.cases.len()).sum();
    let mut metrics = Map::new();
    metrics.insert("total".to_owned(), complete.into());
    metrics.insert("passed".to_owned(), passed.into());
    metrics.insert("failed".to_owned(), (complete - passed).into());
    if complete > 0 {
        metrics.insert("passRate".to_owned(), (passed as f64 / complete as f64).into());
    }
    if every > complete {
        metrics.insert("incomplete".to_owned(), (every - complete).into());
    }
    for (key, value) in first.into_iter().flatten() {
        // A metric that the config reports under a total's name must not replace the total.
        metrics.entry(key.clone()).or_insert_with(|| value.clone());
    }
    metrics
}

/// Returns an ungraded run's totals: cases, those with every trial collected, and the others.
pub(super) fn collected(variants: &[CountedVariant<'_>]) -> SummaryMetrics {
    let cases = variants.iter().flat_map(|variant| variant.input.cases.iter().zip(&variant.cases));
    let total = cases.clone().count();
    let collected = cases
        .filter(|(case, counted)| counted.count.infrastructure == 0 && counted.count.trials >= case.trials as usize)
        .count();
    let mut metrics = Map::new();
    metrics.insert("total".to_owned(), total.into());
    metrics.insert("collected".to_owned(), collected.into());
    metrics.insert("failedToCollect".to_owned(), (total - collected).into());
    metrics
}

/// Returns a run's counts.
pub(super) fn telemetry(variants: &[CountedVariant<'_>]) -> Telemetry {
    let mut telemetry = Telemetry::default();
    for variant in variants {
        let (complete, passed) = variant.complete_and_passed();
        telemetry.cases += variant.cases.len();
        telemetry.failed_cases += complete - passed;
        telemetry.tool_calls += variant.rows().map(|row| row.tool_calls).sum::<usize>();
        if let Some(usage) = variant.usage() {
            telemetry.total_client_usage.get_or_insert_with(Usage::default).add(&usage);
        }
    }
    telemetry
}
