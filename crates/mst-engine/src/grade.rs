//! Grading a stored run's trials again: a run of its own, with the transcripts and labels of the one that collected, and the
//! scores of today's assertions and judges. No client and no server is started.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mst_config::Plan;
use mst_model::{Phase, Phases, RunRecord};
use mst_store::{EvalLayout, OptionKey, RunLayout, RunReader, RunWriter, StoreError, find_run, write_atomic};

use crate::bind::BoundPlan;
use crate::deps::{RunDeps, RunOptions, Stop};
use crate::error::RunError;
use crate::event::{Observer, RunEvent};
use crate::judges::{Judges, preflight};
use crate::kept::KeptTrials;
use crate::outcome::RunOutcome;
use crate::resume::places;
use crate::run::{Stage, Started, collect, store_error};

/// How many regrades a run may have.
const MOST: u32 = 10_000;

/// How a run is to be graded again.
#[derive(Clone, Debug)]
pub struct GradeOptions {
    /// The eval's directory, which holds `runs/` and `latest.json`.
    pub output_dir: PathBuf,
    /// The run: a directory, an id or a short form.
    pub run: String,
    /// `MST_OPTION_KEY`, when set.
    pub option_key: Option<String>,
}

/// Grades a stored run's trials by a plan made of today's config and datasets, as a new run `<id>.g<n>`.
///
/// # Errors
/// When the run cannot be graded, a judge could not judge, or the new run cannot be written. The stored run stays as it is.
pub async fn grade(
    mut plan: Plan,
    deps: RunDeps,
    options: GradeOptions,
    stop: Stop,
    mut observer: Box<dyn Observer>,
) -> Result<RunOutcome, RunError> {
    let eval = EvalLayout::new(&options.output_dir);
    let refuse = |reason: String| RunError::Regrade { run: options.run.clone(), reason };
    let layout = find_run(&eval, &options.run).map_err(|error| refuse(error.to_string()))?;
    let reader = RunReader::open(layout).map_err(|error| refuse(error.to_string()))?;
    let stored = reader.record().view().clone();
    check(&stored, &plan).map_err(refuse)?;
    let sources = sources(&reader, &plan).map_err(|source| store_error(&eval, source))?.map_err(refuse)?;
    for message in &plan.warnings {
        observer.event(&RunEvent::Warning { message: message.clone() });
    }
    // The answers are there to be read, and their copies stay as they are.
    plan.redact_stored_responses = false;
    let judges = Judges::new(Arc::clone(&deps.registry));
    let found = judges.bind_plan(&plan)?;
    for message in &found.warnings {
        observer.event(&RunEvent::Warning { message: message.clone() });
    }
    preflight(&found).await?;
    let key = OptionKey::open(&eval, options.option_key.as_deref()).map_err(|source| store_error(&eval, source))?;
    let record = RunRecord {
        graded_from: Some(stored.run_id.collecting()),
        content_hash: plan.content_hash.clone(),
        finished_at: None,
        variants: Vec::new(),
        datasets: plan.datasets.iter().map(|dataset| dataset.record.clone()).collect(),
        judges: judges.recorded(&plan),
        phases: Phases { collect: Phase::Partial, grade: Phase::Partial },
        ..stored.clone()
    };
    let writer = create(&eval, record).map_err(|source| store_error(&eval, source))?;
    copy(&sources, reader.layout(), writer.layout()).map_err(|source| store_error(&eval, source))?;
    let mut kept = KeptTrials::default();
    for place in places(&plan) {
        if writer.layout().trial(&place.key(&plan)).is_file() {
            kept.insert(&plan, place);
        }
    }
    let started = Started {
        run_id: writer.record().run_id.clone(),
        created_at: stored.created_at,
        readiness: stored.variants.iter().map(|one| (one.name.clone(), one.readiness.clone())).collect(),
        writer: Some(writer),
        key: Some(key),
        kept,
        empty: Vec::new(),
        regraded: Some(stored),
    };
    let options = RunOptions {
        output_dir: options.output_dir,
        resume: None,
        grade: true,
        readiness_delays: Vec::new(),
        option_key: options.option_key,
        replay: None,
    };
    let bound = BoundPlan::without_servers(plan);
    collect(Stage { bound, judges, deps, options, stop, eval, started, observer }).await
}

