//! Pairs of tools that a model may take for one another.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Two tools that a model may take for one another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ConfusablePair {
    /// One tool's name; the smaller of the two in byte order.
    pub a: String,
    /// The other's.
    pub b: String,
    /// How likely the mistake is.
    pub severity: Severity,
    /// Why, in a sentence.
    pub reason: String,
}

/// How likely two tools are mistaken for one another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Seldom. Weighs 0.25 in the score.
    Low,
    /// Sometimes. Weighs 0.6.
    Medium,
    /// Often. Weighs 1.
    High,
}

impl Severity {
    /// Returns the severity's name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}
