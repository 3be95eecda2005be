//! What the members of a jury come to together.

use mst_model::JuryMember;

use super::criteria;
use super::opinion::{Opinion, Verdict, mean_parts, round};

/// What one member said.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Member<'a> {
    /// How messages name it.
    pub(super) label: &'a str,
    pub(super) identity: &'a str,
    pub(super) opinion: Opinion,
    pub(super) provider: Option<String>,
    pub(super) model: Option<String>,
}

impl Member<'_> {
    /// Returns the member as a score records it.
    pub(super) fn record(&self) -> JuryMember {
        let Opinion { verdict, score, reasoning, criteria, .. } = &self.opinion;
        JuryMember {
            pass: *verdict == Verdict::Pass,
            score: *score,
            skipped: (*verdict == Verdict::Skipped).then_some(true),
            unknown: (*verdict == Verdict::Unknown).then_some(true),
            reasoning: reasoning.clone(),
            judge_provider: self.provider.clone(),
            judge_model: self.model.clone(),
            judge_identity: Some(self.identity.to_owned()),
            criteria: (!criteria.is_empty()).then(|| criteria.clone()),
        }
    }
}

/// Makes one opinion of those of a jury's members.
///
/// The majority of the members that passed or failed decides, a tie is unknown, and the jury skips only when every member
/// does. The score is the mean of the members that decided.
pub(super) fn deliberate(members: &[Member<'_>]) -> Opinion {
    let decided: Vec<&Opinion> =
        members.iter().map(|member| &member.opinion).filter(|opinion| opinion.verdict.is_decided()).collect();
    let passed = decided.iter().filter(|opinion| opinion.verdict == Verdict::Pass).count();
    let failed = decided.len() - passed;
    let verdict = match passed.cmp(&failed) {
        std::cmp::Ordering::Greater => Verdict::Pass,
        std::cmp::Ordering::Less => Verdict::Fail,
        std::cmp::Ordering::Equal if members.iter().all(|member| member.opinion.verdict == Verdict::Skipped) => {
            Verdict::Skipped
        }
        std::cmp::Ordering::Equal => Verdict::Unknown,
    };
    let scores: Vec<f64> = decided.iter().filter_map(|opinion| opinion.score).collect();
    let line = |member: &Member<'_>| {
        let word = member.opinion.verdict.word();
        match &member.opinion.reasoning {
            Some(why) => format!("{}: {word}. {why}", member.label),
            None => format!("{}: {word}", member.label),
        }
    };
    Opinion {
        verdict,
        score: (!scores.is_empty()).then(|| round(scores.iter().sum::<f64>() / scores.len() as f64)),
        reasoning: Some(members.iter().map(line).collect::<Vec<_>>().join("\n")),
        details: decided.len().gt(&0).then(|| format!("{passed} of {} members pass", decided.len())),
        sub_scores: mean_parts(decided.iter().map(|opinion| &opinion.sub_scores)),
        criteria: criteria::join(members.iter().map(|member| member.opinion.criteria.as_slice())),
        metadata: None,
        spread: None,
    }
}
