//! Models on a tape: one whose calls are written down, and one that is nothing but a tape.
//!
//! A call is taped as this crate's own request and reply, whatever the wire form, with the retries inside. What is keyed
//! holds neither a key nor an address nor a time.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use mst_model::{Clock, Exchange, Provider, TapeAnswer, TapeKind, TapePlayer, TapeRecorder, TapeRequest, TapeScope};
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::chat::{ChatReply, ChatRequest, Llm, LlmError};
use crate::wire::WireForm;

/// The shortest value that is kept off a tape because a model used it: a key of a letter or a word, as local gateways take,
/// would blank out answers.
const SHORTEST_SECRET: usize = 8;
/// How much longer than the recording a replay waits for its caller to give up too.
const PATIENCE: Duration = Duration::from_secs(1);

/// A model whose calls are written down.
pub(crate) struct RecordedModel {
    pub(crate) inner: Arc<dyn Llm>,
    pub(crate) recorder: Arc<dyn TapeRecorder>,
    pub(crate) scope: TapeScope,
    pub(crate) begun: Instant,
}

#[async_trait]
impl Llm for RecordedModel {
    async fn chat(&self, request: &ChatRequest, cancel: &CancellationToken) -> Result<ChatReply, LlmError> {
        let started = Instant::now();
        let reply = self.inner.chat(request, cancel).await;
        self.record(Call::Chat, request, started, reply.as_ref().map(json));
        reply
    }

    async fn ready(&self, cancel: &CancellationToken) {
        self.inner.ready(cancel).await;
    }

    async fn count_tokens(&self, request: &ChatRequest, cancel: &CancellationToken) -> Result<Option<u64>, LlmError> {
        let started = Instant::now();
        let count = self.inner.count_tokens(request, cancel).await;
        self.record(Call::CountTokens, request, started, count.as_ref().map(json));
        count
    }

    fn provider(&self) -> Provider {
        self.inner.provider()
    }

    fn takes_images(&self) -> bool {
        self.inner.takes_images()
    }

    fn secrets(&self) -> Vec<String> {
        self.inner.secrets()
    }
}

impl RecordedModel {
    fn record(&self, call: Call, request: &ChatRequest, started: Instant, outcome: Result<Value, &LlmError>) {
        let secrets = self.inner.secrets().into_iter().filter(|secret| secret.len() >= SHORTEST_SECRET);
        self.recorder.keep_out(secrets.collect());
        let answer = match outcome {
            Ok(reply) => TapeAnswer::Reply(reply),
            Err(LlmError::Cancelled) => TapeAnswer::GivenUp(self.begun.elapsed().as_millis() as u64),
            Err(error) => TapeAnswer::Failure(json(error)),
        };
        let request = taped(call, self.provider(), &self.scope, request);
        let took_ms = started.elapsed().as_millis() as u64;
        self.recorder.record(Exchange { request, server: Vec::new(), answer, took_ms });
    }
}

/// A model that is nothing but a tape: no key, no address, no network.
pub(crate) struct ReplayedModel {
    pub(crate) player: Arc<dyn TapePlayer>,
    pub(crate) provider: Provider,
    pub(crate) scope: TapeScope,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) begun: Instant,
}

#[async_trait]
impl Llm for ReplayedModel {
    async fn chat(&self, request: &ChatRequest, cancel: &CancellationToken) -> Result<ChatReply, LlmError> {
        let started_at = self.clock.now();
        let reply: ChatReply = self.play(Call::Chat, request, cancel).await?;
        // The times of the recording would lie outside this run.
        Ok(ChatReply { started_at, completed_at: self.clock.now(), ..reply })
    }

    async fn count_tokens(&self, request: &ChatRequest, cancel: &CancellationToken) -> Result<Option<u64>, LlmError> {
        self.play(Call::CountTokens, request, cancel).await
    }

    fn provider(&self) -> Provider {
        self.provider
    }

    fn takes_images(&self) -> bool {
        self.provider != Provider::Offline && WireForm::of(self.provider).takes_images()
    }

    fn secrets(&self) -> Vec<String> {
        Vec::new()
    }
}

impl ReplayedModel {
    async fn play<T: DeserializeOwned>(
        &self,
        call: Call,
        request: &ChatRequest,
        cancel: &CancellationToken,
    ) -> Result<T, LlmError> {
        if cancel.is_cancelled() {
            return Err(LlmError::Cancelled);
        }
        let played = self.player.play(taped(call, self.provider, &self.scope, request));
        let unreadable =
            |error: serde_json::Error| LlmError::OffTape(format!("the tape has a reply that is none: {error}"));
        match played.map_err(|miss| LlmError::OffTape(miss.to_string()))?.answer {
            TapeAnswer::Reply(reply) => serde_json::from_value(reply).map_err(unreadable),
            TapeAnswer::Failure(failure) => Err(serde_json::from_value(failure).unwrap_or_else(unreadable)),
            TapeAnswer::GivenUp(ms) => {
                let deadline = self.begun + Duration::from_millis(ms) + PATIENCE;
                tokio::select! {
                    () = cancel.cancelled() => Err(LlmError::Cancelled),
                    () = tokio::time::sleep_until(deadline) => {
                        Err(LlmError::OffTape(format!("the tape has no reply: the recording was given up after {ms} ms")))
                    }
                }
            }
        }
    }
}

/// What is asked of a model.
#[derive(Clone, Copy, Debug)]
enum Call {
    Chat,
    CountTokens,
}

/// Returns a call as a tape knows it.
fn taped(call: Call, provider: Provider, scope: &TapeScope, request: &ChatRequest) -> TapeRequest {
    let mut value = json(request);
    if let Value::Object(fields) = &mut value {
        let call = match call {
            Call::Chat => "chat",
            Call::CountTokens => "countTokens",
        };
        fields.insert("call".to_owned(), call.into());
        fields.insert("provider".to_owned(), provider.as_str().into());
    }
    TapeRequest { kind: TapeKind::Llm, scope: scope.clone(), request: value }
}

fn json<T: serde::Serialize>(value: &T) -> Value {
    serde_json::to_value(value).expect("requests, replies and errors have a JSON form")
}
