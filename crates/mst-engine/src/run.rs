//! A run, stage by stage.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use mst_config::Plan;
use mst_ext::{ClientContext, RunSignals};
use mst_grading::PatternThreads;
use mst_model::{Phase, RunId, Seed, ServerReadiness, Timestamp, VariantName};
use mst_store::{EvalLayout, OptionKey, RunWriter, StoreError, check_writable};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::ahead::expect_variant;
use crate::bind::BoundPlan;
use crate::budget::BudgetLedger;
use crate::budget_check::{BudgetFault, check_run};
use crate::collect::{collect_variant, open_error, session_options};
use crate::collection::Collection;
use crate::deps::{RunDeps, RunOptions, Stop};
use crate::dispatch::{Dispatcher, VariantState};
use crate::error::RunError;
use crate::event::{Observer, RunEvent};
use crate::finish::finish;
use crate::from_disk::FromDisk;
use crate::grade::StoredRun;
use crate::grading::Grading;
use crate::host::HostReports;
use crate::joining::Joining;
use crate::judges::{Judges, preflight};
use crate::kept::KeptTrials;
use crate::message::Message;
use crate::outcome::RunOutcome;
use crate::pairwise::{HeldTrials, PairwiseJudges};
use crate::resume;
use crate::rooms::RoomDesk;
use crate::secrets;
use crate::throttling::Throttling;
use crate::uses;
use crate::verdict_cache::VerdictCache;
use crate::watching::Watching;
use crate::work::planned_trials;

/// How many saves may wait before no new trial starts.
const PENDING_SAVES: usize = 8;

/// Runs a plan: checks clients and write modes, collects, grades and saves each trial, and writes the run's results.
///
/// # Errors
/// When the run does not start, or cannot be written. What was saved stays.
pub async fn run(
    mut plan: Plan,
    deps: RunDeps,
    options: RunOptions,
    stop: Stop,
    mut observer: Box<dyn Observer>,
) -> Result<RunOutcome, RunError> {
    if !options.grade && plan.redact_stored_responses {
        return Err(RunError::Usage(
            "--no-grade needs \"redactStoredResponses\": false: a redacted run can never be graded".to_owned(),
        ));
    }
    let watching = if options.stop_when_decided { Some(Watching::begin(&mut plan, deps.seed)?) } else { None };
    let at = Instant::now();
    if options.replay.is_some() && !options.budget.is_none() {
        return Err(BudgetFault::Replayed.into());
    }
    let eval = EvalLayout::new(&options.output_dir);
    for message in &plan.warnings {
        observer.event(&RunEvent::Warning { message: message.clone() });
    }
    if options.replay.is_none() {
        check_credentials(&plan, &deps)?;
    }
    let judges = Judges::new(Arc::clone(&deps.registry), &plan);
    let found = judges.bind_plan(&plan)?;
    for message in &found.warnings {
        observer.event(&RunEvent::Warning { message: message.clone() });
    }
    let pairwise = PairwiseJudges::bind(&plan, &deps.registry)?;
    check_run(&plan, &deps.registry, &options.budget, options.grade.then_some((&found, &pairwise)))?;
    if options.grade && options.replay.is_none() {
        preflight(&found).await?;
    }
    if options.grade {
        pairwise.announce(&plan, options.replay.is_none(), &mut *observer).await;
    }
    check_clients(&plan, &deps).await?;
    check_output(&eval, &options).map_err(|source| store_error(&eval, source))?;
    let cache = options.judge_cache.as_deref().map(|folder| {
        let opened = VerdictCache::open(folder, secrets::scrubber(&plan, &deps.env), plan.redact_stored_responses);
        opened.map_err(|source| RunError::Store { path: folder.to_owned(), source })
    });
    let judges = judges.with_cache(cache.transpose()?);
    let started = start(&eval, &plan, &deps, &options, &judges)?;
    for message in started.empty_files() {
        observer.event(&RunEvent::Warning { message });
    }
    let pool = Arc::clone(&deps.pool);
    if !plan.variants.is_empty() {
        expect_variant(&plan, 0, &started.kept, (&deps, &stop.starting));
    }
    let outcome = match BoundPlan::bind(plan, &deps, &stop.starting).await {
        Ok(bound) => {
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
                watching,
            }))
            .await
        }
        Err(error) => Err(error),
    };
    // On every path: no server outlives its run.
    pool.close_all().await;
    outcome
}

/// Where a run begins: a new one, or one that is resumed.
pub(crate) struct Started {
    pub(crate) run_id: RunId,
    pub(crate) created_at: Timestamp,
    pub(crate) writer: Option<RunWriter>,
    pub(crate) key: Option<OptionKey>,
    pub(crate) kept: KeptTrials,
    /// Files that a power cut left empty.
    pub(crate) empty: Vec<PathBuf>,
    pub(crate) readiness: BTreeMap<VariantName, Vec<ServerReadiness>>,
    /// The stored run, when its trials are graded: nothing is collected then.
    pub(crate) regraded: Option<StoredRun>,
}

