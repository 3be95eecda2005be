//! A client that does what a script says, and a plan that runs on it.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use indexmap::IndexMap;
use mst_config::{Plan, PlannedBatch, PlannedCase, PlannedClient, PlannedDataset, PlannedVariant};
use mst_engine::{Budget, Observer, RunDeps, RunError, RunEvent, RunOptions, RunOutcome, Stop};
use mst_ext::{
    Client, ClientContext, ClientDefinition, ClientOpenError, ClientSession, ClientSessionOptions, ClientSignal,
    ClientTrial, Continuation, Registry, Requirements, RunSignals, SessionResult,
};
use mst_mcp::{ConnectOptions, ServerPool};
use mst_model::{ClientRun, DatasetRecord, EvalCase, Evidence, FixedClock, Provider, Seed, Timestamp, content_hash};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

/// What happened to the client, in order.
pub(crate) type Log = Arc<Mutex<Vec<String>>>;

/// What a trial does, by its prompt.
pub(crate) type Behaviour = Arc<dyn Fn(&str) -> Turn + Send + Sync>;

/// One trial's script.
#[derive(Clone)]
pub(crate) struct Turn {
    pub(crate) run: ClientRun,
    pub(crate) takes: Duration,
    pub(crate) then: Continuation,
    /// What it tells the run before anything else.
    pub(crate) tells: Vec<ClientSignal>,
    /// Whether it gives up its place while it takes its time.
    pub(crate) waits: bool,
}

impl Turn {
    /// A trial that says something at once.
    pub(crate) fn says(text: &str) -> Self {
        let run = ClientRun { final_text: text.to_owned(), ..ClientRun::default() };
        Self { run, takes: Duration::ZERO, then: Continuation::Continue, tells: Vec::new(), waits: false }
    }

    pub(crate) fn taking(mut self, millis: u64) -> Self {
        self.takes = Duration::from_millis(millis);
        self
    }

    pub(crate) fn telling(mut self, signal: ClientSignal) -> Self {
        self.tells.push(signal);
        self
    }

    pub(crate) fn waiting(mut self) -> Self {
        self.waits = true;
        self
    }

    pub(crate) fn then(mut self, continuation: Continuation) -> Self {
        self.then = continuation;
        self
    }
}

/// The client.
pub(crate) struct Scripted {
    pub(crate) log: Log,
    pub(crate) behaviour: Behaviour,
    pub(crate) opening: Option<ClientOpenError>,
    pub(crate) close_fails: bool,
    pub(crate) max_concurrency: Option<u32>,
    pub(crate) reports_cost: bool,
    /// How many trials run now, and the most that ever did.
    pub(crate) running: Option<(Arc<AtomicUsize>, Arc<AtomicUsize>)>,
    /// Told when a trial begins (true) and ends, with its prompt.
    pub(crate) around: Option<Around>,
    /// What its program reports over OpenTelemetry, and where to.
    pub(crate) reports: Option<Reports>,
}

/// Says, by a trial's prompt and environment, what is posted where as OTLP/JSON.
pub(crate) type Reports = Arc<dyn Fn(&str, &BTreeMap<String, String>) -> Option<(String, Value)> + Send + Sync>;

/// Told when a trial begins and ends.
pub(crate) type Around = Arc<dyn Fn(&str, bool) + Send + Sync>;

impl Scripted {
    pub(crate) fn new(behaviour: impl Fn(&str) -> Turn + Send + Sync + 'static) -> Self {
        let behaviour = Arc::new(behaviour);
        Self {
            log: Log::default(),
            behaviour,
            opening: None,
            close_fails: false,
            max_concurrency: None,
            reports_cost: false,
            running: None,
            around: None,
            reports: None,
        }
    }
}

#[async_trait]
impl Client for Scripted {
    fn definition(&self) -> ClientDefinition {
        ClientDefinition {
            name: "scripted".to_owned(),
            description: "Does what a script says.".to_owned(),
            options: json!({ "type": "object" }),
            evidence: Evidence::Structured,
            tool_metadata: true,
            pooled_sessions: false,
            reports_cost: self.reports_cost,
            reports_telemetry: self.reports.is_some(),
            max_concurrency: self.max_concurrency,
            requirements: Requirements::default(),
        }
    }

    async fn open(
        &self,
        _: ClientSessionOptions,
        context: ClientContext,
    ) -> Result<Box<dyn ClientSession>, ClientOpenError> {
        // The check before the run opens once and runs nothing; only later openings fail.
        let first = self.log.lock().expect("no test panics while it holds the log").is_empty();
        self.log.lock().expect("no test panics while it holds the log").push("open".to_owned());
        match &self.opening {
            Some(error) if !first => Err(error.clone()),
            _ => Ok(Box::new(Session {
                log: Arc::clone(&self.log),
                behaviour: Arc::clone(&self.behaviour),
                close_fails: self.close_fails && !first,
                running: self.running.clone(),
                signals: context.signals,
                around: self.around.clone(),
                reports: self.reports.clone(),
            })),
        }
    }
}

struct Session {
    log: Log,
    behaviour: Behaviour,
    close_fails: bool,
    running: Option<(Arc<AtomicUsize>, Arc<AtomicUsize>)>,
    signals: RunSignals,
    around: Option<Around>,
    reports: Option<Reports>,
}

