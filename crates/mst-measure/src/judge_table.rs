//! What each judge of a variant said, over all its trials: the rows of a table.

use indexmap::IndexMap;
use mst_model::{Criterion, CriterionVerdict, GraderName, GraderScore, JuryMember};

use crate::agreement::Agreement;
use crate::judge_scores::judge_scores;
use crate::stats::RunningMean;

/// What the judges of a variant said so far: counts, whose size does not depend on how many trials there were.
#[derive(Clone, Debug, Default)]
pub struct JudgeTable {
    judges: IndexMap<String, OfJudge>,
}

/// One judge, or one of its criteria.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JudgeRow {
    /// The judge's name in results; of a criterion `<judge>#<id>`.
    pub name: String,
    /// How its trials came out.
    pub counts: VerdictCounts,
    /// Its mean score over the trials it came to a verdict on, 0 to 1. A criterion has none.
    pub mean_score: Option<f64>,
    /// The trials on which its reps differ by more than they should.
    pub high_variance: usize,
    /// The models that answered, in the order they were first seen.
    pub models: Vec<String>,
    /// The identities under which it answered: more than one where cases set it differently.
    pub identities: Vec<String>,
    /// Whether nothing would show a change of its code.
    pub is_unversioned: bool,
    /// The members of its jury.
    pub members: Vec<MemberRow>,
    /// How far the members agree (Krippendorff's alpha); absent without variation.
    pub agreement: Option<f64>,
}

/// One member of a jury.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MemberRow {
    /// Its model, where it has said which.
    pub model: Option<String>,
    /// Its identity.
    pub identity: String,
    /// How its trials came out.
    pub counts: VerdictCounts,
}

/// How trials came out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VerdictCounts {
    /// Passed.
    pub passed: usize,
    /// Failed.
    pub failed: usize,
    /// Read, and not settled.
    pub unknown: usize,
    /// Not graded, on purpose.
    pub skipped: usize,
    /// Without a verdict.
    pub errors: usize,
}

impl VerdictCounts {
    /// Returns passed over passed and failed; `None` where there is neither.
    pub fn pass_rate(self) -> Option<f64> {
        let decided = self.passed + self.failed;
        (decided > 0).then(|| self.passed as f64 / decided as f64)
    }

    fn add(&mut self, verdict: Verdict) {
        *match verdict {
            Verdict::Passed => &mut self.passed,
            Verdict::Failed => &mut self.failed,
            Verdict::Unknown => &mut self.unknown,
            Verdict::Skipped => &mut self.skipped,
            Verdict::Error => &mut self.errors,
        } += 1;
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Passed,
    Failed,
    Unknown,
    Skipped,
    Error,
}

impl Verdict {
    fn of(skipped: Option<bool>, error: bool, unknown: Option<bool>, pass: bool) -> Self {
        if skipped == Some(true) {
            Self::Skipped
        } else if error {
            Self::Error
        } else if unknown == Some(true) {
            Self::Unknown
        } else if pass {
            Self::Passed
        } else {
            Self::Failed
        }
    }

    fn of_criterion(criterion: &Criterion) -> Self {
        match criterion.verdict {
            CriterionVerdict::Pass => Self::Passed,
            CriterionVerdict::Fail => Self::Failed,
            CriterionVerdict::Unknown => Self::Unknown,
        }
    }

