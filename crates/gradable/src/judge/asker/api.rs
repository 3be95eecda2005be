//! A model behind an API.

use std::sync::Arc;

use async_trait::async_trait;
use futures::future::BoxFuture;
use futures::{StreamExt as _, TryStreamExt as _};
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
        self.connector.connect_for(self.settings.clone(), scope).map_err(|error| fault(&error, &self.scrubber))
    }

    fn request(&self, system: Option<String>, text: String, tools: Vec<ToolSpec>) -> ChatRequest {
        ChatRequest {
            model: self.settings.model.clone(),
            system,
            messages: vec![ChatMessage::User { text }],
            tools: ToolSet::from(tools),
            temperature: Some(0.0),
            temperature_is_default: true,
            ..ChatRequest::default()
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
        let scrubber = self.scrubber.with(model.secrets().iter().map(String::as_str));
        let reply = model.chat(&request, cancel).await.map_err(|error| fault(&error, &scrubber))?;
        let is_cut_off = match &reply.finish {
            Finish::Refused { text } => {
                let words = text.as_deref().map(|text| format!(": {}", scrubber.text(text))).unwrap_or_default();
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
        let tokens = usage.and_then(|usage| Some(usage.total_input_tokens()?.saturating_add(usage.output_tokens?)));
        Ok(Reply {
            text: scrubber.text(&reply.text()),
            model: reply.model,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            tokens: tokens.filter(|tokens| *tokens > 0),
            is_cut_off,
        })
    }

    /// The tokens of definitions are those of a request with them less those of the same request without. Both offer a tool
    /// of ours, since a provider adds a preamble as soon as there is one.
    async fn count(
        &self,
        tools: &[ListedTool],
        cancel: &CancellationToken,
    ) -> Result<Option<DefinitionTokens>, AskFault> {
        let model = self.model(&TapeScope::definitions())?;
        let specs: Vec<ToolSpec> = tools.iter().enumerate().map(spec).collect();
        let counting = Counting { model: model.as_ref(), asker: self, cancel };
        let Some(bare) = counting.with(&[]).await? else { return Ok(None) };
        let Some(whole) = counting.with(&specs).await? else { return Ok(None) };
        let each: Vec<_> = specs.iter().map(|spec| counting.with(std::slice::from_ref(spec))).collect();
        let each: Vec<Option<u64>> = futures::stream::iter(each).buffered(COUNTED_AT_ONCE).try_collect().await?;
        let each: Option<Vec<u64>> = each.into_iter().map(|count| Some(count?.saturating_sub(bare))).collect();
        Ok(each.map(|tools| DefinitionTokens { whole: whole.saturating_sub(bare), tools }))
    }
}

/// How many definitions are counted at a time. Counting is quick, and providers do not charge for it.
const COUNTED_AT_ONCE: usize = 8;

/// Counts tokens of requests that offer tools.
struct Counting<'a> {
    model: &'a dyn Llm,
    asker: &'a ApiAsker,
    cancel: &'a CancellationToken,
}

impl Counting<'_> {
    fn with(&self, tools: &[ToolSpec]) -> BoxFuture<'_, Result<Option<u64>, AskFault>> {
        let mut offered = vec![ToolSpec {
            name: "gradable_none".to_owned(),
            description: None,
            input_schema: json!({ "type": "object", "properties": {} }),
        }];
        offered.extend(tools.iter().cloned());
        let request = self.asker.request(None, "x".to_owned(), offered);
        Box::pin(async move {
            match self.model.count_tokens(&request, self.cancel).await {
                Ok(count) => Ok(count),
                Err(LlmError::Cancelled) => Err(AskFault::Cancelled),
                Err(LlmError::OffTape(detail)) => Err(AskFault::Failed(detail)),
                // A provider that will not count is no fault of the surface: its tokens are estimated.
                Err(_) => Ok(None),
            }
        })
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

/// Returns what an error means, without secrets: a provider may repeat the key that it refuses.
fn fault(error: &LlmError, scrubber: &Scrubber) -> AskFault {
    let text = scrubber.text(&error.to_string());
    match error {
        LlmError::Auth { .. } => AskFault::Auth(text),
        LlmError::ContextOverflow { .. } => AskFault::TooLong(text),
        LlmError::Cancelled => AskFault::Cancelled,
        _ => AskFault::Failed(text),
    }
}
