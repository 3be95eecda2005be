//! Why one attempt failed: by status and by the provider's structured type or code, never by a message's words.

use std::time::Duration;

use http::{HeaderMap, StatusCode};
use mst_model::{Provider, Timestamp};
use serde_json::Value;

use crate::chat::LlmError;

/// The longest part of a provider's message that is kept, in characters.
const MESSAGE_CHARS: usize = 500;

/// Why one attempt failed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Failure {
    /// 401, 403, or a structured code that means the same.
    Auth { detail: String },
    /// 429. `exhausted` when the account has no quota left, which no wait cures.
    RateLimited { retry_after: Option<Duration>, exhausted: bool },
    /// 5xx, 408, or an error event that means the same.
    Unavailable { status: u16, retry_after: Option<Duration> },
    /// The prompt is too long for the model.
    ContextOverflow,
    /// Any other refusal of the request; `parameter` is the field the provider blames, where it names one.
    BadRequest { status: u16, message: String, parameter: Option<String> },
    /// The connection failed or the answer ended early.
    Network { detail: String },
    /// A complete answer that is no reply.
    Unreadable { detail: String },
    /// Something that cannot be asked for.
    Unsupported { detail: String },
}

impl Failure {
    /// Returns whether asking again can help.
    pub(crate) fn is_retryable(&self) -> bool {
        match self {
            Self::RateLimited { exhausted, .. } => !exhausted,
            Self::Unavailable { .. } | Self::Network { .. } => true,
            _ => false,
        }
    }

    /// Returns whether the provider refused the call because it came too fast: 429, 529 (overloaded), and 503 with a time
    /// to come back at. An account without quota is none: no pace would please it.
    pub(crate) fn is_throttling(&self) -> bool {
        match self {
            Self::RateLimited { exhausted, .. } => !exhausted,
            Self::Unavailable { status, retry_after } => *status == 529 || (*status == 503 && retry_after.is_some()),
            _ => false,
        }
    }

    /// Returns the wait that the provider asked for.
    pub(crate) fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::RateLimited { retry_after, .. } | Self::Unavailable { retry_after, .. } => *retry_after,
            _ => None,
        }
    }

    /// Says in a few words what happened, for a note.
    pub(crate) fn summary(&self) -> String {
        match self {
            Self::RateLimited { .. } => "answered 429".to_owned(),
            Self::Unavailable { status, .. } => format!("answered {status}"),
            Self::Network { detail } => format!("could not be read ({detail})"),
            _ => "refused the request".to_owned(),
        }
    }

    /// Makes the caller's error.
    pub(crate) fn into_error(self, provider: Provider, model: &str, attempts: u32) -> LlmError {
        match self {
            Self::Auth { detail } => LlmError::Auth { provider, detail },
            Self::RateLimited { retry_after, .. } => LlmError::RateLimited {
                provider,
                attempts,
                retry_after_ms: retry_after.map(|wait| wait.as_millis() as u64),
            },
            Self::Unavailable { status, .. } => LlmError::Unavailable { provider, status, attempts },
            Self::ContextOverflow => LlmError::ContextOverflow { model: model.to_owned() },
            Self::BadRequest { status, message, .. } => LlmError::BadRequest { provider, status, message },
            Self::Network { detail } => LlmError::Network { provider, attempts, detail },
            Self::Unreadable { detail } => LlmError::Unreadable { provider, detail },
            Self::Unsupported { detail } => LlmError::Unsupported(detail),
        }
    }

    /// Reads an HTTP error.
    pub(crate) fn from_answer(status: StatusCode, headers: &HeaderMap, body: &[u8], now: Timestamp) -> Self {
        let body: Value = serde_json::from_slice(body).unwrap_or_default();
        let error = ErrorBody::of(&body);
        let retry_after = retry_after(headers, now).or_else(|| error.retry_delay());
        error.failure(status.as_u16(), retry_after)
    }

    /// Reads an error that came inside an answer with status 200: a stream's error event, or a body that is an error.
    pub(crate) fn from_error_object(body: &Value) -> Self {
        let error = ErrorBody::of(body);
        let status = error.status();
        error.failure(status, error.retry_delay())
    }
}

