//! One file a command.

pub(crate) mod clients;
pub(crate) mod demo_server;
pub(crate) mod run;
