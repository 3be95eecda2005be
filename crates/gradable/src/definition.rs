//! What a tool's definition costs.

use mst_mcp::ListedTool;
use serde_json::Value;

/// How many bytes count as one token where no provider counts them.
pub(crate) const BYTES_A_TOKEN: f64 = 4.0;

/// Returns what a client sends a model about a tool, as compact JSON: its name, description and input schema.
pub(crate) fn definition_text(tool: &ListedTool) -> String {
    Value::Object(tool.definition()).to_string()
}

/// Returns the estimated tokens of a tool's definition: UTF-8 bytes / 4, not rounded.
///
/// What other parts of a declaration (annotations, an output schema, instructions) would cost is left out: most clients
/// send a model none of it.
pub(crate) fn estimated_tokens(tool: &ListedTool) -> f64 {
    definition_text(tool).len() as f64 / BYTES_A_TOKEN
}
