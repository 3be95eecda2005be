//! Grading a stored run's trials: anew, as a run of its own with the transcripts and labels of the one that collected, or
//! in the run itself what has no verdict. No client and no server is started.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use mst_config::Plan;
use mst_model::{Phase, Phases, RunRecord, Selection, Timestamp};
use mst_store::{EvalLayout, OptionKey, RunLayout, RunReader, RunWriter, StoreError, find_run};
use tokio::time::Instant;

use crate::bind::BoundPlan;
use crate::budget_check::check_regrade;
use crate::budget_limit::Budget;
use crate::carried::{copy, sources};
use crate::deps::{RunDeps, RunOptions, Stop};
use crate::error::RunError;
use crate::event::{Observer, RunEvent};
use crate::judges::{Judges, preflight};
use crate::kept::KeptTrials;
use crate::outcome::RunOutcome;
use crate::pairwise::PairwiseJudges;
use crate::record::stored_variant;
use crate::resume::{places, selection};
use crate::resume_grading;
use crate::run::{Stage, Started, collect, store_error};
use crate::{secrets, verdict_cache::VerdictCache};

/// How many regrades a run may have.
const MOST: u32 = 10_000;

/// How a run is to be graded again.
#[derive(Clone, Debug)]
pub struct GradeOptions {
    /// The eval's directory, which holds `runs/` and `latest.json`.
    pub output_dir: PathBuf,
    /// The run: a directory, an id or a short form.
    pub run: String,
    /// Whether to grade what has no verdict in the run itself.
    pub resume: bool,
    /// `MST_OPTION_KEY`, when set.
    pub option_key: Option<String>,
    /// The folder that keeps judges' verdicts, when one does.
    pub judge_cache: Option<PathBuf>,
    /// What the judges may use before the grading stops.
    pub budget: Budget,
    /// The highest number of a regrade of the run that is kept elsewhere; 1 when none is.
    pub last_regrade: u32,
}

/// Returns how a stored run was narrowed, so that its plan can be made again before it is graded.
///
/// # Errors
/// When no run answers to the name, or its `run.json` cannot be read.
pub fn graded_selection(output_dir: &Path, run: &str) -> Result<Option<Selection>, RunError> {
    let refuse = |reason: String| RunError::Regrade { run: run.to_owned(), reason };
    selection(output_dir, run).map_err(|error| refuse(error.to_string()))
}

/// A stored run whose trials are graded while nothing is collected.
pub(crate) struct StoredRun {
    /// What its `run.json` says of what collected the trials.
    pub(crate) record: RunRecord,
    /// When they had been collected.
    pub(crate) collected_at: Option<Timestamp>,
    /// How many of the plan's variants are graded, from the first.
    pub(crate) variants: usize,
}

/// Grades a stored run's trials by a plan made of today's config and datasets: as a new run `<id>.g<n>`, or, to resume,
/// in the run itself what has no verdict.
///
/// # Errors
/// When the run cannot be graded, a judge could not judge, or the scores cannot be written. A run that is graded anew stays
/// as it is.
pub async fn grade(
    mut plan: Plan,
    deps: RunDeps,
    options: GradeOptions,
    stop: Stop,
    mut observer: Box<dyn Observer>,
) -> Result<RunOutcome, RunError> {
    let at = Instant::now();
    let eval = EvalLayout::new(&options.output_dir);
    let layout = find_run(&eval, &options.run).map_err(|error| refused(&options, error.to_string()))?;
    // A run that lies elsewhere is completed where it lies.
    let eval = layout.eval().filter(|_| options.resume).unwrap_or(eval);
    let judges = Judges::new(Arc::clone(&deps.registry), &plan);
    let source = Source::open(&layout, &plan, &options)?;
    // The answers are there to be read, and their copies stay as they are.
    plan.redact_stored_responses = false;
    let files = if options.resume {
        resume_grading::check(&options.run, &source.record, &plan, &judges.recorded(&plan))?;
        Vec::new()
    } else {
        let files = sources(&source.reader, &plan).map_err(|error| store_error(&eval, error))?;
        files.map_err(|reason| refused(&options, reason))?
    };
    let mut tell = |messages: &[String]| {
        for message in messages {
            observer.event(&RunEvent::Warning { message: message.clone() });
        }
    };
    tell(&plan.warnings);
    let found = judges.bind_plan(&plan)?;
    tell(&found.warnings);
    let pairwise = PairwiseJudges::bind(&plan, &deps.registry)?;
    check_regrade(&plan, &options.budget, (&found, &pairwise))?;
    let cache = options.judge_cache.as_deref().map(|folder| {
        let opened = VerdictCache::open(folder, secrets::scrubber(&plan, &deps.env), false);
        opened.map_err(|source| RunError::Store { path: folder.to_owned(), source })
    });
    let judges = judges.with_cache(cache.transpose()?);
    let key = OptionKey::open(&eval, options.option_key.as_deref()).map_err(|error| store_error(&eval, error))?;
    let collected_at = source.collected_at(&eval);
    let started = if options.resume {
        let resumed = resume_grading::open(&options.run, layout, &eval, (&plan, &judges))?;
        preflight(&found).await?;
        resumed.begin(&plan, &judges, collected_at, key).map_err(|error| store_error(&eval, error))?
    } else {
        preflight(&found).await?;
        let begun = begin(&eval, (&source, options.last_regrade), &files, (&plan, &judges, &deps), key);
        begun.map_err(|error| store_error(&eval, error))?
    };
    tell(&started.empty_files());
    pairwise.announce(&plan, true, &mut *observer).await;
    let options = RunOptions {
        output_dir: options.output_dir,
        resume: None,
        grade: true,
        readiness_delays: Vec::new(),
        option_key: options.option_key,
        replay: None,
        judge_cache: options.judge_cache,
        stop_when_decided: false,
        budget: options.budget,
    };
    let bound = BoundPlan::without_servers(plan);
    Box::pin(collect(Stage {
        bound,
        judges,
        pairwise,
        deps,
        options,
        stop,
        eval,
        started,
        observer,
        at,
        watching: None,
    }))
    .await
}

