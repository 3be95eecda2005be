//! One file a command.

pub(crate) mod batch;
pub(crate) mod clients;
pub(crate) mod demo_server;
pub(crate) mod guardian;
mod one_line;
pub(crate) mod run;
mod target;
pub(crate) mod tools;
mod waiting;
