//! What a file was found to list.

use std::fmt;
use std::path::PathBuf;

use mst_model::ServerConfig;

use crate::diagnostic::Diagnostic;

/// The format of a list of servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// `mcpServers`: a project's `.mcp.json`, Claude Desktop, Cursor and many others.
    McpServers,
    /// VS Code's `servers` with `inputs`.
    VsCode,
    /// Codex's `[mcp_servers.…]`.
    Codex,
    /// A registry's `server.json`.
    ServerJson,
    /// The manifest of a bundle (`.mcpb`).
    Bundle,
}

impl Format {
    /// Returns the format's name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::McpServers => "mcpServers",
            Self::VsCode => "vscode",
            Self::Codex => "codex",
            Self::ServerJson => "server.json",
            Self::Bundle => "mcpb",
        }
    }
}

/// A file with the servers it lists.
#[derive(Clone, Debug)]
pub struct Found {
    /// The file.
    pub path: PathBuf,
    /// Its format.
    pub format: Format,
    /// Its servers, in its order.
    pub servers: Vec<FoundServer>,
}

/// A server that a file lists.
#[derive(Clone, Debug)]
pub struct FoundServer {
    /// Its name there.
    pub name: String,
    /// The label it gets in an eval config.
    pub label: String,
    /// Whether it is switched off there.
    pub disabled: bool,
    /// How it is reached, or what is wrong with its entry.
    pub launch: Result<Box<Launch>, Box<Diagnostic>>,
}

/// How a server is reached.
#[derive(Clone, PartialEq)]
pub struct Launch {
    /// With every value that is known, to connect to now. Never shown and never written: it may hold secrets.
    pub connect: ServerConfig,
    /// What an eval config may hold: no secret's value.
    pub written: ServerConfig,
    /// Variables that a run needs beside it.
    pub variables: Vec<NeededVariable>,
    /// What was not taken over, and why; lowercase fragments.
    pub notes: Vec<String>,
}

impl Launch {
    /// Returns the arguments and values of a stdio server that were not written: a server may print them as it starts.
    /// Short ones are left out, since they would occur in any text.
    pub fn hidden_values(&self) -> Vec<String> {
        const SHORTEST: usize = 8;
        let values = |config: &ServerConfig| match config {
            ServerConfig::Stdio(server) => server.args.iter().chain(server.env.values()).cloned().collect(),
            ServerConfig::Http(server) => server.headers.values().cloned().collect::<Vec<_>>(),
        };
        let written = values(&self.written);
        let is_hidden = |value: &String| value.len() >= SHORTEST && !written.contains(value);
        values(&self.connect).into_iter().filter(is_hidden).collect()
    }
}

/// A variable that a run needs, from the environment or a secrets file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NeededVariable {
    /// Its name.
    pub name: String,
    /// Whether the file or the environment holds a value for it now.
    pub known: bool,
    /// Whether the environment itself holds it under this name, so that nothing is left to do.
    pub set: bool,
}

/// Shows what may be written alone.
impl fmt::Debug for Launch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Launch")
            .field("written", &self.written)
            .field("variables", &self.variables)
            .field("notes", &self.notes)
            .finish_non_exhaustive()
    }
}
