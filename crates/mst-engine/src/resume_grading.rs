//! Going on with a run's grading: the run itself is opened, and what it has no verdict of is asked.
//!
//! One run never mixes two gradings. Its config and its cases must be those that it was graded with; only the judges that
//! cases have of their own may have changed, since each verdict says who gave it. Assertions cost nothing and are graded
//! again on every trial.

use std::path::PathBuf;

use indexmap::IndexMap;
use mst_config::Plan;
use mst_grading::assertion_graders;
use mst_grading::judge::judge_grader;
use mst_model::{GraderName, GraderScore, Phase, RecordedJudge, RunRecord, Timestamp, TrialRecord, judges_of};
use mst_store::{EvalLayout, OptionKey, RunLayout, RunReader, RunWriter, Saved, StoreError};

use crate::attempt::Place;
use crate::carried::{copy, sources};
use crate::error::RunError;
use crate::grade::StoredRun;
use crate::judges::Judges;
use crate::kept::KeptTrials;
use crate::resume::{changed_judges, places, planned_trials};
use crate::run::Started;

/// A run whose grading goes on.
pub(crate) struct Resumed {
    writer: RunWriter,
    /// How many of the plan's variants are graded, from the first.
    variants: usize,
    kept: KeptTrials,
    empty: Vec<PathBuf>,
}

/// Refuses a run whose verdicts would be of two kinds, and one that no grading can complete. Reads `run.json` alone.
pub(crate) fn check(run: &str, record: &RunRecord, plan: &Plan, judges: &[RecordedJudge]) -> Result<(), RunError> {
    let refuse = |reason: String, changed| Err(RunError::ResumeGrading { run: run.to_owned(), reason, changed });
    if record.phases.grade == Phase::Skipped {
        return refuse(
            "it was collected with --no-grade, and is graded without --resume, as a run of its own".to_owned(),
            false,
        );
    }
    if record.replayed.is_some() {
        return refuse("it was replayed from a tape; replay the tape again instead".to_owned(), false);
    }
    let names = changed_judges(record, judges);
    if !names.is_empty() {
        return refuse(format!("these judges are no longer those that graded it: {}", names.join(", ")), true);
    }
    if record.content_hash != plan.content_hash {
        return refuse("the eval config changed since it was graded".to_owned(), true);
    }
    let is_known = |dataset: &&mst_config::PlannedDataset| {
        record.datasets.iter().any(|stored| stored.has_the_cases_of(&dataset.record))
    };
    match plan.datasets.iter().find(|dataset| !is_known(dataset)) {
        Some(dataset) => {
            let name = &dataset.record.name;
            refuse(format!("cases of the dataset {name:?} changed in more than their judges since it was graded"), true)
        }
        None => Ok(()),
    }
}

/// Opens a run whose record was checked.
///
/// # Errors
/// When nothing lacks a verdict, another process writes the run, or a file of it cannot be read.
pub(crate) fn open(
    run: &str,
    layout: RunLayout,
    eval: &EvalLayout,
    (plan, judges): (&Plan, &Judges),
) -> Result<Resumed, RunError> {
    let refuse = |reason: String| RunError::ResumeGrading { run: run.to_owned(), reason, changed: false };
    let opened = RunWriter::open_for_grading(layout, &planned_trials(plan));
    let (mut writer, mut saved) = opened.map_err(|error| refuse(error.to_string()))?;
    if writer.record().variants.is_empty()
        && let Some(collecting) = writer.record().graded_from.clone()
    {
        // It was cut off before everything was carried over.
        carry_over(&mut writer, &eval.run(&collecting), plan).map_err(refuse)?;
        let root = writer.layout().clone();
        drop(writer);
        let again = RunWriter::open_for_grading(root, &planned_trials(plan));
        (writer, saved) = again.map_err(|error| refuse(error.to_string()))?;
    }
    let record = writer.record();
    let is_recorded = |variant: &mst_config::PlannedVariant| record.variants.iter().any(|one| one.name == variant.name);
    let variants = match record.graded_from {
        Some(_) => plan.variants.len(),
        None => plan.variants.iter().take_while(|variant| is_recorded(variant)).count(),
    };
    if variants == 0 {
        let reason = "it was stopped while it collected: `mst run --resume` collects the rest and grades all of it";
        return Err(refuse(reason.to_owned()));
    }
    let mut kept = KeptTrials::default();
    let mut missing = 0;
    for (place, saved) in places(plan).zip(&saved.trials) {
        if *saved == Saved::Missing {
            missing += 1;
        } else if place.variant < variants {
            kept.insert(plan, place);
        }
    }
    let reader = writer.reader().map_err(|error| refuse(error.to_string()))?;
    let lacks = Lacking { plan, judges, reader: &reader }.any(&kept).map_err(|error| refuse(error.to_string()))?;
    let is_joined = reader.summary().is_ok() && reader.has_whole_results();
    let is_over = record.phases.grade == Phase::Complete || missing > 0;
    if !lacks && is_joined && is_over {
        let reason = match missing {
            0 => "there is nothing to grade: every trial has its verdicts".to_owned(),
            1 => {
                "there is nothing to grade; one trial was not collected, and `mst run --resume` collects it".to_owned()
            }
            _ => format!(
                "there is nothing to grade; {missing} trials were not collected, and `mst run --resume` collects them"
            ),
        };
        return Err(refuse(reason));
    }
    Ok(Resumed { writer, variants, kept, empty: saved.empty })
}

