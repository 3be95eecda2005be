//! The HTTP exchanges of one connection: posting a message, and reading what comes back for it.

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use http::header::{ACCEPT, CONTENT_TYPE};
use http::{HeaderMap, HeaderValue, Method, StatusCode};
use reqwest::{Client, RequestBuilder, Response};
use rmcp::transport::common::http_header::{
    EVENT_STREAM_MIME_TYPE, HEADER_LAST_EVENT_ID, HEADER_MCP_PROTOCOL_VERSION, HEADER_SESSION_ID, JSON_MIME_TYPE,
};

use tokio::time::Instant;

use super::http::FAREWELL;
use super::http_client::Endpoint;
use super::pending::Delivery;
use super::sse::Decoder;
use super::throttle::{self, MOST_WAITS};
use crate::failure::CallFailure;
use crate::host::Host;
use crate::message::{self, Incoming, LONGEST_MESSAGE};
use crate::notes::quoted;
use crate::text::one_line;

/// How much of an error's body is read, in bytes.
const LONGEST_ERROR: usize = 64 * 1024;
/// How long to wait before a stream is asked for again, when the server does not say.
const RETRY: Duration = Duration::from_secs(1);
/// How often a stream that brings nothing is asked for again.
const FRUITLESS: u32 = 3;

/// What every exchange of a connection shares.
#[derive(Debug)]
pub(super) struct Exchanges {
    client: Client,
    endpoint: Endpoint,
    host: Arc<Host>,
    state: Mutex<State>,
}

/// A message to post.
#[derive(Clone, Debug)]
pub(super) struct Post {
    pub(super) body: Vec<u8>,
    pub(super) headers: HeaderMap,
    /// How often it may be sent again when the network fails.
    pub(super) retries: u32,
    /// Whether it may be sent again when it may have arrived.
    pub(super) repeatable: bool,
    /// When its sender gives up.
    pub(super) deadline: Instant,
}

/// The last event of a request's stream that could not be read: it may have been the answer.
pub(super) type Unreadable = Mutex<Option<String>>;

/// How far the stream of a request was read.
struct Reading<'a> {
    decoder: Decoder,
    /// How often the stream brought nothing.
    fruitless: u32,
    unreadable: &'a Unreadable,
}

/// What a body or event holds for a request.
enum Found {
    Answer(Delivery),
    Nothing,
    /// No message at all.
    Unreadable,
}

/// What the exchanges so far have settled.
#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) session: Option<HeaderValue>,
    pub(super) revision: Option<HeaderValue>,
    pub(super) stateless: bool,
    pub(super) gone: Option<CallFailure>,
    /// How many sessions there were.
    pub(super) epoch: u64,
}

