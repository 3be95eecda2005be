//! A model behind an API.

use std::sync::Arc;

use async_trait::async_trait;
use mst_llm::{ChatMessage, ChatRequest, Finish, Llm, LlmConnector, LlmError, LlmSettings, ToolSet, ToolSpec};
use mst_mcp::ListedTool;
use mst_model::{Scrubber, TapeScope};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::{AskFault, Asker, Question, Reply};
use crate::judge::DefinitionTokens;

/// Asks a model through its provider's API.
pub(crate) struct ApiAsker {
    connector: LlmConnector,
    settings: LlmSettings,
    scrubber: Scrubber,
}

impl ApiAsker {
    /// Makes an asker; nothing is reached yet.
    pub(crate) fn new(connector: LlmConnector, settings: LlmSettings, scrubber: Scrubber) -> Self {
        Self { connector, settings, scrubber }
    }

    fn model(&self, scope: &TapeScope) -> Result<Arc<dyn Llm>, AskFault> {
        self.connector.connect_for(self.settings.clone(), scope).map_err(|error| fault(&error))
    }

    fn request(&self, system: Option<String>, text: String, tools: Vec<ToolSpec>) -> ChatRequest {
        ChatRequest {
            model: self.settings.model.clone(),
            system,
            messages: vec![ChatMessage::User { text }],
            tools: ToolSet::from(tools),
            temperature: Some(0.0),
            temperature_is_default: true,
            max_tokens: None,
        }
    }
}

#[async_trait]
impl Asker for ApiAsker {
    fn cli(&self) -> String {
        format!("api:{}", self.settings.provider)
    }

    fn asked_model(&self) -> Option<&str> {
        Some(&self.settings.model)
    }

    async fn ready(&self, _cancel: &CancellationToken) -> Result<(), AskFault> {
        if self.connector.is_replay() {
            return Ok(());
        }
        // What is missing before anything was asked is a judge that cannot judge, not a rejected login.
        mst_llm::check(&self.settings).map_err(|error| AskFault::Failed(error.to_string()))
    }

    async fn ask(&self, question: &Question, cancel: &CancellationToken) -> Result<Reply, AskFault> {
        let model = self.model(&TapeScope::stage(question.stage, &question.item))?;
        let request = self.request(Some(question.instructions.clone()), question.material.clone(), Vec::new());
        let reply = model.chat(&request, cancel).await.map_err(|error| fault(&error))?;
        let is_cut_off = match &reply.finish {
            Finish::Refused { text } => {
                let words = text.as_deref().map(|text| format!(": {}", self.scrubber.text(text))).unwrap_or_default();
                return Err(AskFault::Failed(format!("{} refused to answer{words}", reply.model)));
            }
            Finish::Filtered => return Err(AskFault::Failed(format!("the answer of {} was filtered", reply.model))),
            Finish::ContextFull => {
                return Err(AskFault::TooLong(format!(
                    "the context of {} was full before it had answered",
                    reply.model
                )));
            }
            finish => *finish == Finish::MaxTokens,
        };
        let usage = reply.usage.as_ref();
        let tokens = usage.and_then(|usage| Some(usage.total_input_tokens()? + usage.output_tokens?));
        Ok(Reply {
            text: self.scrubber.with(model.secrets().iter().map(String::as_str)).text(&reply.text()),
            model: reply.model,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            tokens: tokens.filter(|tokens| *tokens > 0),
            is_cut_off,
        })
    }

    /// The tokens of definitions are those of a request with them less those of the same request without.
    async fn count(
        &self,
        tools: &[ListedTool],
        cancel: &CancellationToken,
    ) -> Result<Option<DefinitionTokens>, AskFault> {
        let model = self.model(&TapeScope::definitions())?;
        let count = async |tools: &[ListedTool]| {
            let request = self.request(None, "x".to_owned(), tools.iter().enumerate().map(spec).collect());
            match model.count_tokens(&request, cancel).await {
                Ok(count) => Ok(count),
                Err(LlmError::Cancelled) => Err(AskFault::Cancelled),
                // A provider that will not count is no fault of the surface: its tokens are estimated.
                Err(LlmError::OffTape(detail)) => Err(AskFault::Failed(detail)),
                Err(_) => Ok(None),
            }
        };
        let Some(bare) = count(&[]).await? else { return Ok(None) };
        let Some(whole) = count(tools).await? else { return Ok(None) };
        let mut each = Vec::with_capacity(tools.len());
        for tool in tools {
            let Some(with) = count(std::slice::from_ref(tool)).await? else { return Ok(None) };
            each.push(with.saturating_sub(bare));
        }
        Ok(Some(DefinitionTokens { whole: whole.saturating_sub(bare), tools: each }))
    }
}

/// Returns a tool as a provider takes it; names that no provider takes are replaced, as a client would.
fn spec((at, tool): (usize, &ListedTool)) -> ToolSpec {
    let is_plain = |name: &str| {
        (1..=64).contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte))
    };
    let name = if is_plain(tool.name()) { tool.name().to_owned() } else { format!("tool_{at}") };
    let schema = tool.input_schema().cloned().unwrap_or_else(|| json!({ "type": "object" }));
    ToolSpec { name, description: tool.description().map(str::to_owned), input_schema: schema }
}

fn fault(error: &LlmError) -> AskFault {
    match error {
        LlmError::Auth { .. } => AskFault::Auth(error.to_string()),
        LlmError::ContextOverflow { .. } => AskFault::TooLong(error.to_string()),
        LlmError::Cancelled => AskFault::Cancelled,
        _ => AskFault::Failed(error.to_string()),
    }
}
