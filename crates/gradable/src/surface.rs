//! The surface that is graded: what a server declares, and what follows from it without a judge.

use mst_mcp::ListedTool;
use mst_model::{ScanTransport, canonical_json, sha256_hex};
use serde_json::{Map, Value};

/// A server's declared surface and where it came from. Holds no secret: what was known to be one stands as `[REDACTED]`.
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
    /// The hash of what it sent, before secrets were taken out: see [`surface_hash`].
    pub(crate) hash: String,
    /// Its tools in its order, each name once, every field as sent but for secrets.
    pub(crate) tools: Vec<ListedTool>,
    /// Names that it listed more than once, each once.
    pub(crate) listed_twice: Vec<String>,
    /// Other faults of the listing that did not stop it.
    pub(crate) warnings: Vec<String>,
}

impl Surface {
    /// Returns the tool of a name.
    pub(crate) fn tool(&self, name: &str) -> Option<&ListedTool> {
        self.tools.iter().find(|tool| tool.name() == name)
    }
}

/// Returns the SHA-256 of the canonical form of `{ instructions?, tools }`, tools sorted by name, every field as sent.
pub(crate) fn surface_hash(instructions: Option<&str>, tools: &[ListedTool]) -> String {
    let mut sorted: Vec<&Map<String, Value>> = tools.iter().map(ListedTool::raw).collect();
    sorted.sort_by_key(|tool| tool.get("name").and_then(Value::as_str).unwrap_or_default());
    let mut whole = Map::new();
    if let Some(instructions) = instructions {
        whole.insert("instructions".to_owned(), Value::String(instructions.to_owned()));
    }
    whole.insert("tools".to_owned(), serde_json::to_value(sorted).expect("JSON objects are a JSON value"));
    sha256_hex(canonical_json(&whole).as_bytes())
}

#[cfg(test)]
impl Surface {
    /// Makes the surface of a file, named `test`, for tests.
    pub(crate) fn of(tools: Value) -> Self {
        let Value::Array(tools) = tools else { panic!("a list of tools") };
        let tools: Vec<ListedTool> = tools
            .into_iter()
            .map(|tool| {
                let Value::Object(raw) = tool else { panic!("an object") };
                ListedTool::new(raw).expect("a tool has a name")
            })
            .collect();
        Self {
            name: "test".to_owned(),
            version: None,
            transport: ScanTransport::File,
            command: None,
            url: None,
            protocol_version: None,
            instructions: None,
            hash: surface_hash(None, &tools),
            tools,
            listed_twice: Vec::new(),
            warnings: Vec::new(),
        }
    }
}
