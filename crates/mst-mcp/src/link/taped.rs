//! A connection on a tape: one whose exchanges are written down, or one that is nothing but a tape.
//!
//! An exchange is taped as a method with its parameters and the raw result, whatever the transport: without JSON-RPC ids,
//! progress tokens and the client's version, which differ from run to run. What the server said by itself stands beside the
//! exchange it came with. Opening a connection is an exchange too, so that a server that did not start does not start again.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use mst_model::{
    Exchange, ServerLabel, TapeAnswer, TapeKey, TapeKind, TapePlayer, TapeRecorder, TapeRequest, TapeScope,
};
use serde::Serialize;
use serde_json::{Map, Value};
use tokio::time::Instant;

use super::{Delivery, Link, Request, Wait};
use crate::error::Fault;
use crate::failure::CallFailure;
use crate::notes::Notes;

/// How much longer than the recording a replay waits for its caller to give up too.
const PATIENCE: Duration = Duration::from_secs(1);
/// Stands for the opening of a connection.
const CONNECT: &str = "$connect";
/// Stands for the look at an endpoint that may speak the transport of 2024-11-05.
const OLD_TRANSPORT: &str = "$oldTransport";

/// The connection, as whoever uses it for one scope sees it.
#[derive(Debug)]
pub(crate) struct TapedLink {
    side: Side,
    label: ServerLabel,
    scope: TapeScope,
    is_http: bool,
    notes: Arc<Notes>,
    begun: Instant,
    /// How the connection ended, in a replay.
    gone: Arc<OnceLock<CallFailure>>,
    /// How many sessions there were before the present one, in a replay.
    epoch: Arc<AtomicU64>,
    state: Mutex<State>,
}

#[derive(Clone, Debug)]
enum Side {
    Record { inner: Arc<Link>, recorder: Arc<dyn TapeRecorder> },
    Replay(Arc<dyn TapePlayer>),
}

#[derive(Debug, Default)]
struct State {
    /// The last exchange that was written down.
    last: Option<TapeKey>,
    /// Where the last exchange that was served stands.
    place: Option<usize>,
}

/// Where a connection's exchanges belong.
#[derive(Clone, Debug)]
pub(crate) struct Place<'a> {
    pub(crate) label: &'a ServerLabel,
    pub(crate) scope: &'a TapeScope,
    pub(crate) is_http: bool,
    pub(crate) notes: Arc<Notes>,
}

impl TapedLink {
    /// Writes down what goes over a connection that was just opened, or could not be.
    pub(crate) fn record(
        opened: Result<Link, Fault>,
        recorder: &Arc<dyn TapeRecorder>,
        place: Place<'_>,
    ) -> Result<Self, Fault> {
        let answer = match &opened {
            Ok(_) => TapeAnswer::Reply(Value::Null),
            Err(fault) => TapeAnswer::Failure(json_of(fault)),
        };
        let request = asked(place.label, place.scope, CONNECT, Value::Null);
        let last = recorder.record(Exchange { request, server: place.notes.take_heard(), answer, took_ms: 0 });
        let side = Side::Record { inner: Arc::new(opened?), recorder: Arc::clone(recorder) };
        let link = Self::new(side, place);
        link.state().last = Some(last);
        Ok(link)
    }

    /// Opens a connection that is nothing but a tape; fails where the recording's could not be opened.
    pub(crate) fn replay(player: &Arc<dyn TapePlayer>, place: Place<'_>) -> Result<Self, Fault> {
        let link = Self::new(Side::Replay(Arc::clone(player)), place);
        match link.play(player, CONNECT, Value::Null).map_err(Fault::Request)? {
            TapeAnswer::Failure(fault) => {
                Err(serde_json::from_value(fault).unwrap_or_else(|error| Fault::Request(unreadable(&error))))
            }
            TapeAnswer::Reply(_) | TapeAnswer::GivenUp(_) => Ok(link),
        }
    }

    fn new(side: Side, place: Place<'_>) -> Self {
        let Place { label, scope, is_http, notes } = place;
        Self {
            side,
            label: label.clone(),
            scope: scope.clone(),
            is_http,
            notes,
            begun: Instant::now(),
            gone: Arc::default(),
            epoch: Arc::default(),
            state: Mutex::default(),
        }
    }

    /// Returns the connection as another scope uses it. In a replay what the server says there is noted by itself, in `notes`.
    pub(crate) fn seen_by(&self, scope: &TapeScope, notes: Arc<Notes>) -> Self {
        let place = Place { label: &self.label, scope, is_http: self.is_http, notes };
        Self { gone: Arc::clone(&self.gone), epoch: Arc::clone(&self.epoch), ..Self::new(self.side.clone(), place) }
    }

