//! One variant of a summary.

use indexmap::IndexMap;
use mst_model::{ModelPrice, Usage, VariantResult, VariantSummary};

use super::VariantInput;
use crate::case_count::case_count;
use crate::metric::{CountedCase, variant_metrics};
use crate::results::sum;
use crate::row::TrialRow;

/// A variant with its cases counted.
#[derive(Debug)]
pub(super) struct CountedVariant<'a> {
    pub(super) input: &'a VariantInput<'a>,
    pub(super) cases: Vec<CountedCase<'a>>,
}

impl<'a> CountedVariant<'a> {
    pub(super) fn new(input: &'a VariantInput<'a>) -> Self {
        let cases = input.cases.iter().map(|case| CountedCase {
            rows: &case.rows,
            count: case_count(case.rows.iter().map(|row| row.verdict), case.trials, case.pass_threshold),
        });
        Self { input, cases: cases.collect() }
    }

    /// Returns how many cases are complete, and how many of them passed.
    pub(super) fn complete_and_passed(&self) -> (usize, usize) {
        let complete = self.cases.iter().filter(|case| case.count.complete);
        (complete.clone().count(), complete.filter(|case| case.count.pass).count())
    }

    /// Returns every trial, infrastructure failures too.
    pub(super) fn rows(&self) -> impl Iterator<Item = &'a TrialRow> {
        self.cases.iter().flat_map(|case| case.rows)
    }

    /// Returns the usage of every trial together.
    pub(super) fn usage(&self) -> Option<Usage> {
        sum(self.rows().filter_map(|row| row.usage.as_ref()))
    }

    pub(super) fn summary(&self, pricing: &IndexMap<String, ModelPrice>, graded: bool) -> VariantSummary {
        let record = self.input.record;
        let (metrics, unavailable_metrics) = variant_metrics(&self.cases, self.input.listed, graded);
        let (complete, passed) = self.complete_and_passed();
        let costs = Costs::of(self, pricing);
        VariantSummary {
            name: record.name.clone(),
            servers: record.servers.clone().unwrap_or_default(),
            result: VariantResult {
                total: self.cases.len(),
                passed,
                failed: complete - passed,
                duration_ms: self.rows().map(|row| row.duration_ms).sum(),
                total_client_usage: self.usage(),
            },
            metrics,
            evidence: self.cases.iter().flat_map(CountedCase::measured).filter_map(|row| row.evidence).min(),
            unavailable_metrics,
            cost_source: costs.source().map(str::to_owned),
            pricing: costs.pricing,
            unpriced_models: costs.unpriced,
            write_modes: record.write_modes.clone().unwrap_or_default(),
        }
    }
}

/// Where a variant's costs come from.
#[derive(Debug, Default)]
struct Costs {
    reported: bool,
    estimated: bool,
    pricing: IndexMap<String, ModelPrice>,
    unpriced: Vec<String>,
}

impl Costs {
    fn of(variant: &CountedVariant<'_>, pricing: &IndexMap<String, ModelPrice>) -> Self {
        let mut costs = Self::default();
        for (case, counted) in variant.input.cases.iter().zip(&variant.cases) {
            for usage in counted.measured().filter_map(|row| row.usage.as_ref()) {
                costs.add(usage, case.model.as_deref(), pricing);
            }
        }
        costs
    }

    /// Takes in one trial's usage. A model counts as unpriced where the config prices others and tokens were reported.
    fn add(&mut self, usage: &Usage, model: Option<&str>, pricing: &IndexMap<String, ModelPrice>) {
        if usage.total_cost_usd.is_some() {
            self.reported = true;
            return;
        }
        let price = model.and_then(|model| pricing.get_key_value(model));
        if usage.estimated_cost_usd.is_some() {
            self.estimated = true;
            if let Some((model, price)) = price {
                self.pricing.insert(model.clone(), *price);
            }
            return;
        }
        let unpriced = price.is_none() && !pricing.is_empty() && usage.total_input_tokens().is_some();
        if let Some(model) = model.filter(|model| unpriced && !self.unpriced.iter().any(|known| known == model)) {
            self.unpriced.push(model.to_owned());
        }
    }

    fn source(&self) -> Option<&'static str> {
        match (self.reported, self.estimated) {
            (true, true) => Some("mixed"),
            (true, false) => Some("client"),
            (false, true) => Some("pricing"),
            (false, false) => None,
        }
    }
}
