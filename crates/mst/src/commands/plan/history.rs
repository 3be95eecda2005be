//! What is known of an eval before it is planned: how much its results vary, and what a trial cost.

use std::path::Path;

use mst_cli::{CliError, ExitClass, plural, usage};
use mst_measure::stats::{ChangeVariance, PairedCase};
use mst_model::{Phase, RunId, VariantName};
use mst_store::{EvalLayout, RunReader, StoreError, find_run, list_runs};
use serde_json::{Value, json};

use crate::commands::compare::headline_pairs;

/// How much results vary, and how that is known.
pub(super) struct Evidence {
    pub(super) variance: ChangeVariance,
    source: Source,
}

enum Source {
    Guess {
        rate: f64,
        spread: f64,
    },
    /// The trials of one run, and a guess of how much the true change differs between cases.
    OneRun {
        run: RunId,
        cases: usize,
        spread: f64,
    },
    TwoRuns {
        runs: [RunId; 2],
        cases: usize,
        same_config: bool,
    },
}

impl Evidence {
    pub(super) fn guess(rate: f64, spread: f64) -> Self {
        Self { variance: ChangeVariance::guessed(rate, spread), source: Source::Guess { rate, spread } }
    }

    /// Takes a guess of how much the true change differs between cases, which two runs show by themselves.
    pub(super) fn with_spread(mut self, typed: Option<f64>) -> Result<Self, CliError> {
        let Some(typed) = typed else { return Ok(self) };
        match &mut self.source {
            Source::OneRun { spread, .. } => *spread = typed,
            _ => {
                return Err(usage("--case-spread is a guess, and two runs show how much cases vary")
                    .with_hint("with --rate it is the rest of the guess"));
            }
        }
        self.variance.case = typed.powi(2);
        Ok(self)
    }

    /// Refuses what shows no variance: it would promise that any drop is seen.
    pub(super) fn refuse_stillness(&self) -> Result<(), CliError> {
        if self.variance.case + self.variance.trial > 0.0 {
            return Ok(());
        }
        let (where_, hint) = match &self.source {
            Source::Guess { .. } => ("this guess".to_owned(), "a rate between 0 and 1 varies, such as --rate 0.85"),
            Source::OneRun { run, .. } => (
                format!("run {run}"),
                "run the eval once more, or state a guess: --case-spread 0.1, or --rate 0.85 in place of the run",
            ),
            Source::TwoRuns { runs: [old, new], .. } => {
                (format!("runs {old} and {new}"), "name other runs with --runs, or state a guess, such as --rate 0.85")
            }
        };
        Err(usage(format!("nothing varies in {where_}, so that no drop can be told from chance")).with_hint(hint))
    }

    /// Says where the figures come from.
    pub(super) fn words(&self) -> String {
        match &self.source {
            Source::Guess { rate, spread } => format!(
                "a guess: {} of trials pass, and the true change has a standard deviation of {} over cases",
                mst_cli::percent(*rate),
                mst_cli::percent(*spread)
            ),
            Source::OneRun { run, cases, spread } => format!(
                "the trials of run {run} ({}); how much a change differs between cases is guessed, {} (--case-spread): a second \
                 run shows it",
                plural(*cases, "case"),
                mst_cli::percent(*spread)
            ),
            Source::TwoRuns { runs: [old, new], cases, same_config } => {
                let what = plural(*cases, "case");
                let rest =
                    if *same_config { "" } else { "; their configs differ, and what that changed counts as noise" };
                format!("what changed between runs {old} and {new} ({what}){rest}")
            }
        }
    }

    pub(super) fn to_json(&self) -> Value {
        match &self.source {
            Source::Guess { rate, spread } => json!({ "guess": { "rate": rate, "caseSpread": spread } }),
            Source::OneRun { run, cases, spread } => {
                json!({ "runs": [run], "cases": cases, "guess": { "caseSpread": spread } })
            }
            Source::TwoRuns { runs, cases, same_config } => {
                json!({ "runs": runs, "cases": cases, "sameConfig": same_config })
            }
        }
    }
}

