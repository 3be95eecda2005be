//! Which model answers for a judge, and within which limits: the options that all built-in judges share.

use mst_model::Provider;
use serde_json::{Map, Value, json};

use crate::options::Options;

/// The most output tokens of an answer when an entry does not say.
pub(crate) const MAX_TOKENS: u32 = 4096;
/// How many characters of each tool result are shown when an entry does not say.
pub(crate) const MAX_TOOL_OUTPUT: u32 = 10_000;
/// How long one answer may take, in milliseconds, when an entry does not say.
const TIMEOUT_MS: u32 = 900_000;
/// The temperature when an entry does not say.
const TEMPERATURE: f64 = 0.0;

/// The providers that judges can ask, in the order that schemas list them.
const PROVIDERS: [Provider; 10] = [
    Provider::Anthropic,
    Provider::OpenAi,
    Provider::Google,
    Provider::VertexAnthropic,
    Provider::Azure,
    Provider::Mistral,
    Provider::DeepSeek,
    Provider::XAi,
    Provider::OpenRouter,
    Provider::Ollama,
];

/// Why a known option is refused.
const NO_BUDGET: &str =
    "\"maxBudgetUsd\" cannot be set: a judge's call has no price before it is made; limit it by \"maxTokens\"";

/// Who answers, and within which limits.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Settings {
    pub(crate) provider: Provider,
    pub(crate) model: String,
    pub(crate) api_key_env_var: Option<String>,
    pub(crate) max_tokens: u32,
    pub(crate) temperature: f64,
    pub(crate) effort: Option<String>,
    pub(crate) max_tool_output: u32,
    pub(crate) timeout_ms: u32,
}

impl Settings {
    /// Takes the settings out of a judge's options; what is absent gets its default.
    pub(crate) fn take(options: &mut Options) -> Result<Self, String> {
        if options.take("maxBudgetUsd").is_some() {
            return Err(NO_BUDGET.to_owned());
        }
        let provider = options.text("provider")?.map(|name| provider(&name)).transpose()?;
        let model = options.text("model")?;
        let provider = provider.or_else(|| model.as_deref().and_then(Provider::infer)).unwrap_or(Provider::Anthropic);
        if provider == Provider::Offline {
            return Err(OFFLINE.to_owned());
        }
        let model = match model {
            Some(model) => model,
            None => default_model(provider)
                .ok_or_else(|| format!("provider {provider} has no default model: \"model\" has to be there"))?
                .to_owned(),
        };
        let effort = options.text("effort")?;
        if effort.is_some() && !takes_effort(provider) {
            return Err(format!("\"effort\" cannot be set with provider {provider}"));
        }
        Ok(Self {
            provider,
            model,
            api_key_env_var: options.text("apiKeyEnvVar")?,
            max_tokens: options.count("maxTokens")?.unwrap_or(MAX_TOKENS),
            temperature: options.share("temperature")?.unwrap_or(TEMPERATURE),
            effort,
            max_tool_output: options.count("maxToolOutputSize")?.unwrap_or(MAX_TOOL_OUTPUT),
            timeout_ms: options.count("timeoutMs")?.unwrap_or(TIMEOUT_MS),
        })
    }

    /// Writes them down whole, so that a default hashes as the same value written out.
    pub(crate) fn write(&self, into: &mut Map<String, Value>) {
        into.insert("provider".to_owned(), self.provider.as_str().into());
        into.insert("model".to_owned(), self.model.as_str().into());
        if let Some(name) = &self.api_key_env_var {
            into.insert("apiKeyEnvVar".to_owned(), name.as_str().into());
        }
        into.insert("maxTokens".to_owned(), self.max_tokens.into());
        into.insert("temperature".to_owned(), self.temperature.into());
        if let Some(effort) = &self.effort {
            into.insert("effort".to_owned(), effort.as_str().into());
        }
        into.insert("maxToolOutputSize".to_owned(), self.max_tool_output.into());
        into.insert("timeoutMs".to_owned(), self.timeout_ms.into());
    }
}

