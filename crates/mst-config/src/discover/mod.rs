//! Other programs' lists of MCP servers, read as what an eval config would say.
//!
//! Every reader is pure: bytes and a [`Surroundings`] in, [`FoundServer`]s out. What a file holds is data: a wrong entry is
//! told with its place and stops nothing else, and a secret's value never reaches what is written.

mod label;

pub use label::{label_from, label_of_command, label_of_host};
