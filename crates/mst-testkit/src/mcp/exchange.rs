//! How the HTTP transport behaves, and what it saw.

use clap::Args;
use indexmap::IndexMap;
use serde::Serialize;
use serde_json::Value;

use super::server::McpOptions;

/// How a fake HTTP server behaves.
#[derive(Debug, Clone, Default, Args)]
pub struct HttpOptions {
    /// What every transport has.
    #[command(flatten)]
    pub mcp: McpOptions,
    /// Answers 401 without this bearer token.
    #[arg(long)]
    pub bearer: Option<String>,
    /// Answers with event streams instead of JSON bodies.
    #[arg(long)]
    pub sse: bool,
    /// Gives no session ids.
    #[arg(long)]
    pub stateless: bool,
}

/// An HTTP exchange that the server saw.
#[derive(Debug, Clone, Serialize)]
pub struct HttpExchange {
    /// The request's method.
    pub method: String,
    /// The path and query.
    pub path: String,
    /// Headers with lower-case names; `mcp-protocol-version` and `mcp-session-id` are among them.
    pub headers: IndexMap<String, String>,
    /// The message, null when there is none.
    pub body: Value,
    /// The status that was answered; absent while the answer is open.
    pub status: Option<u16>,
}
