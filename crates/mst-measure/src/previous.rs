//! A run against the previous one: which run that is, and what changed since.

use indexmap::IndexMap;
use mst_model::{
    CaseId, Change, ChangeAssessment, Phase, PreviousRun, PreviousVariant, RunRecord, Summary, VariantName,
};
use serde_json::Value;

use crate::stats::{Assessment, PairedCase, PairedChange, Passes};

/// A run's numbers as one side of the comparison.
#[derive(Clone, Debug)]
pub struct RunSide {
    /// `run.json`.
    pub record: RunRecord,
    /// Its share of complete cases that passed, over every variant.
    pub pass_rate: Option<f64>,
    /// Its variants.
    pub variants: IndexMap<VariantName, VariantSide>,
}

/// A variant's numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VariantSide {
    /// The share of complete cases that passed.
    pub passed_rate: Option<f64>,
    /// The mean over complete cases of the share of their trials that passed.
    pub trial_pass_rate: Option<f64>,
    /// Its cases, in the run's order.
    pub cases: IndexMap<CaseId, CaseEnd>,
}

/// How a case ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CaseEnd {
    /// Whether it passed; `None` when it is incomplete.
    pub pass: Option<bool>,
    /// How its counted trials ended.
    pub passes: Passes,
    /// Whether it is tagged `regression`.
    pub is_regression: bool,
}

/// Puts a run's numbers together from its summary and how its cases ended.
pub fn run_side(
    record: &RunRecord,
    summary: &Summary,
    mut cases: IndexMap<VariantName, IndexMap<CaseId, CaseEnd>>,
) -> RunSide {
    let variants = summary.variants.iter().map(|variant| {
        let metric = |key: &str| variant.metrics.get(key).and_then(Value::as_f64);
        let side = VariantSide {
            passed_rate: metric("passed_rate"),
            trial_pass_rate: metric("trial_pass_rate"),
            cases: cases.shift_remove(&variant.name).unwrap_or_default(),
        };
        (variant.name.clone(), side)
    });
    RunSide {
        variants: variants.collect(),
        pass_rate: summary.metrics.get("passRate").and_then(Value::as_f64),
        record: record.clone(),
    }
}

/// Returns whether a run may be the previous run of another that collected later: the same eval config by its id, the same
/// variants, narrowed alike, collected and graded to its end, of the same kind of model and answers.
///
/// A run that a stopping rule ended is never one; `stopped_early` says so.
pub fn is_previous(now: &RunRecord, before: &RunRecord, stopped_early: bool) -> bool {
    let setups = |record: &RunRecord| -> Vec<(VariantName, bool)> {
        let mut all: Vec<_> = record.variants.iter().map(|variant| (variant.name.clone(), variant.offline)).collect();
        all.sort();
        all
    };
    !stopped_early
        && before.run_id.collecting() != now.run_id.collecting()
        && before.config_id == now.config_id
        && setups(before) == setups(now)
        && (before.partial, &before.selection) == (now.partial, &now.selection)
        && before.phases.collect == Phase::Complete
        && before.phases.grade == Phase::Complete
        && before.replayed.is_some() == now.replayed.is_some()
}

/// Compares a run with its previous one.
pub fn previous_run(now: &RunSide, before: &RunSide) -> PreviousRun {
    let (old, new) = (&before.record, &now.record);
    let variants = now
        .variants
        .iter()
        .filter_map(|(name, variant)| Some((name.clone(), compared(variant, before.variants.get(name)?))));
    PreviousRun {
        run_id: old.run_id.clone(),
        timestamp: old.created_at,
        same_config: old.content_hash == new.content_hash,
        pass_rate: before.pass_rate,
        pass_rate_delta: minus(now.pass_rate, before.pass_rate),
        variants: variants.collect(),
        notes: notes(old, new),
    }
}

/// Tests a change of paired cases; `None` when none counts on both sides.
pub fn change(cases: &[PairedCase]) -> Option<Change> {
    let tested = PairedChange::of(cases, 1);
    Some(Change {
        mean: tested.mean?,
        lower: tested.interval.lower,
        upper: tested.interval.upper,
        cases: tested.cases,
        p_better: tested.p_better,
        p_worse: tested.p_worse,
        assessment: match tested.assessment {
            Assessment::Better => ChangeAssessment::Better,
            Assessment::Worse => ChangeAssessment::Worse,
            Assessment::Unclear => ChangeAssessment::Unclear,
        },
    })
}

fn minus(now: Option<f64>, before: Option<f64>) -> Option<f64> {
    Some(now? - before?)
}

fn compared(now: &VariantSide, before: &VariantSide) -> PreviousVariant {
    let guards_only = now.cases.values().all(|case| case.is_regression);
    let both = || now.cases.iter().filter_map(|(id, case)| Some((id, before.cases.get(id)?, case)));
    let whole = || both().filter(|(_, old, new)| old.pass.is_some() && new.pass.is_some());
    let headline: Vec<PairedCase> = whole()
        .filter(|(_, _, new)| guards_only || !new.is_regression)
        .map(|(_, old, new)| PairedCase { baseline: old.passes, candidate: new.passes })
        .collect();
    let flipped = |passed: bool| -> Vec<CaseId> {
        let flips = whole().filter(|(_, old, new)| old.pass == Some(passed) && new.pass == Some(!passed));
        flips.map(|(id, ..)| id.clone()).collect()
    };
    let alone = |side: &VariantSide, other: &VariantSide| -> Vec<CaseId> {
        side.cases.keys().filter(|id| !other.cases.contains_key(*id)).cloned().collect()
    };
    PreviousVariant {
        pass_rate_delta: minus(now.passed_rate, before.passed_rate),
        trial_pass_rate_delta: minus(now.trial_pass_rate, before.trial_pass_rate),
        change: change(&headline),
        regressed: flipped(true),
        improved: flipped(false),
        added: alone(now, before),
        removed: alone(before, now),
    }
}

/// Says what else differs between the runs.
fn notes(before: &RunRecord, now: &RunRecord) -> Vec<String> {
    let mut notes = Vec::new();
    let is_older = |record: &RunRecord| record.mst.version.starts_with("2.");
    if is_older(before) != is_older(now) {
        notes.push(format!(
            "mst {} hashes eval configs otherwise, so that nobody can tell whether the config changed",
            if is_older(before) { &before.mst.version } else { &now.mst.version }
        ));
    }
    let datasets = |record: &RunRecord| -> Vec<(String, String)> {
        let mut all: Vec<_> =
            record.datasets.iter().map(|dataset| (dataset.name.clone(), dataset.content_hash.clone())).collect();
        all.sort();
        all
    };
    if datasets(before) != datasets(now) {
        notes.push("the datasets changed between the runs".to_owned());
    }
    let judges = |record: &RunRecord| -> Vec<(String, String)> {
        let mut all: Vec<_> = record.judges.iter().map(|judge| (judge.level.clone(), judge.identity.clone())).collect();
        all.sort();
        all
    };
    if judges(before) != judges(now) {
        notes.push("the judges changed between the runs: the rates are of two measures".to_owned());
    }
    notes
}
