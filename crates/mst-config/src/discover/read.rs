//! Reads a file, whatever its format.

use std::path::Path;

use serde_json::Value;

use super::found::{Format, Found};
use super::mcp_json::Listed;
use super::place::workspace_of;
use super::placeholder::Placeholders;
use super::surroundings::Surroundings;
use super::text::Text;
use super::{mcpb, server_json, vscode};
use crate::diagnostic::{Code, Diagnostic};
use crate::issue::join;

/// The largest file that is read, in bytes. Claude Code keeps its history beside its servers, so a few are large.
pub const LONGEST_FILE: u64 = 32 * 1024 * 1024;

/// Reads a file that lists servers: its name and its keys tell its format. A bundle is read by
/// [`manifest_of_bundle`](super::manifest_of_bundle).
///
/// # Errors
/// The file cannot be parsed, or is none that lists servers. An entry that is wrong is no error: it is kept with what is
/// wrong.
pub fn read(path: &Path, bytes: Vec<u8>, around: &Surroundings) -> Result<Found, Box<Diagnostic>> {
    let mut places = Placeholders::new(around, workspace_of(path, around));
    if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("toml")) {
        let text = Text::toml(path, bytes)?;
        return Listed { text: &text, format: Format::Codex, pointers: vec!["/mcp_servers".to_owned()] }.read(&places);
    }
    let text = Text::json(path, bytes)?;
    let Value::Object(root) = text.root() else {
        return Err(text.wrong("", Code::WrongType, "a file that lists servers holds an object"));
    };
    let has = |key: &str| root.contains_key(key);
    let listed = |format, pointers| Listed { text: &text, format, pointers };
    if has("manifest_version") || has("dxt_version") {
        return mcpb::read_unpacked(&text, &mut places);
    }
    if has("servers") && (has("datasets") || has("client")) {
        let message = "this is an eval config already: run it with `mst run --config`";
        return Err(text.wrong("", Code::Conflict, message));
    }
    if has("mcpServers") || has("projects") {
        return listed(Format::McpServers, project_pointers(&text, &places)).read(&places);
    }
    if has("servers") || has("mcp") {
        let of_settings = text.root().pointer("/mcp/servers").is_some();
        let start = if of_settings { "/mcp" } else { "" };
        vscode::inputs(text.root().pointer(&format!("{start}/inputs")), &mut places);
        return listed(Format::VsCode, vec![format!("{start}/servers")]).read(&places);
    }
    if ["packages", "remotes", "server"].into_iter().any(has) {
        return server_json::read(&text, &places);
    }
    if is_a_programs_own(path) {
        return Ok(Found { path: path.to_owned(), format: Format::McpServers, servers: Vec::new() });
    }
    let message = "none of \"mcpServers\", \"servers\", \"packages\" and \"remotes\" is there, so it lists no servers";
    Err(text.wrong("", Code::MissingKey, message))
}

/// Returns where Claude Code lists servers: for every project, and for this one.
fn project_pointers(text: &Text, places: &Placeholders<'_>) -> Vec<String> {
    let folder = places.around.folder.display().to_string();
    let project = join("/projects", &folder);
    let mut pointers = vec!["/mcpServers".to_owned()];
    if text.root().pointer(&project).is_some() {
        pointers.push(format!("{project}/mcpServers"));
    }
    pointers
}

/// Returns whether a file holds more than servers, so that none in it is no mistake.
fn is_a_programs_own(path: &Path) -> bool {
    let names = ["claude_desktop_config.json", ".claude.json", "settings.json", "mcp.json", ".mcp.json"];
    path.file_name().and_then(|name| name.to_str()).is_some_and(|name| names.contains(&name))
}
