//! The contract of a model call: [`Llm`], what goes in and what comes out, and how a call fails.
//!
//! Nothing here names a provider's wire form or the library that speaks it.

use std::ops::Deref;
use std::sync::Arc;

use async_trait::async_trait;
use mst_model::{Provider, Timestamp, Usage};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

/// Something that answers a conversation.
#[async_trait]
pub trait Llm: Send + Sync {
    /// Asks for the next turn.
    ///
    /// Retries what a retry can help (429 with its `retry-after`, 5xx, a connection that failed before an answer began)
    /// inside the call, and ends early when `cancel` does.
    async fn chat(&self, request: &ChatRequest, cancel: &CancellationToken) -> Result<ChatReply, LlmError>;

    /// Waits until the provider would take a call: at once, unless it throttles.
    async fn ready(&self, _cancel: &CancellationToken) {}

    /// Counts the tokens of a request by the provider's own endpoint; `None` where there is none.
    async fn count_tokens(&self, _request: &ChatRequest, _cancel: &CancellationToken) -> Result<Option<u64>, LlmError> {
        Ok(None)
    }

    /// Returns the provider that answers.
    fn provider(&self) -> Provider;

    /// Returns whether image parts of a tool result reach the model as images.
    fn takes_images(&self) -> bool;

    /// Returns the values used as credentials so far, so that they can be scrubbed from what is stored.
    fn secrets(&self) -> Vec<String>;
}

/// One request to a model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ChatRequest {
    /// The model's id, as the user wrote it.
    pub model: String,
    /// The system prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system: Option<String>,
    /// The conversation so far.
    pub messages: Vec<ChatMessage>,
    /// The tools offered, with names that every provider takes (`^[a-zA-Z0-9_-]{1,64}$`).
    pub tools: ToolSet,
    /// The temperature; left to the provider when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// Whether the temperature is a default rather than the user's wish: it is then left out for models that are known
    /// to refuse one, and the reply's notes say so. A user's own is sent as written.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub temperature_is_default: bool,
    /// The most output tokens; left to the provider when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u32>,
    /// How much a model that reasons should think, in its provider's own word; left to the provider when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effort: Option<String>,
}

/// One message of a conversation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "camelCase")]
pub enum ChatMessage {
    /// What the user asks.
    User {
        /// The text.
        text: String,
    },
    /// A turn of the model, replayed as it came.
    Assistant {
        /// Its parts, in order.
        parts: Vec<AssistantPart>,
    },
    /// The results of every call of the turn before, in the calls' order.
    ToolResults {
        /// One result a call.
        results: Vec<ToolResultMessage>,
    },
}

/// One part of a model's turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum AssistantPart {
    /// Text.
    Text {
        /// The text.
        text: String,
    },
    /// Thinking, with what the provider needs to take it back.
    Thinking {
        /// The text, when the provider shows it.
        text: String,
        /// The provider's signature or encrypted form, opaque.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        signature: Option<String>,
    },
    /// A call to a tool.
    ToolCall(ToolCall),
}

/// A call that a model asks for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolCall {
    /// The call's id, unique in the conversation; made up where the provider gives none.
    pub id: String,
    /// The name the model used.
    pub name: String,
    /// What the model gave as arguments.
    pub arguments: ToolArguments,
    /// The provider's signature that belongs to the call (Gemini), opaque.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
}

/// Arguments as a model gave them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ToolArguments {
    /// A JSON object; nothing at all (an empty text, null, absent) is an empty one.
    Object(Map<String, Value>),
    /// A text that is not a JSON object, kept as it came. It is replayed as an empty object and never sent to a server.
    Malformed(String),
}

/// The result of a call, for the model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolResultMessage {
    /// The call's id.
    pub call_id: String,
    /// The tool's name as the model used it.
    pub name: String,
    /// What came back.
    pub content: Vec<ToolResultPart>,
    /// Whether the call failed.
    pub is_error: bool,
}

/// One part of a tool result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum ToolResultPart {
    /// Text.
    Text {
        /// The text.
        text: String,
    },
    /// An image. Sent as an image where [`Llm::takes_images`], else never.
    Image {
        /// Its media type.
        mime_type: String,
        /// Its bytes in base64.
        data: String,
    },
}

/// A tool offered to a model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolSpec {
    /// The name.
    pub name: String,
    /// The description.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The input schema as declared; it is adapted to the provider when sent.
    pub input_schema: Value,
}

/// The tools of a request, shared: a run offers the same ones in every call, and a copy costs nothing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "Vec<ToolSpec>", into = "Vec<ToolSpec>")]
pub struct ToolSet(Arc<[ToolSpec]>);

