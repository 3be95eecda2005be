//! Whether what a judge returned can be used at all.

use std::collections::BTreeSet;

use mst_model::JudgeScore;

/// Checks one answer; says what is wrong with one that no verdict may come from.
///
/// A score is needed unless the judge skips, cannot tell, or lists a criterion that decides in its place. What a skipping
/// judge says of a score is not looked at: it is not recorded.
pub(super) fn check(answer: &JudgeScore) -> Result<(), String> {
    let mut ids = BTreeSet::new();
    for criterion in &answer.criteria {
        let id = criterion.id.as_str();
        if id.is_empty() || id.contains('#') {
            return Err(format!("a criterion's id is {id:?}; it may not be empty or have a \"#\""));
        }
        if !ids.insert(id) {
            return Err(format!("the criterion {id:?} is listed twice"));
        }
    }
    if answer.skipped {
        return Ok(());
    }
    for (name, part) in &answer.sub_scores {
        in_range(part.score).map_err(|found| format!("the sub-score {name:?} is {found}, not a number from 0 to 1"))?;
    }
    match answer.score {
        Some(score) => in_range(score).map_err(|found| format!("the score is {found}, not a number from 0 to 1")),
        None if answer.unknown || answer.criteria.iter().any(mst_model::Criterion::is_required) => Ok(()),
        None => Err("the judge returned no score".to_owned()),
    }
}

fn in_range(score: f64) -> Result<(), f64> {
    if (0.0..=1.0).contains(&score) { Ok(()) } else { Err(score) }
}
