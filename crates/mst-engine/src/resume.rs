//! Resuming: a run's own directory is opened again, and what it has and needs not be collected again is kept.

use std::path::{Path, PathBuf};

use mst_config::Plan;
use mst_model::{RecordedJudge, RunRecord, Selection};
use mst_store::{EvalLayout, PlannedTrials, RunReader, RunWriter, Saved, SavedTrials, StoreError, find_run};

use crate::attempt::Place;
use crate::error::RunError;
use crate::kept::KeptTrials;
use crate::work::planned_cases;

/// A run that is resumed.
pub(crate) struct Resumed {
    pub(crate) writer: RunWriter,
    pub(crate) record: RunRecord,
    pub(crate) kept: KeptTrials,
    /// Files that a power cut left empty, whose trials are collected again.
    pub(crate) empty: Vec<PathBuf>,
}

/// Returns how a stored run was narrowed, so that its plan can be made again before it is resumed.
///
/// # Errors
/// When no run answers to the name, or its `run.json` cannot be read.
pub fn stored_selection(output_dir: &Path, run: &str) -> Result<Option<Selection>, RunError> {
    selection(output_dir, run).map_err(|error| refuse(run, &error))
}

/// Reads how a stored run was narrowed.
pub(crate) fn selection(output_dir: &Path, run: &str) -> Result<Option<Selection>, StoreError> {
    let layout = find_run(&EvalLayout::new(output_dir), run)?;
    Ok(RunReader::open(layout)?.record().view().selection.clone())
}

/// Opens a run to collect what it lacks.
///
/// # Errors
/// When the run is another eval's, its config or datasets changed, nothing is missing, or it cannot be resumed at all.
pub(crate) fn open(
    eval: &EvalLayout,
    run: &str,
    plan: &Plan,
    grade: bool,
    judges: &[RecordedJudge],
) -> Result<Resumed, RunError> {
    let layout = find_run(eval, run).map_err(|error| refuse(run, &error))?;
    let record = RunReader::open(layout.clone()).map_err(|error| refuse(run, &error))?.record().view().clone();
    same_eval(run, &record, plan)?;
    same_judges(run, &record, judges)?;
    if !grade && record.phases.grade != mst_model::Phase::Skipped {
        return Err(RunError::Resume {
            run: run.to_owned(),
            reason: "it was started with grading; leave --no-grade out".to_owned(),
            changed: false,
        });
    }
    let (writer, saved) =
        RunWriter::open_for_resume(layout, &planned_trials(plan)).map_err(|error| refuse(run, &error))?;
    let record = writer.record().clone();
    if record.replayed.is_some() {
        return Err(RunError::Resume {
            run: run.to_owned(),
            reason: "it was replayed from a tape; replay the tape again instead".to_owned(),
            changed: false,
        });
    }
    let kept = kept_trials(plan, &saved);
    let planned = saved.trials.len();
    let ungraded = record.phases.grade != mst_model::Phase::Complete;
    let is_joined = || -> Result<bool, RunError> {
        let reader = writer.reader().map_err(|error| refuse(run, &error))?;
        Ok(reader.summary().is_ok() && reader.has_whole_results())
    };
    if kept.len() == planned && !ungraded && record.phases.collect == mst_model::Phase::Complete && is_joined()? {
        return Err(RunError::Resume {
            run: run.to_owned(),
            reason: "nothing is missing and every trial is graded".to_owned(),
            changed: false,
        });
    }
    Ok(Resumed { writer, record, kept, empty: saved.empty })
}

fn same_eval(run: &str, record: &RunRecord, plan: &Plan) -> Result<(), RunError> {
    let refuse = |reason: String| Err(RunError::Resume { run: run.to_owned(), reason, changed: true });
    if record.eval_name != plan.name {
        return refuse(format!("it is a run of the eval {:?}, not of {:?}", record.eval_name, plan.name));
    }
    if record.content_hash != plan.content_hash {
        return refuse("the eval config changed since the run started".to_owned());
    }
    for dataset in &plan.datasets {
        if !record.datasets.iter().any(|stored| stored.content_hash == dataset.record.content_hash) {
            return refuse(format!("the dataset {:?} changed since the run started", dataset.record.name));
        }
    }
    Ok(())
}

/// Refuses judges that grade otherwise than those that the run began with: its verdicts would be of two kinds.
fn same_judges(run: &str, record: &RunRecord, judges: &[RecordedJudge]) -> Result<(), RunError> {
    let names = changed_judges(record, judges);
    if names.is_empty() {
        return Ok(());
    }
    let reason = format!("it was graded by other judges than this version of mst has: {}", names.join(", "));
    Err(RunError::Resume { run: run.to_owned(), reason, changed: true })
}

/// Returns the names of the judges that a run was not graded by, and of those that graded it and are no more.
pub(crate) fn changed_judges(record: &RunRecord, judges: &[RecordedJudge]) -> Vec<String> {
    // A run of before judges were recorded has none, and is resumed as it is.
    if record.judges.is_empty() {
        return Vec::new();
    }
    let is_in = |judge: &RecordedJudge, list: &[RecordedJudge]| {
        list.iter().any(|one| one.level == judge.level && one.identity == judge.identity)
    };
    let new = judges.iter().filter(|judge| !is_in(judge, &record.judges));
    let gone = record.judges.iter().filter(|judge| !is_in(judge, judges));
    let mut names: Vec<String> = Vec::new();
    for judge in new.chain(gone) {
        let name = format!("{:?}", judge.name.as_deref().unwrap_or(&judge.judge));
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// Returns the plan's trials that are saved and that collecting again could not help.
fn kept_trials(plan: &Plan, saved: &SavedTrials) -> KeptTrials {
    let mut kept = KeptTrials::default();
    for (place, saved) in places(plan).zip(&saved.trials) {
        if *saved == Saved::Settled {
            kept.insert(plan, place);
        }
    }
    kept
}

/// Returns a plan's cases as the store looks for them, in the order of [`places`].
pub(crate) fn planned_trials(plan: &Plan) -> Vec<PlannedTrials<'_>> {
    let cases = plan.variants.iter().flat_map(|variant| {
        planned_cases(&variant.batches).map(move |case| PlannedTrials {
            variant: &variant.name,
            case_id: &case.id,
            trials: case.trials,
        })
    });
    cases.collect()
}

/// Returns every trial of a plan.
pub(crate) fn places(plan: &Plan) -> impl Iterator<Item = Place> {
    plan.variants.iter().enumerate().flat_map(|(variant, planned)| {
        planned.batches.iter().enumerate().flat_map(move |(batch, planned)| {
            planned.cases.iter().enumerate().flat_map(move |(case, planned)| {
                (0..planned.trials).map(move |trial| Place { variant, batch, case, trial })
            })
        })
    })
}

fn refuse(run: &str, error: &StoreError) -> RunError {
    RunError::Resume { run: run.to_owned(), reason: error.to_string(), changed: false }
}
