//! The `api` client: a model alone, through its provider's API, with the servers' tools.
//!
//! `client.rs` is the client, `trial.rs` one trial with its connections and deadline, `conversation.rs` the loop of
//! model steps and tool calls, `turn.rs` what is said of one turn, `skills/` what the servers offer beside their tools, `recording.rs` what is kept of it, and `stop.rs` how it can end early.

mod client;
mod conversation;
mod names;
mod offer;
mod offers;
mod options;
mod pooled;
mod recording;
mod skills;
mod stop;
mod tool_server;
mod trial;
mod turn;
mod watcher;

#[cfg(test)]
mod scripted;
#[cfg(test)]
mod tests;

pub use client::{ApiDeps, api_client};
pub use names::unique_names;
pub use options::{ApiOptions, SkillsMode};
