//! The one module that talks HTTP: two connection pools that every model of a process shares.

use std::collections::BTreeMap;
use std::sync::OnceLock;
use std::time::Duration;

use bytes::Bytes;
use futures::StreamExt as _;
use http::header::{ACCEPT, CONTENT_TYPE};
use http::{HeaderMap, HeaderValue};
use mst_model::{Provider, Timestamp};
use reqwest::{Client, NoProxy, Proxy, Response};
use serde_json::Value;

use crate::failure::Failure;
use crate::json_text;
use crate::sse::SseReader;
use crate::wire::{Assembler, Turn, WireForm};

const CONNECT_LIMIT: Duration = Duration::from_secs(30);

/// The longest silence inside an answer. A model may think for minutes before its first byte.
const SILENCE_LIMIT: Duration = Duration::from_mins(15);

/// Connection pools, made at first use. Proxies come from the environment value that it was made with.
#[derive(Debug)]
pub(crate) struct HttpClients {
    proxies: Result<Vec<Proxy>, String>,
    /// For `http` addresses: no certificates are loaded.
    plain: OnceLock<Result<Client, String>>,
    /// For `https` addresses.
    tls: OnceLock<Result<Client, String>>,
}

/// A request that is ready to be sent.
#[derive(Clone, Debug)]
pub(crate) struct Outgoing {
    pub(crate) url: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

/// An answer that was read as a turn.
#[derive(Debug)]
pub(crate) struct Answered {
    pub(crate) turn: Turn,
    pub(crate) request_id: Option<String>,
}

impl HttpClients {
    /// Makes pools that use the proxies named in the environment (`HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY`, `NO_PROXY`).
    pub(crate) fn new(env: &BTreeMap<String, String>) -> Self {
        let var = |name: &str| {
            let value = env.get(name).or_else(|| env.get(&name.to_ascii_lowercase()))?;
            Some(value.as_str()).filter(|value| !value.trim().is_empty())
        };
        let except = var("NO_PROXY").and_then(NoProxy::from_string);
        let proxies = [
            ("HTTPS_PROXY", var("HTTPS_PROXY").map(Proxy::https)),
            ("HTTP_PROXY", var("HTTP_PROXY").map(Proxy::http)),
            ("ALL_PROXY", var("ALL_PROXY").map(Proxy::all)),
        ];
        let proxies = proxies.into_iter().filter_map(|(name, proxy)| {
            let proxy = proxy?.map_err(|_| format!("{name} is not the address of a proxy"));
            Some(proxy.map(|proxy| proxy.no_proxy(except.clone())))
        });
        Self { proxies: proxies.collect(), plain: OnceLock::new(), tls: OnceLock::new() }
    }

    /// Asks a model and reads its turn.
    pub(crate) async fn ask(
        &self,
        provider: Provider,
        outgoing: Outgoing,
        now: Timestamp,
    ) -> Result<Answered, Failure> {
        let form = WireForm::of(provider);
        let response = self.send(outgoing, now).await?;
        let request_id = request_id(response.headers());
        let is_stream = form.streams() && content_type(response.headers()).starts_with("text/event-stream");
        let turn = if is_stream {
            read_stream(response).await?
        } else {
            let (body, replaced) = read_json(response).await?;
            let mut turn = form.read(provider, &body)?;
            note_replaced(&mut turn, replaced);
            turn
        };
        Ok(Answered { turn, request_id })
    }

    /// Posts a JSON body and returns the answer's.
    pub(crate) async fn post(&self, outgoing: Outgoing, now: Timestamp) -> Result<Value, Failure> {
        Ok(read_json(self.send(outgoing, now).await?).await?.0)
    }

    /// Posts a form and returns the answer's JSON body.
    pub(crate) async fn post_form(&self, url: &str, body: String, now: Timestamp) -> Result<Value, Failure> {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/x-www-form-urlencoded"));
        self.post(Outgoing { url: url.to_owned(), headers, body: Bytes::from(body) }, now).await
    }

    async fn send(&self, outgoing: Outgoing, now: Timestamp) -> Result<Response, Failure> {
        let client = self.client(&outgoing.url)?;
        let mut headers = outgoing.headers;
        headers.entry(CONTENT_TYPE).or_insert(HeaderValue::from_static("application/json"));
        headers.entry(ACCEPT).or_insert(HeaderValue::from_static("application/json, text/event-stream"));
        let request = client.post(outgoing.url).headers(headers).body(outgoing.body);
        let response = request.send().await.map_err(|error| network(&error))?;
        let status = response.status();
        if status.is_success() {
            return Ok(response);
        }
        let headers = response.headers().clone();
        // The status says enough when the error's body cannot be read.
        let body = response.bytes().await.unwrap_or_default();
        Err(Failure::from_answer(status, &headers, &body, now))
    }

