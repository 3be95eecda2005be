//! Clients that configs may name and this version cannot run.

use mst_model::{CatalogEntry, ExtensionKind};
use serde_json::json;

/// Name and one-line description of each.
const CLIENTS: [(&str, &str); 5] = [
    ("claude-code", "The Claude Code command line, headless"),
    ("codex-cli", "The Codex command line, headless"),
    ("chatgpt", "The ChatGPT desktop app"),
    ("codex-app", "Codex inside the ChatGPT desktop app"),
    ("cowork", "Claude Desktop in Cowork mode"),
];

/// Returns the catalog entries of the clients that this version cannot run, each with what its refusal says.
pub fn unavailable_clients() -> Vec<CatalogEntry> {
    CLIENTS
        .into_iter()
        .map(|(name, description)| CatalogEntry {
            kind: ExtensionKind::Client,
            name: name.to_owned(),
            description: description.to_owned(),
            options: json!({ "type": "object" }),
            tool_metadata: true,
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
