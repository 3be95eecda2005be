//! What the answers of a pairwise judge come to, over orders and reps.

use std::collections::BTreeMap;

use mst_model::{PairwiseAnswer, PreferenceDimension, Preferred};

/// One answer, in the words of the real sides.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Given {
    /// The answer, mapped back where the trials had changed places.
    pub(super) answer: PairwiseAnswer,
    /// Whether they had.
    pub(super) is_swapped: bool,
}

impl Given {
    /// Takes an answer in, mapping it back where the trials had changed places.
    pub(super) fn new(mut answer: PairwiseAnswer, is_swapped: bool) -> Self {
        if is_swapped {
            answer.preference = answer.preference.map(Preferred::swapped);
            for part in answer.dimensions.values_mut() {
                part.preference = part.preference.swapped();
                std::mem::swap(&mut part.baseline, &mut part.candidate);
            }
        }
        Self { answer, is_swapped }
    }
}

/// What the answers come to.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Reconciled {
    pub(super) preference: Preferred,
    pub(super) strength: Option<f64>,
    pub(super) reasoning: Option<String>,
    /// Whether both orders came to the same; `None` where only one was asked.
    pub(super) is_consistent: Option<bool>,
    pub(super) dimensions: BTreeMap<String, PreferenceDimension>,
}

/// Checks one answer; says what is wrong with one that no preference may come from.
pub(super) fn check(answer: &PairwiseAnswer) -> Result<(), String> {
    if answer.skipped {
        return Ok(());
    }
    if answer.preference.is_none() {
        return Err("the judge returned no preference".to_owned());
    }
    let of_parts = answer.dimensions.iter().map(|(name, part)| (Some(name), part.strength));
    for (name, strength) in of_parts.chain([(None, answer.strength)]) {
        if let Some(strength) = strength.filter(|strength| !(0.0..=1.0).contains(strength)) {
            let whose = name.map(|name| format!(" of {name:?}")).unwrap_or_default();
            return Err(format!("the strength{whose} is {strength}, not a number from 0 to 1"));
        }
    }
    Ok(())
}

/// Makes one preference of answers that were checked and of which none skips: what most of them say, and a tie where no
/// side has the most.
pub(super) fn reconcile(given: &[Given]) -> Reconciled {
    let said = |given: &Given| given.answer.preference;
    let preference = most(given.iter().filter_map(said));
    let agreeing: Vec<&Given> = given.iter().filter(|one| said(one) == Some(preference)).collect();
    let (forward, swapped): (Vec<&Given>, Vec<&Given>) = given.iter().partition(|one| !one.is_swapped);
    let of = |order: &[&Given]| most(order.iter().filter_map(|one| said(one)));
    let both = !forward.is_empty() && !swapped.is_empty();
    let speaker = agreeing.iter().find_map(|one| Some((one.answer.reasoning.as_deref()?, one.is_swapped)));
    let reasoning = match speaker {
        Some((why, false)) => Some(why.to_owned()),
        Some((why, true)) => Some(format!("Asked with the candidate as A: {why}")),
        None if agreeing.is_empty() => Some(disagreement(given)),
        None => None,
    };
    Reconciled {
        preference,
        strength: mean(agreeing.iter().filter_map(|one| one.answer.strength)),
        reasoning,
        is_consistent: both.then(|| of(&forward) == of(&swapped)),
        dimensions: dimensions(given),
    }
}

/// Returns what most say; a tie where no side has more than the other and more than the ties.
fn most(said: impl Iterator<Item = Preferred>) -> Preferred {
    let (mut baseline, mut candidate, mut ties) = (0, 0, 0);
    for one in said {
        match one {
            Preferred::Baseline => baseline += 1,
            Preferred::Candidate => candidate += 1,
            Preferred::Tie => ties += 1,
        }
    }
    if candidate > baseline && candidate > ties {
        Preferred::Candidate
    } else if baseline > candidate && baseline > ties {
        Preferred::Baseline
    } else {
        Preferred::Tie
    }
}

/// Says how answers differ of which none is the preference.
fn disagreement(given: &[Given]) -> String {
    let count = |which: Preferred| given.iter().filter(|one| one.answer.preference == Some(which)).count();
    let (baseline, candidate) = (count(Preferred::Baseline), count(Preferred::Candidate));
    format!("The answers do not agree: the baseline is better in {baseline}, the candidate in {candidate}.")
}

fn dimensions(given: &[Given]) -> BTreeMap<String, PreferenceDimension> {
    let mut by_name: BTreeMap<&str, Vec<&PreferenceDimension>> = BTreeMap::new();
    for (name, part) in given.iter().flat_map(|one| &one.answer.dimensions) {
        by_name.entry(name).or_default().push(part);
    }
    let join = |parts: Vec<&PreferenceDimension>| {
        let preference = most(parts.iter().map(|part| part.preference));
        let agreeing = || parts.iter().filter(|part| part.preference == preference);
        PreferenceDimension {
            preference,
            strength: mean(agreeing().filter_map(|part| part.strength)),
            reasoning: agreeing().find_map(|part| part.reasoning.clone()),
            baseline: mean(parts.iter().filter_map(|part| part.baseline)),
            candidate: mean(parts.iter().filter_map(|part| part.candidate)),
        }
    };
    by_name.into_iter().map(|(name, parts)| (name.to_owned(), join(parts))).collect()
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    mst_measure::stats::mean(values).map(crate::judge::opinion::round)
}