/// Returns the JSON Schema of a judge's options: its own, then the shared ones.
pub(crate) fn schema(own: &Value, required: &[&str]) -> Value {
    let names: Vec<&str> = PROVIDERS
        .iter()
        .map(|provider| provider.as_str())
        .chain(Provider::names().filter(|name| is_short(name)))
        .collect();
    let mut properties = own.as_object().cloned().unwrap_or_default();
    let shared = json!({
        "provider": {
            "type": "string",
            "enum": names,
            "description": "The API that serves the judge's model; inferred from its id when absent, else `anthropic`.",
            "x-defaultDescription": "inferred from the model, else anthropic",
        },
        "model": {
            "type": "string",
            "minLength": 1,
            "description": "The judge's model.",
            "x-defaultDescription": default_models(),
        },
        "apiKeyEnvVar": {
            "type": "string",
            "minLength": 1,
            "description": "The variable that holds the key, in place of the provider's usual one.",
            "x-defaultDescription": "the provider's own variable, or the gateway's credential",
        },
        "maxTokens": {
            "type": "integer",
            "minimum": 1,
            "maximum": u32::MAX,
            "default": MAX_TOKENS,
            "description": "The most output tokens of an answer. One that is cut off by it is no verdict.",
        },
        "temperature": {
            "type": "number",
            "minimum": 0,
            "maximum": 1,
            "default": 0,
            "description": "The temperature. 0 is left out for models that refuse one.",
        },
        "effort": {
            "type": "string",
            "minLength": 1,
            "description": "How much a model that reasons should think, in its provider's own word, such as `low` or `high`.",
            "x-defaultDescription": "not set: the provider's own",
        },
        "maxToolOutputSize": {
            "type": "integer",
            "minimum": 1,
            "maximum": u32::MAX,
            "default": MAX_TOOL_OUTPUT,
            "description": "How many characters of each tool result the judge is shown. It is told how much was cut.",
        },
        "timeoutMs": {
            "type": "integer",
            "minimum": 1,
            "maximum": u32::MAX,
            "default": TIMEOUT_MS,
            "description": "How long one answer may take, in milliseconds, with the waits before tries. Without one in time there is no verdict.",
        },
    });
    properties.extend(shared.as_object().cloned().unwrap_or_default());
    let mut schema = json!({ "type": "object", "additionalProperties": false, "properties": properties });
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema
}

/// Returns what the defaults are, for a judge's version: a new default grades differently with the same options.
pub(crate) fn defaults() -> String {
    format!("{} {MAX_TOKENS} {TEMPERATURE} {MAX_TOOL_OUTPUT}", default_models())
}

const OFFLINE: &str = "provider offline cannot judge: lexical-1 is no language model";

fn provider(name: &str) -> Result<Provider, String> {
    let known = || {
        let names: Vec<&str> = PROVIDERS.iter().map(|provider| provider.as_str()).collect();
        format!("a judge can ask {}", names.join(", "))
    };
    match name.parse::<Provider>() {
        Ok(Provider::Offline) => Err(OFFLINE.to_owned()),
        Ok(provider) if PROVIDERS.contains(&provider) => Ok(provider),
        Ok(provider) => Err(format!("provider {provider} is not one that judges can ask; {}", known())),
        Err(_) => Err(format!("provider {name:?} is not one that judges can ask; {}", known())),
    }
}

/// Returns whether a provider's name is a short form of another.
fn is_short(name: &str) -> bool {
    name.parse::<Provider>().is_ok_and(|provider| provider.as_str() != name)
}

/// Returns whether a provider's API has a place for an effort.
fn takes_effort(provider: Provider) -> bool {
    !matches!(provider, Provider::Mistral | Provider::DeepSeek)
}

fn default_model(provider: Provider) -> Option<&'static str> {
    match provider {
        Provider::Anthropic => Some("claude-sonnet-4-20250514"),
        Provider::VertexAnthropic => Some("claude-sonnet-4@20250514"),
        Provider::OpenAi => Some("gpt-5-mini"),
        Provider::Google => Some("gemini-2.5-flash"),
        _ => None,
    }
}

