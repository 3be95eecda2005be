//! Agent Skills over MCP: the extension `io.modelcontextprotocol/skills`.
//!
//! A server that declares it lists its skills with `skills/list`, gives one with `skills/get`, and serves their files as
//! resources. Every entry declares the skill's front matter and each file's SHA-256 and size; [`SkillEntry`] checks what
//! a server declares, and [`SkillFile`] and [`SkillEntry::check_front_matter`] what it then serves.

mod entry;
mod front_matter;
mod listing;
mod requests;
mod resource;
mod uri;

pub use entry::{InvalidSkill, SkillEntry, SkillFile, SkillFiles};
pub use listing::{ResourceListing, SkillListing};
pub use requests::SkillFault;
pub use resource::ResourceContent;

pub(crate) use listing::Served;

/// The extension's name among a server's capabilities.
pub(crate) const EXTENSION: &str = "io.modelcontextprotocol/skills";
