//! Each variant against the first.

use indexmap::IndexMap;
use mst_model::{Delta, VariantName, VariantSummary};
use serde_json::{Map, Value};

use super::variant::CountedVariant;
use crate::metric::{passed_rate, trial_pass_rate};

/// Compares each variant with the first one, by rates and by every numeric metric that both report.
pub(super) fn deltas(variants: &[CountedVariant<'_>], summaries: &[VariantSummary]) -> IndexMap<VariantName, Delta> {
    let (Some(first), Some(first_summary)) = (variants.first(), summaries.first()) else { return IndexMap::new() };
    let minus = |mine: Option<f64>, baseline: Option<f64>| Some(mine? - baseline?);
    variants
        .iter()
        .zip(summaries)
        .skip(1)
        .map(|(variant, summary)| {
            let pass_rate = passed_rate(&variant.cases);
            let trial_pass_rate_here = trial_pass_rate(&variant.cases);
            let delta = Delta {
                pass_rate,
                pass_rate_delta: minus(pass_rate, passed_rate(&first.cases)),
                trial_pass_rate: trial_pass_rate_here,
                trial_pass_rate_delta: minus(trial_pass_rate_here, trial_pass_rate(&first.cases)),
                metric_deltas: metric_deltas(&summary.metrics, &first_summary.metrics),
                baseline: first_summary.name.clone(),
            };
            (summary.name.clone(), delta)
        })
        .collect()
}

fn metric_deltas(mine: &Map<String, Value>, baseline: &Map<String, Value>) -> Map<String, Value> {
    mine.iter()
        .filter_map(|(key, value)| {
            let change = value.as_f64()? - baseline.get(key)?.as_f64()?;
            Some((key.clone(), change.into()))
        })
        .collect()
}
