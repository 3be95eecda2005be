//! Credentials: which one a call uses, and tokens that are made and renewed on the way.

pub(crate) mod adc;
mod command;
mod token;

use std::sync::Arc;

use http::header::AUTHORIZATION;
use http::{HeaderMap, HeaderName, HeaderValue};
use mst_model::{Clock, Provider};
use secrecy::{ExposeSecret as _, SecretString};

pub(crate) use adc::GoogleToken;
pub(crate) use command::AuthCommand;

use crate::chat::LlmError;
use crate::endpoint::Endpoint;
use crate::failure::Failure;
use crate::http_clients::HttpClients;
use crate::settings::LlmSettings;

/// The variable that holds a command whose output is a gateway's token.
pub(crate) const AUTH_COMMAND: &str = "MST_LLM_AUTH_COMMAND";

/// How a call proves who it is from.
#[derive(Clone, Debug)]
pub(crate) enum Credential {
    /// Not at all.
    None,
    /// With a fixed value in a header.
    Fixed { header: HeaderName, scheme: &'static str, value: SecretString },
    /// With a bearer token that a command prints.
    Command(Arc<AuthCommand>),
    /// With a bearer token that Google gives for Application Default Credentials.
    Google(Arc<GoogleToken>),
}

/// What a credential is to be, before any token is made: what `check` needs.
#[derive(Clone, Debug)]
pub(crate) enum CredentialPlan {
    None,
    Fixed { header: HeaderName, scheme: &'static str, value: SecretString },
    Command { command: String },
    Google(adc::AdcFile),
}

impl CredentialPlan {
    /// Decides which credential a provider gets: the named variable, a gateway's command or token, the provider's key.
    pub(crate) fn resolve(settings: &LlmSettings, endpoint: &Endpoint) -> Result<Self, LlmError> {
        let provider = settings.provider;
        if provider == Provider::VertexAnthropic {
            return Ok(Self::Google(adc::AdcFile::load(settings)?));
        }
        if let Some(name) = settings.api_key_env_var.as_deref() {
            let key = settings.var(name).ok_or_else(|| missing(provider, name))?;
            return Ok(key_header(provider, key));
        }
        let has_gateway = matches!(provider, Provider::Anthropic | Provider::OpenAi) && endpoint.is_gateway;
        if let Some(command) = settings.var(AUTH_COMMAND).filter(|_| has_gateway) {
            if let Some(text) = settings.var(command::TTL).filter(|text| text.trim().parse::<u64>().is_err()) {
                return Err(LlmError::Unsupported(format!("{} is {text:?}, no number of milliseconds", command::TTL)));
            }
            return Ok(Self::Command { command: command.to_owned() });
        }
        if let Some(token) =
            settings.var("ANTHROPIC_AUTH_TOKEN").filter(|_| has_gateway && provider == Provider::Anthropic)
        {
            return Ok(bearer(token));
        }
        let names = key_variables(provider);
        match names.iter().find_map(|name| settings.var(name)) {
            Some(key) => Ok(key_header(provider, key)),
            None if matches!(provider, Provider::Ollama | Provider::OpenAiCompatible) => Ok(Self::None),
            None => Err(missing(provider, names.first().copied().unwrap_or("a key"))),
        }
    }
}

impl Credential {
    /// Returns whether two credentials prove the same: one key, or one source of tokens.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::None, Self::None) => true,
            (Self::Fixed { header, value, .. }, Self::Fixed { header: other_header, value: other_value, .. }) => {
                header == other_header && value.expose_secret() == other_value.expose_secret()
            }
            (Self::Command(one), Self::Command(other)) => Arc::ptr_eq(one, other),
            (Self::Google(one), Self::Google(other)) => Arc::ptr_eq(one, other),
            _ => false,
        }
    }

    /// Returns the headers that carry the credential, making or renewing a token when there is none.
    pub(crate) async fn headers(&self, http: &HttpClients, clock: &dyn Clock) -> Result<HeaderMap, Failure> {
        let mut headers = HeaderMap::new();
        match self {
            Self::None => {}
            Self::Fixed { header, scheme, value } => {
                headers.insert(header.clone(), sensitive(&format!("{scheme}{}", value.expose_secret()))?);
            }
            Self::Command(command) => {
                let token = command.token(clock).await?;
                headers.insert(AUTHORIZATION, sensitive(&format!("Bearer {token}"))?);
            }
            Self::Google(google) => {
                let token = google.token(http, clock).await?;
                headers.insert(AUTHORIZATION, sensitive(&format!("Bearer {token}"))?);
                if let Some(project) = google.quota_project() {
                    headers.insert("x-goog-user-project", sensitive(project)?);
                }
            }
        }
        Ok(headers)
    }

    /// Forgets a token that was refused, and returns whether there can be another.
    pub(crate) async fn forget(&self) -> bool {
        match self {
            Self::None | Self::Fixed { .. } => false,
            Self::Command(command) => {
                command.forget().await;
                true
            }
            Self::Google(google) => {
                google.forget().await;
                true
            }
        }
    }

    /// Returns every value used so far.
    pub(crate) fn secrets(&self) -> Vec<String> {
        match self {
            Self::None => Vec::new(),
            Self::Fixed { value, .. } => vec![value.expose_secret().to_owned()],
            Self::Command(command) => command.secrets(),
            Self::Google(google) => google.secrets(),
        }
    }
}

fn missing(provider: Provider, name: &str) -> LlmError {
    LlmError::Auth { provider, detail: format!("{name} is not set") }
}

fn bearer(token: &str) -> CredentialPlan {
    CredentialPlan::Fixed { header: AUTHORIZATION, scheme: "Bearer ", value: SecretString::from(token) }
}

fn key_header(provider: Provider, key: &str) -> CredentialPlan {
    let name = match provider {
        Provider::Anthropic => "x-api-key",
        Provider::Google => "x-goog-api-key",
        Provider::Azure => "api-key",
        _ => return bearer(key),
    };
    CredentialPlan::Fixed { header: HeaderName::from_static(name), scheme: "", value: SecretString::from(key) }
}

/// The variables that hold a provider's key, the first that is set wins.
fn key_variables(provider: Provider) -> &'static [&'static str] {
    match provider {
        Provider::Anthropic => &["ANTHROPIC_API_KEY"],
        Provider::OpenAi => &["OPENAI_API_KEY"],
        Provider::Google => &["GOOGLE_GENERATIVE_AI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"],
        Provider::Azure => &["AZURE_API_KEY"],
        Provider::Mistral => &["MISTRAL_API_KEY"],
        Provider::DeepSeek => &["DEEPSEEK_API_KEY"],
        Provider::XAi => &["XAI_API_KEY"],
        Provider::OpenRouter => &["OPENROUTER_API_KEY"],
        Provider::Ollama => &["OLLAMA_API_KEY"],
        Provider::VertexAnthropic | Provider::OpenAiCompatible | Provider::Offline => &[],
    }
}

fn sensitive(value: &str) -> Result<HeaderValue, Failure> {
    let mut value = HeaderValue::from_str(value)
        .map_err(|_| Failure::Auth { detail: "the credential holds characters no header can carry".to_owned() })?;
    value.set_sensitive(true);
    Ok(value)
}