/// Copies what a regrade lacks of the run whose trials it grades.
fn carry_over(writer: &mut RunWriter, from: &RunLayout, plan: &Plan) -> Result<(), String> {
    let cut_off = |reason: String| format!("it was cut off before it had all transcripts, and {reason}");
    let reader = RunReader::open(from.clone()).map_err(|error| cut_off(error.to_string()))?;
    let files = sources(&reader, plan).map_err(|error| cut_off(error.to_string()))?.map_err(cut_off)?;
    copy(&files, from, writer.layout()).map_err(|error| cut_off(error.to_string()))?;
    let variants = reader.record().view().variants.clone();
    let record = RunRecord { variants, ..writer.record().clone() };
    writer.save_run_record(record).map_err(|error| cut_off(error.to_string()))
}

impl Resumed {
    /// Notes in `run.json` that it is being graded, and by which judges of cases, before the first of them is asked.
    pub(crate) fn begin(
        mut self,
        plan: &Plan,
        judges: &Judges,
        collected_at: Option<Timestamp>,
        key: OptionKey,
    ) -> Result<Started, StoreError> {
        let mut record = self.writer.record().clone();
        record.datasets = plan.datasets.iter().map(|dataset| dataset.record.clone()).collect();
        record.judges = judges.recorded(plan);
        record.phases.grade = Phase::Partial;
        self.writer.save_run_record(record.clone())?;
        Ok(Started {
            run_id: record.run_id.clone(),
            created_at: record.created_at,
            readiness: record.variants.iter().map(|one| (one.name.clone(), one.readiness.clone())).collect(),
            writer: Some(self.writer),
            key: Some(key),
            kept: self.kept,
            empty: self.empty,
            regraded: Some(StoredRun { record, collected_at, variants: self.variants }),
        })
    }
}

/// Looks for a trial that lacks a verdict.
struct Lacking<'a> {
    plan: &'a Plan,
    judges: &'a Judges,
    reader: &'a RunReader,
}

impl Lacking<'_> {
    /// Returns whether any kept trial lacks one.
    fn any(&self, kept: &KeptTrials) -> Result<bool, StoreError> {
        let graders = self.reader.graders()?;
        for place in places(self.plan).filter(|place| kept.contains(*place)) {
            let key = place.key(self.plan);
            let trial = self.reader.trial_view(&key)?;
            let scores = self.reader.score_views(&key, &graders)?;
            let scores = scores.into_iter().map(|(grader, score)| (grader, score.score)).collect();
            if self.is_lacking(place, &trial, &scores) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns whether a grader of the case did not say, or someone who is no grader of the case any more did.
    fn is_lacking(&self, place: Place, trial: &TrialRecord, scores: &IndexMap<GraderName, GraderScore>) -> bool {
        if trial.ending.is_infrastructure() {
            return false;
        }
        let case = place.case(self.plan);
        let settings = judges_of(&case, &self.plan.variants[place.variant].judges);
        let asserted: Vec<GraderName> = assertion_graders(&case).map(GraderName::from).collect();
        let is_judged = settings.iter().all(|setting| {
            let score = scores.get(&judge_grader(&setting.name)).filter(|score| score.error.is_none());
            let judge = self.judges.bind(setting).ok();
            score.zip(judge).is_some_and(|(score, judge)| score.judge_identity.as_deref() == Some(judge.identity()))
        });
        trial.grading_error.is_some()
            || !is_judged
            || !asserted.iter().all(|grader| scores.contains_key(grader))
            || scores.len() != settings.len() + asserted.len()
    }
}
