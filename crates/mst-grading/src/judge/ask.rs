//! Having a judge asked about one trial.

use futures::future::join_all;
use mst_ext::{JudgeContext, JudgeFault};
use mst_model::{CaseId, Criterion, GraderName, GraderScore, JudgeInput, JudgeScore, TapeScope, VariantName};
use tokio_util::sync::CancellationToken;

use super::answer::check;
use super::bound::{BoundJudge, Seat, of_member};
use super::jury::{Member, deliberate};
use super::opinion::{Opinion, Verdict, reconcile};
use super::requires::lacking;
use super::source::{Source, list};

/// Where a trial stands in its run.
#[derive(Clone, Copy, Debug)]
pub struct JudgePlace<'a> {
    /// The variant.
    pub variant: &'a VariantName,
    /// The case.
    pub case_id: &'a CaseId,
    /// The trial, from 0.
    pub trial: u32,
}

/// The run ended before a judge was done: there is nothing to record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cancelled")]
pub struct Cancelled;

/// Returns the grader under which a judge's scores are stored.
pub fn judge_grader(name: &str) -> GraderName {
    GraderName::new(format!("judge.{name}"))
}

/// Returns the score of a judge that is not asked because the trial's client had an error: the trial has failed already.
/// `None` of one that asks no model.
pub fn skip_of_errored(judge: &BoundJudge) -> Option<GraderScore> {
    let why = "Not asked: the client had an error, which fails the trial already.";
    judge.calls_model().then(|| skip(judge, why.to_owned()))
}

fn skip(judge: &BoundJudge, why: String) -> GraderScore {
    score(judge, Opinion::skipped(Some(why)), &Source::default())
}

/// Returns the part of a judge's input that a required path starts at: `candidate` is another name of the trial.
fn root(name: &str) -> &str {
    if name == "candidate" { "trial" } else { name }
}

/// Has a judge asked about a trial, and returns the score to record.
///
/// Without an input that it needs it is not asked. A member of a jury is asked beside the others, the reps of one judge one
/// after the other. A judge that cannot come to a verdict gives a score with an `error`: neither a pass nor a fail.
///
/// # Errors
/// When `cancel` ends it.
pub async fn judge_trial(
    judge: &BoundJudge,
    input: &JudgeInput,
    place: JudgePlace<'_>,
    cancel: &CancellationToken,
) -> Result<GraderScore, Cancelled> {
    if let Some(path) = lacking(&judge.definition.requires, input, root) {
        return Ok(skip(judge, format!("Not asked: it needs {path}, which is missing or empty.")));
    }
    let asked = join_all(judge.seats.iter().map(|seat| ask(judge, seat, input, place, cancel))).await;
    let mut source = Source::default();
    for one in &asked {
        source.add(&one.source);
    }
    let mut members = Vec::with_capacity(asked.len());
    let mut fault = None;
    for (seat, one) in judge.seats.iter().zip(asked) {
        match one.opinion {
            Ok(opinion) => {
                let (label, identity) = (seat.label.as_str(), seat.identity.as_str());
                let Source { providers, models, .. } = one.source;
                members.push(Member { label, identity, opinion, provider: list(&providers), model: list(&models) });
            }
            Err(JudgeFault::Cancelled) => return Err(Cancelled),
            Err(found) => {
                let named = if judge.is_jury { of_member(found, &seat.label) } else { found };
                fault.get_or_insert(named);
            }
        }
    }
    let jury = judge.is_jury.then(|| members.iter().map(Member::record).collect());
    let opinion = if judge.is_jury { Some(deliberate(&members)) } else { members.pop().map(|member| member.opinion) };
    let verdict = match (fault, opinion) {
        (None, Some(opinion)) => identify(judge, opinion),
        (Some(fault), _) => Err(fault.to_string()),
        (None, None) => Err("the judge was not asked".to_owned()),
    };
    let scored = match verdict {
        Ok(opinion) => score(judge, opinion, &source),
        Err(why) => from(judge, GraderScore::no_verdict(why), &source),
    };
    Ok(GraderScore { jury, ..scored })
}

