//! The comparison with the previous run, made when a run has ended.

use indexmap::IndexMap;
use mst_measure::CaseRows;
use mst_measure::compare::SideCase;
use mst_measure::previous::{CaseEnd, previous_run, run_side};
use mst_measure::stats::Passes;
use mst_model::{CaseId, CaseResult, PreviousRun, RunRecord, Summary, VariantName};
use mst_store::{EvalLayout, PreviousRuns};

use crate::deps::RunDeps;

/// How the cases of a run ended, gathered while they are joined.
#[derive(Default)]
pub(crate) struct CaseEnds(IndexMap<VariantName, IndexMap<CaseId, CaseEnd>>);

impl CaseEnds {
    /// Takes a case in.
    pub(crate) fn add(&mut self, result: &CaseResult, rows: &CaseRows) {
        let counted = rows.rows.iter().filter_map(|row| row.verdict.pass());
        let passes = counted.fold(Passes::default(), |passes, pass| Passes {
            passed: passes.passed + u64::from(pass),
            counted: passes.counted + 1,
        });
        let end = CaseEnd {
            pass: result.pass.filter(|_| result.incomplete != Some(true)),
            passes,
            is_regression: result.tags.as_deref().is_some_and(SideCase::is_guard),
        };
        self.0.entry(result.variant.clone()).or_default().insert(result.id.clone(), end);
    }

    /// Compares the run with its previous one, when there is one. Says what could not be read on the way.
    pub(crate) fn since_previous(
        self,
        (record, summary): (&RunRecord, &Summary),
        (deps, eval): (&RunDeps, &EvalLayout),
        mut warn: impl FnMut(String),
    ) -> Option<PreviousRun> {
        let found = match &deps.previous {
            Some(runs) => runs.find(record),
            None => eval.find(record),
        };
        found.warnings.into_iter().for_each(&mut warn);
        Some(previous_run(&run_side(record, summary, self.0), &found.side?))
    }
}