fn default_models() -> String {
    let known: Vec<String> = PROVIDERS
        .iter()
        .filter_map(|provider| Some(format!("{} with {provider}", default_model(*provider)?)))
        .collect();
    format!("{}; none with the others", known.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(options: &Value) -> Result<Map<String, Value>, String> {
        let mut options = Options::new(options.as_object().expect("options are an object"));
        let settings = Settings::take(&mut options)?;
        options.finish()?;
        let mut written = Map::new();
        settings.write(&mut written);
        Ok(written)
    }

    #[test]
    fn every_default_is_filled_in_so_that_it_hashes_as_the_value_written_out() {
        let whole = json!({
            "provider": "anthropic", "model": "claude-sonnet-4-20250514", "maxTokens": 4096, "temperature": 0.0,
            "maxToolOutputSize": 10000, "timeoutMs": 900_000,
        });
        for (options, changed) in [
            (json!({}), json!({})),
            (json!({ "temperature": 0, "maxTokens": 4096 }), json!({})),
            (whole.clone(), json!({})),
            (json!({ "model": "claude-sonnet-4-20250514" }), json!({})),
            (json!({ "model": "gpt-x" }), json!({ "provider": "openai", "model": "gpt-x" })),
            (json!({ "model": "unheard-of" }), json!({ "model": "unheard-of" })),
            (json!({ "provider": "openai" }), json!({ "provider": "openai", "model": "gpt-5-mini" })),
            (json!({ "provider": "google" }), json!({ "provider": "google", "model": "gemini-2.5-flash" })),
            (
                json!({ "provider": "vertex" }),
                json!({ "provider": "vertex-anthropic", "model": "claude-sonnet-4@20250514" }),
            ),
            (json!({ "apiKeyEnvVar": "K" }), json!({ "apiKeyEnvVar": "K" })),
            (json!({ "effort": "high" }), json!({ "effort": "high" })),
            (json!({ "timeoutMs": 60000 }), json!({ "timeoutMs": 60000 })),
            (json!({ "maxTokens": 9.0, "temperature": 0.5 }), json!({ "maxTokens": 9, "temperature": 0.5 })),
        ] {
            let mut want = whole.as_object().expect("an object").clone();
            want.extend(changed.as_object().expect("an object").clone());
            assert_eq!(read(&options), Ok(want), "{options}");
        }
    }

    #[test]
    fn what_cannot_be_honoured_is_refused_by_name() {
        let known = "a judge can ask anthropic, openai, google, vertex-anthropic, azure, mistral, deepseek, xai, \
                     openrouter, ollama";
        for (options, want) in [
            (
                json!({ "effort": "high", "model": "mistral-x" }),
                "\"effort\" cannot be set with provider mistral".to_owned(),
            ),
            (json!({ "maxBudgetUsd": 1 }), "\"maxBudgetUsd\" cannot be set: ".to_owned()),
            (
                json!({ "provider": "anthropic-agent-sdk" }),
                format!("provider \"anthropic-agent-sdk\" is not one that judges can ask; {known}"),
            ),
            (
                json!({ "provider": "openai-compatible", "model": "m" }),
                format!("provider openai-compatible is not one that judges can ask; {known}"),
            ),
            (json!({ "provider": "offline" }), OFFLINE.to_owned()),
            (json!({ "model": "lexical-1" }), OFFLINE.to_owned()),
            (
                json!({ "provider": "mistral" }),
                "provider mistral has no default model: \"model\" has to be there".to_owned(),
            ),
            (json!({ "model": " " }), "\"model\" has to be a text that is not blank".to_owned()),
            (json!({ "maxTokens": 0 }), "\"maxTokens\" has to be a whole number from 1 to 4294967295".to_owned()),
            (json!({ "maxTokens": 1.5 }), "\"maxTokens\" has to be a whole number from 1 to 4294967295".to_owned()),
            (json!({ "temperature": 2 }), "\"temperature\" has to be a number from 0 to 1".to_owned()),
            (json!({ "threshold": 1 }), "unknown option \"threshold\"".to_owned()),
        ] {
            let got = read(&options).expect_err("it is refused");
            assert!(got.starts_with(&want), "{options}: {got}");
        }
    }
}
