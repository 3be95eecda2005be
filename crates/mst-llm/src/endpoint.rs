//! Where a provider is asked: its base URL and the paths below it.

use mst_model::Provider;
use url::Url;

use crate::chat::LlmError;
use crate::credential::adc;
use crate::settings::LlmSettings;
use crate::wire::WireForm;

/// A provider's endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Endpoint {
    pub(crate) provider: Provider,
    pub(crate) form: WireForm,
    /// The base without a slash at its end, ready for the form's path.
    pub(crate) base: String,
    /// Whether the base is the user's own rather than the provider's.
    pub(crate) is_gateway: bool,
}

impl Endpoint {
    /// Finds the endpoint: the settings' own base URL, the provider's variable, or the provider's public address.
    pub(crate) fn resolve(settings: &LlmSettings) -> Result<Self, LlmError> {
        let provider = settings.provider;
        let (source, given) = match &settings.base_url {
            Some(url) => ("baseUrl", Some(url.trim())),
            None => base_variables(provider)
                .iter()
                .find_map(|name| Some((*name, Some(settings.var(name)?))))
                .unwrap_or(("baseUrl", None)),
        };
        if let Some(url) = given {
            check_url(source, url)?;
        }
        let is_gateway = given.is_some();
        let base = match given {
            Some(url) => url.trim_end_matches('/').to_owned(),
            None => public_base(settings)?,
        };
        let base = match provider {
            Provider::Anthropic => without(&base, "/v1").to_owned(),
            Provider::VertexAnthropic => vertex_base(settings, &base)?,
            Provider::Azure => with(&base, "/v1"),
            Provider::Ollama => with(without(&base, "/api"), "/v1"),
            _ => base,
        };
        Ok(Self { provider, form: WireForm::of(provider), base, is_gateway })
    }

    /// Returns the URL that answers for a model.
    pub(crate) fn chat_url(&self, model: &str) -> String {
        let base = &self.base;
        match self.form {
            WireForm::Anthropic if self.provider == Provider::VertexAnthropic => {
                format!("{base}/{}:streamRawPredict", segment(model))
            }
            WireForm::Anthropic => format!("{base}/v1/messages"),
            WireForm::Responses => format!("{base}/responses"),
            WireForm::Chat => format!("{base}/chat/completions"),
            WireForm::Gemini => format!("{base}/models/{}:generateContent", segment(gemini_name(model))),
        }
    }

    /// Returns the URL that counts a request's tokens, where the provider has one.
    pub(crate) fn count_url(&self, model: &str) -> Option<String> {
        let base = &self.base;
        match self.provider {
            Provider::Anthropic => Some(format!("{base}/v1/messages/count_tokens")),
            Provider::OpenAi => Some(format!("{base}/responses/input_tokens")),
            Provider::Google => Some(format!("{base}/models/{}:countTokens", segment(gemini_name(model)))),
            _ => None,
        }
    }
}

/// Returns a Gemini model's name without the prefix that its API lists it under.
pub(crate) fn gemini_name(model: &str) -> &str {
    model.strip_prefix("models/").unwrap_or(model)
}

/// The variables that hold a provider's base URL, the first that is set wins.
fn base_variables(provider: Provider) -> &'static [&'static str] {
    match provider {
        Provider::Anthropic => &["ANTHROPIC_BASE_URL"],
        Provider::OpenAi => &["OPENAI_BASE_URL"],
        Provider::Google => &["GOOGLE_GENERATIVE_AI_BASE_URL", "GEMINI_BASE_URL"],
        Provider::VertexAnthropic => &["GOOGLE_VERTEX_BASE_URL"],
        Provider::Azure => &["AZURE_BASE_URL"],
        Provider::Mistral => &["MISTRAL_BASE_URL"],
        Provider::DeepSeek => &["DEEPSEEK_BASE_URL"],
        Provider::XAi => &["XAI_BASE_URL"],
        Provider::OpenRouter => &["OPENROUTER_BASE_URL"],
        Provider::Ollama => &["OLLAMA_BASE_URL"],
        Provider::OpenAiCompatible | Provider::Offline => &[],
    }
}

