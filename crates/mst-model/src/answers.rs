//! What a server's own requests are answered with, as an eval config scripts it (an addition to the contract).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The scripted answers to what a server asks for. What has no answer is refused.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Answers {
    /// Answers to `elicitation/create`: the first whose `match` fits the message counts, as often as it fits.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub elicitation: Vec<ElicitationAnswer>,
    /// Answers to `sampling/createMessage`, one each in this order for every session.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sampling: Vec<SamplingAnswer>,
    /// The answer to `roots/list`: URIs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub roots: Option<Vec<String>>,
}

/// An answer to `elicitation/create`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ElicitationAnswer {
    /// An ECMAScript pattern (with the flag `m`) that the request's message has to match; without it any message fits.
    #[serde(default, rename = "match", skip_serializing_if = "Option::is_none")]
    pub matching: Option<String>,
    /// What the user does.
    pub action: ElicitationAction,
    /// What the user fills in, with `accept`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<Map<String, Value>>,
}

/// What a user does when a server elicits something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ElicitationAction {
    /// Submits it, or agrees to open a URL.
    Accept,
    /// Says no.
    Decline,
    /// Dismisses it without a choice.
    Cancel,
}

impl ElicitationAction {
    /// Returns the word that the protocol has for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Accept => "accept",
            Self::Decline => "decline",
            Self::Cancel => "cancel",
        }
    }
}

/// An answer to `sampling/createMessage`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SamplingAnswer {
    /// What the model says.
    pub text: String,
}
