//! Collection: a variant's batches run at once under one concurrency, each after its readiness check.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use mst_ext::{
    Client, ClientContext, ClientOpenError, ClientSession, ClientSessionOptions, ClientTrial, Continuation,
    NamedServer, RunSignals,
};
use mst_grading::doubtful_calls;
use mst_measure::price_trial;
use mst_model::{Broke, ClientRun, Ending, Evidence, FailureKind, ServerLabel};
use mst_otlp::Inbox;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use crate::ahead::{batch_name, expect_variant};
use crate::attempt::{Place, RecordHead, record};
use crate::collection::Collection;
use crate::error::RunError;
use crate::event::RunEvent;
use crate::message::Message;
use crate::ready::{CheckContext, NotReady, ReadyBatch, check};
use crate::rooms::Seat;
use crate::unlisted;
use crate::work::{BatchWork, WorkItem};

/// Collects a variant's trials. Returns whether all of them were collected.
pub(crate) async fn collect_variant(
    collection: &Arc<Collection>,
    variant: usize,
    dispatcher: &mpsc::Sender<Message>,
) -> Result<bool, RunError> {
    let planned = &collection.bound.plan.variants[variant];
    if variant > 0 {
        let with = (&collection.deps, &collection.stop.starting);
        expect_variant(&collection.bound.plan, variant, &collection.kept, with);
    }
    let mut batches = JoinSet::new();
    for (index, batch) in planned.batches.iter().enumerate() {
        let work = BatchWork::new(&collection.bound.plan, variant, index, &collection.kept);
        if !work.is_empty() {
            let client = collection.deps.registry.client(&batch.client.name);
            let evidence = client.map_or(Evidence::None, |client| client.definition().evidence);
            let (collection, dispatcher) = (Arc::clone(collection), dispatcher.clone());
            let batch = Batch { collection, dispatcher, variant, index, evidence };
            batches.spawn(batch.collect(work));
        }
    }
    let mut complete = true;
    while let Some(ended) = batches.join_next().await {
        complete &= ended.map_err(|error| RunError::Internal(format!("a batch ended badly: {error}")))??;
    }
    Ok(complete)
}

/// One batch: a variant's trials of one dataset on one client.
#[derive(Clone)]
struct Batch {
    collection: Arc<Collection>,
    /// The dispatcher's door. It closes when the dispatcher stops, and then nothing more is collected.
    dispatcher: mpsc::Sender<Message>,
    variant: usize,
    index: usize,
    /// How far the client's transcripts can be relied on.
    evidence: Evidence,
}

impl Batch {
    /// Collects the work, and ends the sessions with servers that nobody needs any more.
    async fn collect(self, work: BatchWork) -> Result<bool, RunError> {
        let complete = self.collect_work(work).await;
        self.collection.deps.pool.close_batch(&self.name()).await;
        complete
    }

    /// Checks the servers, then runs the work on as many sessions as there is room for.
    async fn collect_work(&self, work: BatchWork) -> Result<bool, RunError> {
        let ready = match self.ready().await {
            Ok(ready) => Arc::new(ready),
            Err(_) if self.collection.stop.starting.is_cancelled() => return Ok(false),
            Err(not_ready) => return self.end_all(work, &not_ready).await,
        };
        self.warn_of_doubtful_calls(&ready).await;
        let client_name = &self.planned().client.name;
        let client = self.collection.deps.registry.client(client_name);
        let client = client.ok_or_else(|| RunError::UnknownClient(client_name.clone()))?;
        let limit = self.collection.bound.plan.concurrency.max(1) as usize;
        let workers =
            client.definition().max_concurrency.map_or(limit, |most| limit.min(most as usize)).min(work.len());
        let queue = Arc::new(Mutex::new(work));
        let mut running = JoinSet::new();
        let uses = &self.collection.uses[self.variant][self.index];
        for _ in 0..workers {
            let worker = Worker {
                seat: self.collection.rooms.seat(uses.clone()),
                batch: self.clone(),
                client: Arc::clone(&client),
                ready: Arc::clone(&ready),
                queue: Arc::clone(&queue),
            };
            running.spawn(worker.work());
        }
        let mut complete = true;
        while let Some(ended) = running.join_next().await {
            complete &= ended.map_err(|error| RunError::Internal(format!("a session ended badly: {error}")))??;
        }
        let left = queue.lock().unwrap_or_else(PoisonError::into_inner).len();
        complete &= left == 0 || self.collection.decided.is_cancelled();
        Ok(complete && !self.collection.stop.starting.is_cancelled() && !self.dispatcher.is_closed())
    }

    /// Returns the batch's name, unique in the run.
    fn name(&self) -> String {
        batch_name(&self.collection.bound.plan, self.variant, self.index)
    }

    fn planned(&self) -> &mst_config::PlannedBatch {
        &self.collection.bound.plan.variants[self.variant].batches[self.index]
    }

