//! `summary.json`: variants, totals and deltas.

mod delta;
mod totals;
mod variant;

use indexmap::IndexMap;
use mst_model::{Pairwise, RUN_FORMAT, RunRecord, Summary, Telemetry, VariantName, VariantRecord, content_hash};

use crate::row::TrialRow;
pub use variant::VariantTally;

/// Everything a summary is made of.
#[derive(Clone, Copy, Debug)]
pub struct SummaryInput<'a> {
    /// The run.
    pub run: &'a RunRecord,
    /// How long the run took, in milliseconds.
    pub duration_ms: f64,
    /// Whether the run was graded.
    pub graded: bool,
    /// The variants that finished, baseline first.
    pub variants: &'a [VariantInput<'a>],
}

/// One variant.
#[derive(Clone, Copy, Debug)]
pub struct VariantInput<'a> {
    /// The variant as the run records it.
    pub record: &'a VariantRecord,
    /// What its cases came to.
    pub tally: &'a VariantTally,
    /// Its comparison with the baseline by pairwise judges.
    pub pairwise: Option<&'a Pairwise>,
}

/// One case's rows.
#[derive(Clone, Debug, PartialEq)]
pub struct CaseRows {
    /// How many trials it asks for.
    pub trials: u32,
    /// The share of trials that must pass, 0 to 1.
    pub pass_threshold: f64,
    /// The model that prices the case: its own, else the variant's.
    pub model: Option<String>,
    /// The models that its judges ask.
    pub judge_models: Vec<String>,
    /// Its trials, in order.
    pub rows: Vec<TrialRow>,
}

/// Makes the summary of a run.
///
/// Rates are over complete cases; measurements are over every trial that is no infrastructure failure. Totals are over
/// every variant, and the first variant's metrics stand beside them.
pub fn summarise(input: &SummaryInput<'_>) -> Summary {
    let variants = input.variants;
    let summaries: Vec<_> = variants.iter().map(|variant| variant.tally.summary(variant, input.graded)).collect();
    let first_metrics = summaries.first().map(|variant| &variant.metrics);
    let metrics = if input.graded { totals::graded(variants, first_metrics) } else { totals::collected(variants) };
    let variant_deltas: IndexMap<VariantName, _> =
        if input.graded { delta::deltas(variants, &summaries) } else { IndexMap::new() };
    let selection = input.run.selection.clone().filter(|_| input.run.partial);
    Summary {
        format: RUN_FORMAT.to_owned(),
        kind: "summary".to_owned(),
        run_id: input.run.run_id.clone(),
        config_id: input.run.config_id.clone(),
        content_hash: input.run.content_hash.clone(),
        timestamp: input.run.created_at,
        duration_ms: input.duration_ms,
        config_name: input.run.eval_name.clone(),
        telemetry: Some(Telemetry { throttling: input.run.throttling.clone(), ..totals::telemetry(variants) }),
        variants: summaries,
        metrics,
        variant_deltas,
        previous_run: None,
        partial: input.run.partial.then_some(true),
        replayed: input.run.replayed.is_some().then_some(true),
        selection_hash: selection.as_ref().map(content_hash),
        selection,
        graded: (!input.graded).then_some(false),
    }
}
