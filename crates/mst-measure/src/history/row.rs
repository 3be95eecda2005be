//! One run's row, gathered a case at a time.

use std::collections::{BTreeMap, BTreeSet};

use indexmap::IndexMap;
use mst_model::{
    CaseId, HeadlineMeasure, HistoryRow, HistoryVariant, JudgeMeasure, JudgedCases, Pairwise, PairwiseMeasure, Phase,
    RowSource, RunRecord, RunStatus, Summary, VariantMeasures, VariantName, VariantRecord, VariantSummary,
    content_hash,
};
use serde_json::{Map, Value};

use super::facts::{CaseFacts, TrialFacts};
use super::setup::{setup, setup_hash};
use crate::stats::{Passes, RangeMethod, RunningMean, headline_rate, quantile};

/// The version of what rows are built to: it grows when a newer MST builds them differently.
pub const ROW_VERSION: u32 = 1;

/// Builds a run's row. What is kept does not grow with transcripts: a number a trial, and a few names a case.
#[derive(Clone, Debug)]
pub struct RowBuilder<'a> {
    record: &'a RunRecord,
    summary: Option<&'a Summary>,
    case_ids: BTreeSet<CaseId>,
    variants: IndexMap<VariantName, Gathered>,
}

/// What a variant's cases came to so far.
#[derive(Clone, Debug, Default)]
struct Gathered {
    cases: IndexMap<CaseId, (u64, u64)>,
    failed: Vec<CaseId>,
    regression: Vec<CaseId>,
    seen: usize,
    capability_cases: usize,
    incomplete: usize,
    wanted: BTreeSet<u32>,
    apps: BTreeSet<String>,
    seconds: Vec<f64>,
    cache_reads: RunningMean,
    cache_writes: RunningMean,
    trials: usize,
    infrastructure: usize,
    errored: usize,
    judges: IndexMap<String, JudgeTally>,
    judged: BTreeMap<(String, String), BTreeSet<CaseId>>,
}

#[derive(Clone, Debug, Default)]
struct JudgeTally {
    passes: RunningMean,
    scores: RunningMean,
    verdicts: usize,
}

impl<'a> RowBuilder<'a> {
    /// Starts with what a run says of itself. A run that was stopped before its first variant ended has no summary.
    pub fn new(record: &'a RunRecord, summary: Option<&'a Summary>) -> Self {
        Self { record, summary, case_ids: BTreeSet::new(), variants: IndexMap::new() }
    }

    /// Takes a case in.
    pub fn add(&mut self, case: &CaseFacts) {
        self.case_ids.insert(case.id.clone());
        self.variants.entry(case.variant.clone()).or_default().add(case);
    }

    /// Makes the row. What it says of other runs is left open.
    pub fn finish(mut self, source: RowSource) -> HistoryRow {
        let record = self.record;
        let variants: IndexMap<VariantName, HistoryVariant> = record
            .variants
            .iter()
            .map(|variant| {
                let gathered = self.variants.shift_remove(&variant.name).unwrap_or_default();
                let summary = self.summary.iter().flat_map(|summary| &summary.variants);
                let summary = summary.into_iter().find(|summary| summary.name == variant.name);
                (variant.name.clone(), gathered.variant(record, variant, summary))
            })
            .collect();
        let case_ids: Vec<CaseId> = self.case_ids.into_iter().collect();
        HistoryRow {
            run_id: record.run_id.clone(),
            collected_at: record.created_at,
            status: run_status(record, variants.values().map(|variant| variant.incomplete).sum()),
            phases: record.phases,
            partial: record.partial,
            selection: record.selection.clone(),
            config_id: record.config_id.clone(),
            content_hash: record.content_hash.clone(),
            mst: record.mst.clone(),
            datasets: record.datasets.clone(),
            case_ids_hash: content_hash(&case_ids),
            case_ids,
            judges: record.judges.clone(),
            plugins: record.plugins.clone(),
            simulate_writes: record.simulate_writes,
            replayed: record.replayed.is_some().then_some(true),
            variants,
            changes: Vec::new(),
            era: None,
            regressed: false,
            superseded_by: None,
            source,
        }
    }
}