impl Exchanges {
    pub(super) fn new(client: Client, endpoint: Endpoint, host: Arc<Host>) -> Self {
        Self { client, endpoint, host, state: Mutex::default() }
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts a request with what all of them carry.
    pub(super) fn base(&self, method: Method) -> RequestBuilder {
        let mut request = self.client.request(method, self.endpoint.url.clone()).headers(self.endpoint.headers.clone());
        let state = self.state();
        if let Some(session) = &state.session {
            request = request.header(HEADER_SESSION_ID, session);
        }
        if let Some(revision) = &state.revision {
            request = request.header(HEADER_MCP_PROTOCOL_VERSION, revision);
        }
        request
    }

    pub(super) fn post(&self, body: Vec<u8>, headers: HeaderMap) -> RequestBuilder {
        self.base(Method::POST)
            .header(ACCEPT, "application/json, text/event-stream")
            .header(CONTENT_TYPE, JSON_MIME_TYPE)
            .headers(headers)
            .body(body)
    }

    pub(super) fn get(&self, last_event: Option<&str>) -> RequestBuilder {
        let request = self.base(Method::GET).header(ACCEPT, EVENT_STREAM_MIME_TYPE);
        match last_event.filter(|id| !id.is_empty()) {
            Some(id) => request.header(HEADER_LAST_EVENT_ID, id),
            None => request,
        }
    }

    /// Posts a message: again where the network failed, as the message allows, and again after the wait that a 429 tells.
    /// A message that was answered 429 was refused and not acted on, so that any may be sent again.
    pub(super) async fn send(&self, post: &Post) -> Result<Response, CallFailure> {
        let (mut attempt, mut waits) = (0, 0);
        loop {
            let response = match self.post(post.body.clone(), post.headers.clone()).send().await {
                Err(error) if attempt < post.retries && (post.repeatable || error.is_connect()) => {
                    attempt += 1;
                    tokio::time::sleep(Duration::from_millis(200) * attempt).await;
                    continue;
                }
                response => response.map_err(|error| network(&error))?,
            };
            if response.status() != StatusCode::TOO_MANY_REQUESTS {
                return Ok(response);
            }
            let told = throttle::retry_after(response.headers());
            let pause = throttle::pause(told, waits);
            if waits == MOST_WAITS || Instant::now() + pause >= post.deadline {
                return Err(CallFailure::RateLimited { retry_after: told, waits });
            }
            waits += 1;
            let notes = &self.host.notes;
            notes.warn(format!("{} answered HTTP 429; its requests were sent again after a wait", notes.label()));
            tokio::time::sleep(pause).await;
        }
    }

    /// Posts a request and reads on until its answer has come. `unreadable` is there for a caller that gives up before.
    pub(super) async fn exchange(&self, id: u64, post: Post, unreadable: &Unreadable) -> Delivery {
        let has_session = self.has_session();
        let response = self.send(&post).await?;
        let status = response.status();
        if !status.is_success() {
            return Err(self.refusal(response, has_session).await);
        }
        if let Some(session) = response.headers().get(HEADER_SESSION_ID) {
            self.state().session.get_or_insert_with(|| session.clone());
        }
        if is_event_stream(&response) {
            return self.answer_in_stream(id, response, unreadable).await;
        }
        let body = body_of(response, LONGEST_MESSAGE).await?;
        match self.answer_in(id, &body).await {
            Found::Answer(answer) => answer,
            _ if body.trim_ascii().is_empty() => {
                Err(CallFailure::Malformed { detail: format!("HTTP {} without an answer", status.as_u16()) })
            }
            _ => Err(CallFailure::Unreadable { line: quoted(&body) }),
        }
    }

    /// Reads an event stream until the answer has come, asking for the rest of it where the server allows that.
    async fn answer_in_stream(&self, id: u64, mut response: Response, unreadable: &Unreadable) -> Delivery {
        let mut reading = Reading { decoder: Decoder::default(), fruitless: 0, unreadable };
        loop {
            let cut = match self.read_on(id, &mut response, &mut reading).await {
                ControlFlow::Break(answer) => return answer,
                ControlFlow::Continue(cut) => cut,
            };
            if let Some(line) = take(unreadable) {
                // The server has sent all that it had to say; it would not say it another way.
                return Err(CallFailure::Unreadable { line });
            }
            reading.decoder = reading.decoder.resumed();
            response = loop {
                reading.fruitless += 1;
                let last = reading.decoder.last_id.clone().filter(|id| !id.is_empty());
                // Revision 2026-07-28 has no way to ask for the rest.
                let Some(last) = last.filter(|_| reading.fruitless <= FRUITLESS && !self.state().stateless) else {
                    return Err(CallFailure::Network { detail: cut });
                };
                tokio::time::sleep(reading.decoder.retry.map_or(RETRY, Duration::from_millis)).await;
                match self.get(Some(&last)).send().await {
                    Ok(rest) if is_event_stream(&rest) => break rest,
                    // It is busy, or comes back soon.
                    Ok(refused) if refused.status().is_server_error() => {}
                    Ok(refused) if refused.status() == StatusCode::TOO_MANY_REQUESTS => {}
                    Ok(_) => return Err(CallFailure::Network { detail: cut }),
                    Err(_) => {}
                }
            };
        }
    }

    /// Reads a stream until the answer has come, or to its end, whose reason is returned.
    async fn read_on(
        &self,
        id: u64,
        response: &mut Response,
        reading: &mut Reading<'_>,
    ) -> ControlFlow<Delivery, String> {
        loop {
            let bytes = match response.chunk().await {
                Ok(Some(bytes)) => bytes,
                Ok(None) => return ControlFlow::Continue("the stream ended before the answer".to_owned()),
                Err(error) => return ControlFlow::Continue(detail(&error)),
            };
            let Ok(events) = reading.decoder.push(&bytes) else { return ControlFlow::Break(Err(too_long())) };
            for event in events {
                reading.fruitless = 0;
                match self.answer_in(id, &event.data).await {
                    Found::Answer(answer) => return ControlFlow::Break(answer),
                    Found::Nothing => {}
                    Found::Unreadable => put(reading.unreadable, quoted(&event.data)),
                }
            }
        }
    }

    /// Looks through a body or event for the answer; everything else in it is taken care of.
    async fn answer_in(&self, wanted: u64, bytes: &[u8]) -> Found {
        if bytes.trim_ascii().is_empty() {
            // An event without data only gives an id to come back with.
            return Found::Nothing;
        }
        let notes = &self.host.notes;
        let read = message::read(bytes);
        if read.repaired {
            notes.repaired();
        }
        let Ok(messages) = read.messages else {
            notes.warn(format!("{} sent something that is no message: {}", notes.label(), quoted(bytes)));
            return Found::Unreadable;
        };
        let mut answer = None;
        for message in messages {
            match message {
                Incoming::Response { id, outcome } if id.is_none_or(|id| id == wanted) => answer = Some(outcome),
                Incoming::Response { .. } => {
                    notes.warn(format!("{} answered a request with another's id", notes.label()));
                }
                Incoming::Request { id, method, params } => {
                    let reply = self.host.answer(&id, &method, &params).await;
                    if !self.state().stateless {
                        // A server that does not take the reply shows so by what it does next.
                        let reply = self.post(reply, HeaderMap::new()).send();
                        drop(tokio::time::timeout(FAREWELL, reply).await);
                    }
                }
                Incoming::Notification { method, params } => notes.notified(&method, &params),
            }
        }
        answer.map_or(Found::Nothing, Found::Answer)
    }

    /// Reads what the server sends by itself, until it has nothing more to say.
    pub(super) async fn listen(&self) {
        let mut decoder = Decoder::default();
        let mut fruitless = 0;
        while fruitless < FRUITLESS {
            fruitless += 1;
            let Ok(mut response) = self.get(decoder.last_id.as_deref()).send().await else { return };
            if !is_event_stream(&response) {
                return;
            }
            decoder = decoder.resumed();
            while let Ok(Some(bytes)) = response.chunk().await {
                let Ok(events) = decoder.push(&bytes) else { return };
                for event in events {
                    fruitless = 0;
                    // No request has the id 0: an answer cannot be meant for this stream.
                    drop(self.answer_in(0, &event.data).await);
                }
            }
            tokio::time::sleep(decoder.retry.map_or(RETRY, Duration::from_millis)).await;
        }
    }

    /// Reads what a subscription brings, until the server ends it.
    pub(super) async fn subscribe(&self, post: &Post) {
        for _ in 0..FRUITLESS {
            let Ok(mut response) = self.send(post).await else { return };
            if !is_event_stream(&response) {
                return;
            }
            let unreadable = Unreadable::default();
            let mut reading = Reading { decoder: Decoder::default(), fruitless: 0, unreadable: &unreadable };
            // No request has the id 0: the subscription's own answer only ends it.
            drop(self.read_on(0, &mut response, &mut reading).await);
            tokio::time::sleep(reading.decoder.retry.map_or(RETRY, Duration::from_millis)).await;
        }
    }

    /// Returns whether a request that is sent now belongs to a session.
    pub(super) fn has_session(&self) -> bool {
        let state = self.state();
        state.session.is_some() && state.revision.is_some()
    }

    /// Turns a status that is no success into a failure. `has_session` says whether the request belonged to a session:
    /// the present one may be another by now.
    pub(super) async fn refusal(&self, response: Response, has_session: bool) -> CallFailure {
        let status = response.status();
        let body = body_of(response, LONGEST_ERROR).await.unwrap_or_default();
        let words =
            if status.is_client_error() { one_line(&String::from_utf8_lossy(&body), 300) } else { String::new() };
        if matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) {
            return CallFailure::Unauthorized { status: status.as_u16(), detail: words };
        }
        if status == StatusCode::NOT_FOUND && has_session {
            return CallFailure::SessionLost;
        }
        if let Ok(messages) = message::read(&body).messages
            && let Some(Incoming::Response { outcome: Err(error @ CallFailure::Protocol { .. }), .. }) =
                messages.into_iter().next()
        {
            return error;
        }
        CallFailure::Http { status: status.as_u16(), detail: words }
    }
}

