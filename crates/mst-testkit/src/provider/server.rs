//! The fake provider's server: routes, recording and counting around the script.

use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::to_bytes;
use axum::extract::{ConnectInfo, Request, State};
use axum::response::Response;
use serde_json::{Value, json};

use super::answering::{self, Choice};
use super::counters::Stats;
use super::delivery::Answer;
use super::form::{Endpoint, Form};
use super::render::Ids;
use super::reply::Reply;
use super::request::RecordedRequest;
use super::script::{Rule, Script};
use super::strict::{Rules, check_tools};
use super::view::View;
use crate::connection::ResetSwitch;
use crate::server_thread::{ServerThread, cpu_time_of};

/// A model provider on 127.0.0.1, on a thread of its own. It stops when it is dropped.
#[derive(Debug)]
pub struct FakeProvider {
    server: ServerThread,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    state: Mutex<ServerState>,
    ids: Ids,
    started: Instant,
    record: bool,
    task: OnceLock<Arc<OnceLock<PathBuf>>>,
}

#[derive(Debug, Default)]
struct ServerState {
    script: Script,
    arrivals: Vec<usize>,
    requests: Vec<RecordedRequest>,
    stats: Stats,
    /// Tool lists that passed the provider's rules.
    passed: Vec<(Rules, Value)>,
}

impl FakeProvider {
    /// Starts a provider at a free port.
    ///
    /// # Panics
    /// When no loopback port can be had.
    #[expect(clippy::unused_async, reason = "a caller should not depend on the start being immediate")]
    pub async fn start(script: Script) -> Self {
        Self::start_now(script)
    }

    /// Starts a provider at a free port, from code that is not async.
    ///
    /// # Panics
    /// When no loopback port can be had.
    pub fn start_now(script: Script) -> Self {
        Self::serve(0, script, true).expect("a loopback port can be bound and a thread started")
    }

    /// Starts a provider at a port, 0 for a free one; `record` keeps every request in memory.
    pub fn serve(port: u16, script: Script, record: bool) -> io::Result<Self> {
        let shared = Arc::new(Shared {
            state: Mutex::new(ServerState { script, ..ServerState::default() }),
            ids: Ids::default(),
            started: Instant::now(),
            record,
            task: OnceLock::new(),
        });
        let server = ServerThread::start(port, Router::new().fallback(handle).with_state(Arc::clone(&shared)))?;
        shared.task.get_or_init(|| server.task());
        Ok(Self { server, shared })
    }

    /// Returns the port.
    pub fn port(&self) -> u16 {
        self.server.address().port()
    }

    /// Returns `http://127.0.0.1:<port>`, without a path.
    pub fn url(&self) -> String {
        format!("http://{}", self.server.address())
    }

    /// Returns the root for `ANTHROPIC_BASE_URL`.
    pub fn anthropic_url(&self) -> String {
        self.url()
    }

    /// Returns the URL for `OPENAI_BASE_URL`, which ends in `/v1`.
    pub fn openai_url(&self) -> String {
        format!("{}/v1", self.url())
    }

    /// Returns the URL for `GOOGLE_GENERATIVE_AI_BASE_URL`, which ends in `/v1beta`.
    pub fn google_url(&self) -> String {
        format!("{}/v1beta", self.url())
    }

    /// Returns the OAuth token endpoint.
    pub fn token_url(&self) -> String {
        format!("{}/token", self.url())
    }

    /// Returns the requests to a model so far, in order of arrival.
    pub fn requests(&self) -> Vec<RecordedRequest> {
        self.shared.lock().requests.iter().filter(|request| is_model(request)).cloned().collect()
    }

    /// Returns all requests so far: token grants, counts and unknown paths too.
    pub fn all_requests(&self) -> Vec<RecordedRequest> {
        self.shared.lock().requests.clone()
    }

    /// Returns the views of the requests to a model so far.
    pub fn views(&self) -> Vec<View> {
        self.requests().iter().map(RecordedRequest::view).collect()
    }

    /// Returns the last request to a model.
    ///
    /// # Panics
    /// When there was none.
    pub fn last_request(&self) -> RecordedRequest {
        self.requests().pop().expect("the fake provider was asked at least once")
    }

    /// Forgets the recorded requests.
    pub fn forget(&self) {
        self.shared.lock().requests.clear();
    }

    /// Replaces the script; replies are counted from the first again.
    pub fn set_script(&self, script: Script) {
        let mut state = self.shared.lock();
        state.script = script;
        state.arrivals.clear();
    }

    /// Adds a rule after those there are.
    pub fn add_rule(&self, rule: Rule) {
        self.shared.lock().script.rules.push(rule);
    }

    /// Returns the counters.
    pub fn stats(&self) -> Stats {
        self.shared.stats()
    }
}

fn is_model(request: &RecordedRequest) -> bool {
    request.form.is_some()
}

/// How many tool lists that passed are remembered: a client sends the same ones again and again.
const REMEMBERED: usize = 64;

