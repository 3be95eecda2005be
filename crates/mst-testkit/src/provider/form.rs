//! Wire forms and the paths that speak them.

use std::fmt;

use http::Method;
use serde::{Deserialize, Serialize};

/// A provider's wire form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// Anthropic Messages: `…/messages`.
    Anthropic,
    /// OpenAI Responses: `…/responses`.
    Responses,
    /// OpenAI Chat Completions: `…/chat/completions` behind any prefix.
    Chat,
    /// Ollama: `…/api/chat`, lines of JSON when streaming.
    Ollama,
    /// Google: `…/models/<m>:generateContent` and `:streamGenerateContent`.
    Google,
    /// Anthropic on Vertex: `…/models/<m>:rawPredict` and `:streamRawPredict`.
    VertexAnthropic,
}

impl Form {
    /// Returns the name that scripts and counters use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Anthropic => "anthropic",
            Self::Responses => "responses",
            Self::Chat => "chat",
            Self::Ollama => "ollama",
            Self::Google => "google",
            Self::VertexAnthropic => "vertex_anthropic",
        }
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What a path of the fake provider is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Endpoint {
    /// Asks a model.
    Model(Form),
    /// Counts the tokens of a request.
    Count(Form),
    /// An OAuth token endpoint.
    Token,
    /// The counters as JSON.
    Stats,
    /// The recorded requests as JSON.
    Requests,
    /// A list of models.
    Models,
    /// Nothing that the fake knows.
    Unknown,
}

/// How paths end; the first match counts.
const ENDS: [(&str, Endpoint); 13] = [
    ("/count_tokens", Endpoint::Count(Form::Anthropic)),
    ("/count-tokens:rawPredict", Endpoint::Count(Form::VertexAnthropic)),
    (":countTokens", Endpoint::Count(Form::Google)),
    ("/responses/input_tokens", Endpoint::Count(Form::Responses)),
    ("/messages", Endpoint::Model(Form::Anthropic)),
    ("/responses", Endpoint::Model(Form::Responses)),
    ("/chat/completions", Endpoint::Model(Form::Chat)),
    ("/api/chat", Endpoint::Model(Form::Ollama)),
    (":generateContent", Endpoint::Model(Form::Google)),
    (":streamGenerateContent", Endpoint::Model(Form::Google)),
    (":rawPredict", Endpoint::Model(Form::VertexAnthropic)),
    (":streamRawPredict", Endpoint::Model(Form::VertexAnthropic)),
    ("/token", Endpoint::Token),
];

impl Endpoint {
    /// Finds what a path is for. Only the path's end counts, so that any base URL works.
    pub(crate) fn of(method: &Method, path: &str) -> Self {
        let path = path.trim_end_matches('/');
        if method == Method::GET {
            return match path {
                "/__stats" => Self::Stats,
                "/__requests" => Self::Requests,
                _ if path.ends_with("/models") || path.ends_with("/api/tags") => Self::Models,
                _ => Self::Unknown,
            };
        }
        if method != Method::POST {
            return Self::Unknown;
        }
        ENDS.iter().find(|(end, _)| path.ends_with(end)).map_or(Self::Unknown, |(_, endpoint)| *endpoint)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_endpoint_behind_any_prefix() {
        let cases = [
            ("/v1/messages", Endpoint::Model(Form::Anthropic)),
            ("/messages", Endpoint::Model(Form::Anthropic)),
            ("/v1/messages/count_tokens", Endpoint::Count(Form::Anthropic)),
            ("/v1/responses", Endpoint::Model(Form::Responses)),
            ("/v1/responses/input_tokens", Endpoint::Count(Form::Responses)),
            ("/openai/deployments/x/chat/completions", Endpoint::Model(Form::Chat)),
            ("/api/v1/chat/completions", Endpoint::Model(Form::Chat)),
            ("/api/chat", Endpoint::Model(Form::Ollama)),
            ("/v1beta/models/gemini-x:generateContent", Endpoint::Model(Form::Google)),
            ("/v1beta/models/gemini-x:streamGenerateContent", Endpoint::Model(Form::Google)),
            ("/v1beta/models/gemini-x:countTokens", Endpoint::Count(Form::Google)),
            (
                "/v1/projects/p/locations/l/publishers/anthropic/models/m:rawPredict",
                Endpoint::Model(Form::VertexAnthropic),
            ),
            ("/v1/publishers/anthropic/models/m:streamRawPredict", Endpoint::Model(Form::VertexAnthropic)),
            ("/v1/publishers/anthropic/models/count-tokens:rawPredict", Endpoint::Count(Form::VertexAnthropic)),
            ("/token", Endpoint::Token),
            ("/other", Endpoint::Unknown),
        ];
        for (path, expected) in cases {
            assert_eq!(Endpoint::of(&Method::POST, path), expected, "{path}");
        }
    }
}