/// Returns how far a run came; `incomplete` says how many of its cases are incomplete.
pub fn run_status(record: &RunRecord, incomplete: usize) -> RunStatus {
    match (record.phases.collect, record.phases.grade) {
        (Phase::Failed, _) | (_, Phase::Failed) => RunStatus::Failed,
        (_, Phase::Skipped) => RunStatus::Ungraded,
        (Phase::Complete, Phase::Complete) if incomplete == 0 => RunStatus::Complete,
        _ => RunStatus::Incomplete,
    }
}

impl Gathered {
    fn add(&mut self, case: &CaseFacts) {
        let passes = case.passes();
        self.seen += 1;
        self.wanted.extend(case.wanted);
        self.capability_cases += usize::from(!case.is_regression);
        self.incomplete += usize::from(case.is_incomplete);
        if let Some(pass) = case.pass.filter(|_| !case.is_incomplete) {
            self.cases.insert(case.id.clone(), (passes.passed, passes.counted));
            self.failed.extend((!pass).then(|| case.id.clone()));
            self.regression.extend(case.is_regression.then(|| case.id.clone()));
        }
        let (mut reads, mut writes) = (RunningMean::default(), RunningMean::default());
        for trial in &case.trials {
            self.trials += 1;
            self.apps.extend(trial.apps.iter().cloned());
            if trial.is_infrastructure {
                self.infrastructure += 1;
                continue;
            }
            self.errored += usize::from(trial.client_errored);
            self.seconds.extend(trial.duration_ms.map(|ms| ms / 1000.0));
            let usage = trial.usage.as_ref();
            add_tokens(&mut reads, usage.and_then(|usage| usage.cache_read_input_tokens));
            add_tokens(&mut writes, usage.and_then(|usage| usage.cache_creation_input_tokens));
            for judged in &trial.judges {
                if let Some(identity) = &judged.identity {
                    let key = (judged.judge.clone(), identity.clone());
                    self.judged.entry(key).or_default().insert(case.id.clone());
                }
            }
        }
        add(&mut self.cache_reads, reads.value());
        add(&mut self.cache_writes, writes.value());
        if let Some(last) = case.trials.iter().rev().find(|trial| !trial.is_infrastructure) {
            self.add_verdicts(last);
        }
    }

    /// Counts what judges said of a case: of its last trial, as the metrics do.
    fn add_verdicts(&mut self, trial: &TrialFacts) {
        for judged in &trial.judges {
            let Some(pass) = judged.pass else { continue };
            let tally = self.judges.entry(judged.judge.clone()).or_default();
            tally.verdicts += 1;
            tally.passes.add(f64::from(u8::from(pass)));
            add(&mut tally.scores, judged.score);
        }
    }

    fn variant(self, record: &RunRecord, variant: &VariantRecord, summary: Option<&VariantSummary>) -> HistoryVariant {
        let graded = record.phases.grade != Phase::Skipped && record.phases.collect != Phase::Failed;
        let setup = setup(record, variant, self.wanted.iter().copied().collect());
        let measures = self.measures(summary, graded);
        HistoryVariant {
            client: variant.client.clone(),
            model: variant.model.clone(),
            servers: variant.servers.clone().unwrap_or_default(),
            apps: self.apps.into_iter().collect(),
            offline: variant.offline,
            setup_hash: setup_hash(variant, &setup),
            setup,
            measures,
            regression_only: self.capability_cases == 0 && self.seen > 0,
            cases: if graded { self.cases } else { IndexMap::new() },
            failed_cases: if graded { self.failed } else { Vec::new() },
            regression_cases: if graded { self.regression } else { Vec::new() },
            incomplete: self.incomplete,
            judged: self
                .judged
                .into_iter()
                .map(|((judge, identity), cases)| JudgedCases { judge, identity, cases: cases.into_iter().collect() })
                .collect(),
            era: None,
            since: None,
            change: None,
            regressed: Vec::new(),
            improved: Vec::new(),
        }
    }

