//! A run's cases, read again from what it stored, and those that it planned and has no result of.

use std::collections::HashSet;
use std::path::Path;

use indexmap::IndexMap;
use mst_cli::{CliError, ExitClass};
use mst_config::Plan;
use mst_engine::RunOutcome;
use mst_model::{CaseId, VariantName};
use mst_report::{CaseEnd, CasePlace, CaseVerdict, Lack, RunEnds, StoredCase};
use mst_store::{RunLayout, RunReader, StoreError};

/// A case of a variant that a run is to collect.
pub(super) struct Planned {
    variant: VariantName,
    id: CaseId,
    dataset: String,
}

/// Returns every case of a plan, variant by variant.
pub(super) fn planned(plan: &Plan) -> Vec<Planned> {
    let of_variant = plan.variants.iter().flat_map(|variant| {
        let batches = variant.batches.iter();
        batches.flat_map(move |batch| batch.cases.iter().map(move |case| (variant, batch.dataset, case)))
    });
    let planned = of_variant.map(|(variant, dataset, case)| Planned {
        variant: variant.name.clone(),
        id: case.id.clone(),
        dataset: plan.datasets[dataset].record.name.clone(),
    });
    planned.collect()
}

/// Reads what the cases of a run came to. A case that was planned and not collected is one without a verdict, so that a run
/// which stopped early never looks like a whole one.
pub(super) fn read(
    outcome: &RunOutcome,
    planned: &[Planned],
    places: &IndexMap<CaseId, CasePlace>,
) -> Result<RunEnds, CliError> {
    let mut cases = stored(&RunLayout::new(&outcome.directory)).map_err(|error| store(&error))?;
    add_missing(&mut cases, planned);
    for case in &mut cases {
        case.place = places.get(&case.id).cloned();
    }
    Ok(RunEnds { record: outcome.record.clone(), summary: outcome.summary.clone(), cases })
}

/// Reads a run by its directory.
pub(super) fn at(directory: &Path, planned: &[Planned]) -> Result<RunEnds, CliError> {
    let read = || -> Result<RunEnds, StoreError> {
        let reader = RunReader::open(RunLayout::new(directory))?;
        let mut cases = stored(reader.layout())?;
        add_missing(&mut cases, planned);
        Ok(RunEnds { record: reader.record().view().clone(), summary: reader.summary()?.into_view(), cases })
    };
    read().map_err(|error| store(&error))
}

fn add_missing(cases: &mut Vec<CaseEnd>, planned: &[Planned]) {
    let seen: HashSet<(&VariantName, &CaseId)> = cases.iter().map(|case| (&case.variant, &case.id)).collect();
    let missing: Vec<CaseEnd> = planned
        .iter()
        .filter(|case| !seen.contains(&(&case.variant, &case.id)))
        .map(|case| CaseEnd {
            id: case.id.clone(),
            variant: case.variant.clone(),
            dataset: case.dataset.clone(),
            verdict: CaseVerdict::None { lack: Lack::Trial, why: "the run stopped before it".to_owned() },
            seconds: 0.0,
            passed: 0,
            counted: 0,
            known: None,
            place: None,
        })
        .collect();
    cases.extend(missing);
}

/// Reads `results.json`; no case of a run that stopped before it had one.
fn stored(layout: &RunLayout) -> Result<Vec<CaseEnd>, StoreError> {
    if !layout.results().is_file() {
        return Ok(Vec::new());
    }
    let mut cases = Vec::new();
    RunReader::open(layout.clone())?.each(|case: StoredCase| {
        cases.push(case.end());
        Ok::<(), StoreError>(())
    })?;
    Ok(cases)
}

fn store(error: &StoreError) -> CliError {
    CliError::new(ExitClass::Machine, format!("the run's results could not be read again: {error}"))
}
