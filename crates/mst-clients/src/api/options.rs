//! The options of the `api` client, as a config writes them.

use indexmap::IndexMap;
use mst_llm::OFFLINE_MODEL;
use mst_model::Provider;
use schemars::{JsonSchema, generate::SchemaSettings};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The model that is asked when a config names none.
const DEFAULT_MODEL: &str = "claude-sonnet-4-20250514";

/// How many tool calls a trial may make when a config does not say.
const DEFAULT_MAX_TOOL_CALLS: u32 = 5;

/// The temperature sent when a config does not say.
const DEFAULT_TEMPERATURE: f64 = 0.0;

/// What `clientOptions` may hold for the `api` client, with `model` from beside it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ApiOptions {
    /// The model's id.
    #[serde(default = "default_model")]
    #[schemars(length(min = 1))]
    pub model: String,
    /// The API that serves the model; inferred from its id when absent, else `anthropic`.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "provider")]
    #[schemars(schema_with = "provider_schema")]
    #[schemars(extend("x-defaultDescription" = "inferred from the model, else anthropic"))]
    pub provider: Option<Provider>,
    /// How many tool calls a trial may make, which bounds its model steps too.
    #[serde(default = "default_max_tool_calls")]
    pub max_tool_calls: u32,
    /// How long a trial may take, connecting included, in milliseconds; no limit when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1), with = "u64")]
    #[schemars(extend("x-defaultDescription" = "no limit"))]
    pub timeout: Option<u64>,
    /// The temperature, 0 to 1. When absent, 0 is sent to the models that take one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1), with = "f64", extend("default" = 0))]
    pub temperature: Option<f64>,
    /// The most output tokens of a model step; the provider's own limit when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1), with = "u32")]
    #[schemars(extend("x-defaultDescription" = "not set: the provider's own"))]
    pub max_tokens: Option<u32>,
    /// The variable that holds the key, in place of the provider's usual one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1), with = "String")]
    #[schemars(extend("x-defaultDescription" = "the provider's own variable, or the gateway's credential"))]
    pub api_key_env_var: Option<String>,
    /// The endpoint of an `openai-compatible` provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(url, with = "String")]
    pub base_url: Option<String>,
    /// The system prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub system_prompt: Option<String>,
    /// What the model is shown of the servers' skills: nothing, a catalog with a tool to load one, or all of their texts.
    #[serde(default)]
    #[schemars(schema_with = "skills_schema")]
    pub skills: SkillsMode,
    /// Environment variables over the inherited ones.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    #[schemars(extend("x-defaultDescription" = "the inherited environment alone"))]
    pub env: IndexMap<String, String>,
}

/// What a model is shown of the servers' skills.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum SkillsMode {
    /// Nothing.
    #[default]
    Off,
    /// A list of them in the system prompt, and a tool to load one.
    Catalog,
    /// All of them in the system prompt.
    Preload,
}

impl SkillsMode {
    /// Every mode.
    const ALL: [Self; 3] = [Self::Off, Self::Catalog, Self::Preload];

    /// Returns the mode as configs write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Catalog => "catalog",
            Self::Preload => "preload",
        }
    }
}

/// Options that cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum OptionsError {
    /// They do not have the form of the schema.
    #[error("api: {0}")]
    Form(#[from] serde_json::Error),
    /// A number lies outside its range.
    #[error("api: {name} is {value}, not {range}")]
    Range {
        /// The option.
        name: &'static str,
        /// Its value.
        value: String,
        /// What it may be.
        range: &'static str,
    },
}