fn public_base(settings: &LlmSettings) -> Result<String, LlmError> {
    let base = match settings.provider {
        Provider::Anthropic => "https://api.anthropic.com",
        Provider::OpenAi => "https://api.openai.com/v1",
        Provider::Google => "https://generativelanguage.googleapis.com/v1beta",
        Provider::Mistral => "https://api.mistral.ai/v1",
        Provider::DeepSeek => "https://api.deepseek.com/v1",
        Provider::XAi => "https://api.x.ai/v1",
        Provider::OpenRouter => "https://openrouter.ai/api/v1",
        Provider::Ollama => "http://127.0.0.1:11434",
        Provider::VertexAnthropic => {
            let location = vertex_location(settings);
            let host = if location == "global" { String::new() } else { format!("{location}-") };
            let url = format!("https://{host}aiplatform.googleapis.com");
            check_url("GOOGLE_VERTEX_LOCATION", &url)?;
            return Ok(url);
        }
        Provider::Azure => {
            let resource = settings.var("AZURE_RESOURCE_NAME").ok_or_else(|| LlmError::Auth {
                provider: Provider::Azure,
                detail: "neither AZURE_RESOURCE_NAME nor AZURE_BASE_URL is set".to_owned(),
            })?;
            let url = format!("https://{resource}.openai.azure.com/openai");
            check_url("AZURE_RESOURCE_NAME", &url)?;
            return Ok(url);
        }
        Provider::OpenAiCompatible => {
            return Err(LlmError::Unsupported("provider openai-compatible needs clientOptions.baseUrl".to_owned()));
        }
        Provider::Offline => return Err(LlmError::Unsupported("the offline provider has no endpoint".to_owned())),
    };
    Ok(base.to_owned())
}

fn vertex_location(settings: &LlmSettings) -> &str {
    settings.var("GOOGLE_VERTEX_LOCATION").unwrap_or("us-east5")
}

/// A base that names its project already is used as it is; any other gets project, location and publisher.
fn vertex_base(settings: &LlmSettings, base: &str) -> Result<String, LlmError> {
    if base.contains("/projects/") {
        return Ok(base.to_owned());
    }
    let project = ["GOOGLE_VERTEX_PROJECT", "ANTHROPIC_VERTEX_PROJECT_ID"]
        .iter()
        .find_map(|name| settings.var(name).map(str::to_owned))
        .map_or_else(|| adc::project(settings), Ok)?;
    let location = vertex_location(settings);
    let root = without(base, "/v1");
    Ok(format!("{root}/v1/projects/{}/locations/{}/publishers/anthropic/models", segment(&project), segment(location)))
}

fn check_url(source: &str, url: &str) -> Result<(), LlmError> {
    let problem = match Url::parse(url) {
        Ok(url) if !matches!(url.scheme(), "http" | "https") => "is neither http nor https",
        Ok(url) if url.host_str().is_none_or(str::is_empty) => "has no host",
        Ok(url) if url.query().is_some() || url.fragment().is_some() => "has a query or a fragment",
        Ok(_) => return Ok(()),
        Err(_) => "is not a URL",
    };
    Err(LlmError::Unsupported(format!("the base URL in {source} {problem}")))
}

fn without<'a>(base: &'a str, end: &str) -> &'a str {
    base.strip_suffix(end).unwrap_or(base)
}

fn with(base: &str, end: &str) -> String {
    if base.ends_with(end) { base.to_owned() } else { format!("{base}{end}") }
}

