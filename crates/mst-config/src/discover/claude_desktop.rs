//! Where Claude Desktop and Claude Code keep their servers.

use std::path::PathBuf;

use super::surroundings::{Platform, Surroundings};

/// Returns the files of the user.
pub(super) fn files(around: &Surroundings) -> Vec<PathBuf> {
    let Some(home) = &around.home else { return Vec::new() };
    let desktop = match around.platform {
        Platform::MacOs => Some(home.join("Library/Application Support/Claude")),
        Platform::Windows => around.variable("APPDATA").map(|data| PathBuf::from(data).join("Claude")),
        Platform::Linux => {
            let config = around.variable("XDG_CONFIG_HOME").map_or_else(|| home.join(".config"), PathBuf::from);
            Some(config.join("Claude"))
        }
    };
    let desktop = desktop.map(|folder| folder.join("claude_desktop_config.json"));
    desktop.into_iter().chain([home.join(".claude.json")]).collect()
}