impl ApiOptions {
    /// Reads options; the schema's ranges hold here too.
    pub(crate) fn read(options: &Map<String, Value>) -> Result<Self, OptionsError> {
        let names_model = options.contains_key("model");
        let mut options = Self::deserialize(options)?;
        if !names_model && options.provider == Some(Provider::Offline) {
            // The only model that the offline provider has.
            OFFLINE_MODEL.clone_into(&mut options.model);
        }
        let range = |name, value: String, range| Err(OptionsError::Range { name, value, range });
        if let Some(temperature) = options.temperature.filter(|temperature| !(0.0..=1.0).contains(temperature)) {
            return range("temperature", temperature.to_string(), "a number from 0 to 1");
        }
        if options.timeout == Some(0) {
            return range("timeout", "0".to_owned(), "at least 1 ms");
        }
        if options.max_tokens == Some(0) {
            return range("maxTokens", "0".to_owned(), "at least 1");
        }
        Ok(options)
    }

    /// Returns the JSON Schema (draft 2020-12) of the options, every subschema in place.
    pub(crate) fn schema() -> Value {
        let settings = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
        let mut schema = settings.into_generator().into_root_schema_for::<Self>().to_value();
        if let Some(root) = schema.as_object_mut() {
            root.shift_remove("title");
        }
        schema
    }

    /// Returns the API that serves the model.
    pub(crate) fn provider(&self) -> Provider {
        self.provider.or_else(|| Provider::infer(&self.model)).unwrap_or(Provider::Anthropic)
    }

    /// Returns the temperature to send.
    pub(crate) fn temperature(&self) -> f64 {
        self.temperature.unwrap_or(DEFAULT_TEMPERATURE)
    }

    /// Returns how many model steps a trial may take.
    pub(crate) fn max_steps(&self) -> u32 {
        self.max_tool_calls.max(1)
    }
}

fn default_model() -> String {
    DEFAULT_MODEL.to_owned()
}

fn default_max_tool_calls() -> u32 {
    DEFAULT_MAX_TOOL_CALLS
}

/// Reads a provider by name.
fn provider<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Provider>, D::Error> {
    let name = String::deserialize(deserializer)?;
    name.parse().map(Some).map_err(serde::de::Error::custom)
}

fn provider_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    let names: Vec<&str> = Provider::names().collect();
    schemars::json_schema!({ "type": "string", "enum": names })
}

