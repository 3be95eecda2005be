//! Where lists of servers are looked for.

use std::path::{Path, PathBuf};

use super::surroundings::Surroundings;
use super::{claude_desktop, codex, cursor, vscode};

/// A file that may list servers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file.
    pub path: PathBuf,
    /// The program it belongs to.
    pub program: &'static str,
}

/// Files of a project, by the program that reads them.
const PROJECT: [(&str, &str); 5] = [
    (".mcp.json", "project"),
    (".cursor/mcp.json", "Cursor"),
    (".vscode/mcp.json", "VS Code"),
    (".codex/config.toml", "Codex"),
    ("server.json", "server.json"),
];

/// Returns every file that may list servers, the project's first. Whether one is there is for the caller to find out.
pub fn places(around: &Surroundings) -> Vec<Place> {
    let project = PROJECT.iter().map(|(name, program)| Place { path: around.folder.join(name), program });
    let of = |program: &'static str, files: Vec<PathBuf>| files.into_iter().map(move |path| Place { path, program });
    let mut found: Vec<Place> = Vec::new();
    let user = of("Claude", claude_desktop::files(around))
        .chain(of("Cursor", cursor::files(around)))
        .chain(of("VS Code", vscode::files(around)))
        .chain(of("Codex", codex::files(around)));
    for place in project.chain(user) {
        if !found.iter().any(|known| known.path == place.path) {
            found.push(place);
        }
    }
    found
}

/// Returns the project folder that a file belongs to: its own, or the one above for a program's hidden folder. A file of
/// the user belongs to no project: then it is the folder that the program was started in.
pub(super) fn workspace_of(path: &Path, around: &Surroundings) -> PathBuf {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let folder = parent.map_or_else(|| around.folder.clone(), |parent| around.folder.join(parent));
    let hidden = folder.file_name().is_some_and(|name| [".vscode", ".cursor", ".codex"].iter().any(|own| name == *own));
    let project = if hidden { folder.parent().map(Path::to_owned).unwrap_or(folder) } else { folder };
    let users = places(around).iter().skip(PROJECT.len()).any(|place| place.path == around.folder.join(path));
    if users { around.folder.clone() } else { project }
}