    fn measures(&self, summary: Option<&VariantSummary>, graded: bool) -> VariantMeasures {
        let none = Map::new();
        let metrics = summary.map_or(&none, |summary| &summary.metrics);
        let metric = |key: &str| metrics.get(key).and_then(Value::as_f64);
        let pairwise = summary.and_then(|summary| summary.pairwise.as_ref());
        VariantMeasures {
            pass_rate: metric("passed_rate").filter(|_| graded),
            trial_pass_rate: metric("trial_pass_rate").filter(|_| graded),
            headline: self.headline().filter(|_| graded),
            judges: if graded { self.judge_measures() } else { IndexMap::new() },
            pairwise: pairwise.filter(|_| graded).map(pairwise_measures).unwrap_or_default(),
            cost_usd: metric("cost_usd_mean"),
            cost_source: summary.and_then(|summary| summary.cost_source.clone()),
            unpriced_models: summary.map(|summary| summary.unpriced_models.clone()).unwrap_or_default(),
            input_tokens: metric("input_tokens_mean"),
            output_tokens: metric("output_tokens_mean"),
            cache_read_tokens: self.cache_reads.value(),
            cache_creation_tokens: self.cache_writes.value(),
            duration_s: quantile(&self.seconds, 0.5),
            duration_p95_s: quantile(&self.seconds, 0.95),
            tool_calls: metric("tool_count_mean"),
            mcp_calls: metric("mcp_call_count_mean"),
            trials: self.trials,
            infrastructure_failures: self.infrastructure,
            client_errors: self.errored,
        }
    }

    fn judge_measures(&self) -> IndexMap<String, JudgeMeasure> {
        self.judges.iter().filter_map(|(judge, tally)| Some((judge.clone(), tally.measure()?))).collect()
    }

    /// Returns the rate of the headline cases: the capability cases, or the regression cases where there are no others.
    fn headline(&self) -> Option<HeadlineMeasure> {
        let guards: BTreeSet<&CaseId> = self.regression.iter().collect();
        let counts = |id: &CaseId| self.capability_cases == 0 || !guards.contains(id);
        let cases = self.cases.iter().filter(|(id, _)| counts(id));
        let cases: Vec<Passes> =
            cases.map(|(_, (passed, counted))| Passes { passed: *passed, counted: *counted }).collect();
        headline_rate(&cases).map(|headline| HeadlineMeasure {
            rate: headline.rate,
            range: headline.range.map(|(range, _)| range),
            method: headline.range.map(|(_, method)| method_word(method).to_owned()),
            cases: headline.cases,
        })
    }
}

fn add(mean: &mut RunningMean, value: Option<f64>) {
    if let Some(value) = value {
        mean.add(value);
    }
}

fn add_tokens(mean: &mut RunningMean, tokens: Option<u64>) {
    add(mean, tokens.map(|tokens| tokens as f64));
}

fn method_word(method: RangeMethod) -> &'static str {
    match method {
        RangeMethod::T => "t",
        RangeMethod::WilsonCases => "wilson-cases",
        RangeMethod::WilsonTrials => "wilson-trials",
    }
}

impl JudgeTally {
    fn measure(&self) -> Option<JudgeMeasure> {
        Some(JudgeMeasure { pass_rate: self.passes.value()?, score: self.scores.value(), verdicts: self.verdicts })
    }
}

/// Returns each pairwise judge's counts from the variant's side.
fn pairwise_measures(pairwise: &Pairwise) -> IndexMap<String, PairwiseMeasure> {
    let measures = pairwise.summary.iter().map(|summary| {
        let measure = PairwiseMeasure {
            baseline: pairwise.baseline.as_str().into(),
            wins: summary.candidate_wins,
            ties: summary.ties,
            losses: summary.baseline_wins,
            win_rate: summary.candidate_win_rate,
            win_rate_ci: summary.candidate_win_rate_ci,
        };
        (summary.judge.clone(), measure)
    });
    measures.collect()
}