    async fn ready(&self) -> Result<ReadyBatch, NotReady> {
        let collection = &self.collection;
        let dispatcher = self.dispatcher.clone();
        let on_wait = move |reason: String, delay: Duration| {
            // A full queue drops a notice, never a trial.
            let _ignored =
                dispatcher.try_send(Message::Event(RunEvent::Waiting { reason, seconds: delay.as_secs_f64() }));
        };
        let context = CheckContext {
            deps: &collection.deps,
            delays: &collection.options.readiness_delays,
            scrubber: &collection.scrubber,
            cancel: &collection.stop.starting,
            on_wait: &on_wait,
        };
        check(&collection.bound, &collection.bound.plan.variants[self.variant].servers, &context).await
    }

    /// Says which expected calls could mean two tools or none, now that the servers' tools are known and before a trial is sent.
    async fn warn_of_doubtful_calls(&self, ready: &ReadyBatch) {
        let plan = &self.collection.bound.plan;
        let batch = self.planned();
        let tool_map = &plan.variants[self.variant].tool_map;
        for case in &batch.cases {
            let case = plan.datasets[batch.dataset].cases.get(case.case);
            for message in doubtful_calls(&case, tool_map, &ready.tools) {
                let _stopped = self.dispatcher.send(Message::Event(RunEvent::Warning { message })).await;
            }
        }
    }

    /// Returns the label of the variant's server, where it has one alone.
    fn only_server(&self) -> Option<&ServerLabel> {
        let servers = &self.collection.bound.plan.variants[self.variant].servers;
        servers.keys().next().filter(|_| servers.len() == 1)
    }

