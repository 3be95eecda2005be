//! Comparing two sides, case by case.

use futures::stream::{self, StreamExt as _, TryStreamExt as _};
use indexmap::IndexMap;
use mst_measure::{ComparedSides, pairwise};
use mst_model::{
    CaseId, JudgeCase, JudgeTrial, Pairwise, PairwiseCase, PairwiseInput, Preference, UnmatchedCases, VariantName,
};
use tokio_util::sync::CancellationToken;

use super::bound::BoundPairwiseJudge;
use super::case::compare_case;
use crate::judge::{Cancelled, JudgePlace};

/// One side of a comparison: a variant, a stored run, or a run made elsewhere.
#[derive(Clone, Debug)]
pub struct PairwiseSide {
    /// What it is called.
    pub name: VariantName,
    /// One trial a case: the last. `None` of a case whose trial had an error, which is not compared.
    pub trials: IndexMap<CaseId, Option<ComparedTrial>>,
}

/// A trial that is compared.
#[derive(Clone, Debug)]
pub struct ComparedTrial {
    /// Its number, from 0.
    pub number: u32,
    /// The trial.
    pub trial: JudgeTrial,
}

/// What is to be compared, and by whom.
#[derive(Clone, Copy, Debug)]
pub struct ComparePairwise<'a> {
    /// What is compared with.
    pub baseline: &'a PairwiseSide,
    /// What is compared.
    pub candidate: &'a PairwiseSide,
    /// The cases, with their ground truth; a judge knows only the id of one that is not here.
    pub cases: &'a IndexMap<CaseId, JudgeCase>,
    /// The judges, in order.
    pub judges: &'a [BoundPairwiseJudge],
    /// How many comparisons run at once, at least one.
    pub concurrency: usize,
}

/// Has every judge compare every case that both sides have, in the candidate's order.
///
/// # Errors
/// When `cancel` ends it.
pub async fn compare_pairwise(request: ComparePairwise<'_>, cancel: &CancellationToken) -> Result<Pairwise, Cancelled> {
    let ComparePairwise { baseline, candidate, cases, judges, concurrency } = request;
    let only = |side: &PairwiseSide, other: &PairwiseSide| -> Vec<CaseId> {
        side.trials.keys().filter(|id| !other.trials.contains_key(*id)).cloned().collect()
    };
    let unmatched =
        UnmatchedCases { baseline_only: only(baseline, candidate), candidate_only: only(candidate, baseline) };
    let mut errored = Vec::new();
    let mut pairs = Vec::new();
    for (id, ours) in &candidate.trials {
        match (ours, baseline.trials.get(id)) {
            (_, None) => {}
            (Some(ours), Some(Some(theirs))) => pairs.push((id, theirs, ours)),
            _ => errored.push(id.clone()),
        }
    }
    let questions =
        pairs.iter().flat_map(|(id, theirs, ours)| judges.iter().map(move |judge| (*id, *theirs, *ours, judge)));
    let asked: Vec<_> = questions
        .map(|(id, theirs, ours, judge)| async move {
            let case = cases.get(id).cloned().unwrap_or_else(|| nameless(id));
            let input = PairwiseInput { case, baseline: theirs.trial.clone(), candidate: ours.trial.clone() };
            let place = JudgePlace { variant: &candidate.name, case_id: id, trial: ours.number };
            compare_case(judge, &input, place, cancel).await
        })
        .collect();
    let preferences: Vec<Preference> = stream::iter(asked).buffered(concurrency.max(1)).try_collect().await?;
    let mut rest = preferences.into_iter();
    let compared = pairs
        .iter()
        .map(|(id, ..)| PairwiseCase { id: (*id).clone(), preferences: rest.by_ref().take(judges.len()).collect() });
    let sides = ComparedSides {
        baseline: baseline.name.to_string(),
        candidate: candidate.name.to_string(),
        unmatched,
        errored,
        cases: compared.collect(),
    };
    let names: Vec<&str> = judges.iter().map(BoundPairwiseJudge::name).collect();
    Ok(pairwise(sides, &names))
}

/// Makes what is known of a case by its id alone.
fn nameless(id: &CaseId) -> JudgeCase {
    JudgeCase {
        id: id.to_string(),
        input: mst_model::JudgePrompt { prompt: String::new() },
        expected: mst_model::JudgeExpected::default(),
        tags: Vec::new(),
        metadata: serde_json::Map::new(),
    }
}
