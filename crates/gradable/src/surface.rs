//! The surface that is graded: what a server declares, and what follows from it without a judge.

use mst_mcp::ListedTool;
use mst_model::{ScanTransport, canonical_json, sha256_hex};
use serde_json::{Map, Value};

/// A server's declared surface and where it came from. Holds no secret.
#[derive(Clone, Debug)]
pub(crate) struct Surface {
    /// The server's name, from `--name`, its own `serverInfo`, or its command.
    pub(crate) name: String,
    /// The version it tells.
    pub(crate) version: Option<String>,
    /// How it was reached.
    pub(crate) transport: ScanTransport,
    /// The command that started it, scrubbed.
    pub(crate) command: Option<Vec<String>>,
    /// Its endpoint, without user information, query secrets or fragment.
    pub(crate) url: Option<String>,
    /// The agreed protocol revision.
    pub(crate) protocol_version: Option<String>,
    /// The server's instructions.
    pub(crate) instructions: Option<String>,
    /// Its tools in its order, each name once, every field as sent.
    pub(crate) tools: Vec<ListedTool>,
    /// Names that it listed more than once, each once.
    pub(crate) listed_twice: Vec<String>,
    /// Other faults of the listing that did not stop it.
    pub(crate) warnings: Vec<String>,
}

impl Surface {
    /// Returns the SHA-256 of the canonical form of `{ instructions?, tools }`, tools sorted by name.
    pub(crate) fn hash(&self) -> String {
        let mut tools: Vec<&Map<String, Value>> = self.tools.iter().map(ListedTool::raw).collect();
        tools.sort_by_key(|tool| tool.get("name").and_then(Value::as_str).unwrap_or_default());
        let mut whole = Map::new();
        if let Some(instructions) = &self.instructions {
            whole.insert("instructions".to_owned(), Value::String(instructions.clone()));
        }
        whole.insert("tools".to_owned(), serde_json::to_value(tools).expect("JSON objects are a JSON value"));
        sha256_hex(canonical_json(&whole).as_bytes())
    }
}
