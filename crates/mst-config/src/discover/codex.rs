//! Codex's `config.toml`: tables `[mcp_servers.<name>]`.

use std::path::PathBuf;

use super::surroundings::Surroundings;

/// Returns the file of the user: in `CODEX_HOME`, else in `~/.codex`.
pub(super) fn files(around: &Surroundings) -> Vec<PathBuf> {
    let folder = around.variable("CODEX_HOME").map(PathBuf::from);
    let folder = folder.or_else(|| around.home.as_ref().map(|home| home.join(".codex")));
    folder.into_iter().map(|folder| folder.join("config.toml")).collect()
}
