//! What else differs between two runs than the candidate: said beside the answer, or in its place.

use std::collections::BTreeSet;

use mst_cli::{CliError, ExitClass, plural};
use mst_measure::compare::CaseComparison;
use mst_model::{Phase, RunRecord, VariantName};

use super::pairing::Pair;
use super::stored::StoredRun;
use crate::selection::{self, leaves_cases_out};

/// Refuses a pair of which one side was answered by the offline baseline and the other by a language model.
pub(super) fn refuse_offline(old: &StoredRun, new: &StoredRun, pair: &Pair) -> Result<(), CliError> {
    let is_offline = |run: &StoredRun, name: &VariantName| run.variant(name).is_some_and(|variant| variant.offline);
    if is_offline(old, &pair.baseline) == is_offline(new, &pair.candidate) {
        return Ok(());
    }
    let run = if is_offline(old, &pair.baseline) { old } else { new };
    let message = format!("run {} was answered by the offline baseline, the other by a language model", run.id());
    Err(CliError::new(ExitClass::Usage, message)
        .with_hint("their scores are never compared; compare runs of one kind of model"))
}

/// Returns whether the judges that every case of the variants has differ by identity.
pub(super) fn has_other_judges(old: &StoredRun, new: &StoredRun, pair: &Pair) -> bool {
    let identities = |record: &RunRecord, variant: &VariantName| -> BTreeSet<String> {
        let own = format!("variant:{variant}");
        let listed = record.judges.iter().filter(|judge| judge.level == "config" || judge.level == own);
        listed.map(|judge| judge.identity.clone()).collect()
    };
    identities(old.record(), &pair.baseline) != identities(new.record(), &pair.candidate)
}

/// Returns what holds for the runs as a whole.
pub(super) fn of_runs(old: &StoredRun, new: &StoredRun) -> Vec<String> {
    let (before, after) = (old.record(), new.record());
    let mut told = Vec::new();
    if before.config_id != after.config_id {
        told.push(format!("the runs are of different evals: {} and {}", before.config_id, after.config_id));
    } else if before.content_hash != after.content_hash {
        told.push("the eval config changed between the runs: a difference may come from it".to_owned());
    }
    let hashes = |record: &RunRecord| -> BTreeSet<(String, String)> {
        record.datasets.iter().map(|set| (set.name.clone(), set.content_hash.clone())).collect()
    };
    let (sets, later) = (hashes(before), hashes(after));
    let changed: BTreeSet<&str> = sets.symmetric_difference(&later).map(|(name, _)| name.as_str()).collect();
    // Of other cases the hashes are others, whatever the datasets hold; cases that were edited are told one by one.
    let narrowed = |record: &RunRecord| record.selection.clone().filter(leaves_cases_out);
    if !changed.is_empty() && narrowed(before) == narrowed(after) {
        let names = changed.into_iter().collect::<Vec<_>>().join(", ");
        told.push(format!("datasets differ: {names}"));
    }
    let same = old.id() == new.id();
    for run in [Some(old), (!same).then_some(new)].into_iter().flatten() {
        let (id, record) = (run.id(), run.record());
        if record.phases.collect != Phase::Complete {
            told.push(format!("run {id} is incomplete: it was not wholly collected"));
        }
        if record.phases.grade != Phase::Complete {
            told.push(format!("run {id} is not wholly graded"));
        }
        if record.partial {
            let kept = record.selection.as_ref().map(selection::words).filter(|words| !words.is_empty());
            let kept = kept.map_or_else(String::new, |words| format!(" to {words}"));
            told.push(format!("run {id} is partial: flags narrowed it{kept}"));
        }
        if record.replayed.is_some() {
            told.push(format!(
                "run {id} was replayed from a tape: it says what was recorded, not what models do today"
            ));
        }
    }
    told
}

/// Returns what holds for a pair of variants.
pub(super) fn of_pair(
    old: &StoredRun,
    new: &StoredRun,
    pair: &Pair,
    cases: &CaseComparison,
    is_rejudged: bool,
) -> Vec<String> {
    let mut told = Vec::new();
    let (before, after) = (old.variant(&pair.baseline), new.variant(&pair.candidate));
    if let (Some(before), Some(after)) = (before, after) {
        let none = || "none".to_owned();
        for (what, old, new) in [("client", &before.client, &after.client), ("model", &before.model, &after.model)] {
            if old != new {
                let (old, new) = (old.clone().unwrap_or_else(none), new.clone().unwrap_or_else(none));
                told.push(format!("the {what} differs: {old} and {new}"));
            }
        }
        if before.offline && after.offline {
            told.push("both sides are of the offline baseline, which is not a language model".to_owned());
        }
    }
    if is_rejudged {
        told.push(
            "the judges differ, so the rates are of two measures: grade both runs by one config (mst grade) and compare \
             those"
                .to_owned(),
        );
    }
    if !cases.edited.is_empty() {
        told.push(format!("{} ask or expect something else than before", plural(cases.edited.len(), "case")));
    }
    if !cases.incomplete.is_empty() {
        told.push(format!("{} left out: incomplete on a side", plural(cases.incomplete.len(), "case")));
    }
    let uneven = cases.headline.change.uneven;
    if uneven > 0 {
        told.push(format!(
            "{} with more trials on one side than on the other: the test is exact for equal trials alone",
            plural(uneven, "case")
        ));
    }
    told
}