#[async_trait]
impl ClientSession for Session {
    async fn run(&mut self, trial: &ClientTrial, cancel: &CancellationToken) -> SessionResult {
        self.log.lock().expect("no test panics while it holds the log").push(format!("run {}", trial.prompt));
        let turn = (self.behaviour)(&trial.prompt);
        if let Some((now, most)) = &self.running {
            most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        }
        if let Some(around) = &self.around {
            around(&trial.prompt, true);
        }
        if let Some((url, body)) = self.reports.as_ref().and_then(|reports| reports(&trial.prompt, &trial.env)) {
            let client = reqwest::Client::builder().no_proxy().build().expect("a client");
            let answer = client.post(url).json(&body).send().await.expect("the receiver answers");
            assert_eq!(answer.status(), 200);
        }
        for signal in turn.tells {
            self.signals.tell(signal);
        }
        if turn.waits {
            self.signals.tell(ClientSignal::Waits { provider: Provider::Anthropic });
        }
        cancel.run_until_cancelled(tokio::time::sleep(turn.takes)).await;
        if turn.waits {
            self.signals.resume().await;
        }
        if let Some(around) = &self.around {
            around(&trial.prompt, false);
        }
        self.log.lock().expect("no test panics while it holds the log").push(format!("end {}", trial.prompt));
        if let Some((now, _)) = &self.running {
            now.fetch_sub(1, Ordering::SeqCst);
        }
        SessionResult { result: turn.run, continuation: turn.then }
    }

    async fn reset(&mut self) -> Result<(), String> {
        self.log.lock().expect("no test panics while it holds the log").push("reset".to_owned());
        Ok(())
    }

    async fn close(&mut self) -> Result<(), String> {
        self.log.lock().expect("no test panics while it holds the log").push("close".to_owned());
        if self.close_fails { Err("the window stayed open".to_owned()) } else { Ok(()) }
    }
}

/// A plan of cases (their ids are their prompts) in one variant, each expecting its own id in the answer.
pub(crate) fn plan(ids: &[&str], concurrency: u32) -> Plan {
    let cases: Vec<EvalCase> = ids
        .iter()
        .map(|id| {
            let case = json!({ "id": id, "input": id, "assertions": { "containsText": id } });
            serde_json::from_value(case).expect("a case")
        })
        .collect();
    let planned =
        ids.iter().enumerate().map(|(case, id)| PlannedCase { case, id: (*id).into(), trials: 1, pass_threshold: 1.0 });
    let client =
        PlannedClient { name: "scripted".to_owned(), model: None, priced_model: None, options: serde_json::Map::new() };
    let record = DatasetRecord {
        name: "cases".to_owned(),
        case_count: cases.len(),
        content_hash: content_hash(&cases),
        cases_hash: None,
        source: None,
        snapshot: None,
        source_type: None,
    };
    Plan {
        name: "scripted".to_owned(),
        content_hash: content_hash("scripted"),
        variants: vec![PlannedVariant {
            name: "default".into(),
            description: None,
            servers: IndexMap::new(),
            client: client.clone(),
            tool_map: IndexMap::new(),
            tools: IndexMap::new(),
            input_template: None,
            metrics: Vec::new(),
            judges: Vec::new(),
            own_judges: false,
            batches: vec![PlannedBatch { dataset: 0, client, cases: planned.collect() }],
        }],
        baseline: "default".into(),
        datasets: vec![PlannedDataset { record, cases: cases.into_iter().collect() }],
        concurrency,
        partial: false,
        selection: None,
        redact_stored_responses: false,
        has_judges: false,
        pairwise_judges: Vec::new(),
        pricing: IndexMap::new(),
        writes: IndexMap::new(),
        limits: mst_config::Limits::default(),
        warnings: Vec::new(),
    }
}

/// Runs a plan on a scripted client in a folder.
pub(crate) async fn run(plan: Plan, client: Scripted, folder: &Path, stop: Stop) -> Result<RunOutcome, RunError> {
    run_with(plan, client, options(folder), stop, Box::new(mst_engine::NullObserver)).await
}

pub(crate) fn options(folder: &Path) -> RunOptions {
    RunOptions {
        output_dir: folder.to_owned(),
        resume: None,
        grade: true,
        readiness_delays: Vec::new(),
        option_key: Some("0".repeat(64)),
        replay: None,
        judge_cache: None,
        stop_when_decided: false,
        budget: Budget::default(),
    }
}

pub(crate) async fn run_with(
    plan: Plan,
    client: Scripted,
    options: RunOptions,
    stop: Stop,
    observer: Box<dyn Observer>,
) -> Result<RunOutcome, RunError> {
    mst_engine::run(plan, deps(client), options, stop, observer).await
}

/// What a run works with: a scripted client, a clock that stands still, and always the same random bytes.
pub(crate) fn deps(client: Scripted) -> RunDeps {
    let mut registry = Registry::new();
    registry.add_client(Arc::new(client));
    RunDeps {
        registry: Arc::new(registry),
        pool: Arc::new(ServerPool::new(ConnectOptions::default())),
        clock: Arc::new(FixedClock(Timestamp::from_millis(1_791_050_531_000).expect("in range"))),
        seed: Seed([7; 32]),
        env: Arc::new(BTreeMap::new()),
        version: "0.0.0-test".to_owned(),
        previous: None,
    }
}

/// An observer that stops the run politely once so many trials are saved.
pub(crate) struct StopAfter {
    pub(crate) left: usize,
    pub(crate) stop: Stop,
}

impl Observer for StopAfter {
    fn event(&mut self, event: &RunEvent) {
        if matches!(event, RunEvent::TrialSaved { .. }) {
            self.left = self.left.saturating_sub(1);
            if self.left == 0 {
                self.stop.starting.cancel();
            }
        }
    }
}