    /// Gives every trial of the batch the same ending: none of them was sent.
    async fn end_all(&self, mut work: BatchWork, not_ready: &NotReady) -> Result<bool, RunError> {
        let NotReady { ending, unauthenticated } = not_ready;
        while let Some(item) = work.take(&self.collection.bound.plan, &self.collection.kept) {
            let Ending::Infrastructure { reason, .. } = ending else { continue };
            let mut run =
                ClientRun { error: Some(reason.clone()), ending: Some(ending.clone()), ..ClientRun::default() };
            if *unauthenticated {
                run.diagnostics.details.insert("cause".to_owned(), "authentication".into());
            }
            if !self.save(item, run, Arc::default()).await {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn place(&self, item: WorkItem) -> Place {
        Place { variant: self.variant, batch: self.index, case: item.case, trial: item.trial }
    }

    /// Hands an attempt to the dispatcher; `false` when the dispatcher has stopped.
    async fn save(&self, item: WorkItem, run: ClientRun, ready: Arc<ReadyBatch>) -> bool {
        let collection = &self.collection;
        let plan = &collection.bound.plan;
        let place = self.place(item);
        let variant = &plan.variants[self.variant];
        let head = RecordHead {
            run_id: &collection.run_id,
            variant: &variant.name,
            case_id: &place.planned(plan).id,
            dataset_name: place.dataset_name(plan),
            trial: item.trial,
            only_server: self.only_server(),
            evidence: self.evidence,
        };
        let record = record(&head, run, &collection.scrubber).map(|mut trial| {
            price_trial(&mut trial, self.planned().client.priced_model.as_deref(), &plan.pricing);
            trial
        });
        self.dispatcher.send(Message::Trial { place, record: Box::new(record), ready }).await.is_ok()
    }
}

/// One session of a batch, which takes trials until none is left.
struct Worker {
    batch: Batch,
    client: Arc<dyn Client>,
    ready: Arc<ReadyBatch>,
    queue: Arc<Mutex<BatchWork>>,
    /// Where it asks for room.
    seat: Seat,
}

impl Worker {
    /// Returns whether it ran every trial that it took.
    async fn work(self) -> Result<bool, RunError> {
        let mut session = None;
        let ended = self.take_trials(&mut session).await;
        if let Some(mut session) = session
            && let Err(error) = session.close().await
        {
            let message = format!("client {}: closing it failed: {error}", self.client.definition().name);
            let _ignored = self.batch.dispatcher.send(Message::Event(RunEvent::Warning { message })).await;
        }
        ended
    }

    async fn take_trials(&self, session: &mut Option<Box<dyn ClientSession>>) -> Result<bool, RunError> {
        let stop = &self.batch.collection.stop;
        loop {
            if self.batch.collection.decided.is_cancelled() {
                return Ok(true);
            }
            let Collection { bound, kept, .. } = &*self.batch.collection;
            let next = self.queue.lock().unwrap_or_else(PoisonError::into_inner).take(&bound.plan, kept);
            let Some(item) = next else { return Ok(true) };
            // A trial in hand is what room is asked for: a budget is reached only by one that would have run.
            let room = stop.starting.run_until_cancelled(self.seat.room(self.batch.place(item))).await;
            let Some(Some(room)) = room else { return Ok(false) };
            let run = self.attempt(item, session).await?;
            drop(room);
            // What a firm stop cut off is no result: its trial stays missing, and a resume collects it.
            if stop.running.is_cancelled() || !self.batch.save(item, run, Arc::clone(&self.ready)).await {
                return Ok(false);
            }
        }
    }

    /// Runs one trial on the session, opening it first where there is none.
    async fn attempt(
        &self,
        item: WorkItem,
        session: &mut Option<Box<dyn ClientSession>>,
    ) -> Result<ClientRun, RunError> {
        let open = match session {
            Some(open) => open,
            None => match self.open().await {
                Ok(opened) => session.insert(opened),
                Err(ClientOpenError::Unavailable(reason)) => {
                    return Ok(ClientRun::infrastructure(Broke::ClientApp, true, reason));
                }
                Err(error) => return Err(open_error(&self.client.definition().name, error)),
            },
        };
        let planned = &self.batch.planned().cases[item.case];
        let variant = &self.batch.collection.bound.plan.variants[self.batch.variant].name;
        tracing::debug!(%variant, case_id = %planned.id, trial = item.trial, "trial begins");
        let prompt = self.batch.place(item).prompt(&self.batch.collection.bound.plan);
        let collection = &self.batch.collection;
        let inbox = if self.client.definition().reports_telemetry {
            collection.host.open(&self.batch.place(item).key(&collection.bound.plan)).await
        } else {
            None
        };
        let env = inbox.as_ref().map(Inbox::variables).unwrap_or_default();
        let trial = ClientTrial { case_id: planned.id.clone(), trial: item.trial, prompt, env };
        let started = Instant::now();
        let answer = open.run(&trial, &self.batch.collection.stop.running).await;
        let mut run = answer.result;
        run.host_telemetry = inbox.and_then(Inbox::close).or(run.host_telemetry);
        run.duration_ms.get_or_insert(started.elapsed().as_secs_f64() * 1000.0);
        self.check_calls(&mut run);
        tracing::info!(
            %variant,
            case_id = %planned.id,
            trial = item.trial,
            events = run.events.len(),
            model_calls = run.model_calls.as_ref().map_or(0, Vec::len),
            duration_ms = run.duration_ms,
            infrastructure = run.resolved_ending().is_infrastructure(),
            "trial ended"
        );
        let usable = match answer.continuation {
            Continuation::Continue => true,
            Continuation::Reset => open.reset().await.is_ok(),
            Continuation::Stop => false,
        };
        if !usable
            && let Some(mut ended) = session.take()
            && let Err(error) = ended.close().await
            && !run.resolved_ending().is_infrastructure()
        {
            run.diagnostics.failure_kind = Some(FailureKind::Cleanup);
            run.ending = Some(FailureKind::Cleanup.ending(error));
        }
        Ok(run)
    }

    /// Ends a trial that called a tool which its server did not list when it was checked.
    fn check_calls(&self, run: &mut ClientRun) {
        let bound = &self.batch.collection.bound;
        if run.resolved_ending().is_infrastructure() {
            return;
        }
        if let Some(ending) = unlisted::ending(run, &self.ready, bound, self.batch.only_server()) {
            if let Ending::Infrastructure { reason, .. } = &ending {
                run.error = Some(reason.clone());
            }
            run.ending = Some(ending);
        }
    }

    async fn open(&self) -> Result<Box<dyn ClientSession>, ClientOpenError> {
        let plan = &self.batch.collection.bound.plan;
        let variant = &plan.variants[self.batch.variant];
        let context = ClientContext {
            variant: variant.name.clone(),
            batch: self.batch.name(),
            tools: variant.tools.clone(),
            ready_tools: self.ready.tools.clone(),
            signals: RunSignals::new(Arc::new(self.seat.clone())),
        };
        self.client.open(session_options(variant, &self.batch.planned().client), context).await
    }
}

/// Returns what is fixed for a session of a variant's client.
pub(crate) fn session_options(
    variant: &mst_config::PlannedVariant,
    client: &mst_config::PlannedClient,
) -> ClientSessionOptions {
    let servers = variant.servers.iter();
    ClientSessionOptions {
        options: client.options.clone(),
        servers: servers.map(|(label, config)| NamedServer { label: label.clone(), config: config.clone() }).collect(),
    }
}

/// Translates a client that could not be opened into why the run stops.
pub(crate) fn open_error(client: &str, error: ClientOpenError) -> RunError {
    let client = client.to_owned();
    match error {
        ClientOpenError::Credentials(reason) => RunError::Credentials { client, reason },
        ClientOpenError::Setup(reason) | ClientOpenError::Unavailable(reason) => {
            RunError::ClientSetup { client, reason }
        }
    }
}
