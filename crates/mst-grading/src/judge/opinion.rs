//! What the answers of one judge come to.

use std::collections::BTreeMap;

use mst_model::{Criterion, CriterionVerdict, JudgeScore, SubScore};
use serde_json::Value;

use super::criteria;

/// The standard deviation over which a judge's reps are said to vary.
const HIGH_STD_DEV: f64 = 0.2;

/// What a judge says of a trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Pass,
    Fail,
    Unknown,
    Skipped,
}

impl From<CriterionVerdict> for Verdict {
    fn from(verdict: CriterionVerdict) -> Self {
        match verdict {
            CriterionVerdict::Pass => Self::Pass,
            CriterionVerdict::Fail => Self::Fail,
            CriterionVerdict::Unknown => Self::Unknown,
        }
    }
}

impl Verdict {
    fn of(pass: bool) -> Self {
        if pass { Self::Pass } else { Self::Fail }
    }

    /// Returns whether it is a pass or a fail.
    pub(super) fn is_decided(self) -> bool {
        matches!(self, Self::Pass | Self::Fail)
    }

    /// Returns the verdict as people read it.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::Unknown => "unknown",
            Self::Skipped => "skipped",
        }
    }
}

/// A verdict with what it rests on.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Opinion {
    pub(super) verdict: Verdict,
    /// 0 to 1; none where there is nothing to score.
    pub(super) score: Option<f64>,
    pub(super) reasoning: Option<String>,
    /// What decided, where the score alone does not tell.
    pub(super) details: Option<String>,
    pub(super) sub_scores: BTreeMap<String, SubScore>,
    pub(super) criteria: Vec<Criterion>,
    pub(super) metadata: Option<Value>,
    /// How much the reps differ, where more than one gave a score.
    pub(super) spread: Option<Spread>,
}

/// How much the scores of reps differ.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Spread {
    pub(super) scores: Vec<f64>,
    /// The population standard deviation.
    pub(super) std_dev: f64,
    pub(super) is_high: bool,
}

impl Opinion {
    /// Makes the opinion of a judge that does not grade the trial.
    pub(super) fn skipped(reasoning: Option<String>) -> Self {
        Self {
            verdict: Verdict::Skipped,
            score: None,
            reasoning,
            details: None,
            sub_scores: BTreeMap::new(),
            criteria: Vec::new(),
            metadata: None,
            spread: None,
        }
    }
}

/// Makes one opinion of a judge's answers, one a rep, each checked. Only the last may be a skip: nobody asks on after one.
///
/// A skip is all that counts. Else required criteria decide where any is listed. Else the answers that are not unknown
/// do: by the majority of their own verdicts, a tie failing, or, without any, by their mean score.
pub(super) fn reconcile(answers: &[JudgeScore], threshold: f64) -> Opinion {
    let criteria = criteria::join(answers.iter().map(|answer| answer.criteria.as_slice()));
    if let Some(skip) = answers.last().filter(|answer| answer.skipped) {
        let unknown = |criterion| Criterion { verdict: CriterionVerdict::Unknown, reasoning: None, ..criterion };
        return Opinion {
            criteria: criteria.into_iter().map(unknown).collect(),
            metadata: skip.metadata.clone(),
            ..Opinion::skipped(skip.reasoning.clone())
        };
    }
    match criteria::decide(&criteria) {
        Some(decision) => by_criteria(answers, criteria, &decision),
        None => by_answers(answers, criteria, threshold),
    }
}

fn by_criteria(answers: &[JudgeScore], criteria: Vec<Criterion>, decision: &criteria::Decision) -> Opinion {
    let of_reps = answers.iter().filter_map(|answer| criteria::decide(&answer.criteria)).map(|rep| rep.score);
    Opinion {
        verdict: decision.verdict.into(),
        score: Some(round(decision.score)),
        reasoning: Some(criteria::reasoning(&criteria)),
        details: None,
        sub_scores: criteria::sub_scores(&criteria),
        metadata: answers.iter().find_map(|answer| answer.metadata.clone()),
        spread: spread(answers.len(), of_reps.collect()),
        criteria,
    }
}

