//! One suite for each contract: what every implementation of it has to do, a plugin's too.

mod run_store;

pub use run_store::run_store;
