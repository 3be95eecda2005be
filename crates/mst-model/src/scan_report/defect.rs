//! Defects of a tool's description.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a scan found about one tool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ToolFinding {
    /// The name as the server lists it.
    #[schemars(length(min = 1))]
    pub name: String,
    /// Whether a call can destroy something, as far as the declaration shows.
    pub destructive: bool,
    /// The tokens of its definition: whole when counted by a provider, bytes / 4 when estimated.
    #[schemars(range(min = 0))]
    pub definition_tokens: f64,
    /// Its defects, each type at most once.
    pub defects: Vec<Defect>,
    /// A description to consider in place of its own; only on a tool with a defect. A hypothesis: its author saw the
    /// declaration alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggested_description: Option<String>,
}

/// A defect of a description.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Defect {
    /// What is wrong.
    #[serde(rename = "type")]
    pub kind: DefectType,
    /// Why, in a sentence.
    pub reason: String,
}

/// What can be wrong with a description.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DefectType {
    /// It mostly repeats the tool's name and adds no when, why or behaviour.
    NameRestatesBehavior,
    /// A required parameter's meaning, accepted values or default stand nowhere the agent can see.
    ParamsUnexplained,
    /// It does not say what the call returns, and the output schema does not make it plain.
    NoReturnDescription,
}

impl DefectType {
    /// Every type, in the order of the method's text.
    pub const ALL: [Self; 3] = [Self::NameRestatesBehavior, Self::ParamsUnexplained, Self::NoReturnDescription];

    /// Returns the type's name in a report.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NameRestatesBehavior => "name_restates_behavior",
            Self::ParamsUnexplained => "params_unexplained",
            Self::NoReturnDescription => "no_return_description",
        }
    }
}
