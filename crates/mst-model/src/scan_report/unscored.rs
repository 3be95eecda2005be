//! What a report says beyond the method. None of it counts.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What is beyond the method and does not count.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Unscored {
    /// The likely range of the total.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<ScoreInterval>,
    /// The nine capabilities, as far as the declared surface shows them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capabilities: Option<Vec<CapabilityFinding>>,
    /// Findings of rules that need no model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lint: Option<Vec<LintFinding>>,
}

/// A bootstrap interval of a total: tasks are resampled, the safety category and everything about the surface stay.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ScoreInterval {
    /// The share that lies inside, 0.95.
    pub level: f64,
    /// The lower end, 0 to 100.
    pub lower: f64,
    /// The upper end, 0 to 100.
    pub upper: f64,
    /// How often the tasks were resampled.
    pub resamples: u32,
    /// The seed of the resampling.
    pub seed: u64,
}

/// One of the nine capabilities.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CapabilityFinding {
    /// Its name, such as `dry_run_support`.
    pub name: String,
    /// How far the declared surface shows it.
    pub state: CapabilityState,
    /// What shows it: tools and parameters by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<String>,
    /// In a sentence.
    pub reason: String,
}

/// How far a declared surface shows a capability.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CapabilityState {
    /// Wherever it would matter.
    Present,
    /// In places.
    Partial,
    /// Nowhere.
    Absent,
}

/// A finding of a rule that needs no model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LintFinding {
    /// The rule's stable code, such as `G101`.
    pub code: String,
    /// The rule's name, such as `missing-type`.
    pub rule: String,
    /// What it is about.
    pub subject: LintSubject,
    /// What is wrong, in a sentence. Characters that cannot be seen are written as escapes.
    pub message: String,
}

/// What a finding is about.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LintSubject {
    /// The tool; absent when it is about the server as a whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// A JSON Pointer into the tool's definition (or into the surface when `tool` is absent); empty for all of it.
    pub pointer: String,
}
