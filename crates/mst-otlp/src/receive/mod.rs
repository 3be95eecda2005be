//! What clients report of themselves, received on 127.0.0.1.

mod answer;
mod body;
mod inbox;
mod items;
mod metrics;
mod quoting;
mod server;

pub use inbox::{Inbox, Limits};
pub use server::Receiver;
