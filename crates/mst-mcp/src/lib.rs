//! Everything that speaks MCP: connect, list a tool surface, call, probe. The only crate that names `rmcp`.
//!
//! The official SDK gives the protocol's vocabulary here (revisions, error codes, header names), not the client: its
//! typed models drop fields that they do not know and decode a malformed result as something else, and its handshake
//! cannot be asked what was wrong. What a server sends is therefore read as raw JSON, from the line or the body up.

mod connect;
mod content;
mod environment;
mod error;
mod failure;
mod handshake;
mod host;
mod link;
mod listing;
mod message;
mod notes;
mod options;
mod outcome;
mod pool;
mod probe;
mod rounds;
mod script;
mod session;
mod shelf;
mod skills;
mod surface;
mod surrogate;
mod text;
mod window;

pub use connect::connect;
pub use error::{Fault, McpError, Phase};
pub use failure::CallFailure;
pub use listing::surface_of_list;
pub use notes::Mark;
pub use options::{ConnectOptions, NamedServerRef, access_token};
pub use outcome::{CallOutcome, ResultPart};
pub use pool::{Expected, Lease, ServerPool, SessionRequest};
pub use probe::{Probed, probe};
pub use session::Session;
pub use skills::{
    InvalidSkill, ResourceContent, ResourceListing, SkillEntry, SkillFault, SkillFile, SkillFiles, SkillListing,
};
pub use surface::{ListedTool, ToolSurface};