impl ServerState {
    /// Checks a request's tools as the provider would.
    fn check(&mut self, form: Form, request: &RecordedRequest) -> Result<(), String> {
        let Some(tools) = request.body.get("tools") else { return Ok(()) };
        let rules = Rules::of(form, &request.path);
        if self.passed.iter().any(|(known, passed)| *known == rules && passed == tools) {
            return Ok(());
        }
        check_tools(rules, tools)?;
        if self.passed.len() == REMEMBERED {
            self.passed.remove(0);
        }
        self.passed.push((rules, tools.clone()));
        Ok(())
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, ServerState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the microseconds since the start.
    fn uptime_us(&self) -> u64 {
        self.started.elapsed().as_micros() as u64
    }

    fn stats(&self) -> Stats {
        let cpu = self.task.get().and_then(|task| task.get()).and_then(|task| cpu_time_of(task));
        let stats = self.lock().stats.clone();
        stats.at(self.uptime_us(), cpu.map(|time| time.as_micros() as u64))
    }

    /// Decides the answer and how long it waits.
    fn decide(&self, mut request: RecordedRequest, form: Form) -> (Answer, Duration) {
        let view = request.view();
        let mut guard = self.lock();
        let state = &mut *guard;
        state.stats.count_model(form.name(), request.raw.len());
        if let Err(problem) = state.check(form, &request) {
            if self.record {
                state.requests.push(request);
            }
            return (answering::refusal(form, &problem), Duration::ZERO);
        }
        let struck = state.script.faults.and_then(|faults| faults.strike(state.stats.requests));
        let choice = match struck {
            Some(reply) => Choice::Struck(reply),
            None => answering::choose(&state.script, &mut state.arrivals, &request, &view),
        };
        let latency = state.script.latency_ms;
        let reply = match choice {
            Choice::Scripted { reply, rule, step } => {
                (request.rule, request.step) = (Some(rule), Some(step));
                state.stats.faults += usize::from(reply.is_failure());
                Ok(reply)
            }
            Choice::Struck(reply) => {
                state.stats.faults += 1;
                Ok(reply)
            }
            Choice::Exhausted { rule } => {
                request.rule = Some(rule);
                state.stats.exhausted += 1;
                Err("script exhausted")
            }
            Choice::Unmatched(reply) => {
                state.stats.unmatched += 1;
                reply.ok_or("no scripted rule matches this request")
            }
        };
        if self.record {
            state.requests.push(request.clone());
        }
        drop(guard);
        let delay = latency + reply.as_ref().map_or(0, |reply: &Reply| reply.delay_ms);
        let answer = match &reply {
            Ok(reply) => answering::answer(form, &request, &view, reply, &self.ids),
            Err(problem) => answering::refusal(form, problem),
        };
        (answer, Duration::from_millis(delay))
    }

    /// Answers what is not a request to a model.
    fn aside(&self, endpoint: Endpoint, request: RecordedRequest) -> Answer {
        let bytes = request.raw.len();
        let path = request.path.clone();
        if self.record && !matches!(endpoint, Endpoint::Stats | Endpoint::Requests) {
            self.lock().requests.push(request);
        }
        let counted = (bytes / 4).max(1);
        let body = match endpoint {
            Endpoint::Stats => json!(self.stats()),
            Endpoint::Requests => json!(self.lock().requests),
            Endpoint::Models => json!({"object": "list", "data": [], "models": []}),
            Endpoint::Token => json!({"access_token": "fake-access-token", "token_type": "Bearer", "expires_in": 3600}),
            Endpoint::Count(Form::Google) => json!({"totalTokens": counted}),
            Endpoint::Count(Form::Responses) => json!({"object": "response.input_tokens", "input_tokens": counted}),
            Endpoint::Count(_) => json!({"input_tokens": counted}),
            Endpoint::Model(_) | Endpoint::Unknown => {
                return Answer::json(
                    404,
                    &json!({"error": {"type": "not_found_error", "message": format!("no such path: {path}")}}),
                );
            }
        };
        if matches!(endpoint, Endpoint::Token | Endpoint::Count(_)) {
            self.lock().stats.other += 1;
        }
        Answer::json(200, &body)
    }
}

/// Counts a request as in flight until it is answered or its client goes away.
struct InFlight(Arc<Shared>);

impl InFlight {
    fn begin(shared: &Arc<Shared>) -> Self {
        shared.lock().stats.begin(shared.uptime_us());
        Self(Arc::clone(shared))
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        self.0.lock().stats.end(self.0.uptime_us());
    }
}

async fn handle(
    State(shared): State<Arc<Shared>>,
    ConnectInfo(switch): ConnectInfo<ResetSwitch>,
    request: Request,
) -> Response {
    let (parts, body) = request.into_parts();
    let endpoint = Endpoint::of(&parts.method, parts.uri.path());
    let in_flight = matches!(endpoint, Endpoint::Model(_)).then(|| InFlight::begin(&shared));
    let raw = to_bytes(body, usize::MAX).await.unwrap_or_default();
    let busy = Instant::now();
    let request = RecordedRequest::of(&parts, raw, endpoint, shared.started.elapsed());
    let (answer, delay) = match endpoint {
        Endpoint::Model(form) => shared.decide(request, form),
        endpoint => (shared.aside(endpoint, request), Duration::ZERO),
    };
    shared.lock().stats.busy_us += busy.elapsed().as_micros() as u64;
    if !delay.is_zero() {
        tokio::time::sleep(delay).await;
    }
    let response = answer.send(&switch).await;
    drop(in_flight);
    response
}
