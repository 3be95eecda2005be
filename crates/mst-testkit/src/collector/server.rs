//! The collector's server: what it was sent, and what it answers.

use std::collections::VecDeque;
use std::io::{self, Read as _};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::body::to_bytes;
use axum::extract::{Request, State};
use axum::response::{IntoResponse as _, Response};
use http::StatusCode;
use indexmap::IndexMap;
use opentelemetry_proto::tonic::collector::trace::v1::{
    ExportTracePartialSuccess, ExportTraceServiceRequest, ExportTraceServiceResponse,
};
use prost::Message as _;
use serde_json::{Map, Value, json};

use super::span::{CollectedSpan, json_of};
use crate::server_thread::ServerThread;

/// What the collector answers to a request.
#[derive(Clone, Debug)]
pub enum CollectorAnswer {
    /// It takes everything.
    Taken,
    /// It rejects so many spans, for this reason.
    Partial(i64, String),
    /// It refuses with a status, a `Retry-After` in seconds, and a message.
    Refused(u16, Option<u64>, String),
    /// It says nothing for so long, and takes everything then.
    Slow(Duration),
}

/// A request as it was received.
#[derive(Clone, Debug)]
pub struct Collected {
    /// The path.
    pub path: String,
    /// Headers with lower-case names.
    pub headers: IndexMap<String, String>,
    /// The attributes of the first resource.
    pub resource: Map<String, Value>,
    /// The name of the first instrumentation scope.
    pub scope: String,
    /// The spans; none of a body that could not be read.
    pub spans: Vec<CollectedSpan>,
}

/// A collector of traces. It stops when it is dropped.
#[derive(Debug)]
pub struct FakeCollector {
    server: ServerThread,
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    requests: Mutex<Vec<Collected>>,
    answers: Mutex<VecDeque<CollectorAnswer>>,
}

impl FakeCollector {
    /// Starts a collector that gives these answers one after the other, and takes everything after them.
    ///
    /// # Panics
    /// When no loopback port can be had.
    pub fn start(answers: impl IntoIterator<Item = CollectorAnswer>) -> Self {
        let shared = Arc::new(Shared { answers: Mutex::new(answers.into_iter().collect()), ..Shared::default() });
        let router = Router::new().fallback(receive).with_state(Arc::clone(&shared));
        let server = ServerThread::start(0, router).expect("a loopback port can be bound and a thread started");
        Self { server, shared }
    }

    /// Returns the root for `OTEL_EXPORTER_OTLP_ENDPOINT`.
    pub fn url(&self) -> String {
        format!("http://{}", self.server.address())
    }

    /// Returns the requests so far, refused ones too.
    pub fn requests(&self) -> Vec<Collected> {
        lock(&self.shared.requests).clone()
    }

    /// Returns the spans of every request so far.
    pub fn spans(&self) -> Vec<CollectedSpan> {
        self.requests().into_iter().flat_map(|request| request.spans).collect()
    }

    /// Forgets the requests.
    pub fn forget(&self) {
        lock(&self.shared.requests).clear();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn receive(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let (head, body) = request.into_parts();
    let headers: IndexMap<String, String> = head
        .headers
        .iter()
        .map(|(name, value)| (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned()))
        .collect();
    let body = to_bytes(body, usize::MAX).await.unwrap_or_default();
    let is_json = headers.get("content-type").is_some_and(|kind| kind == "application/json");
    let read = decode(&headers, &body, is_json).unwrap_or_default();
    let first = read.resource_spans.first().cloned().unwrap_or_default();
    let spans = read.resource_spans.into_iter().flat_map(|group| group.scope_spans).flat_map(|scope| scope.spans);
    lock(&shared.requests).push(Collected {
        path: head.uri.path().to_owned(),
        resource: json_of(first.resource.unwrap_or_default().attributes),
        scope: first.scope_spans.into_iter().next().and_then(|group| group.scope).unwrap_or_default().name,
        spans: spans.map(CollectedSpan::from).collect(),
        headers,
    });
    let answer = lock(&shared.answers).pop_front().unwrap_or(CollectorAnswer::Taken);
    respond(answer, is_json).await
}

fn decode(headers: &IndexMap<String, String>, body: &[u8], is_json: bool) -> io::Result<ExportTraceServiceRequest> {
    let mut bytes = body.to_vec();
    if headers.get("content-encoding").is_some_and(|coding| coding == "gzip") {
        bytes.clear();
        flate2::read::GzDecoder::new(body).read_to_end(&mut bytes)?;
    }
    if is_json {
        Ok(serde_json::from_slice(&bytes)?)
    } else {
        ExportTraceServiceRequest::decode(bytes.as_slice()).map_err(io::Error::other)
    }
}

async fn respond(answer: CollectorAnswer, is_json: bool) -> Response {
    match answer {
        CollectorAnswer::Refused(status, after, message) => {
            let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
            let after = after.map(|seconds| ("retry-after", seconds.to_string()));
            let mut response = (status, json!({ "message": message }).to_string()).into_response();
            if let Some((name, value)) = after.and_then(|(name, value)| Some((name, value.parse().ok()?))) {
                response.headers_mut().insert(name, value);
            }
            response
        }
        CollectorAnswer::Slow(pause) => {
            tokio::time::sleep(pause).await;
            partial(0, String::new(), is_json)
        }
        CollectorAnswer::Taken => partial(0, String::new(), is_json),
        CollectorAnswer::Partial(rejected, message) => partial(rejected, message, is_json),
    }
}

fn partial(rejected_spans: i64, error_message: String, is_json: bool) -> Response {
    if is_json {
        let body =
            json!({ "partialSuccess": { "rejectedSpans": rejected_spans.to_string(), "errorMessage": error_message } });
        return ([("content-type", "application/json")], body.to_string()).into_response();
    }
    let partial = ExportTracePartialSuccess { rejected_spans, error_message };
    let body = ExportTraceServiceResponse { partial_success: Some(partial) }.encode_to_vec();
    ([("content-type", "application/x-protobuf")], body).into_response()
}