/// Refuses a run that has no answers, or is another eval's.
fn check(stored: &RunRecord, plan: &Plan) -> Result<(), String> {
    if stored.redact_stored_responses {
        return Err("it was stored without answers and tool outputs (\"redactStoredResponses\")".to_owned());
    }
    if stored.eval_name != plan.name {
        return Err(format!("it is a run of the eval {:?}, not of {:?}", stored.eval_name, plan.name));
    }
    Ok(())
}

/// Returns the files to carry over, relative to the run: every trial, which the plan must have, and every label.
fn sources(reader: &RunReader, plan: &Plan) -> Result<Result<Vec<PathBuf>, String>, StoreError> {
    let root = reader.layout().root();
    let planned: HashSet<PathBuf> = places(plan).map(|place| reader.layout().trial(&place.key(plan))).collect();
    let mut found = Vec::new();
    let linked = |found: &[PathBuf]| found.iter().find(|path| !is_plain(root, path)).cloned();
    let is_linked = |path: &Path| format!("{} is reached through a link, or is no file", path.display());
    // Listing trials passes links over, and what it passes over would be missing without a word.
    let mut all = Vec::new();
    below(&reader.layout().transcripts(), root, &mut all)?;
    if let Some(link) = linked(&all) {
        return Ok(Err(is_linked(&link)));
    }
    for path in reader.trial_paths()? {
        let relative = path.strip_prefix(root).unwrap_or(&path).to_owned();
        if !planned.contains(&path) {
            return Ok(Err(format!("{} is of no variant, case or trial that the eval has now", relative.display())));
        }
        if reader.trial_at(&path)?.view().artifacts.is_some() {
            return Ok(Err(format!("{} has artifacts, which this version cannot carry over", relative.display())));
        }
        found.push(relative);
    }
    if found.is_empty() {
        return Ok(Err("it has no trial".to_owned()));
    }
    let labels = root.join("labels");
    if labels.is_symlink() {
        return Ok(Err("labels is a link".to_owned()));
    }
    below(&labels, root, &mut found)?;
    Ok(linked(&found).map_or(Ok(found), |link| Err(is_linked(&link))))
}

/// Adds the files below a folder; nothing when it is absent. Links are added as they are, to be refused.
fn below(folder: &Path, root: &Path, found: &mut Vec<PathBuf>) -> Result<(), StoreError> {
    let entries = match fs_err::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error.into()),
    };
    for entry in entries {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            below(&entry.path(), root, found)?;
        } else {
            found.push(entry.path().strip_prefix(root).map_or_else(|_| entry.path(), Path::to_owned));
        }
    }
    Ok(())
}

/// Returns whether a path leads to a file of the run itself: no step of it is a link.
fn is_plain(root: &Path, relative: &Path) -> bool {
    let mut steps = relative.ancestors().filter(|step| !step.as_os_str().is_empty());
    let kind = |step: &Path| fs_err::symlink_metadata(root.join(step)).map(|data| data.file_type());
    let is_file = steps.next().is_some_and(|file| kind(file).is_ok_and(|kind| kind.is_file()));
    is_file && steps.all(|step| kind(step).is_ok_and(|kind| kind.is_dir()))
}

/// Makes the regrade's directory under the first free number.
fn create(eval: &EvalLayout, mut record: RunRecord) -> Result<RunWriter, StoreError> {
    let collecting = record.run_id.collecting();
    for number in 2..MOST {
        record.run_id = collecting.regrade(number);
        match RunWriter::create(eval, record.clone()) {
            Err(StoreError::Exists(_)) => {}
            done => return done,
        }
    }
    Err(StoreError::Exists(eval.run(&record.run_id).root().to_owned()))
}

fn copy(paths: &[PathBuf], from: &RunLayout, to: &RunLayout) -> Result<(), StoreError> {
    for path in paths {
        let target = to.root().join(path);
        if let Some(folder) = target.parent() {
            fs_err::create_dir_all(folder)?;
        }
        write_atomic(&target, &fs_err::read(from.root().join(path))?)?;
    }
    Ok(())
}
