//! A server's surface for programs: as the server sent it, and what was measured.

use mst_cli::{Target, shown_url};
use mst_model::ServerConfig;
use serde_json::{Value, json};

use super::Seen;
use super::definition::{Definition, ToolKind};

/// Returns the surface: `tools` holds each tool with every field the server sent, `measured` what is ours.
///
/// Neither headers nor an environment stand in it; a URL stands without user, query and fragment.
pub(crate) fn value(target: &Target, seen: &Seen) -> Value {
    let surface = &seen.surface;
    let mut value = json!({ "server": server(target, seen) });
    if let Some(instructions) = &surface.instructions {
        value["instructions"] = json!(instructions);
    }
    value["tools"] = json!(surface.tools);
    let all = Definition::of_surface(surface);
    let tools = surface.tools.iter().map(|tool| {
        let definition = Definition::of(tool);
        json!({
            "name": tool.name(),
            "kind": ToolKind::of(tool).as_str(),
            "definitionBytes": definition.bytes,
            "definitionTokens": definition.tokens(),
        })
    });
    value["measured"] = json!({
        "toolCount": surface.tools.len(),
        "definitionBytes": all.bytes,
        "definitionTokens": all.tokens(),
        "definitionTokensSource": "estimated",
        "instructionsTokens": Definition::of_instructions(surface).tokens(),
        "listedInMs": seen.took.as_millis() as u64,
        "tools": tools.collect::<Vec<_>>(),
    });
    value["warnings"] = json!(seen.observation.warnings);
    value
}

fn server(target: &Target, seen: &Seen) -> Value {
    let mut server = json!({ "label": target.label });
    match &target.config {
        ServerConfig::Stdio(stdio) => {
            server["transport"] = json!("stdio");
            server["command"] = json!(stdio.command);
        }
        ServerConfig::Http(http) => {
            server["transport"] = json!("http");
            server["url"] = json!(shown_url(&http.server_url));
        }
    }
    if let Some(revision) = &seen.observation.protocol_version {
        server["protocolVersion"] = json!(revision);
    }
    if let Some(info) = &seen.observation.server_info {
        server["serverInfo"] = info.clone();
    }
    server
}
