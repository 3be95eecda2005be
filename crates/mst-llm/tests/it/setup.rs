//! What every test needs: a model of each wire form that asks the fake provider.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use mst_llm::{ChatMessage, ChatReply, ChatRequest, Llm, LlmConnector, LlmError, LlmSettings, RetryPolicy, ToolSpec};
use mst_model::{FixedClock, Provider, Timestamp};
use mst_testkit::FakeProvider;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

/// One provider of each wire form.
pub(crate) const FORMS: [Provider; 4] = [Provider::Anthropic, Provider::OpenAi, Provider::Google, Provider::Mistral];

pub(crate) type Env = BTreeMap<String, String>;

pub(crate) fn clock() -> Arc<FixedClock> {
    Arc::new(FixedClock(Timestamp::from_millis(1_791_050_531_000).expect("in range")))
}

pub(crate) fn env(pairs: &[(&str, &str)]) -> Env {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

/// The environment in which every provider is the fake one.
pub(crate) fn fake_env(fake: &FakeProvider) -> Env {
    env(&[
        ("ANTHROPIC_BASE_URL", &fake.anthropic_url()),
        ("ANTHROPIC_API_KEY", "sk-ant"),
        ("OPENAI_BASE_URL", &fake.openai_url()),
        ("OPENAI_API_KEY", "sk-oai"),
        ("GEMINI_BASE_URL", &fake.google_url()),
        ("GEMINI_API_KEY", "sk-goo"),
        ("MISTRAL_BASE_URL", &fake.openai_url()),
        ("MISTRAL_API_KEY", "sk-mis"),
    ])
}

/// Retries without long waits.
pub(crate) fn settings(provider: Provider, env: Env) -> LlmSettings {
    let retry = RetryPolicy { base_delay: Duration::from_millis(5), ..RetryPolicy::default() };
    LlmSettings { retry, ..LlmSettings::new(provider, model(provider), Arc::new(env)) }
}

pub(crate) fn connect(settings: LlmSettings) -> Result<Arc<dyn Llm>, LlmError> {
    LlmConnector::new(&Env::new(), clock()).connect(settings)
}

pub(crate) fn fake_model(provider: Provider, fake: &FakeProvider) -> Arc<dyn Llm> {
    connect(settings(provider, fake_env(fake))).expect("the settings are whole")
}

pub(crate) fn model(provider: Provider) -> String {
    match provider {
        Provider::Anthropic | Provider::VertexAnthropic => "claude-x",
        Provider::OpenAi => "gpt-x",
        Provider::Google => "gemini-x",
        Provider::Mistral => "mistral-x",
        Provider::Offline => "lexical-1",
        _ => "some-model",
    }
    .to_owned()
}

pub(crate) fn tool(name: &str, schema: Value) -> ToolSpec {
    ToolSpec { name: name.into(), description: Some("Look up one part.".into()), input_schema: schema }
}

pub(crate) fn request(provider: Provider, text: &str) -> ChatRequest {
    let schema = json!({"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]});
    ChatRequest {
        model: model(provider),
        messages: vec![ChatMessage::User { text: text.into() }],
        tools: vec![tool("lookup", schema), tool("ping", json!({"type": "object", "properties": {}}))].into(),
        temperature: Some(0.0),
        temperature_is_default: true,
        ..ChatRequest::default()
    }
}

pub(crate) async fn ask(llm: &Arc<dyn Llm>, request: &ChatRequest) -> Result<ChatReply, LlmError> {
    llm.chat(request, &CancellationToken::new()).await
}