impl Started {
    /// Says which files a power cut left empty.
    pub(crate) fn empty_files(&self) -> Vec<String> {
        let then = if self.regraded.is_some() { "is not there" } else { "is collected again" };
        let message = |path: &PathBuf| format!("{} is empty, as after a power cut: its trial {then}", path.display());
        self.empty.iter().map(message).collect()
    }
}

fn start(
    eval: &EvalLayout,
    plan: &Plan,
    deps: &RunDeps,
    options: &RunOptions,
    judges: &Judges,
) -> Result<Started, RunError> {
    let Some(name) = &options.resume else {
        let created_at = deps.clock.now();
        let Seed(random) = deps.seed;
        // A key that is given is checked before anything is spent; one of the eval's own is made with the first trial.
        let given = options.option_key.as_deref().filter(|text| !text.is_empty());
        let key = given.map(|text| OptionKey::open(eval, Some(text))).transpose();
        let key = key.map_err(|source| store_error(eval, source))?;
        return Ok(Started {
            run_id: RunId::new(created_at, [random[0], random[1], random[2]]),
            created_at,
            writer: None,
            key,
            kept: KeptTrials::default(),
            empty: Vec::new(),
            readiness: BTreeMap::new(),
            regraded: None,
        });
    };
    let resumed = resume::open(eval, name, plan, options.grade, &judges.recorded(plan))?;
    let key = OptionKey::open(eval, options.option_key.as_deref()).map_err(|source| store_error(eval, source))?;
    Ok(Started {
        run_id: resumed.record.run_id.clone(),
        created_at: resumed.record.created_at,
        readiness: resumed.record.variants.iter().map(|v| (v.name.clone(), v.readiness.clone())).collect(),
        writer: Some(resumed.writer),
        key: Some(key),
        kept: resumed.kept,
        empty: resumed.empty,
        regraded: None,
    })
}

pub(crate) struct Stage {
    pub(crate) bound: BoundPlan,
    pub(crate) judges: Judges,
    pub(crate) pairwise: PairwiseJudges,
    pub(crate) deps: RunDeps,
    pub(crate) options: RunOptions,
    pub(crate) stop: Stop,
    pub(crate) eval: EvalLayout,
    pub(crate) started: Started,
    pub(crate) observer: Box<dyn Observer>,
    /// When this part of the run began.
    pub(crate) at: Instant,
    /// The comparison that is watched.
    pub(crate) watching: Option<Watching>,
}

/// Collects every variant with the dispatcher beside it, and writes the run's end.
pub(crate) async fn collect(stage: Stage) -> Result<RunOutcome, RunError> {
    let Stage { bound, judges, pairwise, deps, options, stop, eval, started, observer, at, watching } = stage;
    let (sender, receiver) = mpsc::channel(PENDING_SAVES);
    let scrubber = secrets::scrubber(&bound.plan, &deps.env);
    let trials = if started.regraded.is_some() { 0 } else { planned_trials(&bound.plan) - started.kept.len() };
    let earlier = started.writer.as_ref().map(|writer| writer.record().throttling.clone()).unwrap_or_default();
    let throttling = Arc::new(Throttling::new(&earlier));
    let (ledger, uses) = uses::of_plan(&bound.plan);
    let budget = Some(options.budget).filter(|budget| !budget.is_none());
    let budget = budget.map(|budget| BudgetLedger::new(budget, at));
    let (rooms, granting) = RoomDesk::new(ledger, budget, Arc::clone(&throttling), sender.downgrade());
    // It ends when nobody is left to ask, and at the latest with this function.
    let mut granter = JoinSet::new();
    granter.spawn(granting.run());
    let collection = Arc::new(Collection {
        host: HostReports::new(&started.run_id, deps.seed),
        rooms,
        uses,
        throttling,
        bound,
        deps,
        options,
        stop,
        decided: CancellationToken::new(),
        run_id: started.run_id.clone(),
        scrubber,
        judges,
        pairwise,
        regraded: started.regraded,
        kept: started.kept,
    });
    let patterns = PatternThreads::default();
    let mut dispatcher = Dispatcher {
        collection: Arc::clone(&collection),
        eval: eval.clone(),
        created_at: started.created_at,
        writer: started.writer,
        key: started.key,
        saved: 0,
        joining: Joining::default(),
        held: HeldTrials::default(),
        readiness: started.readiness,
        finished: Vec::new(),
        observer,
        warnings: Vec::new(),
        grading: Grading::new(Arc::clone(&collection), patterns.clone()),
        patterns,
        from_disk: FromDisk::default(),
        told_unmeasured: false,
        reader: None,
        earlier_graders: None,
        watching,
        variants: vec![VariantState::default(); collection.bound.plan.variants.len()],
    };
    tracing::info!(run_id = %started.run_id, trials, "run begins");
    dispatcher.tell(&RunEvent::Started { run_id: started.run_id, trials });
    let handle = tokio::runtime::Handle::current();
    let saving_on = handle.clone();
    let stopping = collection.stop.clone();
    let saving = tokio::task::spawn_blocking(move || {
        let ended = saving_on.block_on(dispatcher.run(receiver));
        if ended.is_err() {
            // What cannot be saved is not worth another request.
            stopping.starting.cancel();
            stopping.running.cancel();
        }
        (dispatcher, ended)
    });
    let collected = collect_variants(&collection, &sender).await;
    drop(sender);
    let (mut dispatcher, saved) =
        saving.await.map_err(|error| RunError::Internal(format!("the dispatcher ended badly: {error}")))?;
    match (collected, saved) {
        (Ok(()), Ok(())) => tokio::task::spawn_blocking(move || handle.block_on(finish(dispatcher)))
            .await
            .map_err(|error| RunError::Internal(format!("writing the results ended badly: {error}")))?
            .map_err(|source| store_error(&eval, source)),
        (collected, saved) => {
            // The run says that it failed before the error is reported; a disk that is full may refuse even that.
            if dispatcher.writer.is_some() {
                let grade = if collection.options.grade { Phase::Partial } else { Phase::Skipped };
                let _refused = dispatcher.write_record(Phase::Failed, grade, Some(collection.deps.clock.now()));
            }
            saved.map_err(|source| store_error(&eval, source))?;
            collected.and(Err(RunError::Internal("the run ended without a result".to_owned())))
        }
    }
}