fn by_answers(answers: &[JudgeScore], criteria: Vec<Criterion>, threshold: f64) -> Opinion {
    let decided: Vec<&JudgeScore> = answers.iter().filter(|answer| !answer.unknown).collect();
    let Some(first) = decided.first() else {
        let answer = answers.first();
        return Opinion {
            verdict: Verdict::Unknown,
            criteria,
            metadata: answer.and_then(|answer| answer.metadata.clone()),
            ..Opinion::skipped(answer.and_then(|answer| answer.reasoning.clone()))
        };
    };
    let scores: Vec<f64> = decided.iter().filter_map(|answer| answer.score).collect();
    let mean = round(scores.iter().sum::<f64>() / scores.len().max(1) as f64);
    let meets = mean >= threshold;
    let own: Vec<bool> = decided.iter().filter_map(|answer| answer.pass).collect();
    let passed = own.iter().filter(|pass| **pass).count();
    let pass = if own.is_empty() { meets } else { 2 * passed > own.len() };
    let agrees = |answer: &&&JudgeScore| {
        answer.pass.or_else(|| answer.score.map(|score| round(score) >= threshold)) == Some(pass)
    };
    let speaker = decided.iter().find(agrees).unwrap_or(first);
    let place = if meets { "reaches" } else { "is below" };
    let by_score = format!("the score {mean} {place} the threshold {threshold}");
    let details = match (own.len(), pass) {
        (0, true) => None,
        (0, false) => Some(by_score),
        (1, _) => (pass != meets)
            .then(|| format!("the judge's own verdict is a {}, and {by_score}", Verdict::of(pass).word())),
        (reps, _) => Some(format!("{passed} of {reps} answers are a pass, and {by_score}")),
    };
    Opinion {
        verdict: Verdict::of(pass),
        score: Some(mean),
        reasoning: speaker.reasoning.clone(),
        details,
        sub_scores: mean_parts(decided.iter().map(|answer| &answer.sub_scores)),
        criteria,
        metadata: speaker.metadata.clone(),
        spread: spread(answers.len(), scores),
    }
}

/// Returns how much scores differ; `None` unless the judge was asked several times and gave several scores.
fn spread(reps: usize, scores: Vec<f64>) -> Option<Spread> {
    if reps < 2 || scores.len() < 2 {
        return None;
    }
    let mean = scores.iter().sum::<f64>() / scores.len() as f64;
    let variance = scores.iter().map(|score| (score - mean).powi(2)).sum::<f64>() / scores.len() as f64;
    let std_dev = round(variance.sqrt());
    Some(Spread { scores, std_dev, is_high: std_dev > HIGH_STD_DEV })
}

/// Joins sub-scores by name: the mean of the scores, and the majority of the verdicts, a tie failing.
pub(super) fn mean_parts<'a>(
    parts: impl Iterator<Item = &'a BTreeMap<String, SubScore>>,
) -> BTreeMap<String, SubScore> {
    let mut by_name: BTreeMap<&str, Vec<&SubScore>> = BTreeMap::new();
    for (name, part) in parts.flatten() {
        by_name.entry(name).or_default().push(part);
    }
    let join = |parts: Vec<&SubScore>| {
        let own: Vec<bool> = parts.iter().filter_map(|part| part.pass).collect();
        let passed = own.iter().filter(|pass| **pass).count();
        let pass = (!own.is_empty()).then_some(2 * passed > own.len());
        let speaker = parts.iter().find(|part| part.pass == pass).or(parts.first());
        SubScore {
            score: round(parts.iter().map(|part| part.score).sum::<f64>() / parts.len() as f64),
            pass,
            reasoning: speaker.and_then(|part| part.reasoning.clone()),
        }
    };
    by_name.into_iter().map(|(name, parts)| (name.to_owned(), join(parts))).collect()
}

/// Rounds to 12 decimals, so that a mean that is a threshold in fractions is one in doubles too.
pub(crate) fn round(value: f64) -> f64 {
    (value * 1e12).round() / 1e12
}
