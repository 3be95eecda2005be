//! One case of `results.json`: its trials and scores joined.

use indexmap::IndexMap;
use mst_model::{
    CaseRequest, CaseResult, EvalCase, Evidence, GraderName, GraderScore, ToolCallTrace, TrialRecord, TrialResult,
    Usage, VariantName,
};
use serde_json::{Map, Value};

use crate::case_count::{CaseCount, case_count};
use crate::judge_scores::{joined_judges, judge_scores};
use crate::row::usage_of;
use crate::stats::wilson;
use crate::verdict::{TrialVerdict, trial_verdict};

/// One case in one variant, with everything that was collected and graded of it.
#[derive(Clone, Copy, Debug)]
pub struct CaseInput<'a> {
    /// The case as its dataset has it.
    pub case: &'a EvalCase,
    /// The dataset's name.
    pub dataset_name: &'a str,
    /// The variant.
    pub variant: &'a VariantName,
    /// The client the case ran on.
    pub client: &'a str,
    /// The model the case ran on, when known.
    pub model: Option<&'a str>,
    /// How many trials it asks for.
    pub trials: u32,
    /// The share of trials that must pass, 0 to 1.
    pub pass_threshold: f64,
    /// Whether the run was graded.
    pub graded: bool,
    /// Its trials as stored, in order of their numbers.
    pub joined: &'a [JoinedTrial<'a>],
}

/// A trial with what its graders said.
#[derive(Clone, Copy, Debug)]
pub struct JoinedTrial<'a> {
    /// The trial as stored: in a redacted run, without its answer.
    pub record: &'a TrialRecord,
    /// Its scores, in the graders' order.
    pub scores: &'a IndexMap<GraderName, GraderScore>,
    /// Events that are of an expected call, over all events.
    pub tool_precision: Option<f64>,
    /// Required calls that were made, over required calls.
    pub tool_recall: Option<f64>,
    /// Which calls were expected.
    pub tool_call_trace: Option<&'a ToolCallTrace>,
}

/// Joins a case's trials and scores.
///
/// The judges of a trial stand together under `judge`, with an entry each in `judgeResults` where there are several.
///
/// Of several trials the case shows the last one's answer, scores and tool metrics, every trial's own in `trialResults`,
/// and times and usage together; it has no transcript of its own. The pass rate's interval needs two counted trials.
pub fn case_result(input: &CaseInput<'_>) -> CaseResult {
    let verdicts: Vec<TrialVerdict> =
        input.joined.iter().map(|trial| trial_verdict(trial.record, trial.scores, input.graded)).collect();
    let count = case_count(verdicts.iter().copied(), input.trials, input.pass_threshold);
    let several = input.trials > 1 || input.joined.len() > 1;
    let last = input.joined.last();
    let record = last.map(|trial| trial.record);
    let only = record.filter(|_| !several);
    let tags = (!input.case.tags.is_empty()).then(|| input.case.tags.clone());
    CaseResult {
        id: input.case.id.clone(),
        dataset_name: input.dataset_name.to_owned(),
        variant: input.variant.clone(),
        source: "client".to_owned(),
        pass: input.graded.then_some(count.pass),
        request: request(input, tags.clone()),
        response: record.and_then(|record| record.transcript.as_ref()?.final_text.clone()),
        error: input.joined.iter().find_map(|trial| error_of(trial.record)),
        grading_error: input.joined.iter().find_map(|trial| trial.record.grading_error.clone()),
        scores: last.map(|trial| joined_judges(trial.scores)).unwrap_or_default(),
        duration_ms: input.joined.iter().map(|trial| trial.record.duration_ms).sum(),
        pass_rate: count.share(),
        pass_rate_ci: if count.counted < 2 { None } else { wilson(count.passed as u64, count.counted as u64) },
        infrastructure_error_rate: share_of_failures(&count),
        infrastructure_error_count: (count.infrastructure > 0).then_some(count.infrastructure as u32),
        trial_results: several.then(|| {
            input.joined.iter().zip(&verdicts).map(|(trial, verdict)| trial_result(trial, *verdict)).collect()
        }),
        tags,
        tool_precision: last.and_then(|trial| trial.tool_precision),
        tool_recall: last.and_then(|trial| trial.tool_recall),
        tool_call_trace: last.and_then(|trial| trial.tool_call_trace.cloned()),
        client_diagnostics: record.and_then(|record| record.client_diagnostics.clone()),
        transcript: only.and_then(|record| record.transcript.clone()),
        evidence: weakest(input.joined),
        client_usage: sum(input.joined.iter().filter_map(|trial| usage_of(trial.record))),
        judge_usage: sum(input.joined.iter().flat_map(|trial| judge_usages(trial.scores))),
        skill_loads: only.and_then(|record| record.skill_loads.clone()),
        ending: only.map(|record| record.ending.clone()),
        incomplete: is_incomplete(input, &count).then_some(true),
    }
}