/// Lists the modes as an enum, whose violation names what is known.
fn skills_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    let names = SkillsMode::ALL.map(SkillsMode::as_str);
    schemars::json_schema!({ "type": "string", "enum": names, "default": SkillsMode::Off.as_str() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(options: &Value) -> Result<ApiOptions, String> {
        ApiOptions::read(options.as_object().expect("options are an object")).map_err(|error| error.to_string())
    }

    #[test]
    fn defaults_are_the_documented_ones() {
        let options = read(&json!({})).expect("every option has a default");
        assert_eq!(options.model, "claude-sonnet-4-20250514");
        assert_eq!((options.max_tool_calls, options.timeout, options.max_tokens), (5, None, None));
        assert_eq!((options.temperature, options.temperature()), (None, 0.0));
        assert_eq!((options.skills, options.provider()), (SkillsMode::Off, Provider::Anthropic));
    }

    #[test]
    fn the_provider_is_written_inferred_or_anthropic() {
        for (options, want) in [
            (json!({ "model": "gpt-x" }), Provider::OpenAi),
            (json!({ "model": "gpt-x", "provider": "azure" }), Provider::Azure),
            (json!({ "model": "claude-sonnet-4@20250514" }), Provider::VertexAnthropic),
            (json!({ "model": "claude-x", "provider": "vertex" }), Provider::VertexAnthropic),
            (json!({ "model": "something-new" }), Provider::Anthropic),
        ] {
            assert_eq!(read(&options).expect("it reads").provider(), want, "{options}");
        }
    }

    #[test]
    fn the_schema_and_the_reader_refuse_the_same() {
        let schema = ApiOptions::schema();
        let validator = jsonschema::validator_for(&schema).expect("the schema is one");
        for (options, fits) in [
            (json!({}), true),
            (json!({ "model": "m", "maxToolCalls": 0, "timeout": 1, "temperature": 1, "maxTokens": 1 }), true),
            (json!({ "env": { "A": "b" }, "systemPrompt": "", "baseUrl": "http://127.0.0.1:1/v1" }), true),
            (json!({ "provider": "openai-compatible", "apiKeyEnvVar": "K", "skills": "off" }), true),
            (json!({ "provider": "vertex" }), true),
            (json!({ "provider": "nobody" }), false),
            (json!({ "provider": null }), false),
            (json!({ "maxToolCalls": -1 }), false),
            (json!({ "maxToolCalls": 1.5 }), false),
            (json!({ "timeout": 0 }), false),
            (json!({ "temperature": 1.1 }), false),
            (json!({ "temperature": "0" }), false),
            (json!({ "maxTokens": 0 }), false),
            (json!({ "skills": "catalog" }), true),
            (json!({ "skills": "preload" }), true),
            (json!({ "skills": "on" }), false),
            (json!({ "skills": true }), false),
            (json!({ "env": { "A": 1 } }), false),
            (json!({ "maxTurns": 3 }), false),
        ] {
            assert_eq!(validator.is_valid(&options), fits, "schema: {options}");
            assert_eq!(read(&options).is_ok(), fits, "reader: {options}");
        }
    }

    #[test]
    fn the_schema_says_what_each_option_is() {
        insta::assert_json_snapshot!(ApiOptions::schema(), @r#"
        {
          "type": "object",
          "additionalProperties": false,
          "properties": {
            "model": {
              "type": "string",
              "description": "The model's id.",
              "minLength": 1,
              "default": "claude-sonnet-4-20250514"
            },
            "provider": {
              "type": "string",
              "enum": [
                "anthropic",
                "openai",
                "google",
                "vertex-anthropic",
                "azure",
                "mistral",
                "deepseek",
                "xai",
                "openrouter",
                "ollama",
                "openai-compatible",
                "offline",
                "vertex"
              ],
              "description": "The API that serves the model; inferred from its id when absent, else `anthropic`.",
              "x-defaultDescription": "inferred from the model, else anthropic"
            },
            "maxToolCalls": {
              "type": "integer",
              "format": "uint32",
              "minimum": 0,
              "description": "How many tool calls a trial may make, which bounds its model steps too.",
              "default": 5
            },
            "timeout": {
              "type": "integer",
              "format": "uint64",
              "minimum": 1,
              "description": "How long a trial may take, connecting included, in milliseconds; no limit when absent.",
              "x-defaultDescription": "no limit"
            },
            "temperature": {
              "type": "number",
              "format": "double",
              "description": "The temperature, 0 to 1. When absent, 0 is sent to the models that take one.",
              "minimum": 0,
              "maximum": 1,
              "default": 0
            },
            "maxTokens": {
              "type": "integer",
              "format": "uint32",
              "minimum": 1,
              "description": "The most output tokens of a model step; the provider's own limit when absent.",
              "x-defaultDescription": "not set: the provider's own"
            },
            "apiKeyEnvVar": {
              "type": "string",
              "description": "The variable that holds the key, in place of the provider's usual one.",
              "minLength": 1,
              "x-defaultDescription": "the provider's own variable, or the gateway's credential"
            },
            "baseUrl": {
              "type": "string",
              "description": "The endpoint of an `openai-compatible` provider.",
              "format": "uri"
            },
            "systemPrompt": {
              "type": "string",
              "description": "The system prompt."
            },
            "skills": {
              "type": "string",
              "enum": [
                "off",
                "catalog",
                "preload"
              ],
              "default": "off",
              "description": "What the model is shown of the servers' skills: nothing, a catalog with a tool to load one, or all of their texts."
            },
            "env": {
              "type": "object",
              "additionalProperties": {
                "type": "string"
              },
              "description": "Environment variables over the inherited ones.",
              "x-defaultDescription": "the inherited environment alone"
            }
          },
          "description": "What `clientOptions` may hold for the `api` client, with `model` from beside it.",
          "$schema": "https://json-schema.org/draft/2020-12/schema"
        }
        "#);
    }
}
