//! Which API serves a model, and which family a model is of.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An API that serves models.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Provider {
    /// Anthropic's Messages API.
    Anthropic,
    /// OpenAI's Responses API.
    #[serde(rename = "openai")]
    OpenAi,
    /// Google's Gemini API.
    Google,
    /// Anthropic models on Google Vertex AI.
    VertexAnthropic,
    /// OpenAI models on Azure.
    Azure,
    /// Mistral.
    Mistral,
    /// DeepSeek.
    #[serde(rename = "deepseek")]
    DeepSeek,
    /// xAI.
    #[serde(rename = "xai")]
    XAi,
    /// OpenRouter.
    #[serde(rename = "openrouter")]
    OpenRouter,
    /// Ollama.
    Ollama,
    /// Any endpoint that speaks OpenAI's Chat Completions, at `clientOptions.baseUrl`.
    #[serde(rename = "openai-compatible")]
    OpenAiCompatible,
    /// The built-in lexical baseline: no network, no key, no language model.
    Offline,
}

/// The short form of `vertex-anthropic`.
const VERTEX: &str = "vertex";

impl Provider {
    /// Every provider, in the order help texts list them.
    pub const ALL: [Self; 12] = [
        Self::Anthropic,
        Self::OpenAi,
        Self::Google,
        Self::VertexAnthropic,
        Self::Azure,
        Self::Mistral,
        Self::DeepSeek,
        Self::XAi,
        Self::OpenRouter,
        Self::Ollama,
        Self::OpenAiCompatible,
        Self::Offline,
    ];

    /// Returns every name that a provider may be given by: its own, and the short form `vertex`.
    pub fn names() -> impl Iterator<Item = &'static str> {
        Self::ALL.into_iter().map(Self::as_str).chain([VERTEX])
    }

    /// Returns the name used in configs.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Anthropic => "anthropic",
            Self::OpenAi => "openai",
            Self::Google => "google",
            Self::VertexAnthropic => "vertex-anthropic",
            Self::Azure => "azure",
            Self::Mistral => "mistral",
            Self::DeepSeek => "deepseek",
            Self::XAi => "xai",
            Self::OpenRouter => "openrouter",
            Self::Ollama => "ollama",
            Self::OpenAiCompatible => "openai-compatible",
            Self::Offline => "offline",
        }
    }

    /// Infers the provider from a model id; `None` when nothing in the id tells.
    ///
    /// `claude-*@date` is Vertex; `claude-*`, `gpt-*`, `o<digit>*`, `gemini-*` and the other makers' names infer theirs
    /// for ids that did not exist when this was written too.
    pub fn infer(model: &str) -> Option<Self> {
        let model = model.to_ascii_lowercase();
        let starts = |prefixes: &[&str]| prefixes.iter().any(|prefix| model.starts_with(prefix));
        let o_series = model.strip_prefix('o').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
        if model == "lexical-1" {
            Some(Self::Offline)
        } else if model.starts_with("claude-") && model.contains('@') {
            Some(Self::VertexAnthropic)
        } else if starts(&["claude-"]) {
            Some(Self::Anthropic)
        } else if starts(&["gpt-", "chatgpt-", "codex-"]) || o_series {
            Some(Self::OpenAi)
        } else if starts(&["gemini-", "gemma-"]) {
            Some(Self::Google)
        } else if starts(&[
            "mistral-",
            "ministral-",
            "codestral-",
            "pixtral-",
            "magistral-",
            "devstral-",
            "open-mistral-",
            "open-mixtral-",
        ]) {
            Some(Self::Mistral)
        } else if starts(&["deepseek-"]) {
            Some(Self::DeepSeek)
        } else if starts(&["grok-"]) {
            Some(Self::XAi)
        } else {
            None
        }
    }
}

impl fmt::Display for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Provider {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == VERTEX {
            return Ok(Self::VertexAnthropic);
        }
        Self::ALL.into_iter().find(|provider| provider.as_str() == text).ok_or_else(|| {
            format!("{text:?} is not a provider; known: {}", Self::names().collect::<Vec<_>>().join(", "))
        })
    }
}

/// The maker of a model, which rates its own family's answers higher.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ModelFamily {
    /// Anthropic's Claude.
    Claude,
    /// OpenAI's models.
    Gpt,
    /// Google's Gemini.
    Gemini,
    /// Mistral's models.
    Mistral,
    /// DeepSeek's models.
    DeepSeek,
    /// xAI's Grok.
    Grok,
    /// The offline lexical baseline.
    Lexical,
}

impl ModelFamily {
    /// Returns a model's family, whoever serves it; `None` when its name does not tell.
    pub fn of(model: &str) -> Option<Self> {
        let name = model.rsplit('/').next().unwrap_or(model);
        Some(match Provider::infer(name)? {
            Provider::Anthropic | Provider::VertexAnthropic => Self::Claude,
            Provider::OpenAi => Self::Gpt,
            Provider::Google => Self::Gemini,
            Provider::Mistral => Self::Mistral,
            Provider::DeepSeek => Self::DeepSeek,
            Provider::XAi => Self::Grok,
            Provider::Offline => Self::Lexical,
            Provider::Azure | Provider::OpenRouter | Provider::Ollama | Provider::OpenAiCompatible => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn providers_are_inferred_from_model_ids() {
        for (model, want) in [
            ("claude-x", Some(Provider::Anthropic)),
            ("claude-sonnet-4@20250514", Some(Provider::VertexAnthropic)),
            ("gpt-x", Some(Provider::OpenAi)),
            ("o3-mini", Some(Provider::OpenAi)),
            ("gemini-x", Some(Provider::Google)),
            ("grok-9", Some(Provider::XAi)),
            ("lexical-1", Some(Provider::Offline)),
            ("ollama", None),
            ("unknown", None),
        ] {
            assert_eq!(Provider::infer(model), want, "{model}");
        }
    }

    #[test]
    fn names_and_serde_agree() {
        for provider in Provider::ALL {
            assert_eq!(serde_json::to_value(provider).expect("a name"), provider.as_str());
            assert_eq!(provider.as_str().parse::<Provider>(), Ok(provider));
        }
    }
}