/// Finds what an eval's runs show: the two that are named, else the newest whole run and the newest before it of the same
/// config, else that run alone. `None` without any.
pub(super) fn find(eval: &Path, variant: &VariantName, named: &[String]) -> Result<Option<Evidence>, CliError> {
    let layout = EvalLayout::new(eval);
    if let [old, new] = named {
        let open = |name: &String| {
            let found = find_run(&layout, name).map_err(|error| store(&error))?;
            RunReader::open(found).map_err(|error| store(&error))
        };
        return two(&open(old)?, &open(new)?, variant).map(Some);
    }
    let runs = whole_runs(&layout, variant)?;
    let Some(newest) = runs.first() else { return Ok(None) };
    let collecting = newest.id().collecting();
    let hash = &newest.record().view().content_hash;
    let earlier = || runs[1..].iter().filter(|run| run.id().collecting() != collecting);
    let alike = earlier().find(|run| run.record().view().content_hash == *hash);
    match alike.or_else(|| earlier().next()) {
        Some(before) => two(before, newest, variant).map(Some),
        None => one(newest, variant).map(Some),
    }
}

fn two(old: &RunReader, new: &RunReader, variant: &VariantName) -> Result<Evidence, CliError> {
    let pairs = headline_pairs(old.layout().root(), new.layout().root(), variant)?;
    let variance = ChangeVariance::of(&pairs).ok_or_else(|| {
        usage(format!("runs {} and {} have fewer than two cases of {variant} in common", old.id(), new.id()))
    })?;
    let same_config = old.record().view().content_hash == new.record().view().content_hash;
    let runs = [old.id().clone(), new.id().clone()];
    Ok(Evidence { variance, source: Source::TwoRuns { runs, cases: pairs.len(), same_config } })
}

fn one(run: &RunReader, variant: &VariantName) -> Result<Evidence, CliError> {
    let root = run.layout().root();
    let pairs: Vec<PairedCase> = headline_pairs(root, root, variant)?;
    let variance = ChangeVariance::of(&pairs)
        .ok_or_else(|| usage(format!("run {} has fewer than two complete cases of {variant}", run.id())))?;
    let variance = ChangeVariance { case: 0.0, ..variance };
    Ok(Evidence { variance, source: Source::OneRun { run: run.id().clone(), cases: pairs.len(), spread: 0.0 } })
}

/// Returns what a trial of the newest whole run cost with its judges; `None` where a part of it is unknown.
pub(super) fn cost_per_trial(eval: &Path, variant: &VariantName) -> Result<Option<f64>, CliError> {
    let runs = whole_runs(&EvalLayout::new(eval), variant)?;
    let Some(run) = runs.first() else { return Ok(None) };
    let mut trials = 0;
    run.each_outcome(|case| trials += if case.variant == *variant { case.trials().len() } else { 0 })
        .map_err(|error| store(&error))?;
    let summary = run.summary().map_err(|error| store(&error))?;
    let result = summary.view().variants.iter().find(|known| known.name == *variant).map(|known| &known.result);
    let cost = result.and_then(|result| {
        let client = result.total_client_usage.as_ref()?.cost_usd()?;
        let judges = match &result.total_judge_usage {
            Some(usage) => usage.cost_usd()?,
            None => 0.0,
        };
        Some(client + judges)
    });
    Ok(cost
        .filter(|cost| trials > 0 && *cost > 0.0)
        .map(|cost| cost / f64::from(u32::try_from(trials).unwrap_or(u32::MAX))))
}

/// Returns an eval's whole, graded runs that have a variant, newest first. One that cannot be read shows nothing.
fn whole_runs(eval: &EvalLayout, variant: &VariantName) -> Result<Vec<RunReader>, CliError> {
    let ids = list_runs(eval).map_err(|error| store(&error))?;
    let opened = ids.iter().rev().filter_map(|id| RunReader::open(eval.run(id)).ok());
    let is_whole = |run: &RunReader| {
        let record = run.record().view();
        record.phases.collect == Phase::Complete
            && record.phases.grade == Phase::Complete
            && !record.partial
            && record.variants.iter().any(|known| known.name == *variant)
            && run.layout().results().is_file()
    };
    Ok(opened.filter(is_whole).collect())
}

fn store(error: &StoreError) -> CliError {
    let class = if error.is_machine_fault() { ExitClass::Machine } else { ExitClass::Usage };
    CliError::new(class, error.to_string())
}
