//! Every provider's wire form, as variants of one eval.

use mst_testkit::{FakeProvider, Form};
use serde_json::{Value, json};

use crate::eval::Eval;

/// A provider as a config names it, and the form in which it is asked.
pub(crate) struct Wire {
    pub(crate) name: &'static str,
    pub(crate) form: Form,
    pub(crate) model: &'static str,
    pub(crate) options: Value,
}

/// Returns a variant for each provider.
pub(crate) fn all(provider: &FakeProvider) -> Vec<Wire> {
    let named = |name, form, model, options| Wire { name, form, model, options };
    let by_name = |name: &'static str, model| named(name, Form::Chat, model, json!({ "provider": name }));
    vec![
        named("anthropic", Form::Anthropic, "claude-x", json!({})),
        named("openai", Form::Responses, "gpt-x", json!({})),
        named("google", Form::Google, "gemini-x", json!({})),
        named("vertex-anthropic", Form::VertexAnthropic, "claude-x@20260101", json!({})),
        named("mistral", Form::Chat, "mistral-x", json!({})),
        named("deepseek", Form::Chat, "deepseek-x", json!({})),
        named("xai", Form::Chat, "grok-x", json!({})),
        by_name("azure", "our-deployment"),
        by_name("openrouter", "maker/model-x"),
        by_name("ollama", "llama-x"),
        named(
            "openai-compatible",
            Form::Chat,
            "own-x",
            json!({ "provider": "openai-compatible", "baseUrl": provider.openai_url() }),
        ),
    ]
}

/// Returns the first three: one of each maker's own form.
pub(crate) fn makers(provider: &FakeProvider) -> Vec<Wire> {
    let mut all = all(provider);
    all.truncate(3);
    all
}

/// Returns the `variants` of a config.
pub(crate) fn variants(wires: &[Wire]) -> Value {
    let variant = |wire: &Wire| json!({ "name": wire.name, "model": wire.model, "clientOptions": wire.options });
    wires.iter().map(variant).collect()
}

/// Gives Vertex its Application Default Credentials.
pub(crate) fn with_google_login(eval: &mut Eval) {
    let login = json!({ "type": "authorized_user", "client_id": "fake-client", "client_secret": "fake-secret-0001",
        "refresh_token": "fake-refresh-0001", "token_uri": eval.provider.token_url() });
    let path = eval.env.write_json("home/login.json", &login);
    eval.env.set_variable("GOOGLE_APPLICATION_CREDENTIALS", path.display().to_string());
    eval.env.set_variable("GOOGLE_VERTEX_PROJECT", "parts-project");
}
