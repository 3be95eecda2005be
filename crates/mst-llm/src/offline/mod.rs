//! The offline model: a deterministic baseline that needs no network and no key.
//!
//! It ranks the tools by BM25, fills the best one's arguments from the request, and quotes what the tool answered. It is a
//! smoke test and a lower bound, not a language model. Its behaviour belongs to its name: a change of ranking or filling
//! needs a new name beside `lexical-1`.

mod clues;
mod fill;
mod rank;
mod selector;
mod words;

use std::sync::Arc;

use async_trait::async_trait;
use mst_model::{Clock, Provider};
use tokio_util::sync::CancellationToken;

use crate::chat::{
    AssistantPart, ChatMessage, ChatReply, ChatRequest, Finish, Llm, LlmError, ToolArguments, ToolCall,
    ToolResultMessage, ToolResultPart,
};
use crate::wire::Turn;

pub use selector::{LexicalChoice, LexicalSelector};
pub use words::words;

/// The offline provider's one model.
pub const MODEL: &str = "lexical-1";

/// What it says when no tool shares a word with the request.
const NO_TOOL: &str = "No tool fits this request.";

/// The offline lexical baseline, `lexical-1`.
pub struct OfflineModel {
    clock: Arc<dyn Clock>,
}

impl OfflineModel {
    /// Makes the model; the clock only stamps its replies.
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self { clock }
    }
}

#[async_trait]
impl Llm for OfflineModel {
    async fn chat(&self, request: &ChatRequest, cancel: &CancellationToken) -> Result<ChatReply, LlmError> {
        if cancel.is_cancelled() {
            return Err(LlmError::Cancelled);
        }
        let started_at = self.clock.now();
        let mut turn = answer(request);
        turn.make_ids_unique(request);
        Ok(ChatReply {
            id: None,
            request_id: None,
            model: MODEL.to_owned(),
            parts: turn.parts,
            finish: turn.finish,
            finish_reason: turn.finish_reason,
            usage: None,
            started_at,
            completed_at: self.clock.now(),
            notes: Vec::new(),
        })
    }

    fn provider(&self) -> Provider {
        Provider::Offline
    }

    fn takes_images(&self) -> bool {
        false
    }

    fn secrets(&self) -> Vec<String> {
        Vec::new()
    }
}

/// The turn that follows a conversation: after results it quotes them, so it never calls twice for one request.
fn answer(request: &ChatRequest) -> Turn {
    if let Some(ChatMessage::ToolResults { results }) = request.messages.last() {
        return said(results.iter().map(quoted).collect::<Vec<_>>().join("\n"));
    }
    let asked = request.messages.iter().rev().find_map(|message| match message {
        ChatMessage::User { text } => Some(text.as_str()),
        _ => None,
    });
    let asked = asked.unwrap_or_default();
    let Some(choice) = LexicalSelector::new(&request.tools).select(asked) else { return said(NO_TOOL.to_owned()) };
    let call = ToolCall {
        id: String::new(),
        name: choice.tool,
        arguments: ToolArguments::Object(choice.arguments),
        signature: None,
    };
    Turn {
        parts: vec![AssistantPart::ToolCall(call)],
        finish: Finish::ToolCalls,
        finish_reason: Some("tool_calls".to_owned()),
        ..Turn::default()
    }
}

fn said(text: String) -> Turn {
    Turn {
        parts: vec![AssistantPart::Text { text }],
        finish: Finish::Stop,
        finish_reason: Some("stop".to_owned()),
        ..Turn::default()
    }
}

fn quoted(result: &ToolResultMessage) -> String {
    let texts: Vec<&str> = result
        .content
        .iter()
        .filter_map(|part| if let ToolResultPart::Text { text } = part { Some(text.as_str()) } else { None })
        .collect();
    let verb = if result.is_error { "failed" } else { "answered" };
    format!("{} {verb}: {}", result.name, texts.join("\n"))
}
