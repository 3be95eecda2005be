//! Fakes that are real programs, and the test environment. For tests only.

mod connection;
pub mod env;
pub mod mcp;
pub mod provider;
mod server_thread;

pub use env::{Finished, LeftOver, TestEnv, fake_binary};
pub use mcp::{FakeMcpHttp, Mode};
pub use provider::{FakeProvider, Form, Reply, Rule, Script, ToolCall, Usage, When};
