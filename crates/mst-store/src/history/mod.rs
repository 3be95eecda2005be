//! `history.json`: a cache of an eval's runs, a row each, which can be built again from the runs at any time.

mod facts;
mod file;
mod in_store;
mod rows;
mod update;

pub use update::{HistoryUpdate, build_history, update_history};
