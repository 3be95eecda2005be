//! A model behind a provider's API: the attempts of a call, around the pure wire forms.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use http::{HeaderMap, HeaderValue};
use mst_model::{Clock, Provider, Timestamp};
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use crate::chat::{ChatMessage, ChatReply, ChatRequest, Llm, LlmError};
use crate::credential::Credential;
use crate::endpoint::{Endpoint, gemini_name};
use crate::failure::Failure;
use crate::gate::{Coming, Gate, Pass, Width};
use crate::http_clients::{Answered, HttpClients, Outgoing};
use crate::model_traits::refuses_temperature;
use crate::retry::{EXCUSED, RetryPolicy, Spread};
use crate::schema::{AdaptedTools, ToolCache};
use crate::watcher::CallWatcher;
use crate::wire::{Call, WireForm};

/// A model behind a provider's API.
pub(crate) struct ApiModel {
    pub(crate) endpoint: Endpoint,
    pub(crate) credential: Credential,
    /// What every call passes.
    pub(crate) gate: Arc<Gate>,
    pub(crate) watcher: Option<Arc<dyn CallWatcher>>,
    pub(crate) retry: RetryPolicy,
    pub(crate) http: Arc<HttpClients>,
    pub(crate) tools: Arc<ToolCache>,
    pub(crate) spread: Arc<Spread>,
    pub(crate) clock: Arc<dyn Clock>,
}

/// What one call has learnt from its attempts so far.
#[derive(Default)]
struct Attempts {
    made: u32,
    /// How many refusals were excused, because the provider answered other calls meanwhile.
    excused: u32,
    /// How many calls the provider had answered when this one was refused last, or sent at first. Those that were under way
    /// when it was refused are answered while it waits, and show as well that the provider is not down.
    answered_before: u64,
    /// Whether the last refusal was.
    is_excused: bool,
    /// How long to wait before the next attempt.
    wait: Option<Duration>,
    temperature: Option<f64>,
    has_new_token: bool,
    notes: Vec<String>,
}

#[async_trait]
impl Llm for ApiModel {
    async fn chat(&self, request: &ChatRequest, cancel: &CancellationToken) -> Result<ChatReply, LlmError> {
        let answer = cancel.run_until_cancelled(self.answer(request)).await.unwrap_or(Err(LlmError::Cancelled));
        let (provider, model) = (self.endpoint.provider, &request.model);
        match &answer {
            Ok(reply) => tracing::debug!(%provider, %model, finish_reason = reply.finish_reason, "model_call"),
            Err(error) => tracing::warn!(%provider, %model, %error, "model_call failed"),
        }
        answer
    }

    async fn ready(&self, cancel: &CancellationToken) {
        // A provider that stays closed for too long says so when it is asked.
        let _open = cancel.run_until_cancelled(self.pass(Coming::New, None)).await;
    }

    async fn count_tokens(&self, request: &ChatRequest, cancel: &CancellationToken) -> Result<Option<u64>, LlmError> {
        let Some(url) = self.endpoint.count_url(&request.model) else { return Ok(None) };
        cancel.run_until_cancelled(self.count(url, request)).await.unwrap_or(Err(LlmError::Cancelled))
    }

    fn provider(&self) -> Provider {
        self.endpoint.provider
    }

    fn takes_images(&self) -> bool {
        self.endpoint.form.takes_images()
    }

    fn secrets(&self) -> Vec<String> {
        self.credential.secrets()
    }
}