/// Runs the variants one after the other, baseline first.
async fn collect_variants(collection: &Arc<Collection>, sender: &mpsc::Sender<Message>) -> Result<(), RunError> {
    for (index, variant) in collection.bound.plan.variants.iter().enumerate() {
        if let Some(stored) = &collection.regraded {
            // What is left of a run that was stopped while it collected is another resume's.
            if index == stored.variants || sender.send(Message::VariantDone(index)).await.is_err() {
                return Ok(());
            }
            continue;
        }
        tracing::info!(variant = %variant.name, batches = variant.batches.len(), "variant begins");
        let started = RunEvent::VariantStarted { variant: variant.name.clone() };
        if sender.send(Message::Event(started)).await.is_err() {
            return Ok(());
        }
        let complete = collect_variant(collection, index, sender).await?;
        if !complete {
            return Ok(());
        }
        if sender.send(Message::VariantDone(index)).await.is_err() {
            return Ok(());
        }
    }
    Ok(())
}

/// Finds out before anything is spent that a run could not be written: no room for its directory, or a key that is none.
fn check_output(eval: &EvalLayout, options: &RunOptions) -> Result<(), StoreError> {
    check_writable(&eval.runs())?;
    if options.option_key.is_some() || eval.option_key().exists() {
        OptionKey::open(eval, options.option_key.as_deref())?;
    }
    Ok(())
}

/// Refuses a plan whose servers name a token variable that is not set.
fn check_credentials(plan: &Plan, deps: &RunDeps) -> Result<(), RunError> {
    for (label, config) in plan.variants.iter().flat_map(|variant| &variant.servers) {
        secrets::bearer(label, config, &deps.env)?;
    }
    Ok(())
}

/// Opens and closes each client of the plan once, so that a missing key or a wrong option stops the run before any trial.
async fn check_clients(plan: &Plan, deps: &RunDeps) -> Result<(), RunError> {
    let mut seen = Vec::new();
    for variant in &plan.variants {
        for client in variant.batches.iter().map(|batch| &batch.client) {
            if seen.contains(&client) {
                continue;
            }
            seen.push(client);
            let found = deps.registry.client(&client.name);
            let found = found.ok_or_else(|| RunError::UnknownClient(client.name.clone()))?;
            let context = ClientContext {
                variant: variant.name.clone(),
                batch: "check".to_owned(),
                tools: variant.tools.clone(),
                ready_tools: BTreeMap::new(),
                signals: RunSignals::default(),
            };
            let opened = found.open(session_options(variant, client), context).await;
            let mut session = opened.map_err(|error| open_error(&client.name, error))?;
            session.close().await.map_err(|reason| RunError::ClientSetup { client: client.name.clone(), reason })?;
        }
    }
    Ok(())
}

pub(crate) fn store_error(eval: &EvalLayout, source: StoreError) -> RunError {
    RunError::Store { path: eval.root().to_owned(), source }
}
