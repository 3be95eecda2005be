//! What graders and judges said of a trial, and pairwise judges of a case.

use mst_model::{Criterion, CriterionVerdict, GraderName, GraderScore, JuryMember, Preference, Preferred};
use serde::Serialize;

use super::clip::Clip;
use crate::text::Shown;

/// What one grader said.
#[derive(Clone, Debug, Serialize)]
pub(super) struct ScoreView {
    name: String,
    /// Whether a model gave it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    judge: bool,
    verdict: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    details: Option<Clip>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning: Option<Clip>,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    parts: Vec<Part>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    jury: Vec<Member>,
    /// The score of each rep, where they vary by more than they should.
    #[serde(skip_serializing_if = "Option::is_none")]
    reps: Option<Vec<f64>>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    cached: bool,
}

/// A sub-score, a criterion, or a dimension of a preference.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Part {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<Clip>,
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<f64>,
    /// It does not decide.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    optional: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning: Option<Clip>,
}

/// A member of a jury.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Member {
    name: String,
    verdict: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning: Option<Clip>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    parts: Vec<Part>,
}

/// What a pairwise judge said.
#[derive(Clone, Debug, Serialize)]
pub(super) struct PreferenceView {
    judge: String,
    prefers: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    strength: Option<f64>,
    /// The two orders came to different answers.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    inconsistent: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning: Option<Clip>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Clip>,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    parts: Vec<Part>,
}

/// What judges wrote, unless the run is redacted: their words quote answers that are not kept.
#[derive(Clone, Copy, Debug)]
pub(super) struct Words {
    pub(super) hidden: bool,
}

impl Words {
    fn of(self, text: Option<&String>) -> Option<Clip> {
        text.filter(|text| !self.hidden && !text.is_empty()).map(|text| Clip::of(text))
    }

    /// Returns what graders said, the judges that stand joined one by one.
    pub(super) fn scores<'a>(
        self,
        scores: impl IntoIterator<Item = (&'a GraderName, &'a GraderScore)>,
    ) -> Vec<ScoreView> {
        let mut views = Vec::new();
        for (grader, score) in scores {
            match &score.judge_results {
                Some(entries) => views.extend(entries.iter().map(|entry| self.score(grader.as_str(), entry))),
                None => views.push(self.score(grader.as_str(), score)),
            }
        }
        views
    }

    fn score(self, grader: &str, score: &GraderScore) -> ScoreView {
        let is_judge = score.judge_name.is_some() || grader == "judge" || grader.starts_with("judge.");
        let name = score.judge_name.as_deref().or_else(|| grader.strip_prefix("judge.")).unwrap_or(grader);
        let mut parts: Vec<Part> = score.criteria.iter().flatten().map(|one| self.criterion(one)).collect();
        parts.extend(score.sub_scores.iter().flatten().map(|(name, sub)| Part {
            name: line(name),
            text: None,
            verdict: sub.pass.map(pass_word),
            score: Some(sub.score),
            optional: false,
            reasoning: self.of(sub.reasoning.as_ref()),
        }));
        let details = score.error.as_ref().or(score.details.as_ref());
        ScoreView {
            name: line(name),
            judge: is_judge,
            verdict: verdict(score.skipped, score.error.is_some(), score.unknown, score.pass),
            score: score.score,
            details: details.filter(|_| !(is_judge && self.hidden)).map(|text| Clip::of(text)),
            reasoning: self.of(score.reasoning.as_ref()),
            model: score.judge_model.as_deref().map(line),
            parts,
            jury: score.jury.iter().flatten().map(|member| self.member(member)).collect(),
            reps: score.scores.clone().filter(|_| score.high_variance == Some(true)),
            cached: score.cached == Some(true),
        }
    }

    fn criterion(self, one: &Criterion) -> Part {
        Part {
            name: line(&one.id),
            text: one.text.as_deref().map(Clip::of),
            verdict: Some(match one.verdict {
                CriterionVerdict::Pass => "pass",
                CriterionVerdict::Fail => "fail",
                CriterionVerdict::Unknown => "unknown",
            }),
            score: None,
            optional: !one.is_required(),
            reasoning: self.of(one.reasoning.as_ref()),
        }
    }

    fn member(self, member: &JuryMember) -> Member {
        Member {
            name: member.judge_model.as_deref().map_or_else(|| "a member".to_owned(), line),
            verdict: verdict(member.skipped, false, member.unknown, member.pass),
            score: member.score,
            reasoning: self.of(member.reasoning.as_ref()),
            parts: member.criteria.iter().flatten().map(|one| self.criterion(one)).collect(),
        }
    }

    /// Returns what a pairwise judge said.
    pub(super) fn preference(self, one: &Preference) -> PreferenceView {
        let parts = one.dimensions.iter().map(|(name, dimension)| Part {
            name: line(name),
            text: None,
            verdict: Some(preferred(dimension.preference)),
            score: dimension.strength,
            optional: false,
            reasoning: self.of(dimension.reasoning.as_ref()),
        });
        PreferenceView {
            judge: line(&one.judge),
            prefers: match one.preference {
                _ if one.skipped == Some(true) => "skipped",
                Some(preference) => preferred(preference),
                None => "error",
            },
            strength: one.strength,
            inconsistent: one.consistent == Some(false),
            reasoning: self.of(one.reasoning.as_ref()),
            error: one.error.as_deref().filter(|_| !self.hidden).map(Clip::of),
            model: one.model.as_deref().map(line),
            parts: parts.collect(),
        }
    }
}

fn verdict(skipped: Option<bool>, error: bool, unknown: Option<bool>, pass: bool) -> &'static str {
    if skipped == Some(true) {
        "skipped"
    } else if error {
        "error"
    } else if unknown == Some(true) {
        "unknown"
    } else {
        pass_word(pass)
    }
}

fn pass_word(pass: bool) -> &'static str {
    if pass { "pass" } else { "fail" }
}

fn preferred(one: Preferred) -> &'static str {
    match one {
        Preferred::Baseline => "baseline",
        Preferred::Candidate => "candidate",
        Preferred::Tie => "tie",
    }
}

fn line(text: &str) -> String {
    Shown::line(text).to_string()
}
