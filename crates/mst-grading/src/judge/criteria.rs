//! Criteria: what several looks at each of them come to, and what they say of a trial together.

use std::collections::BTreeMap;

use mst_model::{Criterion, CriterionVerdict, SubScore};

/// Joins the criteria of several looks (the reps of a judge, or the members of a jury), in the order they were first
/// listed.
///
/// The verdict is the majority of the looks that came to one, and unknown in a tie or without any. A criterion is optional
/// only where every look that lists it says so. Text is the first one's, reasoning that of the first look that agrees.
pub(super) fn join<'a>(looks: impl IntoIterator<Item = &'a [Criterion]>) -> Vec<Criterion> {
    let mut ids: Vec<&str> = Vec::new();
    let mut by_id: BTreeMap<&str, Vec<&Criterion>> = BTreeMap::new();
    for criterion in looks.into_iter().flatten() {
        let found = by_id.entry(&criterion.id).or_insert_with(|| {
            ids.push(&criterion.id);
            Vec::new()
        });
        found.push(criterion);
    }
    ids.into_iter().map(|id| one(&by_id[id])).collect()
}

fn one(looks: &[&Criterion]) -> Criterion {
    let verdict = majority(looks.iter().map(|look| look.verdict));
    let is_optional = looks.iter().all(|look| !look.is_required());
    let agreeing = looks.iter().find(|look| look.verdict == verdict);
    Criterion {
        id: looks[0].id.clone(),
        text: looks.iter().find_map(|look| look.text.clone()),
        required: if is_optional { Some(false) } else { looks.iter().find_map(|look| look.required.filter(|is| *is)) },
        verdict,
        reasoning: agreeing.or(looks.first()).and_then(|look| look.reasoning.clone()),
        identity: None,
    }
}

/// Returns what most of those that came to a verdict say; unknown in a tie.
pub(super) fn majority(verdicts: impl IntoIterator<Item = CriterionVerdict>) -> CriterionVerdict {
    let mut lead = 0_i64;
    for verdict in verdicts {
        lead += match verdict {
            CriterionVerdict::Pass => 1,
            CriterionVerdict::Fail => -1,
            CriterionVerdict::Unknown => 0,
        };
    }
    match lead {
        0 => CriterionVerdict::Unknown,
        lead if lead > 0 => CriterionVerdict::Pass,
        _ => CriterionVerdict::Fail,
    }
}

/// What the required criteria of a trial decide.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Decision {
    pub(super) verdict: CriterionVerdict,
    /// The share of required criteria that passed, 0 to 1.
    pub(super) score: f64,
}

/// Returns what the required criteria decide: one that fails fails the trial, else one that is unknown leaves it open.
/// `None` where none is required.
pub(super) fn decide(criteria: &[Criterion]) -> Option<Decision> {
    let required: Vec<CriterionVerdict> =
        criteria.iter().filter(|criterion| criterion.is_required()).map(|criterion| criterion.verdict).collect();
    if required.is_empty() {
        return None;
    }
    let has = |verdict: CriterionVerdict| required.contains(&verdict);
    let verdict = [CriterionVerdict::Fail, CriterionVerdict::Unknown].into_iter().find(|verdict| has(*verdict));
    let passed = required.iter().filter(|verdict| **verdict == CriterionVerdict::Pass).count();
    Some(Decision { verdict: verdict.unwrap_or(CriterionVerdict::Pass), score: passed as f64 / required.len() as f64 })
}

/// Returns a sub-score for each criterion that came to a verdict.
pub(super) fn sub_scores(criteria: &[Criterion]) -> BTreeMap<String, SubScore> {
    criteria
        .iter()
        .filter(|criterion| criterion.verdict != CriterionVerdict::Unknown)
        .map(|criterion| {
            let pass = criterion.verdict == CriterionVerdict::Pass;
            let part =
                SubScore { score: f64::from(u8::from(pass)), pass: Some(pass), reasoning: criterion.reasoning.clone() };
            (criterion.id.clone(), part)
        })
        .collect()
}

/// Returns the criteria's reasoning, a line each.
pub(super) fn reasoning(criteria: &[Criterion]) -> String {
    let line = |criterion: &Criterion| {
        let verdict = word(criterion.verdict);
        match &criterion.reasoning {
            Some(why) => format!("{}: {verdict}. {why}", criterion.id),
            None => format!("{}: {verdict}", criterion.id),
        }
    };
    criteria.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// Returns a verdict as people read it.
pub(super) fn word(verdict: CriterionVerdict) -> &'static str {
    match verdict {
        CriterionVerdict::Pass => "pass",
        CriterionVerdict::Fail => "fail",
        CriterionVerdict::Unknown => "unknown",
    }
}
