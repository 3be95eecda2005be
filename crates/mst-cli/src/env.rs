//! The environment, read once and here alone, and the list of every variable that means something.

use std::collections::BTreeMap;

/// The environment as it was when the program started.
#[derive(Clone, Debug, Default)]
pub struct Env {
    variables: BTreeMap<String, String>,
}

impl Env {
    /// Reads the process's environment. A variable that is not Unicode is left out.
    pub fn read() -> Self {
        let pairs = std::env::vars_os();
        let variables = pairs.filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
        Self { variables: variables.collect() }
    }

    /// Makes an environment of given variables.
    pub fn of(variables: BTreeMap<String, String>) -> Self {
        Self { variables }
    }

    /// Returns every variable.
    pub fn variables(&self) -> &BTreeMap<String, String> {
        &self.variables
    }

    /// Returns a variable that is set and not empty.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }
}

/// A variable that means something, for the reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EnvVar {
    /// Its name.
    pub name: &'static str,
    /// What it does.
    pub meaning: &'static str,
}

const fn variable(name: &'static str, meaning: &'static str) -> EnvVar {
    EnvVar { name, meaning }
}

/// Every variable that the program reads, in the order of the reference.
pub const VARIABLES: &[EnvVar] = &[
    variable(
        "MST_MCP_READINESS_RETRY_S",
        "Seconds to wait before each further check of a server that is not ready, between commas. Default `10,30`; empty for none.",
    ),
    variable(
        "MST_OPTION_KEY",
        "64 hex digits: the key that hashes credential-like client options in `run.json`, instead of the eval's `option-key` file.",
    ),
    variable(
        "MST_LLM_AUTH_COMMAND",
        "A shell command that prints a token for a gateway (`ANTHROPIC_BASE_URL` or `OPENAI_BASE_URL`).",
    ),
    variable("MST_LLM_AUTH_COMMAND_TTL_MS", "How long the printed token is used, in milliseconds. Default 300000."),
    variable(
        "OTEL_EXPORTER_OTLP_ENDPOINT",
        "Root of an OpenTelemetry collector (OTLP/HTTP): every run's trace is sent there when it has ended. \
         `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT` is the whole address.",
    ),
    variable(
        "OTEL_EXPORTER_OTLP_HEADERS",
        "Headers of what is sent there, `name=value` between commas. This, `_PROTOCOL` (`http/protobuf`, `http/json`), \
         `_TIMEOUT` in milliseconds (default 10000) and `_COMPRESSION` (`gzip`, `none`) have a `_TRACES_` form that comes first.",
    ),
    variable(
        "OTEL_SERVICE_NAME",
        "Name of the service in traces. Default `mst`; `OTEL_RESOURCE_ATTRIBUTES` adds attributes.",
    ),
    variable("OTEL_TRACES_EXPORTER", "`none` sends no traces, as does `OTEL_SDK_DISABLED=true`."),
    variable("MST_LOG", "What to log to stderr, such as `info` or `mst_mcp=debug`."),
    variable("NO_COLOR", "Any value turns colour off."),
    variable("CI", "Any value turns the progress display off."),
    variable("GITHUB_STEP_SUMMARY", "The file of a GitHub job that `--markdown` adds to, when it names it."),
    variable(
        "GITHUB_WORKSPACE",
        "Where files' names begin in annotations and SARIF, instead of the current directory.",
    ),
    variable("ANTHROPIC_API_KEY", "Key of the provider `anthropic`."),
    variable("ANTHROPIC_AUTH_TOKEN", "Bearer token for a gateway at `ANTHROPIC_BASE_URL`."),
    variable("ANTHROPIC_BASE_URL", "Root of the Messages API, with or without `/v1`."),
    variable("OPENAI_API_KEY", "Key of the provider `openai`."),
    variable("OPENAI_BASE_URL", "Root of the Responses API; ends in `/v1`."),
    variable(
        "GOOGLE_GENERATIVE_AI_API_KEY",
        "Key of the provider `google`; `GEMINI_API_KEY` and `GOOGLE_API_KEY` are read after it.",
    ),
    variable(
        "GOOGLE_GENERATIVE_AI_BASE_URL",
        "Root of the Gemini API; ends in `/v1beta`. `GEMINI_BASE_URL` is read after it.",
    ),
    variable("GOOGLE_VERTEX_PROJECT", "Project of the provider `vertex-anthropic`."),
    variable("GOOGLE_VERTEX_LOCATION", "Location of the provider `vertex-anthropic`. Default `us-east5`."),
    variable("GOOGLE_VERTEX_BASE_URL", "Root of the Vertex API."),
    variable(
        "GOOGLE_APPLICATION_CREDENTIALS",
        "File with Application Default Credentials; the well-known file under HOME is read after it.",
    ),
    variable("AZURE_API_KEY", "Key of the provider `azure`."),
    variable("AZURE_RESOURCE_NAME", "Resource of the provider `azure`."),
    variable("AZURE_BASE_URL", "Root of the Azure endpoint, instead of the resource's."),
    variable("MISTRAL_API_KEY", "Key of the provider `mistral`; `MISTRAL_BASE_URL` is its root."),
    variable("DEEPSEEK_API_KEY", "Key of the provider `deepseek`; `DEEPSEEK_BASE_URL` is its root."),
    variable("XAI_API_KEY", "Key of the provider `xai`; `XAI_BASE_URL` is its root."),
    variable("OPENROUTER_API_KEY", "Key of the provider `openrouter`; `OPENROUTER_BASE_URL` is its root."),
    variable("OLLAMA_BASE_URL", "Root of the provider `ollama`."),
];