    pub(crate) fn is_http(&self) -> bool {
        self.is_http
    }

    pub(crate) fn is_replay(&self) -> bool {
        matches!(self.side, Side::Replay(_))
    }

    /// Sends a request and writes down what came of it, or finds that on the tape.
    pub(crate) async fn request<P: Serialize>(&self, request: Request<'_, P>, wait: Wait<'_>) -> Delivery {
        let (method, params) = (request.method.to_owned(), json_of(&request.params));
        match &self.side {
            Side::Record { inner, recorder } => {
                self.said_later();
                let started = Instant::now();
                let delivery = Box::pin(inner.request(request, wait)).await;
                let answer = self.answer(delivery.as_ref().cloned());
                self.write(recorder, (&method, params), answer, started);
                delivery
            }
            Side::Replay(player) => self.replayed(player, (&method, params), wait).await,
        }
    }

    /// Tells the server that the handshake is over.
    pub(crate) async fn initialized(&self, wait: Wait<'_>) -> Result<(), CallFailure> {
        const METHOD: &str = "notifications/initialized";
        match &self.side {
            Side::Record { inner, recorder } => {
                self.said_later();
                let started = Instant::now();
                let told = Box::pin(inner.initialized(wait)).await;
                let answer = self.answer(told.as_ref().map(|()| Value::Null));
                self.write(recorder, (METHOD, Value::Null), answer, started);
                told
            }
            Side::Replay(player) => self.replayed(player, (METHOD, Value::Null), wait).await.map(drop),
        }
    }

    /// Returns whether the endpoint speaks the transport of 2024-11-05.
    pub(crate) async fn is_old_transport(&self) -> bool {
        match &self.side {
            Side::Record { inner, recorder } => {
                let started = Instant::now();
                let is_old = Box::pin(inner.is_old_transport()).await;
                self.write(recorder, (OLD_TRANSPORT, Value::Null), TapeAnswer::Reply(is_old.into()), started);
                is_old
            }
            Side::Replay(player) => {
                self.play(player, OLD_TRANSPORT, Value::Null) == Ok(TapeAnswer::Reply(Value::Bool(true)))
            }
        }
    }

    /// Returns whether the tape has a request of this method next: `None` while recording.
    ///
    /// A listing that was asked for again when the server said that its tools had changed is asked for again at the same place,
    /// whenever the server's word is heard.
    pub(crate) fn has_next(&self, method: &str) -> Option<bool> {
        let Side::Replay(player) = &self.side else { return None };
        let mut after = self.state().place;
        loop {
            let Some(next) = player.next(TapeKind::Mcp, &self.scope, after) else { return Some(false) };
            let is = |key: &str, value: &str| next.request.get(key).and_then(Value::as_str) == Some(value);
            if is("server", self.label.as_str()) {
                return Some(is("method", method));
            }
            after = Some(next.place);
        }
    }

    /// Returns the connection behind, while recording.
    pub(crate) fn inner(&self) -> Option<&Link> {
        match &self.side {
            Side::Record { inner, .. } => Some(inner),
            Side::Replay(_) => None,
        }
    }

    /// Returns how the connection ended, when it has.
    pub(crate) fn gone(&self) -> Option<CallFailure> {
        self.inner().map_or_else(|| self.gone.get().cloned(), Link::gone)
    }

    /// Returns how many sessions there were before the present one.
    pub(crate) fn epoch(&self) -> u64 {
        self.inner().map_or_else(|| self.epoch.load(Ordering::Acquire), Link::epoch)
    }

    /// Forgets the session, so that another can be begun.
    pub(crate) fn forget(&self) {
        match self.inner() {
            Some(inner) => inner.forget(),
            None => drop(self.epoch.fetch_add(1, Ordering::AcqRel)),
        }
    }

    /// Gives the connection up: every later request fails with this.
    pub(crate) fn give_up(&self, failure: CallFailure) {
        match self.inner() {
            Some(inner) => inner.give_up(failure),
            None => drop(self.gone.set(failure)),
        }
    }

    /// Ends the connection.
    pub(crate) async fn close(&self, at_once: bool) {
        if let Some(inner) = self.inner() {
            Box::pin(inner.close(at_once)).await;
            self.said_later();
        }
        self.gone.get_or_init(|| CallFailure::NotSent { detail: "the connection was closed".to_owned() });
    }

