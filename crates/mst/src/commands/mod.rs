//! One file a command.

pub(crate) mod demo_server;
pub(crate) mod run;
