//! Whose surface is meant.

use std::path::PathBuf;

use clap::Args;
use mst_cli::GivenServer;

/// Flags that say whose surface is meant: exactly one of a command, a URL, a list of servers and a file.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct TargetArgs {
    /// Read the surface from a file: a JSON object with a `tools` array, such as a tools/list result
    #[arg(long, value_name = "FILE")]
    pub(crate) surface: Option<PathBuf>,
    /// The command that starts a stdio server, in one text; split like a shell would, and no shell is run
    #[arg(long, value_name = "COMMAND")]
    pub(crate) target: Option<String>,
    /// Take the server from another program's list: .mcp.json, Claude, Cursor, VS Code, Codex, server.json
    #[arg(long, value_name = "FILE")]
    pub(crate) from: Option<PathBuf>,
    /// The server's name in that list; not needed when it has one server
    #[arg(long, value_name = "NAME", requires = "from")]
    pub(crate) server: Option<String>,
    /// A header for --url, such as `X-Team: tools`; may be repeated
    #[arg(long, value_name = "NAME: VALUE")]
    pub(crate) header: Vec<String>,
    /// The longest time to connect and to list, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub(crate) timeout: u64,
    #[command(flatten)]
    pub(crate) given: GivenServer,
}

impl TargetArgs {
    /// Returns whether any of the flags is given, those that need another too.
    pub(crate) fn is_given(&self) -> bool {
        let own = self.surface.is_some() || self.target.is_some() || self.from.is_some() || !self.header.is_empty();
        let GivenServer { url, token_env, env, cwd, secrets_file, command } = &self.given;
        let shared = url.is_some() || token_env.is_some() || cwd.is_some() || secrets_file.is_some();
        own || shared || !env.is_empty() || !command.is_empty()
    }
}
