//! One file a command.

pub(crate) mod batch;
pub(crate) mod clients;
pub(crate) mod compare;
pub(crate) mod datasets;
pub(crate) mod demo_server;
pub(crate) mod doctor;
pub(crate) mod export;
pub(crate) mod grade;
pub(crate) mod guardian;
pub(crate) mod history;
pub(crate) mod init;
pub(crate) mod judges;
mod one_line;
pub(crate) mod open;
mod option;
pub(crate) mod plan;
pub(crate) mod run;
pub(crate) mod runs;
mod stored_run;
mod target;
pub(crate) mod tools;
