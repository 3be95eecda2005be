//! Asking judges about the probes.

use std::sync::Arc;

use futures::StreamExt as _;
use mst_grading::judge::{Cancelled, JudgePlace, judge_trial};
use mst_grading::pairwise::compare_case;
use mst_judges::{Probe, ProbeVerdict, probes};
use mst_model::{CaseId, GraderScore, PairwiseInput, Preference, Preferred, Usage, VariantName};
use tokio_util::sync::CancellationToken;

use super::subject::{Question, Subject};

/// What a judge said of a probe.
pub(super) struct Said {
    pub(super) probe: Probe,
    pub(super) verdict: ProbeVerdict,
    /// Why there was no verdict.
    pub(super) error: Option<String>,
    pub(super) usage: Option<Usage>,
}

/// Asks each judge about each probe whose verdict is known for it, so many at once. A judge's answers are in the probes'
/// order; of a cancelled test some are missing.
pub(super) async fn try_all(
    subjects: Vec<Subject>,
    at_once: usize,
    cancel: &CancellationToken,
) -> Vec<(Subject, Vec<Said>)> {
    let asking: Vec<_> = subjects
        .iter()
        .enumerate()
        .flat_map(|(at, subject)| {
            let question = Arc::new(subject.question.clone());
            subject.probes().into_iter().map(move |probe| (at, Arc::clone(&question), probe))
        })
        .map(|(at, question, probe)| async move { (at, ask(&question, probe, cancel).await) })
        .collect();
    let mut answers: Vec<Vec<Said>> = subjects.iter().map(|_| Vec::new()).collect();
    let mut asking = futures::stream::iter(asking).buffered(at_once);
    while let Some((at, said)) = asking.next().await {
        answers[at].extend(said.ok());
    }
    subjects.into_iter().zip(answers).collect()
}

async fn ask(question: &Question, probe: Probe, cancel: &CancellationToken) -> Result<Said, Cancelled> {
    let (variant, case_id) = (VariantName::new("selftest"), CaseId::new(probe.scenario.clone()));
    let place = JudgePlace { variant: &variant, case_id: &case_id, trial: 0 };
    match question {
        Question::Verdict { setting, judge } => {
            let score = match Question::bind(setting, judge, &probe) {
                Ok(bound) => judge_trial(&bound, &probe.input, place, cancel).await?,
                Err(error) => GraderScore::no_verdict(error.message),
            };
            let verdict = verdict(&score);
            Ok(Said { probe, verdict, error: score.error, usage: score.usage })
        }
        Question::Preference(judge) => {
            let good = probes().into_iter().find(|good| good.scenario == probe.scenario && good.flaw.is_none());
            let input = PairwiseInput {
                case: probe.input.case.clone(),
                baseline: good.map_or_else(|| probe.input.trial.clone(), |good| good.input.trial),
                candidate: probe.input.trial.clone(),
            };
            let said = compare_case(judge, &input, place, cancel).await?;
            let verdict = preferred(&said);
            Ok(Said { probe, verdict, error: said.error, usage: said.usage })
        }
    }
}

fn verdict(score: &GraderScore) -> ProbeVerdict {
    match score {
        GraderScore { error: Some(_), .. } => ProbeVerdict::Error,
        GraderScore { unknown: Some(true), .. } | GraderScore { skipped: Some(true), .. } => ProbeVerdict::Unknown,
        GraderScore { pass: true, .. } => ProbeVerdict::Pass,
        GraderScore { .. } => ProbeVerdict::Fail,
    }
}

/// Returns what a preference says of a broken trial beside a good one: it falls when the good one is preferred.
fn preferred(said: &Preference) -> ProbeVerdict {
    match said.preference {
        _ if said.error.is_some() => ProbeVerdict::Error,
        Some(Preferred::Baseline) => ProbeVerdict::Fail,
        Some(Preferred::Candidate) => ProbeVerdict::Pass,
        Some(Preferred::Tie) | None => ProbeVerdict::Unknown,
    }
}
