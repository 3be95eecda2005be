//! A tool call that a reply makes: which tool, and with which arguments.
//!
//! Names are sent exactly as written, so a script can call a tool that does not exist; a test that does not want to
//! know how a name is presented picks the tool by its description or by the end of its name.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::view::{OfferedTool, View};

/// A tool call of a [`Reply`](super::Reply).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// Which tool is called.
    #[serde(flatten)]
    pub target: Target,
    /// The arguments, absent when the key is left out.
    #[serde(default, skip_serializing_if = "Arguments::is_absent")]
    pub arguments: Arguments,
    /// The call's id; made up when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
}

/// How a script says which tool it calls.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Target {
    /// The name as it goes over the wire, offered or not.
    Name(String),
    /// The first offered tool whose description contains this.
    Described(String),
    /// The first offered tool that has this name, else the first whose name ends with it.
    Suffix(String),
}

/// Arguments as they go over the wire.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "Value", into = "Value")]
pub enum Arguments {
    /// The arguments key is left out.
    #[default]
    Absent,
    /// A text that stands where the provider puts arguments text; it may be broken JSON.
    Text(String),
    /// A JSON value: compact text where the provider wants text, the value itself elsewhere; null stays null.
    Json(Value),
}

impl Arguments {
    /// Returns whether the arguments are left out.
    pub fn is_absent(&self) -> bool {
        matches!(self, Self::Absent)
    }

    /// Returns the value for a wire form that puts arguments as JSON text; `None` leaves the key out.
    pub fn as_text_value(&self) -> Option<Value> {
        match self {
            Self::Absent => None,
            Self::Text(text) => Some(Value::String(text.clone())),
            Self::Json(Value::Null) => Some(Value::Null),
            Self::Json(value) => Some(Value::String(value.to_string())),
        }
    }

    /// Returns the value for a wire form that puts arguments as JSON: broken text stays a JSON string.
    pub fn as_json_value(&self) -> Option<Value> {
        match self {
            Self::Absent => None,
            Self::Text(text) => Some(serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.clone()))),
            Self::Json(value) => Some(value.clone()),
        }
    }
}

impl From<Value> for Arguments {
    fn from(value: Value) -> Self {
        match value {
            Value::String(text) => Self::Text(text),
            other => Self::Json(other),
        }
    }
}

impl From<&str> for Arguments {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<Arguments> for Value {
    fn from(arguments: Arguments) -> Self {
        match arguments {
            Arguments::Absent => Self::Null,
            Arguments::Text(text) => Self::String(text),
            Arguments::Json(value) => value,
        }
    }
}

impl ToolCall {
    /// Calls the tool with exactly this name.
    pub fn named(name: impl Into<String>, arguments: impl Into<Arguments>) -> Self {
        Self { target: Target::Name(name.into()), arguments: arguments.into(), id: None }
    }

    /// Calls the first offered tool whose description contains the text.
    pub fn described(text: impl Into<String>, arguments: impl Into<Arguments>) -> Self {
        Self { target: Target::Described(text.into()), arguments: arguments.into(), id: None }
    }

    /// Calls the offered tool with this name, else the first whose name ends with it (`parts__lookup` for `lookup`).
    pub fn ending(suffix: impl Into<String>, arguments: impl Into<Arguments>) -> Self {
        Self { target: Target::Suffix(suffix.into()), arguments: arguments.into(), id: None }
    }

    /// Gives the call an id of the script's choice.
    pub fn with_id(mut self, id: impl Into<String>) -> Self {
        self.id = Some(id.into());
        self
    }

    /// Returns the name to send, or what could not be found among the offered tools.
    pub(crate) fn resolve(&self, view: &View) -> Result<String, String> {
        let named = |tool: Option<&OfferedTool>, what: String| {
            tool.map(|tool| tool.name.clone()).ok_or_else(|| {
                let offered: Vec<&str> = view.tools.iter().map(|tool| tool.name.as_str()).collect();
                format!("the script wants a tool {what}, offered are: {}", offered.join(", "))
            })
        };
        match &self.target {
            Target::Name(name) => Ok(name.clone()),
            Target::Described(text) => named(
                view.tools.iter().find(|tool| tool.description.contains(text.as_str())),
                format!("whose description contains '{text}'"),
            ),
            Target::Suffix(suffix) => named(
                view.tools
                    .iter()
                    .find(|tool| tool.name == *suffix)
                    .or_else(|| view.tools.iter().find(|tool| tool.name.ends_with(suffix.as_str()))),
                format!("whose name ends with '{suffix}'"),
            ),
        }
    }
}
