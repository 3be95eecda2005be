//! What a server declares of its tools, as far as a fix brief needs it. A report does not hold it.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

/// The current texts of a surface, by tool.
#[derive(Clone, Debug, Default)]
pub struct Declared(BTreeMap<String, DeclaredTool>);

/// The current texts of a tool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeclaredTool {
    /// Its description; `None` when it has none.
    pub description: Option<String>,
    /// The names of its parameters, in the schema's order.
    pub parameters: Vec<String>,
}

impl Declared {
    /// Reads the texts out of tool definitions as a server lists them. Of a name that is listed twice the first counts.
    pub fn from_tools<'a>(tools: impl IntoIterator<Item = &'a Map<String, Value>>) -> Self {
        let mut declared = BTreeMap::new();
        for tool in tools {
            if let Some(name) = tool.get("name").and_then(Value::as_str) {
                declared.entry(name.to_owned()).or_insert_with(|| DeclaredTool::of(tool));
            }
        }
        Self(declared)
    }

    /// Returns a tool's texts.
    pub fn tool(&self, name: &str) -> Option<&DeclaredTool> {
        self.0.get(name)
    }

    /// Returns whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl DeclaredTool {
    fn of(tool: &Map<String, Value>) -> Self {
        let schema = tool.get("inputSchema").and_then(|schema| schema.get("properties"));
        let parameters = schema.and_then(Value::as_object);
        Self {
            description: tool.get("description").and_then(Value::as_str).map(str::to_owned),
            parameters: parameters.into_iter().flat_map(|all| all.keys().cloned()).collect(),
        }
    }
}
