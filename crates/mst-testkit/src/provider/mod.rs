//! The fake model provider: one neutral script, rendered in every provider's wire form.

mod answering;
mod automatic;
mod counters;
mod delivery;
mod faults;
mod form;
mod read;
mod render;
mod reply;
mod request;
mod sample;
mod scan_judge;
mod script;
mod server;
mod strict;
mod tool_call;
mod view;

pub use counters::Stats;
pub use faults::Faults;
pub use form::Form;
pub use reply::{Fault, RawReply, Reply, Usage};
pub use request::RecordedRequest;
pub use script::{Fallback, Order, Rule, Script, When};
pub use server::FakeProvider;
pub use strict::{Rules, check_tools};
pub use tool_call::{Arguments, Target, ToolCall};
pub use view::{AssistantCall, Message, OfferedTool, Role, ToolResult, View};