/// The parts of a provider's error object, wherever it puts them.
struct ErrorBody<'a> {
    error: &'a Value,
    codes: Vec<&'a str>,
}

impl<'a> ErrorBody<'a> {
    fn of(body: &'a Value) -> Self {
        let body = body.get(0).unwrap_or(body);
        let error = body.get("error").filter(|error| error.is_object()).unwrap_or(body);
        let details = error.get("details").and_then(Value::as_array).into_iter().flatten();
        let codes = ["type", "code", "status"]
            .iter()
            .filter_map(|key| error.get(key))
            .chain(details.filter_map(|detail| detail.get("reason")))
            .filter_map(Value::as_str)
            .collect();
        Self { error, codes }
    }

    fn has(&self, codes: &[&str]) -> bool {
        self.codes.iter().any(|code| codes.contains(code))
    }

    /// The status that an error without an HTTP status stands for.
    fn status(&self) -> u16 {
        if let Some(code) = self.error.get("code").and_then(Value::as_u64).filter(|code| (400..600).contains(code)) {
            return code as u16;
        }
        [
            (529, &["overloaded_error"] as &[&str]),
            (429, &["rate_limit_error", "rate_limit_exceeded", "insufficient_quota", "RESOURCE_EXHAUSTED"]),
            (401, &["authentication_error", "invalid_api_key", "UNAUTHENTICATED"]),
            (403, &["permission_error", "PERMISSION_DENIED"]),
            (413, &["request_too_large"]),
            (404, &["not_found_error", "NOT_FOUND"]),
            (400, &["invalid_request_error", "invalid_prompt", "context_length_exceeded", "INVALID_ARGUMENT"]),
        ]
        .iter()
        .find(|(_, codes)| self.has(codes))
        .map_or(500, |(status, _)| *status)
    }

    fn failure(&self, status: u16, retry_after: Option<Duration>) -> Failure {
        if self.has(&["context_length_exceeded", "request_too_large"]) || status == 413 {
            return Failure::ContextOverflow;
        }
        match status {
            401 | 403 => Failure::Auth { detail: format!("status {status}") },
            _ if self.has(&["API_KEY_INVALID", "invalid_api_key"]) => {
                Failure::Auth { detail: format!("status {status}") }
            }
            429 => Failure::RateLimited { retry_after, exhausted: self.has(&["insufficient_quota"]) },
            408 | 500.. => Failure::Unavailable { status, retry_after },
            _ => Failure::BadRequest {
                status,
                message: self.message(),
                parameter: self.error.get("param").and_then(Value::as_str).map(str::to_owned),
            },
        }
    }

    fn message(&self) -> String {
        let text = ["message", "error", "detail"].iter().find_map(|key| self.error.get(key).and_then(Value::as_str));
        text.map_or_else(|| "no message".to_owned(), |text| text.chars().take(MESSAGE_CHARS).collect())
    }

    /// Google's `RetryInfo`, such as `"retryDelay": "34s"`.
    fn retry_delay(&self) -> Option<Duration> {
        let details = self.error.get("details")?.as_array()?;
        let delay = details.iter().find_map(|detail| detail.get("retryDelay")?.as_str())?;
        seconds(delay.strip_suffix('s')?)
    }
}

fn seconds(text: &str) -> Option<Duration> {
    Duration::try_from_secs_f64(text.trim().parse().ok()?).ok()
}

