//! Where Cursor keeps its servers.

use std::path::PathBuf;

use super::surroundings::Surroundings;

/// Returns the file of the user.
pub(super) fn files(around: &Surroundings) -> Vec<PathBuf> {
    around.home.iter().map(|home| home.join(".cursor/mcp.json")).collect()
}
