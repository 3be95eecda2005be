//! The crate against the fake provider, over loopback connections.

mod attempts;
mod conversations;
mod credentials;
mod offline;
mod setup;