/// Percent-encodes what would end a path segment.
fn segment(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~@:!$&'()*+,;=".contains(&byte) {
            out.push(char::from(byte));
        } else {
            let digit = |nibble: u8| char::from_digit(u32::from(nibble), 16).unwrap_or('0').to_ascii_uppercase();
            out.extend(['%', digit(byte >> 4), digit(byte & 15)]);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;
    use std::sync::Arc;

    fn settings(provider: Provider, env: &[(&str, &str)]) -> LlmSettings {
        let env: BTreeMap<_, _> = env.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        LlmSettings::new(provider, "m", Arc::new(env))
    }

    #[test]
    fn each_provider_is_asked_where_its_variables_say() {
        let vertex = "v1/projects/p/locations/us-east5/publishers/anthropic/models/m:streamRawPredict";
        for (provider, env, want) in [
            (Provider::Anthropic, vec![], "https://api.anthropic.com/v1/messages".to_owned()),
            (Provider::Anthropic, vec![("ANTHROPIC_BASE_URL", "http://g/")], "http://g/v1/messages".into()),
            (Provider::Anthropic, vec![("ANTHROPIC_BASE_URL", "http://g/a/v1")], "http://g/a/v1/messages".into()),
            (Provider::OpenAi, vec![("OPENAI_BASE_URL", "http://g/v1")], "http://g/v1/responses".into()),
            (
                Provider::Google,
                vec![("GEMINI_BASE_URL", "http://b/v1beta")],
                "http://b/v1beta/models/m:generateContent".into(),
            ),
            (
                Provider::Google,
                vec![("GEMINI_BASE_URL", "http://b"), ("GOOGLE_GENERATIVE_AI_BASE_URL", "http://a/v1beta")],
                "http://a/v1beta/models/m:generateContent".into(),
            ),
            (
                Provider::VertexAnthropic,
                vec![("GOOGLE_VERTEX_PROJECT", "p")],
                format!("https://us-east5-aiplatform.googleapis.com/{vertex}"),
            ),
            (
                Provider::VertexAnthropic,
                vec![("GOOGLE_VERTEX_PROJECT", "p"), ("GOOGLE_VERTEX_BASE_URL", "http://g")],
                format!("http://g/{vertex}"),
            ),
            (
                Provider::VertexAnthropic,
                vec![("GOOGLE_VERTEX_BASE_URL", "http://g/v1/projects/q/models")],
                "http://g/v1/projects/q/models/m:streamRawPredict".into(),
            ),
            (
                Provider::Azure,
                vec![("AZURE_RESOURCE_NAME", "r")],
                "https://r.openai.azure.com/openai/v1/chat/completions".into(),
            ),
            (Provider::Azure, vec![("AZURE_BASE_URL", "http://g/v1/")], "http://g/v1/chat/completions".into()),
            (Provider::Mistral, vec![], "https://api.mistral.ai/v1/chat/completions".into()),
            (Provider::DeepSeek, vec![("DEEPSEEK_BASE_URL", "http://g")], "http://g/chat/completions".into()),
            (Provider::XAi, vec![], "https://api.x.ai/v1/chat/completions".into()),
            (Provider::OpenRouter, vec![], "https://openrouter.ai/api/v1/chat/completions".into()),
            (Provider::Ollama, vec![], "http://127.0.0.1:11434/v1/chat/completions".into()),
            (Provider::Ollama, vec![("OLLAMA_BASE_URL", "http://g/api")], "http://g/v1/chat/completions".into()),
        ] {
            let endpoint = Endpoint::resolve(&settings(provider, &env)).expect("it resolves");
            assert_eq!(endpoint.chat_url("m"), want);
        }
    }

    #[test]
    fn bad_addresses_are_named_by_where_they_stand() {
        for (provider, env, want) in [
            (
                Provider::Anthropic,
                vec![("ANTHROPIC_BASE_URL", "nowhere")],
                "the base URL in ANTHROPIC_BASE_URL is not a URL",
            ),
            (
                Provider::OpenAi,
                vec![("OPENAI_BASE_URL", "ftp://g/v1")],
                "the base URL in OPENAI_BASE_URL is neither http nor https",
            ),
            (Provider::OpenAiCompatible, vec![], "provider openai-compatible needs clientOptions.baseUrl"),
            (
                Provider::Azure,
                vec![],
                "azure got no usable credentials (neither AZURE_RESOURCE_NAME nor AZURE_BASE_URL is set)",
            ),
        ] {
            let error = Endpoint::resolve(&settings(provider, &env)).expect_err("it does not resolve");
            assert_eq!(error.to_string(), want);
        }
    }

    #[test]
    fn a_model_is_one_path_segment() {
        let endpoint =
            Endpoint::resolve(&settings(Provider::Google, &[("GEMINI_BASE_URL", "http://b")])).expect("it resolves");
        assert_eq!(endpoint.chat_url("models/a b/../c?d"), "http://b/models/a%20b%2F..%2Fc%3Fd:generateContent");
    }
}
