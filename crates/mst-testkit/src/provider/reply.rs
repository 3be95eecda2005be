//! One neutral answer of the fake provider; every wire form renders the same `Reply`.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::form::Form;
use super::tool_call::{Arguments, ToolCall};

/// An answer of the model, before it takes a wire form.
///
/// In `text`, `{{last_tool_result}}` and `{{last_user_text}}` stand for what the request holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Reply {
    /// The answer's text; no text block at all when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Thinking that precedes the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thinking: Option<String>,
    /// Tool calls in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCall>,
    /// What the reply says it used; `null` (or [`Reply::without_usage`]) leaves the usage out.
    pub usage: Option<Usage>,
    /// Why the model stopped. `max_tokens` and `content_filter` are put in each provider's own words, anything else is
    /// sent as it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finish_reason: Option<String>,
    /// A refusal, in each provider's own form; its text is shown where the form has a place for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refusal: Option<String>,
    /// Milliseconds to wait before answering, besides the server's own latency.
    #[serde(skip_serializing_if = "is_zero")]
    pub delay_ms: u64,
    /// A body that is sent in place of a rendered one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub raw: Option<RawReply>,
    /// What goes wrong while this reply is delivered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<Fault>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's skip_serializing_if passes a reference")]
fn is_zero(value: &u64) -> bool {
    *value == 0
}

/// Tokens as the script counts them: `input` leaves cached tokens out, `output` includes reasoning. Each wire form
/// adds them up its provider's way (Anthropic leaves caches out of input, OpenAI and Google put them in).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Usage {
    /// Input tokens that no cache held.
    pub input: u64,
    /// Output tokens, reasoning included.
    pub output: u64,
    /// Input tokens read from a cache.
    pub cache_read: u64,
    /// Input tokens written to a cache.
    pub cache_write: u64,
    /// Output tokens spent on reasoning.
    pub reasoning: u64,
}

impl Default for Usage {
    fn default() -> Self {
        Self { input: 100, output: 20, cache_read: 0, cache_write: 0, reasoning: 0 }
    }
}

impl Usage {
    /// Returns the input tokens with everything that a cache gave or took.
    pub fn all_input(&self) -> u64 {
        self.input + self.cache_read + self.cache_write
    }
}

/// A body that is sent as it is. A JSON body with status 200 becomes the form's stream when a stream is asked for; a
/// string is sent as bytes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RawReply {
    /// The HTTP status.
    pub status: u16,
    /// Additional response headers.
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    pub headers: IndexMap<String, String>,
    /// Bodies for particular wire forms.
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    pub bodies: IndexMap<Form, Value>,
    /// The body for all other wire forms.
    pub body: Value,
}

impl Default for RawReply {
    fn default() -> Self {
        Self { status: 200, headers: IndexMap::new(), bodies: IndexMap::new(), body: Value::Null }
    }
}

/// What goes wrong on the way to the client.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Fault {
    /// An HTTP error in the form's own error shape.
    Status {
        /// The HTTP status.
        status: u16,
        /// The error's message.
        #[serde(default)]
        message: String,
        /// Additional response headers, such as `retry-after`.
        #[serde(default)]
        headers: IndexMap<String, String>,
    },
    /// The connection is reset before any byte of an answer.
    Reset,
    /// The answer starts, then the connection ends after about this many bytes of the body.
    Cut {
        /// Bytes of the body that are sent; half of it when absent.
        #[serde(default)]
        after_bytes: Option<usize>,
    },
    /// Nothing more is sent and the connection stays open: before the status line, or after some bytes of the body.
    Hang {
        /// Bytes of the body that are sent first.
        #[serde(default)]
        after_bytes: Option<usize>,
    },
}

impl Default for Reply {
    fn default() -> Self {
        Self {
            text: None,
            thinking: None,
            tool_calls: Vec::new(),
            usage: Some(Usage::default()),
            finish_reason: None,
            refusal: None,
            delay_ms: 0,
            raw: None,
            fault: None,
        }
    }
}

