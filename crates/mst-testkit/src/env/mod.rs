//! The environment of a test: a folder of its own, cleared variables, programs with a time limit, and snapshots.

mod binary;
mod command;
mod filters;
mod leftover;
mod test_env;

pub use binary::{fake_binary, find_binary};
pub use command::Finished;
pub use filters::{filters, normalise};
pub use leftover::LeftOver;
pub use test_env::TestEnv;
