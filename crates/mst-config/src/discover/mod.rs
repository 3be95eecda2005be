//! Other programs' lists of MCP servers, read as what an eval config would say.
//!
//! Every reader is pure: bytes and [`Surroundings`] in, [`FoundServer`]s out. What a file holds is data: a wrong entry is
//! told with its place and stops nothing else, and a secret's value never reaches what is written.

mod arguments;
mod claude_desktop;
mod codex;
mod cursor;
mod declared;
mod found;
mod given;
mod jsonc;
mod label;
mod launch;
mod mcp_json;
mod mcpb;
mod place;
mod placeholder;
mod read;
mod script;
mod secret;
mod server_json;
mod surroundings;
mod text;
mod vscode;

pub use found::{Format, Found, FoundServer, Launch, NeededVariable};
pub use given::launch_given;
pub use label::{label_from, label_of_command, label_of_host, started_by};
pub use mcpb::{BundleError, manifest_of_bundle, read_manifest};
pub use place::{Place, places};
pub use read::{LONGEST_FILE, read};
pub use secret::{looks_secret, password_of_url};
pub use surroundings::{Platform, Surroundings, home};
