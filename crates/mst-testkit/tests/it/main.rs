//! Drives the fakes as programs and in process.

#![expect(clippy::unwrap_used, reason = "a helper that fails, fails its test")]

mod environment;
mod fake_program;
mod mcp_http;
mod mcp_modes;
mod mcp_processes;
mod provider_faults;
mod provider_forms;
