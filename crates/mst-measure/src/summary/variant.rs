//! One variant of a summary, gathered case by case.

use indexmap::IndexMap;
use mst_model::{Evidence, ModelPrice, Usage, VariantResult, VariantSummary};

use super::{CaseRows, VariantInput};
use crate::case_count::case_count;
use crate::metric::{CountedCase, ListedMetric, VariantMetrics};

/// What a variant's cases came to so far: sums and counts, whose size does not depend on how many trials there were.
#[derive(Clone, Debug)]
pub struct VariantTally {
    listed: Vec<ListedMetric>,
    pricing: IndexMap<String, ModelPrice>,
    pub(super) metrics: VariantMetrics,
    pub(super) cases: usize,
    pub(super) complete: usize,
    pub(super) passed: usize,
    /// The cases with every trial collected.
    pub(super) collected: usize,
    pub(super) tool_calls: usize,
    pub(super) usage: Option<Usage>,
    pub(super) judge_usage: Option<Usage>,
    duration_ms: f64,
    evidence: Option<Evidence>,
    costs: Costs,
}

impl VariantTally {
    /// Starts without a case. `listed` are the metrics that the config lists, `pricing` its prices.
    pub fn new(listed: Vec<ListedMetric>, pricing: IndexMap<String, ModelPrice>) -> Self {
        Self {
            metrics: VariantMetrics::new(&listed),
            listed,
            pricing,
            cases: 0,
            complete: 0,
            passed: 0,
            collected: 0,
            tool_calls: 0,
            usage: None,
            judge_usage: None,
            duration_ms: 0.0,
            evidence: None,
            costs: Costs::default(),
        }
    }

    /// Takes a case in. Cases are added in the plan's order.
    pub fn add(&mut self, case: &CaseRows) {
        let count = case_count(case.rows.iter().map(|row| row.verdict), case.trials, case.pass_threshold);
        let counted = CountedCase { rows: &case.rows, count };
        self.cases += 1;
        self.complete += usize::from(count.complete);
        self.passed += usize::from(count.complete && count.pass);
        self.collected += usize::from(count.infrastructure == 0 && count.trials >= case.trials as usize);
        self.metrics.add(counted);
        self.evidence = counted.measured().filter_map(|row| row.evidence).chain(self.evidence).min();
        for row in &case.rows {
            self.tool_calls += row.tool_calls;
            self.duration_ms += row.duration_ms;
            if let Some(usage) = &row.usage {
                self.usage.get_or_insert_default().add(usage);
            }
            if let Some(usage) = &row.judge_usage {
                self.judge_usage.get_or_insert_default().add(usage);
                if usage.estimated_cost_usd.is_some() {
                    self.costs.price_judges(&case.judge_models, &self.pricing);
                }
            }
        }
        for usage in counted.measured().filter_map(|row| row.usage.as_ref()) {
            self.costs.add(usage, case.model.as_deref(), &self.pricing);
        }
    }

    pub(super) fn summary(&self, input: &VariantInput<'_>, graded: bool) -> VariantSummary {
        let record = input.record;
        let (metrics, unavailable_metrics) = self.metrics.values(&self.listed, graded);
        VariantSummary {
            name: record.name.clone(),
            servers: record.servers.clone().unwrap_or_default(),
            result: VariantResult {
                total: self.cases,
                passed: self.passed,
                failed: self.complete - self.passed,
                duration_ms: self.duration_ms,
                total_client_usage: self.usage.clone(),
                total_judge_usage: self.judge_usage.clone(),
            },
            metrics,
            evidence: self.evidence,
            unavailable_metrics,
            cost_source: self.costs.source().map(str::to_owned),
            pricing: self.costs.pricing.clone(),
            unpriced_models: self.costs.unpriced.clone(),
            pairwise: input.pairwise.cloned(),
            write_modes: record.write_modes.clone().unwrap_or_default(),
        }
    }
}

/// Where a variant's costs come from.
#[derive(Clone, Debug, Default)]
struct Costs {
    reported: bool,
    estimated: bool,
    pricing: IndexMap<String, ModelPrice>,
    unpriced: Vec<String>,
}

impl Costs {
    /// Takes in one trial's usage. A model counts as unpriced where the config prices others and tokens were reported.
    fn add(&mut self, usage: &Usage, model: Option<&str>, pricing: &IndexMap<String, ModelPrice>) {
        if usage.total_cost_usd.is_some() {
            self.reported = true;
            return;
        }
        let price = model.and_then(|model| pricing.get_key_value(model));
        if usage.estimated_cost_usd.is_some() {
            self.estimated = true;
            if let Some((model, price)) = price
                && !self.pricing.contains_key(model)
            {
                self.pricing.insert(model.clone(), *price);
            }
            return;
        }
        let unpriced = price.is_none() && !pricing.is_empty() && usage.total_input_tokens().is_some();
        if let Some(model) = model.filter(|model| unpriced && !self.unpriced.iter().any(|known| known == model)) {
            self.unpriced.push(model.to_owned());
        }
    }

    /// Notes the prices that judges' costs are estimated from. Where the costs come from is said of the client's alone.
    fn price_judges(&mut self, models: &[String], pricing: &IndexMap<String, ModelPrice>) {
        for (model, price) in models.iter().filter_map(|model| pricing.get_key_value(model)) {
            if !self.pricing.contains_key(model) {
                self.pricing.insert(model.clone(), *price);
            }
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