/// Takes the last event that could not be read.
pub(super) fn take(unreadable: &Unreadable) -> Option<String> {
    unreadable.lock().unwrap_or_else(PoisonError::into_inner).take()
}

fn put(unreadable: &Unreadable, line: String) {
    *unreadable.lock().unwrap_or_else(PoisonError::into_inner) = Some(line);
}

pub(super) fn is_event_stream(response: &Response) -> bool {
    let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    response.status().is_success() && kind.trim_start().to_ascii_lowercase().starts_with(EVENT_STREAM_MIME_TYPE)
}

async fn body_of(mut response: Response, limit: usize) -> Result<Vec<u8>, CallFailure> {
    let mut body = Vec::new();
    while let Some(bytes) = response.chunk().await.map_err(|error| network(&error))? {
        if body.len() + bytes.len() > limit {
            return Err(too_long());
        }
        body.extend_from_slice(&bytes);
    }
    Ok(body)
}

fn too_long() -> CallFailure {
    CallFailure::Malformed { detail: "an answer longer than is read".to_owned() }
}

fn network(error: &reqwest::Error) -> CallFailure {
    CallFailure::Network { detail: detail(error) }
}

/// Returns an error's innermost cause: the outer ones repeat the URL.
fn detail(error: &reqwest::Error) -> String {
    let mut innermost = std::error::Error::source(error);
    while let Some(inner) = innermost.and_then(std::error::Error::source) {
        innermost = Some(inner);
    }
    innermost.map_or_else(|| "the request failed".to_owned(), |cause| one_line(&cause.to_string(), 200))
}