struct Asked {
    opinion: Result<Opinion, JudgeFault>,
    source: Source,
}

/// Asks one judge as often as it is to be asked.
async fn ask(
    judge: &BoundJudge,
    seat: &Seat,
    input: &JudgeInput,
    place: JudgePlace<'_>,
    cancel: &CancellationToken,
) -> Asked {
    let mut source = Source::priced(seat.price);
    let mut answers: Vec<JudgeScore> = Vec::new();
    for rep in 0..judge.rules.reps {
        let scope = TapeScope::judge(&seat.identity, place.variant, place.case_id, place.trial, rep);
        let context = JudgeContext { scope, cancel: cancel.clone() };
        let answer = tokio::select! {
            biased;
            () = cancel.cancelled() => Err(JudgeFault::Cancelled),
            answer = judge.judge.evaluate(input, &seat.options, &context) => answer,
        };
        let answer = match answer {
            Ok(answer) => answer,
            Err(fault) => {
                source.pay(&fault);
                return Asked { opinion: Err(fault), source };
            }
        };
        source.take(answer.usage.as_ref(), answer.provider.as_ref(), answer.model.as_ref());
        if let Err(why) = check(&answer) {
            return Asked { opinion: Err(JudgeFault::Failed(why)), source };
        }
        let is_last = answer.skipped;
        answers.push(answer);
        if is_last {
            break;
        }
    }
    let mut opinion = reconcile(&answers, judge.rules.threshold);
    let identified = name_criteria(&mut opinion.criteria, |id| judge.criterion_identity_at(seat, id));
    Asked { opinion: identified.map(|()| opinion).map_err(JudgeFault::Failed), source }
}

/// Writes the judge's own identity for each criterion: of a jury, the set of its members'.
fn identify(judge: &BoundJudge, mut opinion: Opinion) -> Result<Opinion, String> {
    name_criteria(&mut opinion.criteria, |id| judge.criterion_identity(id))?;
    Ok(opinion)
}

fn name_criteria(criteria: &mut [Criterion], identity: impl Fn(&str) -> Result<String, String>) -> Result<(), String> {
    for criterion in criteria {
        criterion.identity = Some(identity(&criterion.id)?);
    }
    Ok(())
}

/// Makes the score to record of an opinion. One that counts for nothing passes, so that whoever looks for a score that did
/// not pass finds none.
fn score(judge: &BoundJudge, opinion: Opinion, source: &Source) -> GraderScore {
    let Opinion { verdict, score, reasoning, details, sub_scores, criteria, metadata, spread } = opinion;
    let (std_dev, is_high) = (spread.as_ref().map(|one| one.std_dev), spread.as_ref().is_some_and(|one| one.is_high));
    let score = GraderScore {
        pass: matches!(verdict, Verdict::Pass | Verdict::Skipped),
        details,
        score,
        reasoning,
        skipped: (verdict == Verdict::Skipped).then_some(true),
        unknown: (verdict == Verdict::Unknown).then_some(true),
        sub_scores: (!sub_scores.is_empty()).then_some(sub_scores),
        criteria: (!criteria.is_empty()).then_some(criteria),
        metadata,
        scores: spread.map(|one| one.scores),
        score_std_dev: std_dev,
        high_variance: is_high.then_some(true),
        ..GraderScore::default()
    };
    from(judge, score, source)
}

/// Writes into a score who gave it, and what that used.
fn from(judge: &BoundJudge, score: GraderScore, source: &Source) -> GraderScore {
    GraderScore {
        judge_name: Some(judge.name().to_owned()),
        judge_provider: list(&source.providers),
        judge_model: list(&source.models),
        judge_identity: Some(judge.identity().to_owned()),
        judge_unversioned: judge.is_unversioned().then_some(true),
        usage: source.usage(),
        ..score
    }
}