impl ApiModel {
    /// Asks until there is a turn or an error that asking again cannot cure.
    async fn answer(&self, request: &ChatRequest) -> Result<ChatReply, LlmError> {
        let tools = self.tools.adapt(self.endpoint.provider, &request.tools);
        let presented = tools.parameters.present(&request.messages);
        let presented = presented.map(|messages| ChatRequest { messages, ..request.clone() });
        let request = presented.as_ref().unwrap_or(request);
        let is_first = !request.messages.iter().any(|message| matches!(message, ChatMessage::Assistant { .. }));
        let mut attempts = Attempts { temperature: request.temperature, ..Attempts::default() };
        if is_first {
            attempts.notes.extend(tools.notes.iter().cloned());
        }
        if request.temperature_is_default && request.temperature.is_some() && refuses_temperature(&request.model) {
            attempts.temperature = None;
            if is_first {
                attempts.notes.push(temperature_note(&request.model));
            }
        }
        let mut body = self.body(request, attempts.temperature, &tools);
        loop {
            let coming = if attempts.wait.is_some() { Coming::Again } else { Coming::New };
            let pass = match self.pass(coming, attempts.wait.take()).await {
                Ok(pass) => pass,
                Err(failure) => return Err(failure.into_error(self.endpoint.provider, &request.model, attempts.made)),
            };
            attempts.made += 1;
            let started_at = self.clock.now();
            let failure = match self.attempt(request, &body, started_at).await {
                Ok(mut answered) => {
                    tools.parameters.restore(&mut answered.turn.parts);
                    self.answered(pass);
                    return Ok(self.reply(request, answered, started_at, attempts.notes));
                }
                Err(failure) => failure,
            };
            attempts.is_excused = self.failed(&failure, pass, &mut attempts);
            let had_temperature = attempts.temperature.is_some();
            self.next(request, failure, &mut attempts).await?;
            if had_temperature != attempts.temperature.is_some() {
                body = self.body(request, attempts.temperature, &tools);
            }
        }
    }

    /// Prepares the next attempt, or returns the error that ends the call.
    async fn next(&self, request: &ChatRequest, failure: Failure, attempts: &mut Attempts) -> Result<(), LlmError> {
        let provider = self.endpoint.provider;
        match &failure {
            // A token may have ended before its time: one new one, then the refusal stands.
            Failure::Auth { .. } if !attempts.has_new_token && self.credential.forget().await => {
                attempts.has_new_token = true;
                attempts.made -= 1;
                return Ok(());
            }
            // A default that this model turns out to refuse is not the user's wish.
            Failure::BadRequest { parameter: Some(parameter), .. }
                if parameter == "temperature" && request.temperature_is_default && attempts.temperature.is_some() =>
            {
                attempts.temperature = None;
                attempts.made -= 1;
                attempts.notes.push(temperature_note(&request.model));
                return Ok(());
            }
            _ => {}
        }
        tracing::debug!(%provider, model = request.model, attempt = attempts.made, "model call {}", failure.summary());
        let Some(wait) = self.retry.wait(&failure, attempts.made) else {
            return Err(failure.into_error(provider, &request.model, attempts.made));
        };
        let wait = self.spread.lengthen(wait);
        let (what, millis) = (failure.summary(), wait.as_millis());
        attempts.notes.push(if attempts.is_excused {
            format!("the provider {what} while it took other calls; asked again after {millis} ms")
        } else {
            format!("attempt {} of {} {what}; asked again after {millis} ms", attempts.made, self.retry.attempts)
        });
        attempts.wait = Some(wait);
        Ok(())
    }

    /// Waits, if it is asked to, and then until the provider takes a call. Those who listen hear of a wait.
    async fn pass(&self, coming: Coming, wait: Option<Duration>) -> Result<Pass, Failure> {
        if wait.is_none()
            && let Some(pass) = self.gate.try_pass()
        {
            return Ok(pass);
        }
        if let Some(watcher) = &self.watcher {
            watcher.waits();
        }
        tokio::time::sleep(wait.unwrap_or_default()).await;
        let limited = |left| Failure::RateLimited { retry_after: Some(left), exhausted: false };
        let pass = self.gate.pass(coming, self.retry.max_wait).await.map_err(limited)?;
        if let Some(watcher) = &self.watcher {
            watcher.goes_on().await;
        }
        Ok(pass)
    }

    /// Ends a call that was answered.
    fn answered(&self, pass: Pass) {
        if let (Some(Width(width)), Some(watcher)) = (pass.answered(), &self.watcher) {
            watcher.eased(width);
        }
    }

    /// Ends a call that failed. A provider that throttles is left alone by every call for a while. Returns whether the
    /// refusal is excused: the provider answered others meanwhile, so it is not down.
    fn failed(&self, failure: &Failure, pass: Pass, attempts: &mut Attempts) -> bool {
        if !failure.is_throttling() {
            return false;
        }
        let closed_for = failure.retry_after().unwrap_or_else(|| self.retry.backoff(attempts.made));
        let concurrency = pass.refused(closed_for);
        if let Some(watcher) = &self.watcher {
            watcher.refused(closed_for, concurrency);
        }
        let answered = self.gate.answered();
        let is_excused = answered > attempts.answered_before && attempts.excused < EXCUSED;
        attempts.answered_before = answered;
        if is_excused {
            attempts.excused += 1;
            attempts.made -= 1;
        }
        is_excused
    }