impl ToolSet {
    /// Returns whether both are one set. Two sets that were made apart are not, even when their tools are equal.
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Deref for ToolSet {
    type Target = [ToolSpec];

    fn deref(&self) -> &[ToolSpec] {
        &self.0
    }
}

impl From<Vec<ToolSpec>> for ToolSet {
    fn from(tools: Vec<ToolSpec>) -> Self {
        Self(tools.into())
    }
}

impl From<ToolSet> for Vec<ToolSpec> {
    fn from(tools: ToolSet) -> Self {
        tools.to_vec()
    }
}

/// A model's turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ChatReply {
    /// The reply's id, when the provider gives one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The provider's request id, from its headers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
    /// The model that answered, as the provider names it; the asked one when it does not say.
    pub model: String,
    /// The turn's parts, in order.
    pub parts: Vec<AssistantPart>,
    /// How the turn ended.
    pub finish: Finish,
    /// How the turn ended, in the provider's own word (`end_turn`, `tool_calls`, `content_filter`, …).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finish_reason: Option<String>,
    /// The usage; absent when the provider reported none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// When the request that was answered was sent.
    pub started_at: Timestamp,
    /// When the reply was complete.
    pub completed_at: Timestamp,
    /// Things a reader should know: a schema that was adapted, an option that was left out, a retry.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

impl ChatReply {
    /// Returns the turn's text.
    pub fn text(&self) -> String {
        self.parts
            .iter()
            .filter_map(|part| match part {
                AssistantPart::Text { text } => Some(text.as_str()),
                _ => None,
            })
            .collect()
    }

    /// Returns the turn's calls, in order.
    pub fn tool_calls(&self) -> impl Iterator<Item = &ToolCall> {
        self.parts.iter().filter_map(|part| match part {
            AssistantPart::ToolCall(call) => Some(call),
            _ => None,
        })
    }
}

/// How a turn ended, whatever the provider calls it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum Finish {
    /// The model had said all.
    #[default]
    Stop,
    /// The model waits for tool results.
    ToolCalls,
    /// `maxTokens` was reached.
    MaxTokens,
    /// The context was full after the model had begun to answer.
    ContextFull,
    /// The model or its provider refused, with the words it gave.
    Refused {
        /// The refusal's text, when there is one.
        text: Option<String>,
    },
    /// The provider filtered the answer.
    Filtered,
    /// Another end, named in `finish_reason`.
    Other,
}

/// Why a model call failed. The kind decides how a trial ends; words never do.
///
/// `Display` never holds a body, a header, a key or a URL's query.
#[derive(Clone, Debug, thiserror::Error, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum LlmError {
    /// No key, a rejected key, or no permission (401, 403).
    #[error("{provider} got no usable credentials ({detail})")]
    Auth {
        /// Who refused.
        provider: Provider,
        /// The status or what is missing, in a few words.
        detail: String,
    },
    /// 429 after every retry.
    #[error("{provider} is limiting requests (429){}", limited_text(*attempts, *retry_after_ms))]
    RateLimited {
        /// Who limits.
        provider: Provider,
        /// How often it was asked.
        attempts: u32,
        /// What its last answer asked to wait, in milliseconds.
        retry_after_ms: Option<u64>,
    },
    /// 5xx or an overloaded provider, after every retry.
    #[error("{provider} failed with status {status} after {attempts} attempts")]
    Unavailable {
        /// Who failed.
        provider: Provider,
        /// Its last status.
        status: u16,
        /// How often it was asked.
        attempts: u32,
    },
    /// The prompt does not fit the model's context.
    #[error("the prompt does not fit the context of {model}")]
    ContextOverflow {
        /// The model.
        model: String,
    },
    /// The provider refused the request itself (400, 404, 422), with its message, cut.
    #[error("{provider} refused the request with status {status}: {message}")]
    BadRequest {
        /// Who refused.
        provider: Provider,
        /// The status.
        status: u16,
        /// The provider's message, cut to 500 characters.
        message: String,
    },
    /// The connection failed, was reset or cut, after every retry.
    #[error("the connection to {provider} failed after {attempts} attempts: {detail}")]
    Network {
        /// Whose connection.
        provider: Provider,
        /// How often it was tried.
        attempts: u32,
        /// What failed, without any address.
        detail: String,
    },
    /// A 200 whose body is not a reply of the wire form.
    #[error("{provider} answered something that is not a reply: {detail}")]
    Unreadable {
        /// Who answered.
        provider: Provider,
        /// What was wrong, without the body.
        detail: String,
    },
    /// An option that this provider or model cannot take.
    #[error("{0}")]
    Unsupported(String),
    /// A tape answers in the provider's place, and lacks the request.
    #[error("{0}")]
    OffTape(String),
    /// The caller cancelled.
    #[error("cancelled")]
    Cancelled,
}

/// Says how often a provider refused, or for how long it wants to be left alone when it was not asked at all.
fn limited_text(attempts: u32, retry_after_ms: Option<u64>) -> String {
    match (attempts, retry_after_ms) {
        (0, Some(millis)) => format!(" and wants none for {} s", millis.div_ceil(1000)),
        _ => format!(" after {attempts} attempts"),
    }
}