impl Reply {
    /// Answers with a text. An error's words with status 200 are this too.
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: Some(text.into()), ..Self::default() }
    }

    /// Calls one tool by its exact name.
    pub fn call(name: impl Into<String>, arguments: impl Into<Arguments>) -> Self {
        Self::tool(ToolCall::named(name, arguments))
    }

    /// Makes one tool call.
    pub fn tool(call: ToolCall) -> Self {
        Self { tool_calls: vec![call], ..Self::default() }
    }

    /// Makes several tool calls in one turn.
    pub fn tools(calls: impl IntoIterator<Item = ToolCall>) -> Self {
        Self { tool_calls: calls.into_iter().collect(), ..Self::default() }
    }

    /// Refuses.
    pub fn refusal(text: impl Into<String>) -> Self {
        Self { refusal: Some(text.into()), ..Self::default() }
    }

    /// Sends a body as it is, whatever the wire form.
    pub fn raw(status: u16, body: impl Into<Value>) -> Self {
        Self { raw: Some(RawReply { status, body: body.into(), ..RawReply::default() }), ..Self::default() }
    }

    /// Answers with an HTTP error in the form's own shape.
    pub fn status(status: u16, message: impl Into<String>) -> Self {
        let fault = Fault::Status { status, message: message.into(), headers: IndexMap::new() };
        Self::default().fault(fault)
    }

    /// Answers 429 with a `retry-after` of so many seconds.
    pub fn rate_limited(retry_after_seconds: u64) -> Self {
        Self::status(429, "scripted rate limit").header("retry-after", retry_after_seconds.to_string())
    }

    /// Resets the connection before any byte.
    pub fn reset() -> Self {
        Self::default().fault(Fault::Reset)
    }

    /// Never answers.
    pub fn hang() -> Self {
        Self::default().fault(Fault::Hang { after_bytes: None })
    }

    /// Adds a tool call.
    pub fn and_call(mut self, call: ToolCall) -> Self {
        self.tool_calls.push(call);
        self
    }

    /// Adds a text beside what the reply has.
    pub fn with_text(mut self, text: impl Into<String>) -> Self {
        self.text = Some(text.into());
        self
    }

    /// Adds thinking before the text.
    pub fn with_thinking(mut self, thinking: impl Into<String>) -> Self {
        self.thinking = Some(thinking.into());
        self
    }

    /// Sets what the reply says it used.
    pub fn with_usage(mut self, usage: Usage) -> Self {
        self.usage = Some(usage);
        self
    }

    /// Leaves the usage out of the reply.
    pub fn without_usage(mut self) -> Self {
        self.usage = None;
        self
    }

    /// Sets why the model stopped.
    pub fn with_finish_reason(mut self, reason: impl Into<String>) -> Self {
        self.finish_reason = Some(reason.into());
        self
    }

    /// Waits before answering.
    pub fn after_ms(mut self, milliseconds: u64) -> Self {
        self.delay_ms = milliseconds;
        self
    }

    /// Sends this body as it is for one wire form; the reply must come from [`Reply::raw`].
    pub fn for_form(mut self, form: Form, body: impl Into<Value>) -> Self {
        self.raw.get_or_insert_with(RawReply::default).bodies.insert(form, body.into());
        self
    }

    /// Adds a response header to a raw reply or an HTTP error.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        match (&mut self.fault, &mut self.raw) {
            (Some(Fault::Status { headers, .. }), _) | (_, Some(RawReply { headers, .. })) => {
                headers.insert(name.into(), value.into());
            }
            _ => {}
        }
        self
    }

    /// Cuts the connection after so many bytes of the body.
    pub fn cut_after(self, bytes: usize) -> Self {
        self.fault(Fault::Cut { after_bytes: Some(bytes) })
    }

    /// Cuts the connection in the middle of the body.
    pub fn cut(self) -> Self {
        self.fault(Fault::Cut { after_bytes: None })
    }

    /// Sets the fault.
    pub fn fault(mut self, fault: Fault) -> Self {
        self.fault = Some(fault);
        self
    }

    /// Returns whether the client gets no answer of the model from this reply, and so may ask again.
    pub(crate) fn is_failure(&self) -> bool {
        self.fault.is_some() || self.raw.as_ref().is_some_and(|raw| raw.status >= 400)
    }
}
