//! Test doubles that are real programs, and the environment that tests run them in. For tests only.
//!
//! - [`FakeProvider`] is a model provider on 127.0.0.1 that speaks every wire form from one [`Script`]. It runs on a
//!   thread of its own, so a test may block while it serves.
//! - [`FakeMcpHttp`], and `mst-fake mcp` over stdio, are MCP servers written by hand; a [`Mode`] says what goes wrong.
//! - [`conformance`] has one suite a contract, for every implementation of it.
//! - [`FakeCollector`] is a collector of OpenTelemetry traces that decodes what it is sent.
//! - [`TestEnv`] is a temporary folder with a cleared environment in which programs run with a time limit.
//! - `mst-fake` is all of these as a program; [`fake_binary`] finds it. Cargo builds it with this package only, so a
//!   test run of one other crate needs `cargo build -p mst-testkit` first.
//!
//! ```
//! use mst_testkit::{FakeProvider, Reply, Script, ToolCall};
//! use serde_json::json;
//!
//! let script = Script::strict()
//!     .on("part p-1", [
//!         Reply::tool(ToolCall::described("Look up one part", json!({"id": "p-1"}))),
//!         Reply::text("It is in {{last_tool_result}}."),
//!     ])
//!     .on("busy", [Reply::rate_limited(1), Reply::text("ok")])
//!     .model("claude-judge", Reply::text(r#"{"pass":true,"score":1,"reasoning":"ok"}"#));
//! let provider = FakeProvider::start_now(script);
//! assert!(provider.anthropic_url().starts_with("http://127.0.0.1:"));
//! assert_eq!(provider.stats().requests, 0);
//! ```
//!
//! The same script as a file for `mst-fake provider --script`:
//!
//! ```
//! let text = r#"{
//!   "rules": [
//!     { "when": { "text": "part p-1" }, "replies": [
//!       { "tool_calls": [{ "described": "Look up one part", "arguments": { "id": "p-1" } }] },
//!       { "text": "It is in {{last_tool_result}}." } ] },
//!     { "when": { "text": "busy" }, "replies": [
//!       { "fault": { "kind": "status", "status": 429, "headers": { "retry-after": "1" } } }, { "text": "ok" } ] },
//!     { "when": { "model": "claude-judge" }, "repeat": true, "replies": [
//!       { "text": "{\"pass\":true,\"score\":1,\"reasoning\":\"ok\"}" } ] }
//!   ],
//!   "fallback": "refuse"
//! }"#;
//! let script: mst_testkit::Script = serde_json::from_str(text).expect("the script can be read");
//! assert_eq!(script.rules.len(), 3);
//! ```

pub mod collector;
pub mod conformance;
mod connection;
pub mod env;
pub mod mcp;
pub mod provider;
mod proxy;
mod relay_thread;
mod server_thread;
mod tls;

pub use collector::{Collected, CollectedSpan, CollectorAnswer, FakeCollector};
pub use env::{Finished, LeftOver, TestEnv, fake_binary};
pub use mcp::{FakeMcpHttp, Mode};
pub use provider::{FakeProvider, Form, Reply, Rule, Script, ToolCall, Usage, When};
pub use proxy::FakeProxy;
pub use tls::TlsFront;