    fn decided(self) -> Option<bool> {
        match self {
            Self::Passed => Some(true),
            Self::Failed => Some(false),
            Self::Unknown | Self::Skipped | Self::Error => None,
        }
    }
}

#[derive(Clone, Debug, Default)]
struct OfJudge {
    whole: OfQuestion,
    criteria: IndexMap<String, OfQuestion>,
}

/// One label question: a judge's own, or a criterion.
#[derive(Clone, Debug, Default)]
struct OfQuestion {
    counts: VerdictCounts,
    score: RunningMean,
    high_variance: usize,
    models: Vec<String>,
    identities: Vec<String>,
    is_unversioned: bool,
    members: IndexMap<String, MemberRow>,
    agreement: Agreement,
}

impl JudgeTable {
    /// Takes in one trial's scores.
    pub fn add(&mut self, scores: &IndexMap<GraderName, GraderScore>) {
        for (name, score) in judge_scores(scores) {
            let judge = self.judges.entry(name.to_owned()).or_default();
            let members = score.jury.as_deref().unwrap_or_default();
            judge.whole.add(score);
            judge.whole.hear(members, |member| Verdict::of(member.skipped, false, member.unknown, member.pass), None);
            for criterion in score.criteria.iter().flatten() {
                let question = judge.criteria.entry(criterion.id.clone()).or_default();
                question.add_criterion(score, criterion);
                let of_member = |member: &JuryMember| {
                    let listed = member.criteria.iter().flatten().find(|one| one.id == criterion.id);
                    listed.map_or(Verdict::Skipped, Verdict::of_criterion)
                };
                question.hear(members, of_member, Some(&criterion.id));
            }
        }
    }

    /// Returns a row a judge, in the order they were first seen; of a judge that lists criteria, one for each of those in
    /// its place.
    pub fn rows(&self) -> Vec<JudgeRow> {
        let rows = |(name, judge): (&String, &OfJudge)| -> Vec<JudgeRow> {
            if judge.criteria.is_empty() {
                return vec![judge.whole.row(name.clone())];
            }
            judge.criteria.iter().map(|(id, question)| question.row(format!("{name}#{id}"))).collect()
        };
        self.judges.iter().flat_map(rows).collect()
    }
}

impl OfQuestion {
    fn add(&mut self, score: &GraderScore) {
        let verdict = Verdict::of(score.skipped, score.error.is_some(), score.unknown, score.pass);
        self.counts.add(verdict);
        if let Some(value) = score.score.filter(|_| verdict.decided().is_some()) {
            self.score.add(value);
        }
        self.high_variance += usize::from(score.high_variance == Some(true));
        self.note(score, score.judge_identity.as_ref());
    }

    fn add_criterion(&mut self, score: &GraderScore, criterion: &Criterion) {
        // A judge that skipped lists its criteria without having judged any.
        let is_skip = score.skipped == Some(true);
        self.counts.add(if is_skip { Verdict::Skipped } else { Verdict::of_criterion(criterion) });
        self.note(score, criterion.identity.as_ref());
    }

    fn note(&mut self, score: &GraderScore, identity: Option<&String>) {
        note(&mut self.identities, identity);
        self.is_unversioned |= score.judge_unversioned == Some(true);
        if score.jury.is_none() {
            note(&mut self.models, score.judge_model.as_ref());
        }
    }

    /// Takes in what the members of a jury said, of one criterion where it is one's.
    fn hear(&mut self, members: &[JuryMember], verdict: impl Fn(&JuryMember) -> Verdict, criterion: Option<&str>) {
        for member in members {
            let of_criterion = |id: &str| member.criteria.iter().flatten().find(|one| one.id == id)?.identity.clone();
            let identity = criterion.map_or_else(|| member.judge_identity.clone(), of_criterion);
            note(&mut self.models, member.judge_model.as_ref());
            // A member that skipped a criterion is the same one by its own identity.
            let key = member.judge_identity.clone().unwrap_or_default();
            let row = self.members.entry(key).or_default();
            row.counts.add(verdict(member));
            row.model = row.model.take().or_else(|| member.judge_model.clone());
            if let Some(identity) = identity {
                row.identity = identity;
            }
        }
        if !members.is_empty() {
            self.agreement.add(members.iter().map(|member| verdict(member).decided()));
        }
    }

    fn row(&self, name: String) -> JudgeRow {
        JudgeRow {
            name,
            counts: self.counts,
            mean_score: self.score.value(),
            high_variance: self.high_variance,
            models: self.models.clone(),
            identities: self.identities.clone(),
            is_unversioned: self.is_unversioned,
            members: self.members.values().cloned().collect(),
            agreement: self.agreement.alpha(),
        }
    }
}

fn note(known: &mut Vec<String>, name: Option<&String>) {
    if let Some(name) = name.filter(|name| !known.contains(name)) {
        known.push(name.clone());
    }
}
