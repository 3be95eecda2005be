//! Totals over every variant.

use mst_model::{SummaryMetrics, Telemetry, Usage};
use serde_json::{Map, Value};

use super::VariantInput;

/// Returns a graded run's totals over complete cases, then the first variant's metrics.
pub(super) fn graded(variants: &[VariantInput<'_>], first: Option<&Map<String, Value>>) -> SummaryMetrics {
    let sum = |of: fn(&VariantInput<'_>) -> usize| variants.iter().map(of).sum::<usize>();
    let (complete, passed) = (sum(|variant| variant.tally.complete), sum(|variant| variant.tally.passed));
    let every = sum(|variant| variant.tally.cases);
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
pub(super) fn collected(variants: &[VariantInput<'_>]) -> SummaryMetrics {
    let total: usize = variants.iter().map(|variant| variant.tally.cases).sum();
    let collected: usize = variants.iter().map(|variant| variant.tally.collected).sum();
    let mut metrics = Map::new();
    metrics.insert("total".to_owned(), total.into());
    metrics.insert("collected".to_owned(), collected.into());
    metrics.insert("failedToCollect".to_owned(), (total - collected).into());
    metrics
}

/// Returns a run's counts.
pub(super) fn telemetry(variants: &[VariantInput<'_>]) -> Telemetry {
    let mut telemetry = Telemetry::default();
    for variant in variants {
        let tally = variant.tally;
        telemetry.cases += tally.cases;
        telemetry.failed_cases += tally.complete - tally.passed;
        telemetry.tool_calls += tally.tool_calls;
        if let Some(usage) = &tally.usage {
            telemetry.total_client_usage.get_or_insert_with(Usage::default).add(usage);
        }
        if let Some(usage) = &tally.judge_usage {
            telemetry.total_judge_usage.get_or_insert_with(Usage::default).add(usage);
        }
        if let Some(usage) = variant.pairwise.and_then(|pairwise| pairwise.usage.as_ref()) {
            telemetry.total_judge_usage.get_or_insert_with(Usage::default).add(usage);
            telemetry.pairwise_judge_usage.get_or_insert_with(Usage::default).add(usage);
        }
    }
    telemetry
}