    async fn attempt(&self, request: &ChatRequest, body: &Bytes, now: Timestamp) -> Result<Answered, Failure> {
        let headers = self.headers().await?;
        let url = self.endpoint.chat_url(&request.model);
        self.http.ask(self.endpoint.provider, Outgoing { url, headers, body: body.clone() }, now).await
    }

    async fn headers(&self) -> Result<HeaderMap, Failure> {
        let mut headers = self.credential.headers(&self.http, self.clock.as_ref()).await?;
        if self.endpoint.provider == Provider::Anthropic {
            headers.insert("anthropic-version", HeaderValue::from_static("2023-06-01"));
        }
        Ok(headers)
    }

    fn body(&self, request: &ChatRequest, temperature: Option<f64>, tools: &AdaptedTools) -> Bytes {
        let call = Call { request, provider: self.endpoint.provider, temperature };
        encode(&self.endpoint.form.body(&call), tools)
    }

    fn reply(
        &self,
        request: &ChatRequest,
        answered: Answered,
        started_at: Timestamp,
        mut notes: Vec<String>,
    ) -> ChatReply {
        let Answered { mut turn, request_id } = answered;
        turn.make_ids_unique(request);
        notes.append(&mut turn.notes);
        if let Some(usage) = &turn.usage
            && usage.total_input_tokens() == Some(0)
            && usage.output_tokens == Some(0)
        {
            notes.push(format!("{} reported 0 tokens for this reply", self.endpoint.provider));
        }
        ChatReply {
            id: turn.id,
            request_id,
            model: turn.model.unwrap_or_else(|| request.model.clone()),
            parts: turn.parts,
            finish: turn.finish,
            finish_reason: turn.finish_reason,
            usage: turn.usage,
            started_at,
            completed_at: self.clock.now(),
            notes,
        }
    }

    /// Asks the provider's counting endpoint; `None` when it has none after all.
    async fn count(&self, url: String, request: &ChatRequest) -> Result<Option<u64>, LlmError> {
        let provider = self.endpoint.provider;
        let tools = self.tools.adapt(self.endpoint.provider, &request.tools);
        let body = self.count_body(request, &tools);
        let counted = async {
            let headers = self.headers().await?;
            self.http.post(Outgoing { url, headers, body }, self.clock.now()).await
        };
        match counted.await {
            Ok(answer) => Ok(["input_tokens", "totalTokens"].iter().find_map(|key| answer.get(key)?.as_u64())),
            // Gateways often lack it.
            Err(Failure::BadRequest { status: 404 | 405 | 501, .. }) => Ok(None),
            Err(failure) => Err(failure.into_error(provider, &request.model, 1)),
        }
    }

    fn count_body(&self, request: &ChatRequest, tools: &AdaptedTools) -> Bytes {
        let call = Call { request, provider: self.endpoint.provider, temperature: None };
        let mut body = self.endpoint.form.body(&call);
        for key in ["max_tokens", "max_output_tokens", "stream", "store", "include", "generationConfig"] {
            body.shift_remove(key);
        }
        if self.endpoint.form != WireForm::Gemini {
            return encode(&body, tools);
        }
        body.insert("model".to_owned(), json!(format!("models/{}", gemini_name(&request.model))));
        if let Some(json) = &tools.json {
            body.insert("tools".to_owned(), serde_json::from_str(json).unwrap_or_default());
        }
        let whole: Map<String, Value> =
            [("generateContentRequest".to_owned(), Value::Object(body))].into_iter().collect();
        encode(&whole, &AdaptedTools::default())
    }
}

/// Writes a body; the tools, which are most of it and the same in every call, are kept as text and pasted in.
fn encode(body: &Map<String, Value>, tools: &AdaptedTools) -> Bytes {
    let mut text = serde_json::to_vec(body).expect("a map of JSON values can always be written");
    if let Some(json) = &tools.json {
        text.pop();
        if !body.is_empty() {
            text.push(b',');
        }
        text.extend_from_slice(b"\"tools\":");
        text.extend_from_slice(json.as_bytes());
        text.push(b'}');
    }
    Bytes::from(text)
}

fn temperature_note(model: &str) -> String {
    format!("the default temperature was left out: {model} refuses one")
}