/// Returns whether a case is neither passed nor failed; in an ungraded run, whether it was not wholly collected.
fn is_incomplete(input: &CaseInput<'_>, count: &CaseCount) -> bool {
    if input.graded { !count.complete } else { count.infrastructure > 0 || count.trials < input.trials as usize }
}

fn request(input: &CaseInput<'_>, tags: Option<Vec<String>>) -> CaseRequest {
    let case = input.case;
    let mut rest: Map<String, Value> = case.expected.clone().unwrap_or_default();
    let reference = rest.shift_remove("answer");
    CaseRequest {
        description: case.description.clone(),
        trials: Some(input.trials),
        pass_threshold: Some(input.pass_threshold),
        tags,
        assertions: case.assertions.clone(),
        input: Some(case.input.clone()),
        reference,
        client: Some(input.client.to_owned()),
        model: input.model.map(str::to_owned),
        expected: (!rest.is_empty()).then_some(rest),
    }
}

fn trial_result(trial: &JoinedTrial<'_>, verdict: TrialVerdict) -> TrialResult {
    let record = trial.record;
    TrialResult {
        trial: record.trial,
        pass: verdict.pass(),
        scores: joined_judges(trial.scores),
        duration_ms: record.duration_ms,
        error: error_of(record),
        grading_error: record.grading_error.clone(),
        ending: record.ending.clone(),
        tool_call_trace: trial.tool_call_trace.cloned(),
        client_diagnostics: record.client_diagnostics.clone(),
        evidence: record.transcript.as_ref().and_then(|transcript| transcript.evidence),
        transcript: record.transcript.clone(),
        client_usage: usage_of(record).cloned(),
        judge_usage: sum(judge_usages(trial.scores)),
        skill_loads: record.skill_loads.clone(),
    }
}

fn error_of(record: &TrialRecord) -> Option<String> {
    record.error.clone().or_else(|| record.client_error().map(str::to_owned))
}

fn share_of_failures(count: &CaseCount) -> Option<f64> {
    (count.infrastructure > 0).then(|| count.infrastructure as f64 / count.trials as f64)
}

/// Returns the weakest evidence of the trials that are no infrastructure failures.
fn weakest(trials: &[JoinedTrial<'_>]) -> Option<Evidence> {
    let live = trials.iter().filter(|trial| !trial.record.ending.is_infrastructure());
    live.filter_map(|trial| trial.record.transcript.as_ref()?.evidence).min()
}

/// Returns what each judge of a trial used.
pub(crate) fn judge_usages(scores: &IndexMap<GraderName, GraderScore>) -> impl Iterator<Item = &Usage> {
    judge_scores(scores).filter_map(|(_, score)| score.usage.as_ref())
}

/// Returns usages added up; `None` of none. A failed attempt's usage was paid for too.
pub(crate) fn sum<'a>(usages: impl Iterator<Item = &'a Usage>) -> Option<Usage> {
    usages.fold(None, |sum, usage| {
        let mut sum = sum.unwrap_or_default();
        sum.add(usage);
        Some(sum)
    })
}
