//! Fake MCP servers, written by hand so that they can misbehave. One logic, two transports.

mod action;
mod asking;
mod calls;
mod exchange;
mod handshake;
mod http_server;
mod launch;
mod listing;
mod log;
mod mode;
mod names;
mod refusing;
mod results;
mod schemas;
mod secrets;
mod server;
mod session;
mod skills;
mod stdio;
mod streaming;
mod tools;

pub use exchange::{HttpExchange, HttpOptions};
pub use http_server::FakeMcpHttp;
pub use launch::{http_arguments, stdio_arguments, stdio_entry};
pub use mode::Mode;
pub use server::McpOptions;
pub use stdio::serve_stdio;
