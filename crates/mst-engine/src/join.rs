//! Joining a case: its trials and their scores are read from the run's own files, whoever wrote them and when.

use indexmap::IndexMap;
use mst_grading::{GradeInput, KnownTools, PatternThreads, ToolMatch, match_tools};
use mst_measure::{AnswerSize, CaseInput, CaseRows, JoinedTrial, TrialRow, case_result, row};
use mst_model::{CaseResult, GraderName, GraderScore, Scrubbed, TrialRecord};
use mst_store::{Graders, RunReader, StoreError};

use crate::attempt::Place;
use crate::collection::Collection;

/// What a variant's cases are joined from.
#[derive(Clone, Copy)]
pub(crate) struct Sources<'a> {
    pub(crate) collection: &'a Collection,
    pub(crate) reader: &'a RunReader,
    pub(crate) graders: &'a Graders,
    pub(crate) patterns: &'a PatternThreads,
    /// The tools that the variant's servers listed.
    pub(crate) known: &'a KnownTools,
}

/// A case's result with the records it was joined from.
pub(crate) struct JoinedCase {
    pub(crate) result: CaseResult,
    pub(crate) records: Vec<TrialRecord>,
    pub(crate) scores: Vec<IndexMap<GraderName, GraderScore>>,
    /// How many trials it should have.
    pub(crate) wanted: u32,
    pub(crate) rows: CaseRows,
}

/// A trial as stored, with what is found again from it.
struct StoredTrial {
    record: Scrubbed<TrialRecord>,
    scores: IndexMap<GraderName, GraderScore>,
    tools: Option<ToolMatch>,
    row: TrialRow,
}

impl Sources<'_> {
    /// Reads a trial with its scores; `None` when it is not there.
    async fn trial(self, place: Place, answer: Option<AnswerSize>) -> Result<Option<StoredTrial>, StoreError> {
        let plan = &self.collection.bound.plan;
        let graded = self.collection.options.grade;
        let key = place.key(plan);
        let Some(record) = self.reader.find_trial(&key)? else { return Ok(None) };
        let record = self.collection.scrubber.scrub(record);
        let stored = self.reader.score_views(&key, self.graders)?;
        let scores = stored.into_iter().map(|(grader, score)| (grader, score.score)).collect();
        let case = place.case(plan);
        let input = GradeInput {
            case: &case,
            trial: &record,
            tool_map: &plan.variants[place.variant].tool_map,
            known_tools: self.known,
            quote_answers: false,
            patterns: self.patterns,
        };
        let tools = if graded { match_tools(input).await } else { None };
        let row = row(record.get(), &scores, graded).with_answer(answer);
        Ok(Some(StoredTrial { record, scores, tools, row }))
    }

    /// Joins a case's trials; `first` is the place of its first one, `answers` are the sizes of answers that are not stored.
    pub(crate) async fn join(self, first: Place, answers: &[Option<AnswerSize>]) -> Result<JoinedCase, StoreError> {
        let plan = &self.collection.bound.plan;
        let batch = &plan.variants[first.variant].batches[first.batch];
        let planned = first.planned(plan);
        let mut stored = Vec::new();
        for trial in 0..planned.trials {
            let answer = answers.get(trial as usize).copied().flatten();
            stored.extend(self.trial(Place { trial, ..first }, answer).await?);
        }
        let trials: Vec<JoinedTrial<'_>> = stored.iter().map(StoredTrial::joined).collect();
        let case = first.case(plan);
        let result = case_result(&CaseInput {
            case: &case,
            dataset_name: first.dataset_name(plan),
            variant: &plan.variants[first.variant].name,
            client: &batch.client.name,
            model: batch.client.model.as_deref(),
            trials: planned.trials,
            pass_threshold: planned.pass_threshold,
            graded: self.collection.options.grade,
            joined: &trials,
        });
        let mut rows = Vec::with_capacity(stored.len());
        let (mut records, mut scores) = (Vec::with_capacity(stored.len()), Vec::with_capacity(stored.len()));
        for trial in stored {
            records.push(trial.record.into_inner());
            scores.push(trial.scores);
            rows.push(trial.row);
        }
        let model = batch.client.priced_model.clone();
        let judge_models = self.collection.judges.models_of(&case, &plan.variants[first.variant]);
        let rows =
            CaseRows { trials: planned.trials, pass_threshold: planned.pass_threshold, model, judge_models, rows };
        Ok(JoinedCase { result, records, scores, wanted: planned.trials, rows })
    }
}

impl StoredTrial {
    fn joined(&self) -> JoinedTrial<'_> {
        JoinedTrial {
            record: self.record.get(),
            scores: &self.scores,
            tool_precision: self.tools.as_ref().map(|tools| tools.precision),
            tool_recall: self.tools.as_ref().map(|tools| tools.recall),
            tool_call_trace: self.tools.as_ref().map(|tools| &tools.trace),
        }
    }
}
