//! Messages that a mode refuses or mishandles at the level of HTTP.

use std::sync::atomic::{AtomicUsize, Ordering};

use axum::body::Body;
use axum::response::Response;
use http::header::RETRY_AFTER;
use http::{HeaderMap, HeaderValue};
use serde_json::{Value, json};

use super::handshake::VERSION_TEXT;
use super::mode::Mode;
use super::results;
use super::streaming::{text, with_type};

/// How often the answer of `closes-before-answer` is asked for before it comes.
const POLLS: usize = 2;

/// What a message gets instead of an answer.
pub(super) enum Refusal {
    /// This response.
    Response(Response),
    /// This response, and no session is left.
    SessionsEnd(Response),
    /// A reset connection; the message is handled all the same, as far as anyone can tell.
    Reset,
}

/// Counts what the faults depend on.
#[derive(Debug, Default)]
pub(super) struct Faults {
    calls: AtomicUsize,
    polls: AtomicUsize,
}

impl Faults {
    /// Returns what a message gets instead of an answer in a mode.
    pub(super) fn refuse(&self, mode: Mode, method: &str, message: &Value) -> Option<Refusal> {
        if mode == Mode::VersionText && method == "initialize" {
            let asked = message.pointer("/params/protocolVersion").and_then(Value::as_str).unwrap_or_default();
            let refused = asked.is_empty() || !VERSION_TEXT.contains(asked);
            return refused.then(|| Refusal::Response(text(400, VERSION_TEXT)));
        }
        if method != "tools/call" {
            return None;
        }
        let call = self.calls.fetch_add(1, Ordering::AcqRel);
        match mode {
            Mode::SessionLost if call > 0 => None,
            Mode::SessionLost | Mode::SessionLostAlways => Some(Refusal::SessionsEnd(text(404, "session not found"))),
            Mode::RateLimited if call < 2 => Some(Refusal::Response(limited("1"))),
            Mode::RateLimitedAlways => Some(Refusal::Response(limited("3600"))),
            Mode::TokenExpires if call > 0 => Some(Refusal::Response(text(401, "the token has expired"))),
            Mode::FailsInCall => Some(Refusal::Response(text(503, "the parts store is closed"))),
            Mode::NoAnswer => Some(Refusal::Response(with_type(202, "application/json", Body::empty()))),
            Mode::ResetInCall => Some(Refusal::Reset),
            Mode::ClosesBeforeAnswer => Some(Refusal::Response(primed(message.get("id").unwrap_or(&Value::Null)))),
            _ => None,
        }
    }

    /// Answers who asks for the rest of a stream of `closes-before-answer`.
    pub(super) fn rest(&self, mode: Mode, headers: &HeaderMap) -> Option<Response> {
        let last = headers.get("last-event-id").filter(|_| mode == Mode::ClosesBeforeAnswer)?;
        let id: Value = serde_json::from_str(last.to_str().ok()?).ok()?;
        if self.polls.fetch_add(1, Ordering::AcqRel) < POLLS {
            return Some(primed(&id));
        }
        let answer = json!({"jsonrpc": "2.0", "id": id, "result": results::text("bin 7")});
        Some(with_type(200, "text/event-stream", Body::from(format!("id: {id}\ndata: {answer}\n\n"))))
    }
}

fn limited(seconds: &'static str) -> Response {
    let mut refused = text(429, "too many requests");
    refused.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static(seconds));
    refused
}

/// A stream that gives an id to come back with, and when, and ends.
fn primed(id: &Value) -> Response {
    with_type(200, "text/event-stream", Body::from(format!("id: {id}\nretry: 20\ndata:\n\n")))
}
