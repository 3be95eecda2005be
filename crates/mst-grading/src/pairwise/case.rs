//! Having a pairwise judge asked about one case.

use mst_ext::{JudgeContext, JudgeFault};
use mst_model::{PairwiseInput, Preference, TapeScope};
use tokio_util::sync::CancellationToken;

use super::bound::BoundPairwiseJudge;
use super::reconcile::{Given, check, reconcile};
use crate::judge::requires::lacking;
use crate::judge::source::{Source, list};
use crate::judge::{Cancelled, JudgePlace};

/// Has a pairwise judge compare two trials of a case: in the order given, then with the trials changed over, each as often
/// as it is to be asked. `place` is the candidate's.
///
/// Without an input that it needs it is not asked, and a skip ends the asking. A judge that cannot come to a preference gives
/// an `error`, which counts for neither side.
///
/// # Errors
/// When `cancel` ends it.
pub async fn compare_case(
    judge: &BoundPairwiseJudge,
    input: &PairwiseInput,
    place: JudgePlace<'_>,
    cancel: &CancellationToken,
) -> Result<Preference, Cancelled> {
    let mut source = Source::priced(judge.price);
    let preference = match ask(judge, input, place, cancel, &mut source).await {
        Ok(preference) => preference,
        Err(JudgeFault::Cancelled) => return Err(Cancelled),
        Err(fault) => Preference { error: Some(fault.to_string()), ..Preference::default() },
    };
    Ok(Preference {
        judge: judge.name().to_owned(),
        provider: list(&source.providers),
        model: list(&source.models),
        version: judge.version().map(str::to_owned),
        judge_identity: Some(judge.identity().to_owned()),
        judge_unversioned: judge.is_unversioned().then_some(true),
        usage: source.usage(),
        ..preference
    })
}

async fn ask(
    judge: &BoundPairwiseJudge,
    input: &PairwiseInput,
    place: JudgePlace<'_>,
    cancel: &CancellationToken,
    source: &mut Source,
) -> Result<Preference, JudgeFault> {
    if let Some(path) = lacking(&judge.definition.requires, input, |root| root) {
        let why = format!("Not asked: it needs {path}, which is missing or empty.");
        return Ok(Preference { skipped: Some(true), reasoning: Some(why), ..Preference::default() });
    }
    let changed_over = judge.judge.swaps_positions().then(|| PairwiseInput {
        case: input.case.clone(),
        baseline: input.candidate.clone(),
        candidate: input.baseline.clone(),
    });
    let orders = [Some(input), changed_over.as_ref()].into_iter().flatten().zip([false, true]);
    let mut given = Vec::new();
    for (input, is_swapped) in orders {
        for rep in 0..judge.reps {
            let JudgePlace { variant, case_id, trial } = place;
            let scope = TapeScope::pairwise(judge.identity(), variant, case_id, trial, rep, is_swapped);
            let context = JudgeContext { scope, cancel: cancel.clone() };
            let answer = tokio::select! {
                biased;
                () = cancel.cancelled() => Err(JudgeFault::Cancelled),
                answer = judge.judge.compare(input, &judge.options, &context) => answer,
            };
            let answer = answer.inspect_err(|fault| source.pay(fault))?;
            source.take(answer.usage.as_ref(), answer.provider.as_ref(), answer.model.as_ref());
            check(&answer).map_err(JudgeFault::Failed)?;
            if answer.skipped {
                let (reasoning, metadata) = (answer.reasoning, answer.metadata);
                return Ok(Preference { skipped: Some(true), reasoning, metadata, ..Preference::default() });
            }
            given.push(Given::new(answer, is_swapped));
        }
    }
    let found = reconcile(&given);
    Ok(Preference {
        preference: Some(found.preference),
        strength: found.strength,
        reasoning: found.reasoning,
        consistent: found.is_consistent,
        dimensions: found.dimensions,
        metadata: given.into_iter().find_map(|one| one.answer.metadata),
        ..Preference::default()
    })
}
