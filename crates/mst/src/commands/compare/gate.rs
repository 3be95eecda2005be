//! A run's variants against its baseline variant, as a gate asks: is one worse?

use std::path::Path;

use indexmap::IndexMap;
use mst_cli::CliError;
use mst_measure::compare::CaseComparison;
use mst_measure::stats::{Assessment, MARGIN, Simulation};
use mst_model::{ChangeAssessment, VariantName};

use super::differences;
use super::pairing::Pair;
use super::stored::Named;

/// Returns what the tested change of each candidate variant of a run says; `None` where nothing may be compared.
///
/// # Errors
/// The run's results cannot be read.
pub(crate) fn against_baseline(run: &Path) -> Result<Vec<(VariantName, Option<ChangeAssessment>)>, CliError> {
    let run = Named::at(run)?.read(&mut IndexMap::new())?;
    let variants = run.record().variants.clone();
    let baseline = run.record().baseline.clone().or_else(|| Some(variants.first()?.name.clone()));
    let Some(baseline) = baseline else { return Ok(Vec::new()) };
    let candidates = variants.into_iter().map(|variant| variant.name).filter(|name| *name != baseline);
    let assessed = candidates.map(|candidate| {
        let pair = Pair { baseline: baseline.clone(), candidate };
        // Nothing is said of what such a run could have seen, so that nothing is simulated.
        let none = Simulation { draws: 1, ..Simulation::seeded(super::SEED) };
        let compared = CaseComparison::of(run.side(&pair.baseline), run.side(&pair.candidate), MARGIN, none);
        let comparable = compared.filter(|cases| {
            cases.rejudged.is_empty()
                && cases.headline.change.cases > 0
                && !differences::has_other_judges(&run, &run, &pair)
                && differences::refuse_offline(&run, &run, &pair).is_ok()
        });
        (pair.candidate, comparable.map(|cases| word(cases.whole.assessment)))
    });
    Ok(assessed.collect())
}

/// Returns an assessment as runs store it.
fn word(assessment: Assessment) -> ChangeAssessment {
    match assessment {
        Assessment::Better => ChangeAssessment::Better,
        Assessment::Worse => ChangeAssessment::Worse,
        Assessment::Unclear => ChangeAssessment::Unclear,
    }
}
