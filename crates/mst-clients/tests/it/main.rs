//! The `api` client against a fake model provider and fake MCP servers, all real programs on this machine.

mod bench;
mod endings;
mod models;
mod servers;
mod skills;
