//! What a run is held against: `--fail-on`, and the list of known failures.

use mst_cli::{CliError, ExitClass, plural};
use mst_engine::RunOutcome;
use mst_model::{CaseId, ChangeAssessment, PreviousRun, SequentialRecord, VariantName};
use mst_report::{CaseVerdict, Gate, GateEnd, RunEnds};

use crate::args::FailOn;
use crate::commands::compare::against_baseline;

/// How many names a reason shows.
const NAMES: usize = 5;

/// Returns what each gate came to, in the order of their names.
pub(super) fn ends(
    gates: &[FailOn],
    has_list: bool,
    outcome: &RunOutcome,
    run: &RunEnds,
) -> Result<Vec<Gate>, CliError> {
    let mut ends = Vec::new();
    for gate in FailOn::ALL.into_iter().filter(|gate| gates.contains(gate)) {
        let (end, why) = match gate {
            FailOn::Worse => worse(outcome)?,
            FailOn::Regressed => regressed(run),
            FailOn::Cases => cases(run),
        };
        ends.push(Gate { name: gate.name(), end, why });
    }
    if has_list {
        let (end, why) = known(run);
        ends.push(Gate { name: "known-failures", end, why });
    }
    Ok(ends)
}

/// Returns what a gate adds to the exit code.
pub(super) fn class(gate: &Gate) -> ExitClass {
    match gate.end {
        GateEnd::Held => ExitClass::Success,
        GateEnd::Failed => ExitClass::Failed,
        GateEnd::CannotTell => ExitClass::Incomplete,
    }
}

fn cases(run: &RunEnds) -> (GateEnd, String) {
    let failed: Vec<String> = run
        .cases
        .iter()
        .filter(|case| matches!(case.verdict, CaseVerdict::Failed { .. }) && case.known.is_none())
        .map(|case| case.id.to_string())
        .collect();
    match failed.len() {
        0 => (GateEnd::Held, "no case failed that is not known to".to_owned()),
        number => (GateEnd::Failed, format!("{} failed: {}", plural(number, "case"), names(&failed))),
    }
}

fn known(run: &RunEnds) -> (GateEnd, String) {
    let passing: Vec<String> = run
        .cases
        .iter()
        .filter(|case| case.verdict == CaseVerdict::Passed && case.known.is_some())
        .map(|case| case.id.to_string())
        .collect();
    match passing.len() {
        0 => (GateEnd::Held, "no known failure passed".to_owned()),
        number => {
            let what = plural(number, "known failure");
            (GateEnd::Failed, format!("{what} passed: {}; remove what passed from the list", names(&passing)))
        }
    }
}

/// The tested change: of each variant against the baseline variant, or of a lone one against the previous run.
fn worse(outcome: &RunOutcome) -> Result<(GateEnd, String), CliError> {
    if let Some(watched) = &outcome.record.sequential {
        return Ok(decided(watched));
    }
    if outcome.summary.variants.len() > 1 {
        let compared = against_baseline(&outcome.directory)?;
        return Ok(told(compared.iter().map(|(name, assessed)| (name, *assessed)), "the baseline variant"));
    }
    let previous = match comparable(outcome.summary.previous_run.as_ref()) {
        Ok(previous) => previous,
        Err(why) => return Ok((GateEnd::CannotTell, why)),
    };
    let assessed: Vec<(VariantName, Option<ChangeAssessment>)> = previous
        .variants
        .iter()
        .map(|(name, variant)| (name.clone(), variant.change.as_ref().map(|change| change.assessment)))
        .collect();
    Ok(told(assessed.iter().map(|(name, assessment)| (name, *assessment)), "the previous run"))
}

/// What the looks of a run decided that was watched. Testing it once more at the end would raise its error rate.
fn decided(watched: &SequentialRecord) -> (GateEnd, String) {
    let looks = plural(watched.looks.len(), "look");
    match watched.assessment.as_str() {
        "worse" => {
            (GateEnd::Failed, format!("{} is worse than the baseline variant, after {looks}", watched.candidate))
        }
        other => (GateEnd::Held, format!("{} is not decided to be worse ({other}), after {looks}", watched.candidate)),
    }
}

/// Joins what the variants came to: one that is worse fails, one that cannot be compared leaves the rest in doubt.
fn told<'a>(
    variants: impl Iterator<Item = (&'a VariantName, Option<ChangeAssessment>)>,
    against: &str,
) -> (GateEnd, String) {
    let variants: Vec<_> = variants.collect();
    let of = |wanted: Option<ChangeAssessment>| -> Vec<String> {
        variants.iter().filter(|(_, assessment)| *assessment == wanted).map(|(name, _)| name.to_string()).collect()
    };
    let (worse, open) = (of(Some(ChangeAssessment::Worse)), of(None));
    if !worse.is_empty() {
        (GateEnd::Failed, format!("{} worse than {against} by the paired test", verb(&worse)))
    } else if variants.is_empty() || !open.is_empty() {
        (GateEnd::CannotTell, format!("no complete case in common with {against}, or its judges differ"))
    } else {
        (GateEnd::Held, format!("no variant is worse than {against} by the paired test"))
    }
}

fn verb(list: &[String]) -> String {
    format!("{} {}", names(list), if list.len() == 1 { "is" } else { "are" })
}

fn regressed(run: &RunEnds) -> (GateEnd, String) {
    let previous = match comparable(run.summary.previous_run.as_ref()) {
        Ok(previous) => previous,
        Err(why) => return (GateEnd::CannotTell, why),
    };
    let is_known = |variant: &VariantName, id: &CaseId| {
        run.cases.iter().any(|case| case.known.is_some() && case.variant == *variant && case.id == *id)
    };
    let fell: Vec<String> = previous
        .variants
        .iter()
        .flat_map(|(name, variant)| variant.regressed.iter().filter(|id| !is_known(name, id)))
        .map(ToString::to_string)
        .collect();
    match fell.len() {
        0 => (GateEnd::Held, "no case that passed in the previous run failed".to_owned()),
        number => {
            let what = plural(number, "case");
            (GateEnd::Failed, format!("{what} passed in the previous run and failed now: {}", names(&fell)))
        }
    }
}

/// Returns the comparison with the previous run, or why there is none.
fn comparable(previous: Option<&PreviousRun>) -> Result<&PreviousRun, String> {
    match previous {
        None => Err("there is no previous run to compare with".to_owned()),
        Some(previous) if previous.same_config => Ok(previous),
        Some(previous) => Err(format!("the previous run, {}, is of another eval config", previous.run_id)),
    }
}

fn names(list: &[String]) -> String {
    let shown = list.iter().take(NAMES).map(String::as_str).collect::<Vec<_>>().join(", ");
    match list.len().saturating_sub(NAMES) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}