    fn client(&self, url: &str) -> Result<&Client, Failure> {
        let unsupported = |detail: &String| Failure::Unsupported { detail: detail.clone() };
        let proxies = self.proxies.as_ref().map_err(unsupported)?;
        let has_tls = url.starts_with("https:") || !proxies.is_empty();
        let cell = if has_tls { &self.tls } else { &self.plain };
        let client = cell.get_or_init(|| {
            let mut builder = Client::builder()
                .no_proxy()
                .connect_timeout(CONNECT_LIMIT)
                .read_timeout(SILENCE_LIMIT)
                // A redirect would carry the credential and the prompt to an address that nobody named.
                .redirect(reqwest::redirect::Policy::none())
                .user_agent(concat!("mst/", env!("CARGO_PKG_VERSION")));
            for proxy in proxies {
                builder = builder.proxy(proxy.clone());
            }
            if !has_tls {
                builder = builder.tls_certs_only([]);
            }
            builder
                .build()
                .map_err(|_| "no HTTP client could be made, is a set of root certificates missing?".to_owned())
        });
        client.as_ref().map_err(unsupported)
    }
}

async fn read_stream(response: Response) -> Result<Turn, Failure> {
    let mut bytes = response.bytes_stream();
    let mut reader = SseReader::default();
    let mut assembler = Assembler::default();
    let (mut replaced, mut has_bytes) = (0, false);
    while let Some(piece) = bytes.next().await {
        let piece = piece.map_err(|error| network(&error))?;
        has_bytes |= !piece.is_empty();
        reader.feed(&piece, |data| {
            let parsed = json_text::parse(data)
                .map_err(|_| Failure::Unreadable { detail: "an event of the stream is not JSON".to_owned() })?;
            replaced += parsed.replaced;
            assembler.take(&parsed.value)
        })?;
    }
    if let Some(last) = reader.into_rest().and_then(|data| json_text::parse(&data).ok()) {
        replaced += last.replaced;
        assembler.take(&last.value)?;
    }
    if has_bytes && !assembler.has_begun() {
        return Err(Failure::Unreadable { detail: "the stream holds no message".to_owned() });
    }
    let mut turn = assembler.finish()?;
    note_replaced(&mut turn, replaced);
    Ok(turn)
}

async fn read_json(response: Response) -> Result<(Value, usize), Failure> {
    let has_length = response.content_length().is_some();
    let body = response.bytes().await.map_err(|error| network(&error))?;
    match json_text::parse(&body) {
        Ok(parsed) => Ok((parsed.value, parsed.replaced)),
        // Without a length the connection's end is the body's end, so a half of a body is a cut connection.
        Err(error) if error.is_eof() && !has_length && !body.is_empty() => {
            Err(Failure::Network { detail: "the answer was cut".to_owned() })
        }
        Err(_) => Err(Failure::Unreadable { detail: "the body is not JSON".to_owned() }),
    }
}

fn note_replaced(turn: &mut Turn, replaced: usize) {
    if replaced > 0 {
        turn.notes
            .push(format!("the reply held {replaced} characters that are not Unicode; U+FFFD stands in their place"));
    }
}

fn content_type(headers: &HeaderMap) -> &str {
    headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

fn request_id(headers: &HeaderMap) -> Option<String> {
    ["request-id", "x-request-id", "x-goog-request-id", "apim-request-id"]
        .iter()
        .find_map(|name| headers.get(*name)?.to_str().ok())
        .map(str::to_owned)
}

/// Says what failed without the address, which may hold a secret.
fn network(error: &reqwest::Error) -> Failure {
    let mut source: Option<&dyn std::error::Error> = Some(error);
    let mut kind = None;
    while let Some(cause) = source {
        if let Some(io) = cause.downcast_ref::<std::io::Error>() {
            kind = Some(io.kind()).filter(|kind| *kind != std::io::ErrorKind::Other).or(kind);
        }
        source = cause.source();
    }
    let what = if error.is_timeout() {
        "timed out"
    } else if error.is_connect() {
        "no connection"
    } else if error.is_body() || error.is_decode() {
        "the answer was cut"
    } else {
        "the connection ended"
    };
    let detail = kind.map_or_else(|| what.to_owned(), |kind| format!("{what}, {kind}"));
    Failure::Network { detail }
}