/// Reads how long to wait: `retry-after-ms`, or `retry-after` as seconds or as an HTTP date.
pub(crate) fn retry_after(headers: &HeaderMap, now: Timestamp) -> Option<Duration> {
    let text = |name: &str| headers.get(name)?.to_str().ok();
    if let Some(millis) = text("retry-after-ms").and_then(|text| text.trim().parse::<f64>().ok()) {
        return Duration::try_from_secs_f64(millis / 1000.0).ok();
    }
    let after = text("retry-after")?;
    seconds(after).or_else(|| {
        let date = jiff::fmt::rfc2822::DateTimeParser::new().parse_timestamp(after.trim()).ok()?;
        let millis = date.as_millisecond().saturating_sub(now.as_millis());
        Some(Duration::from_millis(u64::try_from(millis).unwrap_or(0)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn now() -> Timestamp {
        Timestamp::from_millis(1_445_412_480_000 - 5_000).expect("in range")
    }

    fn answer(status: u16, headers: &[(&'static str, &str)], body: &Value) -> Failure {
        let headers = headers
            .iter()
            .map(|(name, value)| (http::HeaderName::from_static(name), value.parse().expect("a header value")))
            .collect();
        Failure::from_answer(
            StatusCode::from_u16(status).expect("a status"),
            &headers,
            body.to_string().as_bytes(),
            now(),
        )
    }

    #[test]
    fn fc09_a_failure_is_known_by_status_and_code_and_never_by_words() {
        let limited =
            |ms: Option<u64>, exhausted| Failure::RateLimited { retry_after: ms.map(Duration::from_millis), exhausted };
        let bad = |message: &str, parameter: Option<&str>| Failure::BadRequest {
            status: 400,
            message: message.to_owned(),
            parameter: parameter.map(str::to_owned),
        };
        for (status, headers, body, want) in [
            (429, vec![("retry-after", "1")], json!({}), limited(Some(1000), false)),
            (429, vec![("retry-after", "Wed, 21 Oct 2015 07:28:00 GMT")], json!({}), limited(Some(5000), false)),
            (429, vec![("retry-after", "soon")], json!({}), limited(None, false)),
            (429, vec![("retry-after-ms", "250"), ("retry-after", "9")], json!({}), limited(Some(250), false)),
            (
                429,
                vec![],
                json!([{"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "details": [{"retryDelay": "1.5s"}]}}]),
                limited(Some(1500), false),
            ),
            (429, vec![], json!({"error": {"type": "insufficient_quota"}}), limited(None, true)),
            (401, vec![], json!({"error": {"message": "429"}}), Failure::Auth { detail: "status 401".into() }),
            (403, vec![], json!("x"), Failure::Auth { detail: "status 403".into() }),
            (
                400,
                vec![],
                json!({"error": {"status": "INVALID_ARGUMENT", "details": [{"reason": "API_KEY_INVALID"}]}}),
                Failure::Auth { detail: "status 400".into() },
            ),
            (
                529,
                vec![],
                json!({"error": {"type": "overloaded_error"}}),
                Failure::Unavailable { status: 529, retry_after: None },
            ),
            (
                400,
                vec![],
                json!({"error": {"code": "context_length_exceeded", "message": "m"}}),
                Failure::ContextOverflow,
            ),
            (413, vec![], json!({}), Failure::ContextOverflow),
            (
                400,
                vec![],
                json!({"error": {"message": "context_length_exceeded 429"}}),
                bad("context_length_exceeded 429", None),
            ),
            (400, vec![], json!({"error": {"message": "no", "param": "temperature"}}), bad("no", Some("temperature"))),
            (400, vec![], json!(null), bad("no message", None)),
            (400, vec![], json!({"error": "plain"}), bad("plain", None)),
        ] {
            assert_eq!(answer(status, &headers, &body), want, "{status} {body}");
        }
    }

    #[test]
    fn an_error_inside_an_answer_keeps_its_kind() {
        for (body, want) in [
            (json!({"type": "error", "error": {"type": "overloaded_error", "message": "m"}}), "unavailable 529"),
            (json!({"error": {"code": 429, "message": "m"}}), "limited"),
            (json!({"error": {"code": "rate_limit_exceeded"}}), "limited"),
            (json!({"error": {"code": "server_error"}}), "unavailable 500"),
            (json!({"error": {"type": "invalid_request_error", "message": "m"}}), "bad 400"),
            (json!({"error": {"code": "context_length_exceeded"}}), "overflow"),
        ] {
            let got = match Failure::from_error_object(&body) {
                Failure::Unavailable { status, .. } => format!("unavailable {status}"),
                Failure::RateLimited { .. } => "limited".to_owned(),
                Failure::BadRequest { status, .. } => format!("bad {status}"),
                Failure::ContextOverflow => "overflow".to_owned(),
                other => format!("{other:?}"),
            };
            assert_eq!(got, want, "{body}");
        }
    }
}
