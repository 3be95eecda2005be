//! Each variant against the first.

use indexmap::IndexMap;
use mst_model::{Delta, VariantName, VariantSummary};
use serde_json::{Map, Value};

use super::VariantInput;

/// Compares each variant with the first one, by rates and by every numeric metric that both report, `judge_score` judge by
/// judge.
pub(super) fn deltas(variants: &[VariantInput<'_>], summaries: &[VariantSummary]) -> IndexMap<VariantName, Delta> {
    let (Some(first), Some(first_summary)) = (variants.first(), summaries.first()) else { return IndexMap::new() };
    let minus = |mine: Option<f64>, baseline: Option<f64>| Some(mine? - baseline?);
    let first = &first.tally.metrics;
    variants
        .iter()
        .zip(summaries)
        .skip(1)
        .map(|(variant, summary)| {
            let here = &variant.tally.metrics;
            let delta = Delta {
                pass_rate: here.passed_rate(),
                pass_rate_delta: minus(here.passed_rate(), first.passed_rate()),
                trial_pass_rate: here.trial_pass_rate(),
                trial_pass_rate_delta: minus(here.trial_pass_rate(), first.trial_pass_rate()),
                metric_deltas: metric_deltas(&summary.metrics, &first_summary.metrics),
                baseline: first_summary.name.clone(),
            };
            (summary.name.clone(), delta)
        })
        .collect()
}

fn metric_deltas(mine: &Map<String, Value>, baseline: &Map<String, Value>) -> Map<String, Value> {
    mine.iter().filter_map(|(key, value)| Some((key.clone(), change(value, baseline.get(key)?)?))).collect()
}

/// Returns a number's change, or that of each number that two objects share; `None` of anything else.
fn change(mine: &Value, baseline: &Value) -> Option<Value> {
    if let (Some(mine), Some(baseline)) = (mine.as_object(), baseline.as_object()) {
        let parts = metric_deltas(mine, baseline);
        return (!parts.is_empty()).then_some(parts.into());
    }
    Some((mine.as_f64()? - baseline.as_f64()?).into())
}