/// The run whose trials are graded.
struct Source {
    reader: RunReader,
    record: RunRecord,
}

impl Source {
    /// Opens the run; refuses one that has no answers, or is another eval's.
    fn open(layout: &RunLayout, plan: &Plan, options: &GradeOptions) -> Result<Self, RunError> {
        let reader = RunReader::open(layout.clone()).map_err(|error| refused(options, error.to_string()))?;
        let record = reader.record().view().clone();
        if record.redact_stored_responses {
            let reason = "it was stored without answers and tool outputs (\"redactStoredResponses\")";
            return Err(refused(options, reason.to_owned()));
        }
        if record.eval_name != plan.name {
            let reason = format!("it is a run of the eval {:?}, not of {:?}", record.eval_name, plan.name);
            return Err(refused(options, reason));
        }
        Ok(Self { reader, record })
    }

    /// Returns when the trials had been collected, as far as the collecting run is there to say so.
    fn collected_at(&self, eval: &EvalLayout) -> Option<Timestamp> {
        let collecting = self.record.graded_from.as_ref().map(|id| RunReader::open(eval.run(id)));
        let collecting = collecting.and_then(Result::ok).map(|reader| reader.record().view().clone());
        collecting.as_ref().unwrap_or(&self.record).finished_at
    }
}

fn refused(options: &GradeOptions, reason: String) -> RunError {
    let run = options.run.clone();
    if options.resume {
        RunError::ResumeGrading { run, reason, changed: false }
    } else {
        RunError::Regrade { run, reason }
    }
}

/// Makes the regrade: its directory, and in it what it carries over.
fn begin(
    eval: &EvalLayout,
    (source, last_regrade): (&Source, u32),
    files: &[PathBuf],
    (plan, judges, deps): (&Plan, &Judges, &RunDeps),
    key: OptionKey,
) -> Result<Started, StoreError> {
    let stored = &source.record;
    let record = RunRecord {
        graded_from: Some(stored.run_id.collecting()),
        content_hash: plan.content_hash.clone(),
        finished_at: None,
        variants: Vec::new(),
        datasets: plan.datasets.iter().map(|dataset| dataset.record.clone()).collect(),
        judges: judges.recorded(plan),
        phases: Phases { collect: Phase::Partial, grade: Phase::Partial },
        ..stored.clone()
    };
    let mut writer = create(eval, record, last_regrade)?;
    copy(files, source.reader.layout(), writer.layout())?;
    // With its variants the record says that everything was carried over, so that a regrade that was cut off can go on.
    let bound = BoundPlan::without_servers(plan.clone());
    let variants = plan.variants.iter().map(|variant| stored_variant(Some(stored), &bound, variant, &key, deps));
    let record = RunRecord { variants: variants.collect(), ..writer.record().clone() };
    writer.save_run_record(record.clone())?;
    let mut kept = KeptTrials::default();
    for place in places(plan) {
        if writer.layout().trial(&place.key(plan)).is_file() {
            kept.insert(plan, place);
        }
    }
    Ok(Started {
        run_id: record.run_id.clone(),
        created_at: record.created_at,
        readiness: record.variants.iter().map(|one| (one.name.clone(), one.readiness.clone())).collect(),
        writer: Some(writer),
        key: Some(key),
        kept,
        empty: Vec::new(),
        regraded: Some(StoredRun { record, collected_at: source.collected_at(eval), variants: plan.variants.len() }),
    })
}

/// Makes the regrade's directory under the first free number above one that is taken elsewhere.
fn create(eval: &EvalLayout, mut record: RunRecord, taken: u32) -> Result<RunWriter, StoreError> {
    let collecting = record.run_id.collecting();
    for number in taken.saturating_add(1).max(2)..MOST.max(taken.saturating_add(2)) {
        record.run_id = collecting.regrade(number);
        match RunWriter::create(eval, record.clone()) {
            Err(StoreError::Exists(_)) => {}
            done => return done,
        }
    }
    Err(StoreError::Exists(eval.run(&record.run_id).root().to_owned()))
}