    /// Writes down what the server said since the last exchange.
    fn said_later(&self) {
        let Side::Record { recorder, .. } = &self.side else { return };
        if let Some(last) = self.state().last.clone() {
            let heard = self.notes.take_heard();
            if !heard.is_empty() {
                recorder.said_later(&last, heard);
            }
        }
    }

    fn write(&self, recorder: &Arc<dyn TapeRecorder>, asks: (&str, Value), answer: TapeAnswer, started: Instant) {
        let request = asked(&self.label, &self.scope, asks.0, asks.1);
        let took_ms = started.elapsed().as_millis() as u64;
        let last = recorder.record(Exchange { request, server: self.notes.take_heard(), answer, took_ms });
        self.state().last = Some(last);
    }

    fn answer(&self, outcome: Result<Value, &CallFailure>) -> TapeAnswer {
        match outcome {
            Ok(result) => TapeAnswer::Reply(result),
            Err(CallFailure::Cancelled) => TapeAnswer::GivenUp(self.begun.elapsed().as_millis() as u64),
            Err(failure) => TapeAnswer::Failure(json_of(failure)),
        }
    }

    async fn replayed(&self, player: &Arc<dyn TapePlayer>, asks: (&str, Value), wait: Wait<'_>) -> Delivery {
        if wait.cancel.is_cancelled() {
            return Err(CallFailure::Cancelled);
        }
        if let Some(gone) = self.gone.get() {
            return Err(gone.clone());
        }
        match self.play(player, asks.0, asks.1)? {
            TapeAnswer::Reply(result) => Ok(result),
            TapeAnswer::Failure(failure) => {
                let failure = serde_json::from_value(failure).unwrap_or_else(|error| unreadable(&error));
                if matches!(failure, CallFailure::ServerGone { .. }) {
                    self.gone.get_or_init(|| failure.clone());
                }
                Err(failure)
            }
            TapeAnswer::GivenUp(ms) => {
                let deadline = self.begun + Duration::from_millis(ms) + PATIENCE;
                tokio::select! {
                    () = wait.cancel.cancelled() => Err(CallFailure::Cancelled),
                    () = tokio::time::sleep_until(deadline) => {
                        Err(CallFailure::OffTape { detail: format!("the recording was given up after {ms} ms") })
                    }
                }
            }
        }
    }

    /// Finds a request on the tape, and lets the server say what it said then.
    fn play(&self, player: &Arc<dyn TapePlayer>, method: &str, params: Value) -> Result<TapeAnswer, CallFailure> {
        let played = player.play(asked(&self.label, &self.scope, method, params));
        let played = played.map_err(|miss| CallFailure::OffTape { detail: miss.to_string() })?;
        self.state().place = Some(played.place);
        for message in &played.server {
            self.notes.hear_again(message);
        }
        Ok(played.answer)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns a request as a tape knows it.
fn asked(label: &ServerLabel, scope: &TapeScope, method: &str, mut params: Value) -> TapeRequest {
    let mut request = Map::new();
    request.insert("server".to_owned(), label.as_str().into());
    request.insert("method".to_owned(), method.into());
    if let Value::Object(params) = &mut params {
        params.shift_remove("_meta");
        if method == "initialize" {
            params.shift_remove("clientInfo");
        }
    }
    if !params.is_null() {
        request.insert("params".to_owned(), params);
    }
    TapeRequest { kind: TapeKind::Mcp, scope: scope.clone(), request: Value::Object(request) }
}

fn unreadable(error: &serde_json::Error) -> CallFailure {
    CallFailure::OffTape { detail: format!("the tape has a failure that is none: {error}") }
}

fn json_of<T: Serialize>(value: &T) -> Value {
    serde_json::to_value(value).expect("parameters, faults and failures have a JSON form")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_differs_from_run_to_run_is_not_keyed() {
        let scope = TapeScope::trial(&"v".into(), &"c".into(), 0);
        let hash = |method: &str, params: Value| asked(&"parts".into(), &scope, method, params).hash();
        let meta = json!({ "progressToken": 7, "io.modelcontextprotocol/clientInfo": { "version": "9" } });
        assert_eq!(hash("tools/list", json!({ "_meta": meta })), hash("tools/list", json!({})));
        assert_eq!(
            hash("initialize", json!({ "clientInfo": { "version": "1" }, "capabilities": {} })),
            hash("initialize", json!({ "clientInfo": { "version": "2" }, "capabilities": {} })),
        );
        assert_ne!(hash("tools/call", json!({ "name": "a" })), hash("tools/call", json!({ "name": "b" })));
        assert_ne!(hash("tools/call", json!({ "clientInfo": 1 })), hash("tools/call", json!({})));
    }
}
