//! Clients that configs may name and this version cannot run.

use mst_model::{CatalogEntry, ExtensionKind};
use serde_json::json;

/// Name, one-line description, and whether it presents tool metadata.
const CLIENTS: [(&str, &str, bool); 5] = [
    ("claude-code", "The Claude Code command line, headless", true),
    ("codex-cli", "The Codex command line, headless", true),
    ("chatgpt", "The ChatGPT desktop app", false),
    ("codex-app", "Codex inside the ChatGPT desktop app", false),
    ("cowork", "Claude Desktop in Cowork mode", true),
];

/// Returns the catalog entries of the clients that this version cannot run, each with what its refusal says.
pub fn unavailable_clients() -> Vec<CatalogEntry> {
    CLIENTS
        .into_iter()
        .map(|(name, description, tool_metadata)| CatalogEntry {
            kind: ExtensionKind::Client,
            name: name.to_owned(),
            description: description.to_owned(),
            options: json!({ "type": "object" }),
            tool_metadata,
            max_concurrency: None,
            unavailable: Some(format!(
                "client {name:?} is not available in this version of mst; use \"client\": \"api\""
            )),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_refusal_names_the_client_and_the_one_that_works() {
        for entry in unavailable_clients() {
            let text = entry.unavailable.expect("the client is unavailable");
            assert!(text.contains(&entry.name) && text.contains("\"client\": \"api\""), "{text}");
        }
    }
}
