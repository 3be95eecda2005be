//! Posts spans to a collector, with a time limit, and says what it made of them.

use std::time::Duration;

use http::StatusCode;
use http::header::{CONTENT_ENCODING, CONTENT_TYPE, RETRY_AFTER};
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceResponse;
use opentelemetry_proto::tonic::trace::v1::Span;
use prost::Message as _;
use reqwest::{Client, Response};
use serde_json::Value;
use tokio::time::{Instant, sleep_until, timeout_at};

use super::encoding::{Encoding, gzip};
use super::resource::request;
use super::settings::ExportSettings;

/// How long to wait before each further try of a request that a collector refused for now, unless it says how long.
const PAUSES: [Duration; 2] = [Duration::from_millis(200), Duration::from_secs(1)];

/// The most of a collector's answer that is read, in bytes.
const LONGEST_ANSWER: usize = 64 * 1024;

/// The most of a collector's own words that is told, in characters.
const LONGEST_MESSAGE: usize = 200;

/// A connection to a collector.
#[derive(Debug)]
pub struct TraceSender {
    settings: ExportSettings,
    client: Client,
}

/// What a collector made of some spans that it took.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Accepted {
    /// How many spans it rejected.
    pub rejected: u64,
    /// What it said of them, cut; its own words, not ours.
    pub message: Option<String>,
}

/// Why some spans did not arrive. No message holds a header.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SendError {
    /// No HTTP client could be made.
    #[error("no HTTP client could be made, is a set of root certificates missing?")]
    Client,
    /// The collector could not be reached, or the connection broke.
    #[error("{0}")]
    Network(&'static str),
    /// There was no answer in time.
    #[error("it did not answer in time")]
    Timeout,
    /// The collector refused.
    #[error("it answered {status}{}", message.as_ref().map(|message| format!(": {message}")).unwrap_or_default())]
    Refused {
        /// The status.
        status: u16,
        /// What it said, cut; its own words, not ours.
        message: Option<String>,
    },
}

impl TraceSender {
    /// Makes a sender; nothing is sent yet. Proxies are those of the process's environment.
    ///
    /// # Errors
    /// When no HTTP client can be made.
    pub fn new(settings: ExportSettings) -> Result<Self, SendError> {
        let mut builder = Client::builder()
            .connect_timeout(settings.timeout)
            // A redirect would carry the headers to an address that nobody named.
            .redirect(reqwest::redirect::Policy::none())
            .user_agent(concat!("mst/", env!("CARGO_PKG_VERSION")));
        if settings.endpoint.scheme() == "http" {
            // No certificates are loaded for what needs none.
            builder = builder.tls_certs_only([]);
        }
        let client = builder.build().map_err(|_| SendError::Client)?;
        Ok(Self { settings, client })
    }

    /// Returns the settings.
    pub fn settings(&self) -> &ExportSettings {
        &self.settings
    }

    /// Sends some spans and waits for the answer, until `end` or the settings' timeout, whichever is first. What a collector
    /// refuses for now is tried again as long as there is time.
    ///
    /// # Errors
    /// Why they did not arrive.
    pub async fn send(&self, spans: Vec<Span>, end: Instant) -> Result<Accepted, SendError> {
        let end = end.min(Instant::now() + self.settings.timeout);
        let body = self.settings.encoding.encode(&request(spans, &self.settings.resource));
        let body = if self.settings.gzip { gzip(&body) } else { body };
        let mut pauses = PAUSES.into_iter();
        loop {
            let (status, told, response) = match timeout_at(end, self.post(body.clone())).await {
                Err(_) => return Err(SendError::Timeout),
                Ok(Err(error)) => return Err(network(&error)),
                Ok(Ok(response)) => (response.status(), retry_after(&response), response),
            };
            if let Some(pause) = pauses.next().filter(|_| is_passing(status)) {
                let again = Instant::now() + told.unwrap_or(pause);
                if again < end {
                    sleep_until(again).await;
                    continue;
                }
            }
            let answer = timeout_at(end, read(response)).await.unwrap_or_default();
            if status.is_success() {
                return Ok(self.accepted(&answer));
            }
            let message = serde_json::from_slice::<Value>(&answer).ok();
            let message = message.and_then(|json| json.get("message")?.as_str().and_then(shortened));
            return Err(SendError::Refused { status: status.as_u16(), message });
        }
    }

    async fn post(&self, body: Vec<u8>) -> Result<Response, reqwest::Error> {
        let settings = &self.settings;
        let mut request = self
            .client
            .post(settings.endpoint.clone())
            .headers(settings.headers.clone())
            .header(CONTENT_TYPE, settings.encoding.content_type());
        if settings.gzip {
            request = request.header(CONTENT_ENCODING, "gzip");
        }
        request.body(body).send().await
    }

    /// Reads what a collector says of what it took. An answer that cannot be read is taken for a plain yes.
    fn accepted(&self, answer: &[u8]) -> Accepted {
        let (rejected, message) = match self.settings.encoding {
            Encoding::Protobuf => {
                let partial = ExportTraceServiceResponse::decode(answer).ok().and_then(|read| read.partial_success);
                let partial = partial.unwrap_or_default();
                (u64::try_from(partial.rejected_spans).unwrap_or(0), shortened(&partial.error_message))
            }
            Encoding::Json => {
                let read = serde_json::from_slice::<Value>(answer).unwrap_or_default();
                let partial = &read["partialSuccess"];
                let count = &partial["rejectedSpans"];
                // JSON writes 64-bit numbers as texts; not every collector does.
                let rejected = count.as_u64().or_else(|| count.as_str()?.parse().ok()).unwrap_or(0);
                (rejected, partial["errorMessage"].as_str().and_then(shortened))
            }
        };
        Accepted { rejected, message }
    }
}

/// Returns whether a refusal may pass, by the list of the OTLP specification.
fn is_passing(status: StatusCode) -> bool {
    matches!(status.as_u16(), 429 | 502 | 503 | 504)
}

fn retry_after(response: &Response) -> Option<Duration> {
    response.headers().get(RETRY_AFTER)?.to_str().ok()?.trim().parse().ok().map(Duration::from_secs)
}

/// Reads an answer, as much of it as counts.
async fn read(mut response: Response) -> Vec<u8> {
    let mut bytes = Vec::new();
    while let Ok(Some(chunk)) = response.chunk().await {
        bytes.extend_from_slice(&chunk);
        if bytes.len() >= LONGEST_ANSWER {
            bytes.truncate(LONGEST_ANSWER);
            break;
        }
    }
    bytes
}

/// Says what went wrong without the address, which may hold a password.
fn network(error: &reqwest::Error) -> SendError {
    if error.is_timeout() {
        SendError::Timeout
    } else if error.is_connect() {
        SendError::Network("no connection could be made")
    } else {
        SendError::Network("the connection broke")
    }
}

/// Cuts a text to what is told; nothing of an empty one.
fn shortened(text: &str) -> Option<String> {
    let text = text.trim();
    (!text.is_empty()).then(|| text.chars().take(LONGEST_MESSAGE).collect())
}
